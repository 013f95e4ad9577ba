"""Edits of streams groups: the same group with other tasks, members or names, and all that refers to them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kassay.model.streams_group import ROLES, StreamsGroup, StreamsMember, Subtopology
from kassay.model.tasks import TaskId

SUMS = ("offsets", "end_offsets")


def mentioned(group: StreamsGroup) -> list[TaskId]:
    """Return the tasks that members hold or report, each once."""
    held = (task for member in group.members for role in ROLES for task in getattr(member, role))
    reported = (task for member in group.members for name in SUMS for task in getattr(member, name))
    return list(dict.fromkeys([*held, *reported]))


def with_tasks(
    group: StreamsGroup, subtopologies: tuple[Subtopology, ...], new: Mapping[TaskId, TaskId | None]
) -> StreamsGroup:
    """Return the group with other subtopologies, and some tasks under new ids; what becomes None nobody holds or reports any more."""

    def renamed(member: StreamsMember) -> StreamsMember:
        kept: dict[str, Any] = {
            role: tuple(other for task in getattr(member, role) if (other := new.get(task, task)) is not None)
            for role in ROLES
        }
        for name in SUMS:
            sums = getattr(member, name).items()
            kept[name] = {other: sum_ for task, sum_ in sums if (other := new.get(task, task)) is not None}
        return replace(member, **kept)

    return replace(group, subtopologies=subtopologies, members=tuple(map(renamed, group.members)))


def put(group: StreamsGroup, at: int, new: Subtopology) -> tuple[Subtopology, ...]:
    """Return the subtopologies with another one in a place."""
    return (*group.subtopologies[:at], new, *group.subtopologies[at + 1 :])


def with_member(group: StreamsGroup, at: int, **changes: Any) -> StreamsGroup:
    """Return the group with other fields of the member in a place."""
    changed = replace(group.members[at], **changes)
    return replace(group, members=(*group.members[:at], changed, *group.members[at + 1 :]))


def with_all(group: StreamsGroup, **changes: Any) -> StreamsGroup:
    """Return the group with other fields of all members."""
    return replace(group, members=tuple(replace(member, **changes) for member in group.members))
