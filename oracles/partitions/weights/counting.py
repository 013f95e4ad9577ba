"""Lower bounds by counts that a reader can check, of partitions that only some members may hold.

Let U be some members, and I(U) the partitions all of whose readers are in U.

- *hall*: the members of U hold all of I(U), so one of them holds a share of its weight, rounded up.
- *pigeon*: of the k |U| + 1 heaviest of I(U) some member holds k + 1, which weigh at least as much as the k + 1 lightest of them. With k = 0
  that is the heaviest partition. If every member of U holds at least L partitions, as the most even loads may ask, the L - k - 1 lightest
  that any of U may hold are added.

A load is a sum of weights, so a bound is rounded up to a multiple of the greatest common divisor of all weights. For capacities the same sets
count: the weight of I(U) beyond all capacities of U, or the weight of those k + 1 beyond the greatest of these.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np
from ortools.graph.python import max_flow

from kassay.oracles.partitions.weights.instance import CAPACITY, Instance

CUT = 2**60
"""Flows stay below this. Larger numbers are shifted down, as a set that is found is counted exactly afterwards."""
MOST_SETS = 200


@dataclass(frozen=True, slots=True)
class Bound:
    """The lower bound of a level: value, kind of count, members U, and k (0 for hall)."""

    least: int
    kind: str
    members: tuple[int, ...]
    count: int = 0


def find_bound(instance: Instance, level: str) -> Bound:
    """Return the best bound by a count that is found."""
    members = tuple(sorted({m for some in set(instance.readers) for m in some}))
    if level == CAPACITY:
        members = tuple(m for m in members if instance.capacities[m] is not None)
        counts = _count_capacity(instance, members)
    else:
        counts = _count_balance(instance, members)

    def rank(of: Bound) -> tuple[int, bool, int, int]:
        """The greatest first; of equals hall, which is plainest, then the least count and set."""
        return of.least, of.kind == "hall", -of.count, -len(of.members)

    found = max(counts, key=rank, default=Bound(0, "hall", members))
    grain = (math.gcd(*instance.weights) or 1) if level != CAPACITY else 1
    return replace(found, least=-(-found.least // grain) * grain)


def _count_balance(instance: Instance, every: tuple[int, ...]) -> Iterator[Bound]:
    for members in filter(None, _list_sets(instance, every)):
        inside, own = list_weights_within(instance, members), set(members)
        yield Bound(-(-sum(inside) // len(members)), "hall", members)
        fewest = min(instance.windows[m][0] for m in members)
        touching = {some: not own.isdisjoint(some) for some in set(instance.readers)}
        pairs = zip(instance.weights, instance.readers, strict=True)
        light = sorted(weight for weight, some in pairs if touching[some])
        least = [0, *accumulate(light)]
        for at_once, k in _list_heaviest(inside, len(members)):
            yield Bound(at_once + least[max(0, min(fewest - k - 1, len(light)))], "pigeon", members, k)


def _count_capacity(instance: Instance, some: tuple[int, ...]) -> Iterator[Bound]:
    limits = instance.capacities
    # first the members whose own partitions weigh most beyond their capacities together
    beyond = _cut(instance, some, [limits[m] or 0 for m in some], 1)
    for members in dict.fromkeys((beyond, *_list_sets(instance, some))):
        known = [limit for m in members if (limit := limits[m]) is not None]
        if members and len(known) == len(members):
            inside = list_weights_within(instance, members)
            yield Bound(max(0, sum(inside) - sum(known)), "hall", members)
            for at_once, k in _list_heaviest(inside, len(members)):
                yield Bound(max(0, at_once - max(known)), "pigeon", members, k)


def list_weights_within(instance: Instance, members: Sequence[int]) -> list[int]:
    """Return the weights of the partitions that only these members may hold, the heaviest first."""
    own = set(members)
    inside = {some: own.issuperset(some) for some in set(instance.readers)}
    pairs = zip(instance.weights, instance.readers, strict=True)
    return sorted((weight for weight, some in pairs if inside[some]), reverse=True)


def _list_heaviest(inside: Sequence[int], members: int) -> Iterator[tuple[int, int]]:
    """Yield for each k the weight of the k + 1 lightest of the k |U| + 1 heaviest, and k."""
    sums = [0, *accumulate(inside)]
    for k in range((len(inside) - 1) // members + 1 if inside else 0):
        last = k * members + 1
        yield sums[last] - sums[last - k - 1], k


def _list_sets(instance: Instance, every: tuple[int, ...]) -> Iterable[tuple[int, ...]]:
    """Return the sets of members to count: all, denser and denser ones, the readers of each topic, and unions of these."""
    found: dict[tuple[int, ...], None] = {every: None}
    members = every
    while members and (total := sum(list_weights_within(instance, members))):
        # the set with the greatest weight for each member comes last
        denser = _cut(instance, every, [total] * len(every), len(members))
        share = sum(list_weights_within(instance, denser)) * len(members)
        if not denser or share <= total * len(denser):
            break
        found[denser] = None
        members = denser
    own = set(every)
    audiences = [some for some in dict.fromkeys(instance.readers) if own.issuperset(some)]
    audiences = sorted(audiences, key=lambda some: (len(some), some))[:MOST_SETS]
    found |= dict.fromkeys(audiences)
    unions = accumulate(audiences, lambda union, some: tuple(sorted({*union, *some})))
    return list(found | dict.fromkeys(unions))


def _cut(instance: Instance, every: tuple[int, ...], price: Sequence[int], factor: int) -> tuple[int, ...]:
    """Return the U of some members with the greatest weight of I(U) times a factor less the prices of U: by a minimum cut."""
    place = {m: n for n, m in enumerate(every)}
    weight: dict[tuple[int, ...], int] = {}
    for each, some in zip(instance.weights, instance.readers, strict=True):
        if all(m in place for m in some):
            weight[some] = weight.get(some, 0) + each
    total = factor * sum(weight.values()) + sum(price)
    shift = max(0, (total // CUT).bit_length())
    source, sink, first = len(every), len(every) + 1, len(every) + 2
    flow = max_flow.SimpleMaxFlow()
    for n, (some, each) in enumerate(weight.items()):
        flow.add_arc_with_capacity(source, first + n, (factor * each) >> shift)
        for m in some:
            flow.add_arc_with_capacity(first + n, place[m], CUT)
    for n, each in enumerate(price):
        flow.add_arc_with_capacity(n, sink, each >> shift)
    if not weight or flow.solve(source, sink) != flow.OPTIMAL:
        return ()
    reached = np.array(flow.get_source_side_min_cut())
    return tuple(every[n] for n in sorted(reached[reached < len(every)].tolist()))
