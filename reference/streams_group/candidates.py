"""Who has the state of a task, and which of them is to get it.

Source: StickyTaskAssignor of Kafka 4.2 to 4.4, whose releases differ here (KAFKA-20719, KAFKA-20899).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from kassay.model.streams_group import StreamsGroup
from kassay.model.tasks import TaskId
from kassay.reference.streams_group.process_state import ProcessState

Holder: TypeAlias = tuple[str, str]
"""A process and a member of it."""
Held: TypeAlias = Mapping[TaskId, Sequence[Holder]]
Candidates: TypeAlias = Callable[[StreamsGroup], Held]
Choose: TypeAlias = Callable[[Mapping[str, ProcessState], Sequence[Holder], TaskId | None], Holder | None]


def of_standbys(group: StreamsGroup) -> Held:
    """Return of each task the members that have a standby of it, in the order of the members: until 4.3."""
    found: dict[TaskId, list[Holder]] = {}
    for member in group.members:
        for task in member.standby:
            found.setdefault(task, []).append((member.process_id, member.id))
    return found


def of_standbys_and_offsets(group: StreamsGroup) -> Held:
    """Return also those that report offsets, behind those with a standby; among these and those the highest offset first: from 4.4 on."""
    found: dict[TaskId, list[tuple[bool, int, Holder]]] = {}
    for member in group.members:
        holder = member.process_id, member.id
        for task in member.standby:
            found.setdefault(task, []).append((False, -member.offsets.get(task, 0), holder))
        for task, offset in member.offsets.items():
            if task not in member.standby:
                found.setdefault(task, []).append((True, -offset, holder))
    return {
        task: [each[2] for each in sorted(held, key=lambda each: each[:2])] for task, held in found.items()
    }


def choose(
    processes: Mapping[str, ProcessState], holders: Sequence[Holder], task: TaskId | None
) -> Holder | None:
    """Return the first whose process has not got the task, or one after it with less load both of process and of member."""
    found, load, count = None, 0.0, 0
    for name, member in holders:
        process = processes[name]
        if task is not None and task in process.tasks:
            continue
        if found is None or (process.load < load and process.counts[member] < count):
            found, load, count = (name, member), process.load, process.counts[member]
    return found


def choose_until_4_3(
    processes: Mapping[str, ProcessState], holders: Sequence[Holder], task: TaskId | None
) -> Holder | None:
    """Do that, but choose nobody where the process of the very first one has got the task (KAFKA-20899)."""
    if not holders:
        return None
    found = holders[0]
    first = processes[found[0]]
    load, count = first.load, first.counts[found[1]]
    for name, member in holders[1:]:
        process = processes[name]
        if task is not None and task in process.tasks:
            continue
        if process.load < load and process.counts[member] < count:
            found, load, count = (name, member), process.load, process.counts[member]
    return None if task is not None and task in first.tasks else found
