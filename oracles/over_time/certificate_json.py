"""The proof of a sequence's optimum, read from JSON; it is written by :mod:`kassay.oracles.assignment.over_time.certificate`."""

from typing import Any

import msgspec

from kassay.errors import InputError
from kassay.model.shaped import shaped
from kassay.oracles.assignment.over_time.optimum import Proved
from kassay.oracles.assignment.over_time.proof import SCALE, Place, Prices, Proof, Split
from kassay.oracles.assignment.over_time.sequence import Sequence

DEEPEST = 300
"""Cases lie within each other up to so deep."""


class ProvedForm(msgspec.Struct):
    """A proof that a weighted sum of the levels is `bound` at least."""

    weights: tuple[int, ...]
    bound: int
    proof: dict[str, Any]


class CertificateForm(msgspec.Struct):
    """The proofs of a sequence, their prices in `scale`-ths."""

    scale: int
    proofs: list[ProvedForm]


class PricesForm(msgspec.Struct):
    """What each unit in a row of a step costs less, and each unit at a bounded place: step, kind, node, price."""

    rows: list[tuple[int, ...]]
    places: list[tuple[int, int, int, int]]


class SplitForm(msgspec.Struct):
    """Two cases: at most `most` items at a place (step, kind, node), or more."""

    place: tuple[int, int, int]
    most: int
    fewer: dict[str, Any]
    more: dict[str, Any]


def proofs_of(sequence: Sequence, stated: CertificateForm) -> list[Proved]:
    """Make proofs about a sequence of JSON; raises InputError naming the field where one does not fit the sequence."""
    if stated.scale != SCALE:
        raise InputError(f"certificate.scale: is {stated.scale}; give prices in {SCALE}ths")
    found = []
    for n, each in enumerate(stated.proofs):
        path = f"certificate.proofs[{n}]"
        if len(each.weights) != len(sequence.levels):
            raise InputError(f"{path}.weights: give one for each of {', '.join(sequence.levels)}")
        found.append(Proved(each.weights, _proof(sequence, each.proof, f"{path}.proof", 0), each.bound))
    return found


def _proof(sequence: Sequence, data: dict[str, Any], path: str, depth: int) -> Proof:
    if depth > DEEPEST:
        raise InputError(f"{path}: has too many cases within each other; give at most {DEEPEST}")
    if "fewer" in data:
        form = shaped(data, SplitForm)
        _refuse_unknown(sequence, form.place, f"{path}.place")
        sides = (_proof(sequence, side, path, depth + 1) for side in (form.fewer, form.more))
        return Split(form.place, form.most, *sides)
    prices = shaped(data, PricesForm)
    if [len(row) for row in prices.rows] != [len(step.low) for step in sequence.steps]:
        raise InputError(f"{path}.rows: give a price for each row of each step")
    for *place, _ in prices.places:
        _refuse_unknown(sequence, (place[0], place[1], place[2]), f"{path}.places")
    return Prices(tuple(prices.rows), {(n, kind, node): price for n, kind, node, price in prices.places})


def _refuse_unknown(sequence: Sequence, place: Place, path: str) -> None:
    step, kind, node = place
    if not (
        0 <= step < len(sequence.steps)
        and 0 <= kind < sequence.kinds
        and 0 <= node < sequence.steps[step].nodes
    ):
        raise InputError(f"{path}: there is no step, kind and node {place}")
