"""Steps that make the names and orders of a streams group plain."""

from collections.abc import Iterator
from dataclasses import replace

from kassay.model.streams_group import ROLES, StreamsGroup, StreamsMember
from kassay.model.tasks import TaskId
from kassay.properties.plain_names import renamings
from kassay.properties.tasks.members.shrinking.edits import SUMS, mentioned, with_tasks


def canonical_order(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """List everything in ascending order; then only neighbours change places, of members and of tasks."""
    members, subtopologies = group.members, group.subtopologies
    yield replace(group, subtopologies=tuple(sorted(subtopologies, key=lambda each: each.id)))
    yield replace(group, members=tuple(sorted(members, key=lambda member: member.id)))
    yield replace(group, members=tuple(map(_in_order, members)))
    for at in range(len(members) - 1):
        one, other = members[at : at + 2]
        yield replace(group, members=(*members[:at], other, one, *members[at + 2 :]))
        names = replace(one, id=other.id), replace(other, id=one.id)
        yield replace(group, members=(*members[:at], *names, *members[at + 2 :]))
    for each in subtopologies:
        for n in range(each.partitions - 1):
            one_task, other_task = TaskId(each.id, n), TaskId(each.id, n + 1)
            yield with_tasks(group, subtopologies, {one_task: other_task, other_task: one_task})


def _in_order(member: StreamsMember) -> StreamsMember:
    roles = {role: tuple(sorted(getattr(member, role))) for role in ROLES}
    sums = {name: dict(sorted(getattr(member, name).items())) for name in SUMS}
    return replace(member, **roles, **sums)  # type: ignore[arg-type]


def canonical_names(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """Number subtopologies from 0, and give members and processes plain names."""
    numbers = {each.id: n for n, each in enumerate(sorted(group.subtopologies, key=lambda each: each.id))}
    if any(old != new for old, new in numbers.items()):
        strangers = dict.fromkeys(t.subtopology for t in mentioned(group) if t.subtopology not in numbers)
        every = numbers | {old: len(numbers) + n for n, old in enumerate(strangers)}
        renumbered = tuple(replace(each, id=numbers[each.id]) for each in group.subtopologies)
        new = {task: TaskId(every[task.subtopology], task.partition) for task in mentioned(group)}
        yield with_tasks(group, renumbered, new)
    kinds = {"m": sorted(member.id for member in group.members), "p": sorted(group.processes)}
    for renaming in renamings(kinds):
        ids, processes = renaming.get("m", {}), renaming.get("p", {})
        yield replace(
            group,
            members=tuple(
                replace(
                    each,
                    id=ids.get(each.id, each.id),
                    process_id=processes.get(each.process_id, each.process_id),
                )
                for each in group.members
            ),
        )
