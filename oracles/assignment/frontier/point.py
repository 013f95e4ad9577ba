"""A point of a frontier with the prices that prove it, and what the prices of all points prove together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from kassay.oracles.assignment.frontier.weights import Row, dot
from kassay.oracles.assignment.level import Ints

Caps: TypeAlias = tuple[int | None, ...]
"""What each objective is at most; None caps nothing."""


@dataclass(frozen=True, slots=True)
class Proof:
    """Whole weights of what is compared, prices, and what no assignment's weighted sum goes below, by these.

    Prices are what each member asks for a slot, or a proof of :mod:`kassay.oracles.assignment.roles.certificate`.
    """

    weights: Row
    prices: Any
    least: int


@dataclass(frozen=True, slots=True, eq=False)
class Found:
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


def dominates(a: Row, b: Row) -> bool:
    """Say whether a point is nowhere worse than another and better somewhere."""
    return a != b and all(x <= y for x, y in zip(a, b, strict=True))
