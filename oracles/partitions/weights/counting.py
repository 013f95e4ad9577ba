"""What no assignment goes below, by counts that anybody can check: of partitions that only some members may hold.

U are some members, and I(U) the partitions all of whose readers are in U.

- *hall*: the members of U hold all of I(U), so one of them holds a share of its weight, rounded up.
- *pigeon*: of the k |U| + 1 heaviest of I(U) some member holds k + 1, which weigh at least what the k + 1 lightest of them do. With k = 0 that
  is the heaviest partition. Where every member of U holds at least L partitions, as the most even loads may ask, the L - k - 1 lightest that any of U may hold come on top.

A load is a sum of weights, so a bound is rounded up to a multiple of what divides all weights. Against capacities the same sets count: what I(U)
weighs beyond all that U can bear, or what those k + 1 weigh beyond the most that one of U can.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from ortools.graph.python import max_flow

from kassay.oracles.partitions.weights.instance import CAPACITY, Instance

CUT = 2**60
"""Flows stay below this; what is larger is shifted down, for a set that is found is counted exactly afterwards."""
MOST_SETS = 200


@dataclass(frozen=True, slots=True)
class Bound:
    """What no assignment goes below in a level, the kind of count, its set of members, and its k (0 for hall)."""

    least: int
    kind: str
    members: tuple[int, ...]
    count: int = 0


def bound(instance: Instance, level: str) -> Bound:
    """Return the best count that is found."""
    every = _able(instance)
    if level == CAPACITY:
        some = tuple(m for m in every if instance.capacities[m] is not None)
        return max(_of_capacity(instance, some), key=_strength, default=Bound(0, "hall", some))
    grain = math.gcd(*instance.weights) or 1
    found = max(_of_balance(instance, every), key=_strength, default=Bound(0, "hall", every))
    return Bound(-(-found.least // grain) * grain, found.kind, found.members, found.count)


def _strength(of: Bound) -> tuple[int, bool, int, int]:
    """The greatest first; of equals hall, which is plainest, then the least count and set."""
    return of.least, of.kind == "hall", -of.count, -len(of.members)


def _able(instance: Instance) -> tuple[int, ...]:
    return tuple(sorted({m for some in set(instance.readers) for m in some}))


def _of_balance(instance: Instance, every: tuple[int, ...]) -> Iterator[Bound]:
    for members in _sets(instance, every):
        inside = within(instance, members)
        total = sum(inside)
        if members:
            yield Bound(-(-total // len(members)), "hall", members)
            yield from _pigeons(instance, members, inside)


def _of_capacity(instance: Instance, some: tuple[int, ...]) -> Iterator[Bound]:
    limits = instance.capacities
    for members in dict.fromkeys((_beyond(instance, some), *_sets(instance, some))):
        known = [limit for m in members if (limit := limits[m]) is not None]
        if members and len(known) == len(members):
            inside = within(instance, members)
            yield Bound(max(0, sum(inside) - sum(known)), "hall", members)
            for at_once, k in _heaviest(inside, len(members)):
                yield Bound(max(0, at_once - max(known)), "pigeon", members, k)


def within(instance: Instance, members: Sequence[int]) -> list[int]:
    """Return the weights of the partitions that only these members may hold, the heaviest first."""
    own = set(members)
    inside = {some: own.issuperset(some) for some in set(instance.readers)}
    return sorted(
        (weight for weight, some in zip(instance.weights, instance.readers, strict=True) if inside[some]),
        reverse=True,
    )


def _heaviest(inside: Sequence[int], members: int) -> Iterator[tuple[int, int]]:
    """Yield for each k what the k + 1 lightest of the k |U| + 1 heaviest weigh, and k."""
    sums = [0, *accumulate(inside)]
    for k in range((len(inside) - 1) // members + 1 if inside else 0):
        last = k * members + 1
        yield sums[last] - sums[last - k - 1], k


def _pigeons(instance: Instance, members: tuple[int, ...], inside: Sequence[int]) -> Iterator[Bound]:
    fewest = min(instance.windows[m][0] for m in members)
    own = set(members)
    touching = {some: not own.isdisjoint(some) for some in set(instance.readers)}
    light = sorted(
        weight for weight, some in zip(instance.weights, instance.readers, strict=True) if touching[some]
    )
    least = [0, *accumulate(light)]
    for at_once, k in _heaviest(inside, len(members)):
        yield Bound(at_once + least[max(0, min(fewest - k - 1, len(light)))], "pigeon", members, k)


def _sets(instance: Instance, every: tuple[int, ...]) -> Iterable[tuple[int, ...]]:
    """Return sets of members that may prove something: all, the densest, who shares a topic, and nested ones of these."""
    own = set(every)
    audiences = [some for some in dict.fromkeys(instance.readers) if own.issuperset(some)]
    audiences.sort(key=lambda some: (len(some), some))
    found = dict.fromkeys([every, *_densest(instance, every), *audiences[:MOST_SETS]])
    union: set[int] = set()
    for some in audiences[:MOST_SETS]:
        union |= set(some)
        found[tuple(sorted(union))] = None
    return list(found)


def _densest(instance: Instance, every: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the sets by which the densest is found: each has a greater share of weight for each member than the one before."""
    found, members = [], every
    while members and (total := sum(within(instance, members))):
        denser = _cut(instance, every, [total] * len(every), len(members))
        share = sum(within(instance, denser)) * len(members)
        if not denser or denser in found or share <= total * len(denser):
            break
        found.append(denser)
        members = denser
    return found


def _beyond(instance: Instance, some: tuple[int, ...]) -> tuple[int, ...]:
    """Return the members whose own partitions weigh most beyond what they can bear together."""
    return _cut(instance, some, [instance.capacities[m] or 0 for m in some], 1)


def _cut(instance: Instance, every: tuple[int, ...], price: Sequence[int], factor: int) -> tuple[int, ...]:
    """Return U, of some members, for which factor times what I(U) weighs, less the prices of U, is greatest: by a least cut."""
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
