"""Invariants about loads: how many tasks members have."""

from collections.abc import Iterator

from kassay.model.streams_group import StreamsAssignment, StreamsGroup
from kassay.properties.runs import LOADS, Violation
from kassay.properties.tasks.members.holdings import copies, given
from kassay.properties.words import counted


def active_balanced(group: StreamsGroup, answer: StreamsAssignment) -> Iterator[str]:
    """The active tasks of any two members differ by one at most.

    Source: StickyTaskAssignor, which gives no member more than its share, rounded up.
    """
    counts = {name: len({*roles.active}) for name, roles in given(group, answer)}
    most, least = (pick(counts, key=counts.__getitem__, default="") for pick in (max, min))
    if counts and counts[most] > counts[least] + 1:
        said = f"{most} has {counted(counts[most], 'active task')}, {least} {counts[least]}"
        yield Violation(said, LOADS, sum(count**2 for count in counts.values()))


def total_balanced(group: StreamsGroup, answer: StreamsAssignment) -> Iterator[str]:
    """No single move of a standby makes the tasks, active and standby, of two members differ by less.

    A standby may go to any process that has no other copy of its task. Source: StickyTaskAssignor, which gives standbys to the least
    loaded too.
    """
    counts = {name: len({*roles.active, *roles.standby}) for name, roles in given(group, answer)}
    process = {member.id: member.process_id for member in group.members}
    held = copies(group, answer)
    for giver, roles in given(group, answer):
        for taker, few in counts.items():
            movable = (
                task
                for task in roles.standby
                if process[taker] == process[giver] or process[taker] not in held[task]
            )
            if counts[giver] > few + 1 and (task := next(movable, None)) is not None:
                yield Violation(
                    f"{giver} has {counted(counts[giver], 'task')}, {taker} {few}; more even: move standby {task}",
                    LOADS,
                    counts[giver] - few,
                )
                break
