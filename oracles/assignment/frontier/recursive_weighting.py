"""Points of a frontier with the prices that prove them, and recursive weighting, which finds every extreme point.

The least weighted sum g(w), over all assignments, is concave in the weights w >= 0. The points found so far bound it from
above by h(w), their own least sum, which is linear on a *cell* of weights around each point. If g = h at all corners
of all cells, concavity gives g = h everywhere, so no extreme point is missing; if g < h at a corner, its optimum is a
new point with a cell of its own. With two objectives the corners are normals of two neighbours (Aneja, Nair 1979), with
three those of the facets found so far (Przybylski, Gandibleux, Ehrgott 2010). Weights are whole numbers.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import gcd
from typing import Any, TypeAlias

from kassay.oracles.assignment.problem import Ints

Row: TypeAlias = tuple[int, ...]
"""Weights, or what a point is worth: one whole number for each objective."""


Cell: TypeAlias = tuple[Row, ...]
"""The corners of a cell in the order in which they go around it, each without a common divisor."""


def dot(weights: Row, value: Row) -> int:
    """Return the weighted sum of a point."""
    return sum(w * v for w, v in zip(weights, value, strict=True))


def simplex(objectives: int) -> Cell:
    """Return the cell of all weights: a corner for each objective."""
    return tuple(tuple(int(i == j) for j in range(objectives)) for i in range(objectives))


def cells(values: Iterable[Row], objectives: int) -> dict[Row, Cell]:
    """Return the weights for which each point is best of all that are given; points without room are left out."""
    found: dict[Row, Cell] = {}
    for value in values:
        found = with_point(found, value, objectives)
    return found


def with_point(known: Mapping[Row, Cell], value: Row, objectives: int) -> dict[Row, Cell]:
    """Return the cells with one more point, which cuts its own cell out of the others."""
    if value in known:
        return dict(known)
    own = simplex(objectives)
    found = {}
    for other, cell in known.items():
        rest = _cut_cell(cell, tuple(x - y for x, y in zip(value, other, strict=True)))
        # A convex cell has an inside if it has so many corners.
        if len(rest) >= objectives:
            found[other] = rest
        own = _cut_cell(own, tuple(x - y for x, y in zip(other, value, strict=True)))
    if len(own) >= objectives:
        found[value] = own
    return found


def recursive_weighting(
    cheapest: Callable[[Row], Row | None], objectives: int
) -> tuple[dict[Row, Cell], bool]:
    """Return the extreme points that optima of weighted sums lead to, with their cells, and whether none is missing.

    `cheapest` takes weights and gives what an optimum is worth, None if the time is over.
    """
    known: dict[Row, Cell] = {}
    corners = iter(simplex(objectives)[:1])
    asked: set[Row] = set()
    while (corner := next((each for each in corners if each not in asked), None)) is not None:
        value = cheapest(corner)
        if value is None:
            return known, False
        asked.add(corner)
        if not known or dot(corner, value) < min(dot(corner, other) for other in known):
            known = with_point(known, value, objectives)
        corners = (corner for cell in known.values() for corner in cell)
    return known, True


def inside(cell: Cell) -> Row:
    """Return weights amid a cell."""
    return _divide_out(tuple(map(sum, zip(*cell, strict=True))))


def _cut_cell(cell: Cell, normal: Row) -> Cell:
    """Return the part of a cell whose weighted sum of `normal` is not below 0 (Sutherland, Hodgman 1974)."""
    sides = [dot(corner, normal) for corner in cell]
    corners: list[Row] = []
    for here, side, after, next_side in zip(
        cell, sides, (*cell[1:], *cell[:1]), (*sides[1:], *sides[:1]), strict=True
    ):
        if side >= 0:
            corners.append(here)
        if side * next_side < 0:
            cut = tuple(abs(next_side) * a + abs(side) * b for a, b in zip(here, after, strict=True))
            corners.append(_divide_out(cut))
    return tuple(dict.fromkeys(corners))


def _divide_out(row: Row) -> Row:
    divisor = gcd(*row)
    return tuple(each // divisor for each in row)


Caps: TypeAlias = tuple[int | None, ...]
"""What each objective is at most; None caps nothing."""


@dataclass(frozen=True, slots=True)
class Proof:
    """Whole weights of what is compared, prices, and what no assignment's weighted sum goes below, by these.

    Prices are what each member asks for a slot, or a proof of :mod:`kassay.oracles.assignment.active_standby.check`.
    """

    weights: Row
    prices: Any
    least: int


@dataclass(frozen=True, slots=True, eq=False)
class ParetoPoint:
    """Owners of all copies, what they are worth, and the proof that their weighted sum is least."""

    owners: Ints
    value: Row
    proof: Proof


def supporting(value: Row, proofs: Iterable[Proof]) -> Proof | None:
    """Return the first proof that a point is supported and on the frontier: its sum is least and all weights are positive."""
    return next(
        (
            each
            for each in proofs
            if min(each.weights, default=1) > 0 and dot(each.weights, value) == each.least
        ),
        None,
    )


def floor_of(objective: int, caps: Sequence[int | None], proofs: Iterable[Proof]) -> int:
    """Return what proofs show that an objective does not go below where others are at most their caps; None caps nothing."""
    least = 0
    for proof in proofs:
        others = [
            (weight, cap)
            for n, (weight, cap) in enumerate(zip(proof.weights, caps, strict=True))
            if weight and n != objective
        ]
        if proof.weights[objective] and all(cap is not None for _, cap in others):
            rest = proof.least - sum(weight * cap for weight, cap in others if cap is not None)
            least = max(least, -(-rest // proof.weights[objective]))
    return least
