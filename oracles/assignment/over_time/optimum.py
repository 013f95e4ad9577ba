"""The optimum of a sequence with its proof: a whole flow by HiGHS, a bound by prices, and cases where prices alone do not do."""

import math
import time
from dataclasses import dataclass

from kassay.oracles.assignment.over_time.program import Program
from kassay.oracles.assignment.over_time.proof import Bounds, Proof, Split, bound, divided, proves
from kassay.oracles.assignment.over_time.sequence import Flow, Sequence, fits, weights, worth
from kassay.oracles.failures import TooLargeError, UnsolvedError

PAIRS = 60_000
"""Up to so many pairs of a kind and an arc a whole flow is looked for; beyond, there is a bound."""
MERGED = 2_000_000
"""Up to so many arcs there is a bound."""
CASES = 2_000
"""So many cases are told apart at most."""


@dataclass(frozen=True, slots=True)
class Proved:
    """A proof that no flow has a weighted sum of levels below `bound`."""

    weights: tuple[int, ...]
    proof: Proof
    bound: int


@dataclass(frozen=True, slots=True)
class Best:
    """The cheapest flow that is known, None where only bounds are; `least` of each level, and what proves it.

    A level is proved where its value in the flow is its least, and all before it are proved. Bounds alone are proved level by
    level, each whatever the others are.
    """

    flow: Flow | None
    values: tuple[int, ...] | None
    least: tuple[int, ...]
    proofs: tuple[Proved, ...]


def solve(sequence: Sequence, deadline: float = math.inf) -> Best:
    """Return the least sums of a sequence's levels, each among the flows that are best in those before it, as far as proved.

    Where the sequence is large, or the time is over before a whole flow is found, there is a bound alone. Raises TooLargeError
    where even that is too large, UnsolvedError where there is not even a bound in time, and what :class:`Program` raises.
    """
    weigh = weights(sequence)
    arcs = sum(len(step.tail) for step in sequence.steps)
    if arcs > MERGED:
        raise TooLargeError(f"over time: the layers have {arcs} arcs; at most {MERGED} are taken")
    if sequence.size > PAIRS:
        proofs = tuple(_bounded(sequence, level, deadline) for level in range(len(weigh)))
        return Best(None, None, tuple(max(0, each.bound) for each in proofs), proofs)
    program = Program(sequence, weigh)
    flow = program.whole(deadline)
    if not fits(sequence, flow):
        raise UnsolvedError("over time: HiGHS gives a flow that does not fit")
    values = worth(sequence, flow)
    reached = sum(value * weight for value, weight in zip(values, weigh, strict=True))
    search = _Search(sequence, program, weigh, reached, deadline)
    proof = search.proof({})
    proved = reached if search.whole else search.root
    if not proves(sequence, weigh, proof, proved):
        raise UnsolvedError(f"over time: the prices do not prove that no sequence has less than {proved}")
    return Best(flow, values, levels_of(proved, weigh, values), (Proved(weigh, proof, proved),))


def _bounded(sequence: Sequence, level: int, deadline: float) -> Proved:
    """Return a bound of one level, by the prices of the sequence in which all items are of one kind."""
    unit = tuple(int(n == level) for n in range(len(sequence.levels)))
    prices = Program(sequence.merged(), unit).parts({}, len(sequence.steps), deadline).prices
    return Proved(unit, prices, bound(sequence, unit, prices, {}))


class _Search:
    """A search through cases for a proof that nothing costs less than `aim`."""

    def __init__(
        self, sequence: Sequence, program: Program, weigh: tuple[int, ...], aim: int, deadline: float
    ) -> None:
        self.sequence, self.program, self.weigh, self.aim = sequence, program, weigh, aim
        self.deadline, self.cases, self.root, self.whole = deadline, 0, 0, True

    def proof(self, bounds: Bounds) -> Proof:
        """Return a proof for a case; `whole` becomes false where time or cases run out, and the root's prices are the proof then."""
        parts = self.program.parts(bounds, self.aim, self.deadline if not self.cases else math.inf)
        least = bound(self.sequence, self.weigh, parts.prices, bounds)
        if not self.cases:
            self.root = least
        self.cases += 1
        if least >= self.aim:
            return parts.prices
        if self.cases >= CASES or time.monotonic() > self.deadline or parts.split is None:
            self.whole = False
        if not self.whole:
            return parts.prices
        place, at = parts.split if parts.split is not None else ((0, 0, 0), 0.0)
        fewer, more = divided(self.sequence, bounds, place, math.floor(at))
        split = Split(place, math.floor(at), self.proof(fewer), self.proof(more))
        return split if self.whole else parts.prices


def levels_of(least: int, weigh: tuple[int, ...], values: tuple[int, ...]) -> tuple[int, ...]:
    """Return what a bound of the weighted sum says of each level: 0 after a level that is not proved."""
    found: list[int] = []
    for n, weight in enumerate(weigh):
        found.append(max(0, least // weight))
        least -= found[-1] * weight
        if found[-1] != values[n]:
            return (*found, *[0] * (len(weigh) - n - 1))
    return tuple(found)
