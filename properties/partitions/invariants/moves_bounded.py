"""The invariant that bounds moves, also where subscriptions differ: a partition is taken from its owner for more even loads alone."""

from collections import Counter
from collections.abc import Iterator

from kassay.model import Assignment, Group
from kassay.properties.partitions.holdings import complete_and_legal, holdings
from kassay.properties.partitions.owners import owners
from kassay.properties.runs import MOVES, Violation
from kassay.properties.words import counted


def moves_bounded(group: Group, assignment: Assignment) -> Iterator[str]:
    """At most half as many partitions leave owners that could keep them as the sum of squared loads falls by that.

    The sum is compared with what it would be if these partitions had stayed, and all others were where they are. Who moves a partition
    only from one member to another with at least two less takes 2 or more off that sum each time. Demanded of complete and legal
    answers, where each partition has one such owner at most. Source: AbstractStickyAssignor.performReassignments.
    """
    held = holdings(group, assignment)
    owned_by, reads = owners(group), {member.id: frozenset(member.topics) for member in group.members}
    if not owned_by or not complete_and_legal(group, assignment):
        return
    kept, moved = Counter({member: len(given) for member, given in held.items()}), 0
    for member, given in held.items():
        for partition in given:
            able = [owner for owner in owned_by.get(partition, ()) if partition.topic in reads[owner]]
            if member in able or not able:
                continue
            if len(able) > 1:
                return
            kept[able[0]] += 1
            kept[member] -= 1
            moved += 1
    before, after = (sum(load**2 for load in loads) for loads in (kept.values(), map(len, held.values())))
    if 2 * moved > before - after:
        said = f"{counted(moved, 'partition')} left owners that could keep them"
        evens = f"the sum of squared loads is {after} for that, and was {before}"
        yield Violation(f"{said}; {evens}", MOVES, moved)
