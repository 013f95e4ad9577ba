"""What proves a bound of a sequence: prices of rows, in cases that leave nothing out. Checking needs no solver.

For any prices at all, no flow costs less than the cheapest ways of all items, each paying the prices where it counts, and what
the rows pay back at least (Lagrangian duality). Where prices alone do not reach the optimum, a *case* divides: in one half at most `most`
items of a kind come to a node, in the other one more at least.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from kassay.oracles.assignment.over_time.sequence import Sequence
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.errors import TooLargeError

SCALE = 720_720
"""Prices are fractions of this denominator, the least that 1 to 16 all divide."""
FAR = 2**61
"""More than any way costs."""
Place: TypeAlias = tuple[int, int, int]
"""A step, a kind, and a node."""
Bounds: TypeAlias = Mapping[Place, tuple[int, int]]
"""How many items of the kind come to the node, at least and at most, in a case."""


@dataclass(frozen=True, slots=True)
class Prices:
    """What each unit in a row of a step costs less, and each unit at a bounded place, in SCALE-ths; a row's may be below 0."""

    rows: tuple[tuple[int, ...], ...]
    places: Mapping[Place, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Split:
    """Two cases: at most `most` items at a place, or more."""

    place: Place
    most: int
    fewer: "Proof"
    more: "Proof"


Proof: TypeAlias = Prices | Split


def bound(sequence: Sequence, weights: tuple[int, ...], prices: Prices, bounds: Bounds) -> int:
    """Return what no flow within the bounds costs less than, by these prices; costs are weighted sums of the levels.

    Raises TooLargeError where sums could leave 64 bits.
    """
    _refuse_large(sequence, weights, prices)
    weigh = np.array(weights, np.int64) * SCALE
    reach = np.zeros((sequence.kinds, 1), np.int64)
    paid = 0
    for n, (step, of_rows) in enumerate(zip(sequence.steps, prices.rows, strict=True)):
        price = np.array(of_rows, np.int64)
        along = reach[:, step.tail] + weigh @ step.arc_cost
        first = np.flatnonzero(np.diff(step.head, prepend=-1))
        at = np.minimum.reduceat(along, first, axis=1) + np.tensordot(weigh, step.node_cost, 1)
        rebate = np.zeros(step.nodes, np.int64)
        np.add.at(rebate, step.user, price[step.used])
        at -= rebate
        for (of, kind, node), each in prices.places.items():
            if of == n:
                at[kind, node] -= each
        reach = np.where(step.open & (at < FAR // 2), at, FAR)
        paid += sum(
            each * (low if each > 0 else high)
            for each, low, high in zip(of_rows, step.low.tolist(), step.high.tolist(), strict=True)
        )
    for place, each in prices.places.items():
        low, high = bounds[place]
        paid += each * (low if each > 0 else high)
    cheapest = reach.min(axis=1).tolist()
    total = paid + sum(c * least for c, least in zip(sequence.counts.tolist(), cheapest, strict=True))
    return int(-(-total // SCALE))


def proves(
    sequence: Sequence, weights: tuple[int, ...], proof: Proof, least: int, bounds: Bounds | None = None
) -> bool:
    """Return whether a proof shows that no flow costs less than `least`; bounds are those of the case that it is about."""
    known = {} if bounds is None else bounds
    if isinstance(proof, Prices):
        return proof.places.keys() <= known.keys() and bound(sequence, weights, proof, known) >= least
    fewer, more = divided(sequence, known, proof.place, proof.most)
    return proves(sequence, weights, proof.fewer, least, fewer) and proves(
        sequence, weights, proof.more, least, more
    )


def divided(sequence: Sequence, bounds: Bounds, place: Place, most: int) -> tuple[Bounds, Bounds]:
    """Return the bounds of the case with at most so many items at a place, and of that with more."""
    low, high = bounds.get(place, (0, int(sequence.counts[place[1]])))
    return {**bounds, place: (low, min(high, most))}, {**bounds, place: (max(low, most + 1), high)}


def _refuse_large(sequence: Sequence, weights: tuple[int, ...], prices: Prices) -> None:
    dear = sum(
        int(np.abs(step.arc_cost).max(initial=0)) + int(np.abs(step.node_cost).max(initial=0))
        for step in sequence.steps
    ) * sum(weights)
    rows = sum(
        max(map(abs, of), default=0) * (1 + _width(step.user))
        for of, step in zip(prices.rows, sequence.steps, strict=True)
    )
    if dear * SCALE + rows + sum(map(abs, prices.places.values())) >= FAR // 4:
        raise TooLargeError(
            "over time: the costs and prices of a sequence leave 64 bits; ask about a shorter one"
        )


def _width(user: Ints) -> int:
    return int(np.bincount(user).max(initial=0)) if len(user) else 0
