"""Invariants about loads: how many tasks members have, and processes for each of their members."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from kassay.model.streams_group import StreamsAssignment, StreamsGroup
from kassay.properties.runs import LOADS, Violation
from kassay.properties.tasks.evenness import evens
from kassay.properties.tasks.members.holdings import copies, given
from kassay.properties.words import counted


def active_balanced(group: StreamsGroup, answer: StreamsAssignment) -> Iterator[str]:
    """The active tasks of any two members differ by one at most, and no single one in another process evens two processes.

    Processes are compared by tasks for each member. Source: StickyTaskAssignor, which gives no member more than its share, rounded
    up, and what nobody had to the least loaded process.
    """
    counts = {name: len({*roles.active}) for name, roles in given(group, answer)}
    most, least = (pick(counts, key=counts.__getitem__, default="") for pick in (max, min))
    loads = _of_processes(group, counts)
    apart = sum(count**2 for count in counts.values()) + sum(
        Fraction(many**2, members) for many, members in loads.values()
    )
    if counts and counts[most] > counts[least] + 1:
        yield Violation(
            f"{most} has {counted(counts[most], 'active task')}, {least} {counts[least]}", LOADS, apart
        )
        return
    for giver, (many, members) in loads.items():
        for taker, (few, others) in loads.items():
            if many and evens(many, members, few, others):
                yield Violation(
                    f"process {giver} has {_load(many, members, 'active task')}, {taker} {_load(few, others)}; "
                    "more even: move one",
                    LOADS,
                    apart,
                )
                return


def total_balanced(group: StreamsGroup, answer: StreamsAssignment) -> Iterator[str]:
    """No single move of a standby makes the tasks, active and standby, of two members differ by less, or those for each member of two processes.

    A standby may go to any process that has no other copy of its task. Source: StickyTaskAssignor, which gives standbys to the least
    loaded too.
    """
    counts = {name: len({*roles.active, *roles.standby}) for name, roles in given(group, answer)}
    process = {member.id: member.process_id for member in group.members}
    loads = _of_processes(group, counts)
    held = copies(group, answer)
    for giver, roles in given(group, answer):
        for taker, few in counts.items():
            movable = (
                task
                for task in roles.standby
                if process[taker] == process[giver] or process[taker] not in held[task]
            )
            apart = counts[giver] > few + 1 or (
                counts[giver] > few and evens(*loads[process[giver]], *loads[process[taker]])
            )
            if apart and (task := next(movable, None)) is not None:
                yield Violation(
                    f"{giver} has {counted(counts[giver], 'task')}, {taker} {few}; more even: move standby {task}",
                    LOADS,
                    counts[giver] - few,
                )
                break


def _of_processes(group: StreamsGroup, counts: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Return the tasks and the members of each process."""
    return {
        name: (sum(counts[each.id] for each in members), len(members))
        for name, members in group.processes.items()
    }


def _load(tasks: int, members: int, noun: str = "") -> str:
    return f"{counted(tasks, noun) if noun else tasks} on {counted(members, 'member')}"
