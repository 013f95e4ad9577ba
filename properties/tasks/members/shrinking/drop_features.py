"""Steps that make a streams group plainer: settings, state, what members hold, report and are."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from kassay.model.streams_group import ROLES, GroupSettings, StreamsGroup
from kassay.model.tasks import TaskId
from kassay.properties.minimise import parts
from kassay.properties.tasks.members.shrinking.edits import SUMS, put, with_all, with_member

PLAIN: Mapping[str, Any] = {
    **dict.fromkeys(ROLES, ()), "offsets": {}, "end_offsets": {}, "instance_id": None, "rack": None, "tags": (),
}  # fmt: skip
"""What members need not have."""


def lower_settings(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """Ask for fewer standbys and tags."""
    number, asked = group.settings.num_standby_replicas, group.settings.rack_aware_assignment_tags
    yield replace(group, settings=GroupSettings())
    for fewer in dict.fromkeys((0, 1, number // 2, number - 1)):
        if 0 <= fewer < number:
            yield replace(group, settings=GroupSettings(fewer, asked))
    for part in parts(len(asked)):
        yield replace(group, settings=GroupSettings(number, (*asked[: part.start], *asked[part.stop :])))


def drop_state(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """Make a subtopology stateless."""
    for at, each in enumerate(group.subtopologies):
        if each.stateful:
            yield replace(group, subtopologies=put(group, at, replace(each, stateful=False)))


def drop_features(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """Take a kind of thing from all members, then from single ones."""
    had = {
        name: nothing
        for name, nothing in PLAIN.items()
        if any(getattr(member, name) != nothing for member in group.members)
    }
    for name, nothing in had.items():
        yield with_all(group, **{name: nothing})
    for at, member in enumerate(group.members):
        for name, nothing in had.items():
            if getattr(member, name) != nothing:
                yield with_member(group, at, **{name: nothing})


def drop_holdings(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """Take single tasks from members, or let them hold these in a plainer role."""
    for at, member in enumerate(group.members):
        for place, role in enumerate(ROLES):
            held: tuple[TaskId, ...] = getattr(member, role)
            for task in held:
                left = {role: tuple(each for each in held if each != task)}
                yield with_member(group, at, **left)
                for plainer in ROLES[:place]:
                    yield with_member(group, at, **left, **{plainer: (*getattr(member, plainer), task)})


def lower_offsets(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """Let all sums be as plain as their order allows, let members report less, or lower single sums."""
    values = {sum_ for each in group.members for name in SUMS for sum_ in getattr(each, name).values()}
    rank = {sum_: n for n, sum_ in enumerate(sorted(values))}
    plain = group
    for at, member in enumerate(group.members):
        sums_of = {name: {task: rank[sum_] for task, sum_ in getattr(member, name).items()} for name in SUMS}
        plain = with_member(plain, at, **sums_of)
    yield plain
    for at, member in enumerate(group.members):
        for name in SUMS:
            sums: dict[TaskId, int] = dict(getattr(member, name))
            for task, offset in sums.items():
                yield with_member(
                    group, at, **{name: {each: own for each, own in sums.items() if each != task}}
                )
                for lower in dict.fromkeys((0, 1, 2, offset - 1)):
                    if 0 <= lower < offset:
                        yield with_member(group, at, **{name: sums | {task: lower}})


def split_processes(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """Give a member a process of its own, or that of another one."""
    free = next(name for n in range(len(group.members) + 1) if (name := f"p{n}") not in group.processes)
    for at, member in enumerate(group.members):
        if len(group.processes[member.process_id]) > 1:
            yield with_member(group, at, process_id=free)
        for name in group.processes:
            if name != member.process_id:
                yield with_member(group, at, process_id=name)
