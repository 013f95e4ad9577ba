"""The order in which the minimiser descends: how large a streams group is, then how far from plain names and their order."""

from kassay.model.streams_group import StreamsGroup
from kassay.properties.plain_names import distance, inversions


def size(group: StreamsGroup) -> tuple[int, ...]:
    """Return how large a group is: the weightiest first, features before their numbers."""
    members, subtopologies = group.members, group.subtopologies
    offsets = [offset for member in members for offset in member.offsets.values()]
    ends = [end for member in members for end in member.end_offsets.values()]
    known = frozenset(group.tasks())
    held = [task for member in members for task in (*member.active, *member.standby, *member.warmup)]
    return (
        len(members),
        sum(each.partitions for each in subtopologies),
        len(subtopologies),
        group.settings.num_standby_replicas,
        len(group.settings.rack_aware_assignment_tags),
        sum(len(member.warmup) for member in members),
        sum(task not in known for task in (*held, *(task for member in members for task in member.offsets))),
        len(offsets) + len(ends),
        len(held),
        sum(len(member.standby) for member in members),
        sum(each.stateful for each in subtopologies),
        len(members) - len(group.processes),
        sum(offsets) + sum(ends),
        sum(len(member.tags) for member in members),
        sum(member.instance_id is not None for member in members),
        sum(member.rack is not None for member in members),
    )


def disorder(group: StreamsGroup) -> tuple[int, ...]:
    """Return how far a group's names and orders are from plain ones."""
    members = group.members
    values = {"v": sorted({value for member in members for _, value in member.tags})}
    named = {"m": [member.id for member in members], "p": list(group.processes), **values}
    tasks = [
        task
        for member in members
        for some in (member.active, member.standby, member.warmup, member.offsets)
        for task in some
    ]
    return (
        sum(isinstance(each.id, str) for each in group.subtopologies),
        sum(each.id for each in group.subtopologies if not isinstance(each.id, str)),
        *distance(named),
        inversions([member.id for member in members])
        + inversions(list(group.processes))
        + inversions([each.id for each in group.subtopologies]),
        inversions([member.process_id for member in members]),
        sum(
            inversions(list(some))
            for member in members
            for some in (member.active, member.standby, member.warmup, member.offsets)
        ),
        sum(task.partition for task in tasks),
        inversions(tasks),
    )


def order_key(group: StreamsGroup) -> tuple[int, ...]:
    """Return the key by which every step makes a group smaller, so that minimising ends: size, then disorder."""
    return (*size(group), *disorder(group))
