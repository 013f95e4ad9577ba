"""Steps that take members and tasks away from a streams group."""

from collections.abc import Iterator
from dataclasses import replace

from kassay.model.streams_group import StreamsGroup, Subtopology
from kassay.model.tasks import TaskId
from kassay.properties.minimise import parts
from kassay.properties.tasks.members.shrinking.edits import mentioned, put, with_tasks


def remove_members(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """Leave out members, never all."""
    members = group.members
    for part in parts(len(members)):
        if left := (*members[: part.start], *members[part.stop :]):
            yield replace(group, members=left)


def remove_subtopologies(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """Leave out subtopologies with their tasks."""
    some = group.subtopologies
    for part in parts(len(some)):
        gone = {each.id for each in some[part]}
        nowhere = {task: None for task in mentioned(group) if task.subtopology in gone}
        yield with_tasks(group, (*some[: part.start], *some[part.stop :]), nowhere)


def remove_partitions(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """Leave out the last partitions of a subtopology, then single ones."""
    for at, each in enumerate(group.subtopologies):
        for count in dict.fromkeys((0, each.partitions // 2, each.partitions - 1)):
            if 0 <= count < each.partitions:
                yield _without(group, at, count, each.partitions)
        for gone in range(each.partitions - 1):
            yield _without(group, at, gone, gone + 1)


def _without(group: StreamsGroup, at: int, first: int, end: int) -> StreamsGroup:
    """Leave out a range of partitions; those behind it move up, and so do tasks that were gone before."""
    each = group.subtopologies[at]
    new: dict[TaskId, TaskId | None] = {
        task: None if task.partition < end else TaskId(each.id, task.partition - end + first)
        for task in mentioned(group)
        if task.subtopology == each.id and task.partition >= first
    }
    fewer = replace(each, partitions=each.partitions - end + first)
    return with_tasks(group, put(group, at, fewer), new)


def merge_subtopologies(group: StreamsGroup) -> Iterator[StreamsGroup]:
    """Let the last subtopology become part of the one before it, with or without state."""
    if len(group.subtopologies) < 2:
        return
    *left, one, other = group.subtopologies
    moved = {
        task: TaskId(one.id, one.partitions + task.partition)
        for task in mentioned(group)
        if task.subtopology == other.id
    }
    for stateful in dict.fromkeys((one.stateful, other.stateful)):
        both = Subtopology(one.id, one.partitions + other.partitions, stateful)
        yield with_tasks(group, (*left, both), moved)
