"""Shrinking of streams groups: the order of groups, and the steps that the shrinker tries.

The order is size, then the distance from plain names and from their order. Not every step makes a group smaller: a second
step may make it smaller than it was.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from kassay.model.streams_group import ROLES, GroupSettings, StreamsGroup, StreamsMember, Subtopology
from kassay.model.tasks import TaskId
from kassay.properties.minimise import (
    Shrinker,
    cut,
    distance,
    drop_each,
    drop_some,
    inversions,
    keep_some,
    list_lower,
    parts,
    put,
    renamings,
    try_pairs,
    with_each,
    with_one,
)


def size(group: StreamsGroup) -> tuple[int, ...]:
    """Return the size of a group: the most important number first, features before their numbers."""
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
    """Return the distance from plain names and from their order."""
    members = group.members
    ids, processes = [member.id for member in members], list(group.processes)
    values = sorted({value for member in members for _, value in member.tags})
    lists = [
        list(some)
        for member in members
        for some in (member.active, member.standby, member.warmup, member.offsets)
    ]
    tasks = [task for some in lists for task in some]
    return (
        sum(isinstance(each.id, str) for each in group.subtopologies),
        sum(each.id for each in group.subtopologies if not isinstance(each.id, str)),
        *distance({"m": ids, "p": processes, "v": values}),
        inversions(ids) + inversions(processes) + inversions([each.id for each in group.subtopologies]),
        inversions([member.process_id for member in members]),
        sum(map(inversions, lists)),
        sum(task.partition for task in tasks),
        inversions(tasks),
    )


SUMS = ("offsets", "end_offsets")


def list_mentioned(group: StreamsGroup) -> list[TaskId]:
    """Return the tasks that members have or report, each once."""
    held = (task for member in group.members for role in ROLES for task in getattr(member, role))
    reported = (task for member in group.members for name in SUMS for task in getattr(member, name))
    return list(dict.fromkeys([*held, *reported]))


def with_tasks(
    group: StreamsGroup, subtopologies: tuple[Subtopology, ...], new: Mapping[TaskId, TaskId | None]
) -> StreamsGroup:
    """Return the group with other subtopologies, and some tasks under new ids; members lose the tasks that become None."""

    def rename(member: StreamsMember) -> StreamsMember:
        kept: dict[str, Any] = {
            role: tuple(other for task in getattr(member, role) if (other := new.get(task, task)) is not None)
            for role in ROLES
        }
        for name in SUMS:
            sums = getattr(member, name).items()
            kept[name] = {other: sum_ for task, sum_ in sums if (other := new.get(task, task)) is not None}
        return replace(member, **kept)

    return replace(group, subtopologies=subtopologies, members=tuple(map(rename, group.members)))


def remove_members(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """Leave out members, never all."""
    return (replace(group, members=left) for left, _ in keep_some(group.members))


def remove_subtopologies(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """Leave out subtopologies with their tasks."""
    for part in parts(len(group.subtopologies)):
        gone = {each.id for each in group.subtopologies[part]}
        nowhere = {task: None for task in list_mentioned(group) if task.subtopology in gone}
        yield with_tasks(group, cut(group.subtopologies, part), nowhere)


def remove_partitions(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """Leave out the last partitions of a subtopology, then single ones."""
    for at, each in enumerate(group.subtopologies):
        for count in list_lower(each.partitions, 0):
            yield _without(group, at, count, each.partitions)
        for gone in range(each.partitions - 1):
            yield _without(group, at, gone, gone + 1)


def _without(group: StreamsGroup, at: int, first: int, end: int) -> StreamsGroup:
    """Leave out a range of partitions; the partitions and the vanished tasks behind it move down."""
    each = group.subtopologies[at]
    new: dict[TaskId, TaskId | None] = {
        task: None if task.partition < end else TaskId(each.id, task.partition - end + first)
        for task in list_mentioned(group)
        if task.subtopology == each.id and task.partition >= first
    }
    fewer = replace(each, partitions=each.partitions - end + first)
    return with_tasks(group, put(group.subtopologies, at, fewer), new)


def merge_subtopologies(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """Make the last subtopology a part of the one before it, with or without state."""
    if len(group.subtopologies) < 2:
        return
    *left, one, other = group.subtopologies
    moved = {
        task: TaskId(one.id, one.partitions + task.partition)
        for task in list_mentioned(group)
        if task.subtopology == other.id
    }
    for stateful in dict.fromkeys((one.stateful, other.stateful)):
        both = Subtopology(one.id, one.partitions + other.partitions, stateful)
        yield with_tasks(group, (*left, both), moved)


PLAIN: Mapping[str, Any] = {
    **dict.fromkeys(ROLES, ()), "offsets": {}, "end_offsets": {}, "instance_id": None, "rack": None, "tags": (),
}  # fmt: skip
"""The optional fields of members, with their empty values."""


def lower_settings(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """Ask for fewer standbys and tags."""
    number, asked = group.settings.num_standby_replicas, group.settings.rack_aware_assignment_tags
    yield replace(group, settings=GroupSettings())
    for fewer in list_lower(number, 0, 1):
        yield replace(group, settings=GroupSettings(fewer, asked))
    for left in drop_some(asked):
        yield replace(group, settings=GroupSettings(number, left))


def drop_features(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """Clear an optional field of all members, then of single ones."""
    had = {
        name: nothing
        for name, nothing in PLAIN.items()
        if any(getattr(member, name) != nothing for member in group.members)
    }
    for name, nothing in had.items():
        yield with_each(group, "members", **{name: nothing})
    for at, member in enumerate(group.members):
        for name, nothing in had.items():
            if getattr(member, name) != nothing:
                yield with_one(group, "members", at, **{name: nothing})


def drop_tasks(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """Take single tasks from members, or give them the tasks in a plainer role."""
    for at, member in enumerate(group.members):
        for place, role in enumerate(ROLES):
            held: tuple[TaskId, ...] = getattr(member, role)
            for n, task in enumerate(held):
                left = {role: put(held, n)}
                yield with_one(group, "members", at, **left)
                for plainer in ROLES[:place]:
                    moved = {plainer: (*getattr(member, plainer), task)}
                    yield with_one(group, "members", at, **left, **moved)


def lower_offsets(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """Replace all offset sums by their ranks, let members report less, or lower single sums."""
    values = {sum_ for each in group.members for name in SUMS for sum_ in getattr(each, name).values()}
    rank = {sum_: n for n, sum_ in enumerate(sorted(values))}
    plain = group
    for at, member in enumerate(group.members):
        sums_of = {name: {task: rank[sum_] for task, sum_ in getattr(member, name).items()} for name in SUMS}
        plain = with_one(plain, "members", at, **sums_of)
    yield plain
    for at, member in enumerate(group.members):
        for name in SUMS:
            sums: dict[TaskId, int] = dict(getattr(member, name))
            for task, offset in sums.items():
                less = {each: own for each, own in sums.items() if each != task}
                yield with_one(group, "members", at, **{name: less})
                for lower in dict.fromkeys((0, 1, 2, offset - 1)):
                    if 0 <= lower < offset:
                        yield with_one(group, "members", at, **{name: sums | {task: lower}})


def split_processes(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """Give a member its own process, or the process of another one."""
    free = next(name for n in range(len(group.members) + 1) if (name := f"p{n}") not in group.processes)
    for at, member in enumerate(group.members):
        if len(group.processes[member.process_id]) > 1:
            yield with_one(group, "members", at, process_id=free)
        for name in group.processes:
            if name != member.process_id:
                yield with_one(group, "members", at, process_id=name)


def canonicalize_order(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """Sort all lists; then exchange neighbours, of members and of tasks."""
    members, subtopologies = group.members, group.subtopologies
    yield replace(group, subtopologies=tuple(sorted(subtopologies, key=lambda each: each.id)))
    yield replace(group, members=tuple(sorted(members, key=lambda member: member.id)))
    lists: list[dict[str, Any]] = [
        {role: tuple(sorted(getattr(member, role))) for role in ROLES}
        | {name: dict(sorted(getattr(member, name).items())) for name in SUMS}
        for member in members
    ]
    yield replace(group, members=tuple(replace(m, **new) for m, new in zip(members, lists, strict=True)))
    for at in range(len(members) - 1):
        one, other = members[at : at + 2]
        yield replace(group, members=(*members[:at], other, one, *members[at + 2 :]))
        names = replace(one, id=other.id), replace(other, id=one.id)
        yield replace(group, members=(*members[:at], *names, *members[at + 2 :]))
    for each in subtopologies:
        for n in range(each.partitions - 1):
            one_task, other_task = TaskId(each.id, n), TaskId(each.id, n + 1)
            yield with_tasks(group, subtopologies, {one_task: other_task, other_task: one_task})


def canonicalize_names(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """Number subtopologies from 0, and give members and processes plain names."""
    numbers = {each.id: n for n, each in enumerate(sorted(group.subtopologies, key=lambda each: each.id))}
    if any(old != new for old, new in numbers.items()):
        strangers = dict.fromkeys(
            t.subtopology for t in list_mentioned(group) if t.subtopology not in numbers
        )
        every = numbers | {old: len(numbers) + n for n, old in enumerate(strangers)}
        renumbered = tuple(replace(each, id=numbers[each.id]) for each in group.subtopologies)
        new = {task: TaskId(every[task.subtopology], task.partition) for task in list_mentioned(group)}
        yield with_tasks(group, renumbered, new)
    kinds = {"m": sorted(member.id for member in group.members), "p": sorted(group.processes)}
    for renaming in renamings(kinds):
        ids, processes = renaming.get("m", {}), renaming.get("p", {})
        yield replace(
            group,
            members=tuple(
                replace(m, id=ids.get(m.id, m.id), process_id=processes.get(m.process_id, m.process_id))
                for m in group.members
            ),
        )


SHRINKER = Shrinker(
    size, disorder,
    (
        remove_members, remove_subtopologies, remove_partitions, merge_subtopologies, lower_settings,
        lambda group: drop_each(group, "subtopologies", "stateful", nothing=False),
        drop_features, drop_tasks, lower_offsets, split_processes, canonicalize_order, canonicalize_names,
    ),
)  # fmt: skip


def list_smaller(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """Yield smaller groups: single steps, then pairs of steps, of which the first may lead to a larger group."""
    own = SHRINKER.key(group)

    def list_steps(other: StreamsGroup) -> Iterator[StreamsGroup]:
        return (result for step in SHRINKER.steps for result in step(other))

    return (other for other in try_pairs(group, list_steps) if SHRINKER.key(other) < own)


smaller = list_smaller
