"""Who has the state of a task, and which of them is to get it.

Source: StickyTaskAssignor of Kafka 4.2 to 4.4, whose releases differ here (KAFKA-20719, KAFKA-20899).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeAlias

from kassay.model.tasks import TaskId
from kassay.reference.streams_group.process_state import MemberState

Held: TypeAlias = Mapping[TaskId, list[MemberState]]
Candidates: TypeAlias = Callable[[Collection[MemberState], frozenset[TaskId]], Held]
Choose: TypeAlias = Callable[[Sequence[MemberState], TaskId | None], MemberState | None]


def of_standbys(members: Collection[MemberState], tasks: frozenset[TaskId]) -> Held:
    """Return of each of some tasks the members that have a standby of it, in the order of the members: until 4.3."""
    found: dict[TaskId, list[MemberState]] = {}
    for state in members:
        for task in tasks.intersection(state.member.standby):
            found.setdefault(task, []).append(state)
    return found


def of_standbys_and_offsets(members: Collection[MemberState], tasks: frozenset[TaskId]) -> Held:
    """Return also those that report offsets, behind those with a standby; among these and those the highest offset first: from 4.4 on."""
    reporting: dict[TaskId, list[MemberState]] = {}
    for state in members:
        for task in tasks.intersection(state.member.offsets).difference(state.member.standby):
            reporting.setdefault(task, []).append(state)
    standing = of_standbys(members, tasks)
    for found in (standing, reporting):
        for task, held in found.items():
            if len(held) > 1:
                held.sort(key=lambda state: -state.member.offsets.get(task, 0))
    return {**reporting, **{task: held + reporting.get(task, []) for task, held in standing.items()}}


def choose(holders: Sequence[MemberState], task: TaskId | None) -> MemberState | None:
    """Return the first whose process has not got the task, or one after it with less load both of process and of member."""
    found = None
    for member in holders:
        process = member.process
        if task is not None and task in process.tasks:
            continue
        if found is None or (process.load < found.process.load and member.count < found.count):
            found = member
    return found


def choose_until_4_3(holders: Sequence[MemberState], task: TaskId | None) -> MemberState | None:
    """Do that, but choose nobody where the process of the very first one has got the task (KAFKA-20899)."""
    if holders and task is not None and task in holders[0].process.tasks:
        return None
    return choose(holders, task)
