"""How the sticky assignment evens loads where subscriptions differ.

1. What nobody keeps is handed out, each partition to the subscriber with the least load.
2. Members that have all they can get, and nothing that anybody else could, are fixed: they stay as they are.
3. In pass after pass, in the same order, a partition goes to its previous owner, or else to the subscriber
   with the least load, if that is at least two below its owner's, until nothing moves.
4. If the passes over all moved anything, and loads are no more even than after step 1, everything goes back.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain

from kassay.reference.consumer.sticky.current_assignment import CurrentAssignment
from kassay.reference.consumer.sticky.is_balanced import BalanceTest
from kassay.reference.consumer.sticky.numbered_group import Given, NumberedGroup
from kassay.reference.consumer.sticky.perform_reassignments import Blocks, Reassignments
from kassay.reference.java.strings import int32


@dataclass(frozen=True, slots=True)
class Start:
    """What the loads are evened from.

    `held` is what members hold, `kept` what they keep of it, `order` all partitions and `loose` those that nobody keeps, in
    the order of the passes. `loose_first` tells whether the loose ones are passed over by themselves first. `topics_of` are
    the members' topics, `readers` the topics' members, `capacities` the loads at which Kafka thinks that members have all
    they can get, `previous` the partitions' owners in earlier generations. `hash_order` gives the members, without some, in
    the order of Kafka's map of them.
    """

    kept: list[list[int]]
    held: Sequence[Sequence[int]]
    order: Blocks
    loose: Blocks
    loose_first: bool
    topics_of: Sequence[Sequence[int]]
    readers: Sequence[Sequence[int]]
    capacities: Sequence[int]
    previous: Mapping[int, int]
    hash_order: Callable[[Collection[int]], list[int]]
    gap: int


def balance(group: NumberedGroup, start: Start) -> Given:
    """Return what each member gets; raises AssignorError where Kafka fails or never ends."""
    current = CurrentAssignment(group, start.kept)
    kept = set(chain.from_iterable(start.kept))
    shared = _repeated(start.held) & kept
    again = kept.intersection(chain.from_iterable(block for _, block in start.loose))
    keepers = _keepers(start.kept, shared | again)
    for m in start.hash_order(()) if shared else ():
        for p in shared.intersection(start.held[m]):
            current.owner[p] = m
    copies = {p: [m for m in keepers[p] if m != current.owner[p]] for p in shared}
    _hand_out(current, start.loose, start.readers)

    movable = {t for t, of_topic in enumerate(start.readers) if len(of_topic) > 1}
    fixed = {
        m
        for m, own in enumerate(current.given)
        if len(own) >= start.capacities[m] and movable.isdisjoint(group.topic_of[p] for p in own)
    }
    previous = {p: m for p, m in start.previous.items() if p < group.size and group.topic_of[p] in movable}
    copies |= {p: keepers[p] for p in again}
    test = None
    if (
        copies
        or max(kept, default=-1) >= group.size
        or any(group.topic_of[p] not in start.topics_of[m] for p, m in previous.items())
    ):
        order = start.hash_order(fixed)
        test = BalanceTest(current, start.readers, fixed, start.capacities, copies, order, start.gap)
    reassignments = Reassignments(current, start.readers, previous, fixed, test)
    before = [own.copy() for own in current.given]
    if start.loose_first:
        reassignments.perform([(t, block) for t, block in start.loose if t in movable])
    moved = reassignments.perform([(t, block) for t, block in start.order if t in movable])
    if moved and kept and _unevenness(current.given, fixed) >= _unevenness(before, fixed):
        return before
    return current.given


def _keepers(kept: Sequence[Sequence[int]], wanted: AbstractSet[int]) -> dict[int, list[int]]:
    """Return who keeps each of some partitions."""
    keepers: dict[int, list[int]] = {}
    for m, own in enumerate(kept) if wanted else ():
        for p in own:
            if p in wanted:
                keepers.setdefault(p, []).append(m)
    return keepers


def _repeated(held: Sequence[Sequence[int]]) -> set[int]:
    """Return the partitions that several members hold."""
    if len(set(chain.from_iterable(held))) == sum(map(len, held)):
        return set()
    return {p for p, times in Counter(chain.from_iterable(held)).items() if times > 1}


def _hand_out(current: CurrentAssignment, loose: Blocks, readers: Sequence[Sequence[int]]) -> None:
    if current.group.racks:
        loose = [(t, current.hand_out_in_racks(block, set(readers[t]))) for t, block in loose]
    for t, block in loose:
        current.hand_out(block, set(readers[t]))


def _unevenness(given: Sequence[Sequence[int]], fixed: AbstractSet[int]) -> int:
    """Return the sum of the differences between the loads of all pairs of members, in 32 bits."""
    loads = sorted(len(own) for m, own in enumerate(given) if m not in fixed)
    return int32(sum((2 * n + 1 - len(loads)) * load for n, load in enumerate(loads)))
