"""Balance: invariants that judge how even the loads are by looking for a chain of moves that makes them more even."""

from collections import deque
from collections.abc import Iterator

from kassay.model import Assignment, Group, TopicPartition
from kassay.properties.partitions.holdings import Holdings, holdings, subscribers
from kassay.properties.runs import LOADS, Violation
from kassay.properties.words import counted

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
                return _path(came, taker)
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


def _path(came: dict[str, Move], end: str) -> list[Move]:
    chain: list[Move] = []
    while end in came:
        chain.append(came[end])
        end = came[end][1]
    return chain[::-1]
