"""How partitions are shared among members: each to as many as there are members per partition, each member as many as its share.

Source: SimpleHomogeneousAssignmentBuilder and TopicAssignmentPartialBuilder of SimpleHeterogeneousAssignmentBuilder, Kafka 4.2 to 4.4.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import chain
from math import ceil
from typing import Generic, TypeVar

from kassay.model import AssignorError
from kassay.reference.java.hash_map import computed_order, hash_order
from kassay.reference.share.targets import map_capacity

P = TypeVar("P", bound=Hashable)


class Sharing(Generic[P]):
    """Shares partitions among readers, both numbered or named as Kafka does; members keep what they own as far as that allows.

    `owned` is what every member owns, by its number; `hash_of` is the Java hash of a partition, which orders the maps of them.
    """

    def __init__(
        self,
        targets: Sequence[P],
        readers: Sequence[int],
        owned: Mapping[int, Sequence[P]],
        hash_of: Callable[[P], int],
    ) -> None:
        self._targets = targets
        self._hash_of = hash_of
        self._owned = owned
        self._copies = -(-len(readers) // len(targets)) if targets else 0
        each = self._copies * len(targets) / len(readers)  # in floating point, as Kafka
        bounds = [ceil(each * at) for at in range(len(readers) + 1)]
        self._share = dict(zip(readers, map(int.__sub__, bounds[1:], bounds), strict=True))
        self._readers = readers
        self._of_member: dict[int, set[P]] = {member: set() for member in readers}
        self._of_member |= {member: set(partitions) for member, partitions in owned.items()}
        self._members: dict[P, list[int]] = {}  # owners in the order in which their HashSet was filled

    def assign(self) -> Mapping[int, set[P]]:
        """Return what each member gets."""
        for member, partitions in self._owned.items():
            for partition in partitions:
                self._members.setdefault(partition, []).append(member)
        self._revoke_overfilled()
        self._revoke_overshared()
        self._assign_remaining()
        return self._of_member

    def _revoke_overfilled(self) -> None:
        for member, partitions in self._owned.items():
            surplus = len(partitions) - self._share.get(member, 0)
            for partition in hash_order(partitions, self._hash_of)[:surplus] if surplus > 0 else ():
                self._of_member[member].remove(partition)

    def _revoke_overshared(self) -> None:
        for partition, members in self._members.items():
            if len(members) > self._copies:
                holders = [m for m in hash_order(members, int) if partition in self._of_member[m]]
                for member in holders[: max(0, len(holders) - self._copies)]:
                    self._of_member[member].remove(partition)

    def _assign_remaining(self) -> None:
        """Walk once through the partitions, handing out missing copies to the unfilled members in turn.

        A copy that no unfilled member can take, as they all have one, is not handed out.
        """
        of_member, share = self._of_member, self._share
        unfilled = sorted(m for m in self._readers if len(of_member[m]) < share[m])
        at, gave = 0, False
        asked = [*chain.from_iterable(self._owned.values()), *self._targets]
        order = computed_order(asked, self._hash_of, map_capacity(len(self._targets)))
        for partition in order:
            owners = self._members.get(partition)
            holders = [m for m in owners if partition in of_member[m]] if owners else ()
            missing = self._copies - len(holders)
            while missing > 0:
                if at >= len(unfilled):
                    if not gave:
                        break
                    at, gave = 0, False
                    if not unfilled:
                        raise AssignorError("NoSuchElementException")
                member = unfilled[at]
                at += 1
                if (
                    member in holders
                ):  # those of this round are not among them, so a member may get a second copy of one, in vain
                    continue
                own = of_member[member]
                own.add(partition)
                missing, gave = missing - 1, True
                if len(own) >= share[member]:
                    at -= 1
                    del unfilled[at]
            if not unfilled:
                break
