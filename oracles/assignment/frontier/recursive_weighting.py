"""Points of a frontier with the prices that prove them, and recursive weighting, which finds every extreme point.

The least weighted sum g(w), over all assignments, is concave in the weights w >= 0. The points found so far bound it
from above by h(w), their own least sum, which is linear on a *cell* of weights around each point. If g = h at all
corners of all cells, concavity gives g = h everywhere, so no extreme point is missing. If g < h at a corner, its
optimum is a new point with a cell of its own. With two objectives the corners are normals of two neighbours (Aneja,
Nair 1979). With three they are the normals of the facets found so far (Przybylski, Gandibleux, Ehrgott 2010). Weights
are integers.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import gcd
from typing import Any, TypeAlias

from kassay.oracles.assignment.problem import Ints

Row: TypeAlias = tuple[int, ...]
"""Weights, or the value of a point: one integer for each objective."""


Cell: TypeAlias = tuple[Row, ...]
"""The corners of a cell in the order of its boundary, each without a common divisor."""


def dot(weights: Row, value: Row) -> int:
    """Return the weighted sum of a point."""
    return sum(w * v for w, v in zip(weights, value, strict=True))


def build_simplex(objectives: int) -> Cell:
    """Return the cell of all weights: a corner for each objective."""
    return tuple(tuple(int(i == j) for j in range(objectives)) for i in range(objectives))


def compute_cells(values: Iterable[Row], objectives: int) -> dict[Row, Cell]:
    """Return the weights for which each point is the best of all given points; points with an empty cell are left out."""
    found: dict[Row, Cell] = {}
    for value in values:
        found = with_point(found, value, objectives)
    return found


def with_point(known: Mapping[Row, Cell], value: Row, objectives: int) -> dict[Row, Cell]:
    """Return the cells with one more point, whose cell is cut out of the others."""
    if value in known:
        return dict(known)
    own = build_simplex(objectives)
    found = {}
    for other, cell in known.items():
        rest = _cut_cell(cell, tuple(x - y for x, y in zip(value, other, strict=True)))
        # A convex cell has an interior if it has at least as many corners as there are objectives.
        if len(rest) >= objectives:
            found[other] = rest
        own = _cut_cell(own, tuple(x - y for x, y in zip(other, value, strict=True)))
    if len(own) >= objectives:
        found[value] = own
    return found


def weigh_recursively(cheapest: Callable[[Row], Row | None], objectives: int) -> tuple[dict[Row, Cell], bool]:
    """Return the extreme points that are optima of weighted sums, with their cells, and True if none is missing.

    `cheapest` takes weights and returns the value of an optimum, None at the time limit.
    """
    known: dict[Row, Cell] = {}
    corners = iter(build_simplex(objectives)[:1])
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


def find_inside(cell: Cell) -> Row:
    """Return weights in the interior of a cell."""
    return _remove_divisor(tuple(map(sum, zip(*cell, strict=True))))


def _cut_cell(cell: Cell, normal: Row) -> Cell:
    """Return the part of a cell with a weighted sum of `normal` of at least 0 (Sutherland, Hodgman 1974)."""
    sides = [dot(corner, normal) for corner in cell]
    corners: list[Row] = []
    for here, side, after, next_side in zip(
        cell, sides, (*cell[1:], *cell[:1]), (*sides[1:], *sides[:1]), strict=True
    ):
        if side >= 0:
            corners.append(here)
        if side * next_side < 0:
            cut = tuple(abs(next_side) * a + abs(side) * b for a, b in zip(here, after, strict=True))
            corners.append(_remove_divisor(cut))
    return tuple(dict.fromkeys(corners))


def _remove_divisor(row: Row) -> Row:
    divisor = gcd(*row)
    return tuple(each // divisor for each in row)


Caps: TypeAlias = tuple[int | None, ...]
"""The greatest allowed value of each objective; None means no cap."""


@dataclass(frozen=True, slots=True)
class Proof:
    """Integer weights of the compared values, prices, and the lower bound of the weighted sum that they prove.

    Prices are each member's price for a slot, or a proof of :mod:`kassay.oracles.assignment.active_standby.check`.
    """

    weights: Row
    prices: Any
    least: int


@dataclass(frozen=True, slots=True, eq=False)
class ParetoPoint:
    """Owners of all copies, their value, and the proof that their weighted sum is least."""

    owners: Ints
    value: Row
    proof: Proof


def find_supporting_proof(value: Row, proofs: Iterable[Proof]) -> Proof | None:
    """Return the first proof that a point is supported and on the frontier: its sum is least and all weights are positive."""
    return next(
        (
            each
            for each in proofs
            if min(each.weights, default=1) > 0 and dot(each.weights, value) == each.least
        ),
        None,
    )


def compute_floor(objective: int, caps: Sequence[int | None], proofs: Iterable[Proof]) -> int:
    """Return the lower bound of an objective that proofs give if the others are at most their caps; None means no cap."""
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
