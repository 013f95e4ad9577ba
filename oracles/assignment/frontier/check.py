"""The check of a frontier's certificates, in Python's integers: it knows assignments, weights and prices, and no solver.

A weighted sum of the squared loads and of levels is bounded as in :mod:`kassay.oracles.assignment.certificates`: with
whole weights b of balance and w of the levels, no assignment's sum goes below what all copies of items pay at least, w cost +
price, and each member's least b load^2 - price load.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from kassay.oracles.assignment.certificates import legal, paid_by_items
from kassay.oracles.assignment.frontier.recursive_weighting import (
    ParetoPoint,
    Proof,
    Row,
    cells,
    dot,
    supporting,
)
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.assignment.problem import LARGEST, Level, Problem
from kassay.oracles.assignment.values import values
from kassay.oracles.errors import TooLargeError

WEIGHTED = "weighted"
"""The name of the level that is the weighted sum of others."""


def bound(problem: Problem, levels: tuple[str, ...], weights: Row, prices: Row) -> int:
    """Return what no assignment's weighted sum goes below, by the prices.

    `weights` are of the squared loads, then of each level. Raises ValueError where a weight is below 0 or numbers are
    too few, TooLargeError where weighted costs leave 64 bits.
    """
    if len(weights) != len(levels) + 1 or len(prices) != problem.members:
        raise ValueError(f"give {len(levels) + 1} weights and {problem.members} prices")
    if any(type(each) is not int for each in (*weights, *prices)) or min(weights) < 0:
        raise ValueError("weights and prices are whole numbers, weights of 0 or more")
    if not problem.items:
        return 0
    known = weighted(problem, levels, weights[1:])
    (paid,) = paid_by_items(known, (WEIGHTED,), [(each,) for each in prices])
    return paid + sum(_slot(weights[0], price, problem.items) for price in prices)


def weighted(problem: Problem, levels: tuple[str, ...], weights: Row) -> Problem:
    """Return the problem whose one level is the weighted sum of some; raises TooLargeError where it leaves 64 bits."""
    if (problem.items * problem.copies + 1) * (problem.greatest_cost + 1) * (sum(weights) + 1) >= LARGEST:
        raise TooLargeError(f"the weights {weights} make costs that leave 64 bits")
    unit = dict(zip(levels, weights, strict=True))
    level = Level(WEIGHTED, problem.table(unit), problem.gains(unit), problem.losses(unit))
    return replace(problem, levels=(level,))


def _slot(squares: int, price: int, most: int) -> int:
    """Return the least of squares * load^2 - price * load over the loads 0 to `most`."""
    if not squares:
        return min(0, -price * most)
    load = min(max((price + squares) // (2 * squares), 0), most)
    return squares * load * load - price * load


def proof_holds(problem: Problem, levels: tuple[str, ...], proof: Proof) -> bool:
    """Say whether a proof's prices prove what it states."""
    return bound(problem, levels, proof.weights, proof.prices) == proof.least


def point_holds(problem: Problem, levels: tuple[str, ...], found: ParetoPoint) -> bool:
    """Say whether an assignment is legal, worth what is stated, and least by its proof."""
    return (
        legal(problem, found.owners)
        and values(problem, (BALANCE, *levels), found.owners) == found.value
        and dot(found.proof.weights, found.value) == found.proof.least
        and proof_holds(problem, levels, found.proof)
    )


def none_missing(points: Iterable[Row], proofs: Sequence[Proof], objectives: int) -> bool:
    """Say whether proofs that hold show points to be supported and no extreme point of the frontier to be missing.

    `objectives` are all, or all but the squared loads, which are then the same in all points. Each point needs a proof
    with positive weights, and each corner of the points' cells of weights one that no sum is below theirs there.
    """
    values_ = list(points)
    if not values_ or any(supporting(value, proofs) is None for value in values_):
        return False
    least = {proof.weights[-objectives:]: proof.least for proof in proofs}
    first = {proof.weights[-objectives:]: proof.weights for proof in proofs}
    known = cells((value[-objectives:] for value in values_), objectives)
    whole = {value[-objectives:]: value for value in values_}
    return all(
        corner in least and dot(first[corner], whole[value]) == least[corner]
        for value, cell in known.items()
        for corner in cell
    )
