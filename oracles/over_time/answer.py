"""The answer to a question over time, whatever the shape: the least sums, the assignments that have them, the proof."""

import math
import time
from collections.abc import Callable, Mapping
from collections.abc import Sequence as Listed
from typing import Any

import msgspec

from kassay.oracles.answers import OverTime, Total
from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.over_time.certificate import certificate
from kassay.oracles.assignment.over_time.optimum import Proved, levels_of, solve
from kassay.oracles.assignment.over_time.proof import proves
from kassay.oracles.assignment.over_time.sequence import Sequence, paths, weights
from kassay.oracles.failures import TooLargeError
from kassay.oracles.over_time.certificate_json import CertificateForm, proofs_of


class TotalForm(msgspec.Struct):
    """A sum over a sequence; see :class:`kassay.oracles.answers.Total`."""

    name: str
    least: int
    value: int | None
    proved: bool


class OverTimeForm(msgspec.Struct):
    """What `kassay over-time --json` prints of the optimum, but for the assignments."""

    question: str
    rebalances: int
    totals: list[TotalForm]
    certificate: CertificateForm


def deadline_in(time_limit_s: float | None) -> float:
    """Return when the time is over, of time.monotonic; never where there is no limit."""
    return math.inf if time_limit_s is None else time.monotonic() + time_limit_s


def answered(
    question: str,
    sequence: Sequence,
    assignments: Callable[[Listed[Ints]], tuple[Any, ...]],
    rebalances: int,
    deadline: float,
) -> OverTime:
    """Return the answer for a sequence; `assignments` makes one for each rebalance of the node of each item in each layer.

    Raises what :func:`kassay.oracles.assignment.over_time.optimum.solve` raises.
    """
    best = solve(sequence, deadline)
    found = () if best.flow is None else assignments(paths(sequence, best.flow))
    totals = tuple(
        Total(level, least, None if best.values is None else best.values[n])
        for n, (level, least) in enumerate(zip(sequence.levels, best.least, strict=True))
    )
    return OverTime(question, rebalances, totals, found, certificate(best))


def verified(
    sequence: Sequence, stated: OverTimeForm, rebalances: int, measured: Mapping[str, int] | None
) -> tuple[bool | None, str]:
    """Return whether certificates prove that nothing is below what was measured of the stated assignments, None where those of a bound alone hold.

    `measured` is None where no assignments are stated. The sentence says what is proved, or why not. Raises InputError naming the field.
    """
    if stated.rebalances != rebalances:
        return False, f"NOT proved: rebalances: states {stated.rebalances}, but there are {rebalances}"
    proofs = proofs_of(sequence, stated.certificate)
    values = None if measured is None else tuple(measured[level] for level in sequence.levels)
    for n, each in enumerate(proofs):
        if not _holds(sequence, each):
            return (
                False,
                f"NOT proved: certificate.proofs[{n}]: does not prove that no sequence has less than {each.bound}",
            )
    found = [
        (level, least, None if values is None else values[n], values is not None and values[n] == least)
        for n, (level, least) in enumerate(
            zip(sequence.levels, _least(sequence, proofs, values), strict=True)
        )
    ]
    if [(each.name, each.least, each.value, each.proved) for each in stated.totals] != found:
        return False, f"NOT proved: totals: level, least, value and whether it is proved are {found}"
    if values is not None and weights(sequence) not in {each.weights for each in proofs}:
        return False, f"NOT proved: certificate.proofs: none is by the weights {weights(sequence)}"
    said = ", ".join(
        f"{level} {value}" if proved else f"{level} at least {least}" for level, least, value, proved in found
    )
    if all(proved for *_, proved in found):
        return True, f"proved: no sequence has less in {stated.question}: {said}"
    return None, f"what it states holds, but it does not prove an optimum: {said}"


def _holds(sequence: Sequence, stated: Proved) -> bool:
    try:
        return min(stated.weights) >= 0 and proves(sequence, stated.weights, stated.proof, stated.bound)
    except TooLargeError:
        return False


def _least(sequence: Sequence, proofs: Listed[Proved], values: tuple[int, ...] | None) -> tuple[int, ...]:
    """Return what proofs that hold say of each level: all together by weights, or each for itself."""
    bounds = {each.weights: each.bound for each in proofs}
    if values is not None:
        return levels_of(bounds.get(weights(sequence), 0), weights(sequence), values)
    units = [
        tuple(int(n == level) for n in range(len(sequence.levels))) for level in range(len(sequence.levels))
    ]
    return tuple(max(0, bounds.get(unit, 0)) for unit in units)
