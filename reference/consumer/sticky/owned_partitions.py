"""The claims that count if members missed rebalances (KIP-54, KIP-341, KIP-792), and the owners during an assignment.

Kafka 2.3 to 2.8 reads claims from user data if subscriptions differ: StickyAssignor the partitions, CooperativeStickyAssignor
the generation. User data can be read only once.
"""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from heapq import heapify, heappop, heappush, heapreplace
from itertools import chain
from typing import TypeAlias

from kassay.model import TopicPartition
from kassay.reference.consumer.sticky.numbered_group import NO_GENERATION, NumberedGroup, mark_partitions

UserData: TypeAlias = Iterable[tuple[int, int | None]]
"""The members whose claims are read, in the order of the group, with their generation if it is known."""


def all_with_generations(group: NumberedGroup, _: int) -> UserData:
    """Read all members' claims and generations."""
    return ((m, group.generations[m]) for m in group.arrival)


def all_without_generations(group: NumberedGroup, _: int) -> UserData:
    """Read all members' claims, without generations."""
    return ((m, None) for m in group.arrival)


def rest_with_generations(group: NumberedGroup, alike: int) -> UserData:
    """Read claims and generations from the first member with another subscription on; the others were read before."""
    return ((m, group.generations[m]) for m in group.arrival[alike:])


def generations_of_rest(group: NumberedGroup, alike: int) -> UserData:
    """Read all claims, and generations only from the first member with another subscription on."""
    return chain(((m, NO_GENERATION) for m in group.arrival[:alike]), rest_with_generations(group, alike))


def find_claimants(group: NumberedGroup, user_data: UserData) -> dict[TopicPartition, dict[int, int]]:
    """Return partition -> generation -> its claimant: the first one of a generation, the last one without a generation."""
    found: dict[TopicPartition, dict[int, int]] = {}
    for m, generation in user_data:
        for name in group.members[m].owned:
            by_generation = found.setdefault(name, {})
            if generation is None:
                by_generation[NO_GENERATION] = m
            else:
                by_generation.setdefault(generation, m)
    return found


@dataclass(frozen=True, slots=True)
class OwnedPartitions:
    """The partitions of each member after claims are settled.

    A partition can have two owners only by `keep_last_claims`, `keep_newest_generation` and `keep_all_claims`. `contested` are the
    partitions that two members claim in one generation; `previous` are the last owners of partitions claimed in older generations.
    """

    held: list[list[int]]
    contested: set[int]
    previous: dict[int, int]


def keep_newest_claims(group: NumberedGroup) -> OwnedPartitions:
    """Settle the members' claims in the group's order, as releases from 3.5.2 on do.

    The later generation wins. In the same generation neither member holds the partition any more.
    """
    return _compare_claims(group, losers_count=False)


def keep_last_claims(group: NumberedGroup) -> OwnedPartitions:
    """Settle claims as 3.4.1 to 3.5.1 do: as `keep_newest_claims`, but each claim is compared with the last one, even if that lost.

    So a third claim can win against the second, while the first, which also won, is kept too.
    """
    return _compare_claims(group, losers_count=True)


def keep_uncontested_claims(group: NumberedGroup) -> OwnedPartitions:
    """Settle claims as 2.8.1 to 3.4.0 do: only claims of the newest generation count, and only if no other member makes them."""
    held, contested = _select_newest(group), set[int]()
    seen: set[int] = set()
    for claims in held:
        contested.update(seen.intersection(claims))
        seen.update(claims)
    held = [[p for p in claims if p not in contested] for claims in held]
    return OwnedPartitions(held, contested, _previous(group))


def keep_newest_generation(group: NumberedGroup) -> OwnedPartitions:
    """Settle claims as 2.5.1 to 2.8.0 do: all claims of the newest generation count, even if two members make the same one."""
    return OwnedPartitions(_select_newest(group), set(), {})


def keep_all_claims(group: NumberedGroup) -> OwnedPartitions:
    """Settle claims without generations: all claims count."""
    return OwnedPartitions([list(claimed) for claimed in group.claimed], set(), {})


def _compare_claims(group: NumberedGroup, *, losers_count: bool) -> OwnedPartitions:
    """Compare each claim with the one before it.

    The generation of this claim is compared with the generation in the subscription of the other member.
    """
    if mark_partitions(group, chain.from_iterable(group.claimed)).count(1) == sum(map(len, group.claimed)):
        return OwnedPartitions(list(map(list, group.claimed)), set(), _previous(group))
    subscribed = [NO_GENERATION if m.generation is None else m.generation for m in group.members]
    claimant: list[int | None] = [None] * len(group.partitions)
    held: list[dict[int, None]] = [{} for _ in group.members]
    contested: set[int] = set()
    for m in group.arrival:
        generation = group.generations[m]
        for p in group.claimed[m]:
            other = claimant[p]
            if other is None:
                claimant[p] = m
                held[m][p] = None
            elif generation > subscribed[other]:
                claimant[p] = m
                if m != other or p in held[m]:  # a list can claim it again: then it comes last
                    held[other].pop(p, None)
                    held[m][p] = None
            elif generation == subscribed[other]:
                claimant[p] = m
                held[other].pop(p, None)
                contested.add(p)
            elif losers_count:
                claimant[p] = m
    return OwnedPartitions(list(map(list, held)), contested, _previous(group))


def _select_newest(group: NumberedGroup) -> list[list[int]]:
    """Return the claims of each member, empty for members of older generations."""
    newest = max(group.generations, default=NO_GENERATION)
    return [
        list(claimed) if generation == newest else []
        for generation, claimed in zip(group.generations, group.claimed, strict=True)
    ]


def _previous(group: NumberedGroup) -> dict[int, int]:
    """Return who claims partitions of the latest generation before the newest, the first of equals."""
    newest = max(group.generations, default=NO_GENERATION)
    previous: dict[int, int] = {}
    for m in group.arrival:
        generation = group.generations[m]
        if generation < newest:
            for p in group.claimed[m]:
                if p not in previous or generation > group.generations[previous[p]]:
                    previous[p] = m
    return previous


class CurrentAssignment:
    """The partitions of each member in order, and the owner of each partition: the last that got it.

    `rank` sorts members by load, then id: it is the load times the number of members, plus the member's
    number.
    """

    def __init__(self, group: NumberedGroup, kept: Iterable[Iterable[int]]) -> None:
        self.group = group
        self.given = [list(partitions) for partitions in kept]
        self.members = len(self.given)
        self.rank = [len(own) * self.members + m for m, own in enumerate(self.given)]
        self.owner = [-1] * len(group.partitions)
        for m, own in enumerate(self.given):
            for p in own:
                self.owner[p] = m

    def load(self, member: int) -> int:
        """Return how many partitions a member has."""
        return len(self.given[member])

    def give(self, partition: int, member: int) -> None:
        """Give a member a partition."""
        self.given[member].append(partition)
        self.owner[partition] = member
        self.rank[member] += self.members

    def move(self, partition: int, member: int) -> None:
        """Give a member a partition of its owner."""
        owner = self.owner[partition]
        try:
            self.given[owner].remove(partition)
        except ValueError:  # of two that claimed it, the one that does not subscribe counts as owner
            pass
        else:
            self.rank[owner] -= self.members
        self.give(partition, member)

    def hand_out(self, partitions: Iterable[int], takers: Iterable[int]) -> None:
        """Give each partition to the taker that has least by then."""
        queue = [self.rank[m] for m in takers]
        heapify(queue)
        for p in partitions:
            rank = queue[0]
            self.give(p, rank % self.members)
            heapreplace(queue, rank + self.members)

    def hand_out_in_racks(self, partitions: Iterable[int], takers: Iterable[int]) -> list[int]:
        """Give each partition to the taker with least, of those in its racks or without; return the rest."""
        queues: dict[str | None, list[int]] = {}
        for m in takers:
            queues.setdefault(self.group.rack[m], []).append(self.rank[m])
        for queue in queues.values():
            heapify(queue)
        rest = []
        for p in partitions:
            near = [queues[rack] for rack in (None, *self.group.racks[p]) if rack in queues]
            if not near:
                rest.append(p)
                continue
            queue = min(near)  # by their first elements, which are their least and differ
            rank = queue[0]
            self.give(p, rank % self.members)
            heapreplace(queue, rank + self.members)
        return rest


class SortedSubscriptions:
    """Members in the order of their ranks, while partitions move."""

    def __init__(self, current: CurrentAssignment, members: AbstractSet[int]) -> None:
        self._current = current
        self._members = members
        self._queue = list(map(current.rank.__getitem__, members))
        heapify(self._queue)

    def first(self) -> int:
        """Return the member of the least rank."""
        while True:
            rank = self._queue[0]
            member = rank % self._current.members
            if rank == self._current.rank[member]:
                return member
            heappop(self._queue)  # its rank when it was put there

    def update(self, member: int) -> None:
        """Note that a member's rank has changed."""
        if member in self._members:
            heappush(self._queue, self._current.rank[member])
