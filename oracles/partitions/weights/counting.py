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
from numpy.typing import NDArray
from ortools.graph.python import max_flow

from kassay.oracles.assignment.problem import Ints
from kassay.oracles.partitions.weights.instance import CAPACITY, HEAVIEST, Instance

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


@dataclass(frozen=True, slots=True, eq=False)
class _Audiences:
    """The distinct audiences of partitions, so that a set of members is compared with each audience once.

    `weights` has all weights, the heaviest first, and `audience` has the audience of each: 64 bits, or objects if sums may exceed 64 bits.
    """

    members: list[tuple[int, ...]]
    reads: NDArray[np.bool_]
    totals: list[int]
    weights: Ints
    audience: Ints

    def select_within(self, some: Sequence[int]) -> NDArray[np.bool_]:
        """Return for each audience whether all its readers are among some members."""
        others = np.ones(self.reads.shape[1], np.bool_)
        others[list(some)] = False
        return np.asarray(~self.reads[:, others].any(axis=1))

    def select_touching(self, some: Sequence[int]) -> NDArray[np.bool_]:
        """Return for each audience whether one of its readers is among some members."""
        return np.asarray(self.reads[:, list(some)].any(axis=1))

    def list_weights(self, selected: NDArray[np.bool_]) -> Ints:
        """Return the weights of the partitions of selected audiences, the heaviest first."""
        return self.weights[selected[self.audience]]


def _read_audiences(instance: Instance) -> _Audiences:
    audiences, numbers = instance.list_audiences()
    reads = np.zeros((len(audiences), instance.members), np.bool_)
    for row, some in zip(reads, audiences, strict=True):
        row[list(some)] = True
    totals = [0] * len(audiences)
    for weight, number in zip(instance.weights, numbers, strict=True):
        totals[number] += weight
    exact = np.int64 if sum(totals) < HEAVIEST else object  # objects are Python's integers, of any size
    weights = np.array(instance.weights, exact)
    order = np.argsort(weights, kind="stable")[::-1]
    return _Audiences(audiences, reads, totals, weights[order], np.array(numbers, np.int64)[order])


def find_bound(instance: Instance, level: str) -> Bound:
    """Return the best bound by a count that is found."""
    of = _read_audiences(instance)
    members = tuple(sorted({m for some in of.members for m in some}))
    if level == CAPACITY:
        members = tuple(m for m in members if instance.capacities[m] is not None)
        counts = _count_capacity(instance, of, members)
    else:
        counts = _count_balance(instance, of, members)

    def rank(of: Bound) -> tuple[int, bool, int, int]:
        """The greatest first; of equals hall, which is plainest, then the least count and set."""
        return of.least, of.kind == "hall", -of.count, -len(of.members)

    found = max(counts, key=rank, default=Bound(0, "hall", members))
    grain = (math.gcd(*instance.weights) or 1) if level != CAPACITY else 1
    return replace(found, least=-(-found.least // grain) * grain)


def _count_balance(instance: Instance, of: _Audiences, every: tuple[int, ...]) -> Iterator[Bound]:
    for members in filter(None, _list_sets(of, every)):
        inside = of.list_weights(of.select_within(members))
        yield Bound(-(-int(inside.sum()) // len(members)), "hall", members)
        if not len(inside):
            continue
        fewest = min(instance.windows[m][0] for m in members)
        at_once = _list_heaviest(inside, len(members))
        if fewest > 1:
            light = of.list_weights(of.select_touching(members))[::-1]
            least = np.append(light[:0], [0, *np.cumsum(light[: fewest - 1])])
            at_once = at_once + least[np.clip(fewest - 1 - np.arange(len(at_once)), 0, len(least) - 1)]
        k = int(at_once.argmax())
        yield Bound(int(at_once[k]), "pigeon", members, k)


def _count_capacity(instance: Instance, of: _Audiences, some: tuple[int, ...]) -> Iterator[Bound]:
    limits = instance.capacities
    # first the members whose own partitions weigh most beyond their capacities together
    beyond = _cut(of, some, [limits[m] or 0 for m in some], 1)
    for members in dict.fromkeys((beyond, *_list_sets(of, some))):
        known = [limit for m in members if (limit := limits[m]) is not None]
        if members and len(known) == len(members):
            inside = of.list_weights(of.select_within(members))
            yield Bound(max(0, int(inside.sum()) - sum(known)), "hall", members)
            if len(inside):
                at_once = _list_heaviest(inside, len(members))
                k = int(at_once.argmax())
                yield Bound(max(0, int(at_once[k]) - max(known)), "pigeon", members, k)


def list_weights_within(instance: Instance, members: Sequence[int]) -> list[int]:
    """Return the weights of the partitions that only these members may hold, the heaviest first."""
    of = _read_audiences(instance)
    inside: list[int] = of.list_weights(of.select_within(members)).tolist()
    return inside


def _list_heaviest(inside: Ints, members: int) -> Ints:
    """Return for each k, from 0, the weight of the k + 1 lightest of the k |U| + 1 heaviest; there is one partition or more."""
    sums = np.concatenate((inside[:1] * 0, np.cumsum(inside)))
    k = np.arange((len(inside) - 1) // members + 1)
    last = k * members + 1
    return np.asarray(sums[last] - sums[last - k - 1])


def _list_sets(of: _Audiences, every: tuple[int, ...]) -> Iterable[tuple[int, ...]]:
    """Return the sets of members to count: all, denser and denser ones, the readers of each topic, and unions of these."""
    found: dict[tuple[int, ...], None] = {every: None}
    members = every
    while members and (total := _weigh_within(of, members)):
        # the set with the greatest weight for each member comes last
        denser = _cut(of, every, [total] * len(every), len(members))
        share = _weigh_within(of, denser) * len(members)
        if not denser or share <= total * len(denser):
            break
        found[denser] = None
        members = denser
    within = of.select_within(every)
    audiences = [some for some, fine in zip(of.members, within.tolist(), strict=True) if fine]
    audiences = sorted(audiences, key=lambda some: (len(some), some))[:MOST_SETS]
    found |= dict.fromkeys(audiences)
    unions = accumulate(audiences, lambda union, some: tuple(sorted({*union, *some})))
    return list(found | dict.fromkeys(unions))


def _weigh_within(of: _Audiences, members: Sequence[int]) -> int:
    return sum(
        total for total, fine in zip(of.totals, of.select_within(members).tolist(), strict=True) if fine
    )


def _cut(of: _Audiences, every: tuple[int, ...], price: Sequence[int], factor: int) -> tuple[int, ...]:
    """Return the U of some members with the greatest weight of I(U) times a factor less the prices of U: by a minimum cut."""
    within = np.flatnonzero(of.select_within(every))
    weight = [of.totals[n] for n in within.tolist()]
    total = factor * sum(weight) + sum(price)
    shift = max(0, (total // CUT).bit_length())
    source, sink, first = len(every), len(every) + 1, len(every) + 2
    flow = max_flow.SimpleMaxFlow()
    row, reader = of.reads[np.ix_(within, np.array(every, np.int64))].nonzero()
    audience, member = np.arange(first, first + len(weight)), np.arange(len(every))
    for tails, heads, capacities in (
        (np.full(len(weight), source), audience, [(factor * each) >> shift for each in weight]),
        (first + row, reader, np.full(len(row), CUT)),
        (member, np.full(len(every), sink), [each >> shift for each in price]),
    ):
        flow.add_arcs_with_capacity(
            tails.astype(np.int32), heads.astype(np.int32), np.array(capacities, np.int64)
        )
    if not weight or flow.solve(source, sink) != flow.OPTIMAL:
        return ()
    reached = np.array(flow.get_source_side_min_cut())
    return tuple(every[n] for n in sorted(reached[reached < len(every)].tolist()))
