"""Invariants of loads: no chain of moves makes them more even, and partitions move for more even loads alone.

Invariants of share groups, in which several members may read one partition (KIP-932), stand at the end.
"""

from collections import Counter, deque
from collections.abc import Iterator

from kassay.model import Assignment, Group, TopicPartition
from kassay.properties.partitions.owners import (
    Holdings,
    complete_and_legal,
    holdings,
    owners,
    sharing,
    subscribers,
)
from kassay.properties.runs import LOADS, MOVES, Violation, counted, listed

Move = tuple[TopicPartition, str, str]
"""A partition, its giver and its taker."""


def balanced(group: Group, assignment: Assignment) -> Iterator[str]:
    """The loads are as even as the subscriptions allow: no chain of moves from member to member evens them.

    The load is the number of partitions that a member holds legally. Loads without such a chain are least in their
    maximum, their squares' sum and every other symmetric convex norm at once.
    Source: Harvey, Ladner, Lovasz, Tamir, Semi-matchings for bipartite graphs and load balancing (2006).
    """
    held = holdings(group, assignment)
    chain = improving_chain(held, subscribers(group))
    if chain:
        heavy, light = chain[0][1], chain[-1][2]
        yield Violation(
            f"{heavy} holds {counted(len(held[heavy]), 'partition')}, {light} holds {len(held[light])}; "
            f"more even: move {' and '.join(f'{p} from {giver} to {taker}' for p, giver, taker in chain)}",
            LOADS,
            sum(len(given) ** 2 for given in held.values()),
        )


def locally_balanced(group: Group, assignment: Assignment) -> Iterator[str]:
    """No single move of a partition evens the loads.

    Source: AbstractStickyAssignor.isBalanced: nobody could take a partition from an owner that holds two more.
    """
    held = holdings(group, assignment)
    loads = {member: len(given) for member, given in held.items()}
    least = min(loads.values(), default=0)
    readers = {
        topic: sorted(members, key=loads.__getitem__)
        for topic, members in subscribers(group).items()
        if members
    }
    sets = {member: set(given) for member, given in held.items()}
    for giver, given in held.items():
        if loads[giver] < least + 2:
            continue
        tried: set[tuple[str, str]] = set()
        for partition in given:
            for taker in readers[partition.topic]:
                if loads[giver] < loads[taker] + 2 or (partition.topic, taker) in tried:
                    break
                if partition not in sets[taker]:
                    tried.add((partition.topic, taker))
                    yield Violation(
                        f"{giver} holds {counted(len(given), 'partition')}, {taker} holds {loads[taker]}; "
                        f"more even: move {partition} from {giver} to {taker}",
                        LOADS,
                        loads[giver] - loads[taker],
                    )
                    break


def improving_chain(held: Holdings, readers: dict[str, list[str]]) -> list[Move]:
    """Return a shortest chain of moves from one of the most loaded members to one with at least two less, or [].

    Breadth-first searches from each member, in descending load, that enter every member once: a member reached from
    a heavier start needs no further visit. Linear in the number of subscriptions and of partitions held.
    """
    loads = {member: len(given) for member, given in held.items()}
    least = min(loads.values(), default=0)
    search = _Search(held, readers)
    for start in sorted(loads, key=loads.__getitem__, reverse=True):
        if loads[start] < least + 2:
            break
        came: dict[str, Move] = {}
        for move in search.moves_from(start):
            taker = move[2]
            came[taker] = move
            if loads[taker] + 2 <= loads[start]:
                chain = [came[taker]]
                while chain[-1][1] in came:
                    chain.append(came[chain[-1][1]])
                return chain[::-1]
    return []


class _Search:
    """Breadth-first searches that hand partitions on and together enter every member once."""

    def __init__(self, held: Holdings, readers: dict[str, list[str]]) -> None:
        self.held = held
        self.sets = {member: frozenset(given) for member, given in held.items()}
        self.waiting = dict(readers)  # subscribers of each topic that may not have been entered
        self.entered: set[str] = set()

    def moves_from(self, start: str) -> Iterator[Move]:
        """Yield the move by which each member is entered; nothing if the start was entered before."""
        queue = deque([start] if start not in self.entered else ())
        self.entered.add(start)
        while queue:
            giver = queue.popleft()
            for partition in self.held[giver]:
                for taker in self._takers(partition):
                    queue.append(taker)
                    yield partition, giver, taker

    def _takers(self, partition: TopicPartition) -> list[str]:
        """Enter the subscribers that do not hold the partition themselves (two may, by mistake or as copies)."""
        waiting = [member for member in self.waiting[partition.topic] if member not in self.entered]
        takers = [member for member in waiting if partition not in self.sets[member]]
        self.waiting[partition.topic] = (
            [] if len(takers) == len(waiting) else [m for m in waiting if partition in self.sets[m]]
        )
        self.entered.update(takers)
        return takers


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


def distinct(group: Group, assignment: Assignment) -> Iterator[str]:
    """No partition is given to one member twice.

    Source: ShareGroupPartitionAssignor answers with sets.
    """
    for member in group.members:
        for partition, times in Counter(assignment.get(member.id, ())).items():
            if times > 1:
                yield Violation(f"{partition} is given to {member.id} {times} times", partition)


def busy(group: Group, assignment: Assignment) -> Iterator[str]:
    """Every member has a partition, if it subscribes to any that may be given: there is always one to share.

    Source: KIP-932, whose share groups may have more members than partitions, so that all of them consume.
    """
    held = holdings(group, assignment)
    for member in group.members:
        readable = [
            topic.name
            for topic in group.topics
            if topic.name in member.topics and topic.partitions > len(set(topic.unassignable))
        ]
        if readable and not held[member.id]:
            said = f"{member.id} has nothing, though it could share {listed(readable, ' or ')}"
            yield Violation(said, member.id)


def evenly_shared(group: Group, assignment: Assignment) -> Iterator[str]:
    """Every partition goes to as many members as there are for each partition, rounded up.

    Counted over all topics where all members subscribe to the same ones, and otherwise topic by topic. Source: the desired sharing
    of SimpleAssignor, Kafka 4.2.
    """
    owners = Counter(partition for given in holdings(group, assignment).values() for partition in given)
    wanted = sharing(group)
    for topic in group.topics:
        for partition in topic if wanted[topic.name] else ():
            if owners[partition] != wanted[topic.name] and partition.partition not in topic.unassignable:
                shared = counted(owners[partition], "member")
                said = f"{partition} is shared by {shared} instead of {wanted[topic.name]}"
                yield Violation(said, partition)
