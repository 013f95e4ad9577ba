"""How partitions are shared among members: each to as many as there are members per partition, each member as many as its share.

Source: SimpleHomogeneousAssignmentBuilder and TopicAssignmentPartialBuilder of SimpleHeterogeneousAssignmentBuilder, Kafka 4.2 to 4.4.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from math import ceil

from kassay.model import AssignorError
from kassay.reference.java.hash_map import computed_order, hash_order
from kassay.reference.share.targets import map_capacity


class Sharing:
    """Shares numbered partitions among numbered readers, listed by number; members keep what they own as far as that allows.

    `owned` is what every member owns, by its number; `hash_of` is the Java hash of a partition, which orders the maps of them.
    """

    def __init__(
        self,
        targets: Sequence[int],
        readers: Sequence[int],
        owned: Mapping[int, Sequence[int]],
        hash_of: Callable[[int], int],
    ) -> None:
        self._targets = targets
        self._hash_of = hash_of
        self._owned = owned
        self._copies = -(-len(readers) // len(targets)) if targets else 0
        self._readers = readers
        self._share = dict(zip(readers, _shares(self._copies * len(targets), len(readers)), strict=True))
        self._of_member: dict[int, set[int]] = {member: set(owned.get(member, ())) for member in readers}
        if owned.keys() - self._of_member.keys():
            self._of_member |= {member: set(partitions) for member, partitions in owned.items()}

    def assign(self) -> Mapping[int, set[int]]:
        """Return what each member gets."""
        self._revoke_overfilled()
        self._revoke_overshared()
        self._assign_remaining()
        return self._of_member

    def _revoke_overfilled(self) -> None:
        for member, partitions in self._owned.items():
            surplus = len(partitions) - self._share.get(member, 0)
            if surplus > 0:
                self._of_member[member].difference_update(hash_order(partitions, self._hash_of)[:surplus])

    def _revoke_overshared(self) -> None:
        owners = Counter(chain.from_iterable(self._owned.values()))
        overshared = {partition for partition, number in owners.items() if number > self._copies}
        for partition, members in self._owners(overshared).items():
            holders = [m for m in hash_order(members, int) if partition in self._of_member[m]]
            for member in holders[: max(0, len(holders) - self._copies)]:
                self._of_member[member].remove(partition)

    def _owners(self, partitions: Collection[int]) -> Mapping[int, list[int]]:
        """Return the owners of some partitions, in the order in which their HashSets are filled."""
        owners: dict[int, list[int]] = {}
        for member, owned in self._owned.items() if partitions else ():
            for partition in owned:
                if partition in partitions:
                    owners.setdefault(partition, []).append(member)
        return owners

    def _assign_remaining(self) -> None:
        """Walk once through the partitions, handing out missing copies to the unfilled members in turn.

        A copy that no unfilled member can take, as they all have one, is not handed out, nor is any after it.
        """
        unfilled = self._unfilled(self._readers)
        copies, holders = self._missing() if unfilled else ([], {})
        at = 0
        while unfilled and at < len(copies):
            start = at
            for member in unfilled:
                partition = copies[at]
                if member in holders.get(partition, ()):
                    continue
                # holders of this round are not among them, so a member may get a second copy of one, in vain
                self._of_member[member].add(partition)
                at += 1
                if at == len(copies):
                    return
            if at == start:
                return
            unfilled = self._unfilled(unfilled)
        if 0 < at < len(copies) and copies[at] == copies[at - 1]:  # all are filled amid the copies of one
            raise AssignorError("NoSuchElementException")

    def _unfilled(self, members: Iterable[int]) -> list[int]:
        """Return those of some members that have less than their share."""
        return [member for member in members if len(self._of_member[member]) < self._share[member]]

    def _missing(self) -> tuple[list[int], Mapping[int, list[int]]]:
        """Return the missing copies, in the order of the HashMap that Kafka counts them in, and who has some of these."""
        asked = [*chain.from_iterable(self._owned.values()), *self._targets]
        held = Counter(chain.from_iterable(self._of_member.values()))
        if not held:
            order = computed_order(asked, self._hash_of, map_capacity(len(self._targets)))
            return order if self._copies == 1 else [one for one in order for _ in range(self._copies)], {}
        missing = {one: self._copies - held.get(one, 0) for one in asked if held.get(one, 0) < self._copies}
        order = computed_order(asked, self._hash_of, map_capacity(len(self._targets)), wanted=missing)
        holders = {
            partition: [member for member in members if partition in self._of_member[member]]
            for partition, members in self._owners(missing).items()
        }
        return [partition for partition in order for _ in range(missing[partition])], holders


@lru_cache(maxsize=64)
def _shares(copies: int, readers: int) -> Sequence[int]:
    """Return how many copies of partitions each reader gets."""
    each = copies / readers  # in floating point, as Kafka
    bounds = [ceil(each * at) for at in range(readers + 1)]
    return tuple(after - before for before, after in pairwise(bounds))
