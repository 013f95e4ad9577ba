"""The optimum of a sequence with its proof: an integer flow by HiGHS, and a lower bound by dual prices.

For any prices, no flow costs less than a sum of two parts (Lagrangian duality). One is the cheapest paths of all
items, with the prices of the rows where they count. The other is the least that the rows pay back. If prices alone do
not reach the optimum, the proof splits into *cases*. In one, at most `most` items of a kind are at a node; in the
other, at least one more. No solver is needed to check it.
"""

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import highspy
import numpy as np
from numpy.typing import NDArray

from kassay.oracles.assignment.problem import Ints
from kassay.oracles.assignment.sequence import Flow, Sequence, compute_costs, compute_weights, is_feasible
from kassay.oracles.errors import ImpossibleError, TooLargeError, UnsolvedError
from kassay.oracles.solving import WHOLE, build_highs_model, create_highs

SCALE = 720_720
"""The denominator of all prices: the least common multiple of 1 to 16."""
FAR = 2**61
"""A number above the cost of any path."""
Place: TypeAlias = tuple[int, int, int]
"""A step, a kind, and a node."""
Bounds: TypeAlias = Mapping[Place, tuple[int, int]]
"""The least and the greatest number of items of the kind at the node, in a case."""


@dataclass(frozen=True, slots=True)
class Prices:
    """The rebate for each unit in a row of a step, and for each unit at a bounded place, in SCALE-ths; a row's may be below 0."""

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


def compute_bound(sequence: Sequence, weights: tuple[int, ...], prices: Prices, bounds: Bounds) -> int:
    """Return the lower bound of the cost of all flows within the bounds, by these prices; costs are weighted sums of the levels.

    Raises TooLargeError if sums could leave 64 bits.
    """
    dear = sum(
        int(np.abs(step.arc_cost).max(initial=0)) + int(np.abs(step.node_cost).max(initial=0))
        for step in sequence.steps
    ) * sum(weights)
    # All rows of a node may have the greatest price.
    rows = sum(
        max(map(abs, of), default=0) * (1 + int(np.bincount(step.user).max(initial=0)))
        for of, step in zip(prices.rows, sequence.steps, strict=True)
    )
    if dear * SCALE + rows + sum(map(abs, prices.places.values())) >= FAR // 4:
        raise TooLargeError(
            "over time: the costs and prices of a sequence leave 64 bits. Ask about a shorter one"
        )
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


def is_proof(
    sequence: Sequence, weights: tuple[int, ...], proof: Proof, least: int, bounds: Bounds | None = None
) -> bool:
    """Return True if a proof shows that no flow costs less than `least`; bounds are the bounds of the proof's case."""
    known = {} if bounds is None else bounds
    if isinstance(proof, Prices):
        return proof.places.keys() <= known.keys() and compute_bound(sequence, weights, proof, known) >= least
    fewer, more = split_bounds(sequence, known, proof.place, proof.most)
    return is_proof(sequence, weights, proof.fewer, least, fewer) and is_proof(
        sequence, weights, proof.more, least, more
    )


def split_bounds(sequence: Sequence, bounds: Bounds, place: Place, most: int) -> tuple[Bounds, Bounds]:
    """Return the bounds of the case with at most this number of items at a place, and of the case with more."""
    low, high = bounds.get(place, (0, int(sequence.counts[place[1]])))
    return {**bounds, place: (low, min(high, most))}, {**bounds, place: (max(low, most + 1), high)}


PENALTY = 64
"""The cost of a unit outside a row or a case, as a multiple of the target value, so that every program has a solution."""
SOLVED = (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kModelEmpty)
"""The final states of HiGHS with a solution; a model without columns has nothing to assign, and the solution is verified anyway."""
Floats: TypeAlias = NDArray[np.float64]
Entries: TypeAlias = tuple[Ints, Ints, Floats]
"""The rows, columns and values of a matrix."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A cheapest fractional flow: its prices, and the place whose amount is furthest from an integer, with that amount, if any."""

    prices: Prices
    split: tuple[Place, float] | None


class Program:
    """The columns and rows of a sequence: the amounts at each allowed place, then the flows on the arcs between them.

    The first rows equate each place's amount with its incoming arcs. Then rows equate it with the outgoing arcs, for
    each kind and place. The rows of the steps follow.
    """

    def __init__(self, sequence: Sequence, weights: tuple[int, ...]) -> None:
        self.sequence = sequence
        weigh = np.array(weights, np.int64)
        found = [np.argwhere(step.open) for step in sequence.steps]
        self.places = [(n, kind, node) for n, each in enumerate(found) for kind, node in each.tolist()]
        self.column = {place: n for n, place in enumerate(self.places)}
        self.column |= {(-1, kind, 0): kind - sequence.kinds for kind in range(sequence.kinds)}
        self.arcs = [
            (n, kind, arc)
            for n, step in enumerate(sequence.steps)
            for kind, arc in np.argwhere(step.open[:, step.head]).tolist()
            if (n - 1, kind, int(step.tail[arc])) in self.column
        ]
        steps = sequence.steps
        costs = [int(weigh @ steps[n].node_cost[:, kind, node]) for n, kind, node in self.places]
        costs += [int(weigh @ steps[n].arc_cost[:, arc]) for n, _, arc in self.arcs]
        self.costs = np.array(costs, float)
        kinds = [kind for _, kind, _ in (*self.places, *self.arcs)]
        self.most = sequence.counts[np.array(kinds, np.int64)].astype(float)
        self.entries, self.low, self.high, self.first = self._build_rows()

    def _build_rows(self) -> tuple[Entries, Floats, Floats, list[int]]:
        """Return the matrix, the bounds of its rows, and the first row of each step, with the end."""
        of, places, steps = self.sequence, len(self.places), self.sequence.steps
        # The rows of outgoing arcs begin with the kinds at the source, whose columns are below 0.
        after = places + of.kinds
        last = len(steps) - 1
        entries = [(n, n, -1.0) for n in range(places)]
        entries += [(after + n, n, -1.0) for n, place in enumerate(self.places) if place[0] != last]
        for n, (at, kind, arc) in enumerate(self.arcs):
            into = self.column[at, kind, int(steps[at].head[arc])]
            out = self.column[at - 1, kind, int(steps[at].tail[arc])]
            entries += [(into, places + n, 1.0), (after + out, places + n, 1.0)]
        low = [0] * places + of.counts.tolist() + [0] * places
        high = low.copy()
        first = [len(low)]
        for n, step in enumerate(steps):
            entries += [
                (first[-1] + used, column, 1.0)
                for node, used in zip(step.user.tolist(), step.used.tolist(), strict=True)
                for kind in range(of.kinds)
                if (column := self.column.get((n, kind, node))) is not None
            ]
            low, high = [*low, *step.low.tolist()], [*high, *step.high.tolist()]
            first.append(len(low))
        return _build_matrix(entries), np.array(low, float), np.array(high, float), first

    def solve_integers(self, deadline: float = math.inf) -> Flow | None:
        """Return the cheapest integer flow, or the best one found by the deadline, or None. Raises ImpossibleError if none exists."""
        if time.monotonic() >= deadline:
            return None
        solver, status = _run(self.costs, self.most, self.entries, self.low, self.high, deadline, whole=True)
        if status == highspy.HighsModelStatus.kInfeasible:
            raise ImpossibleError(
                "over time: no sequence of assignments keeps every rebalance as even as is asked"
            )
        is_late = status == highspy.HighsModelStatus.kTimeLimit
        if is_late and solver.getInfo().primal_solution_status != FEASIBLE:
            return None
        if status not in SOLVED and not is_late:
            raise UnsolvedError(f"HiGHS stopped without a proof: {status.name}")
        found = np.array(solver.getSolution().col_value)[len(self.places) :]
        whole = np.rint(found).astype(np.int64)
        if (np.abs(found - whole) > WHOLE).any():
            raise UnsolvedError("HiGHS gives parts of items where only whole ones can be")
        flow = [np.zeros((self.sequence.kinds, len(step.tail)), np.int64) for step in self.sequence.steps]
        for (n, kind, arc), number in zip(self.arcs, whole.tolist(), strict=True):
            flow[n][kind, arc] = number
        return tuple(flow)

    def solve_fractions(self, bounds: Bounds, aim: int, deadline: float = math.inf) -> Parts:
        """Return the cheapest fractional flow within the bounds of a case; a unit outside them or a row costs PENALTY times `aim`.

        After the deadline all prices are 0; they prove the sum of the items' own costs.
        """
        hard, columns = self.first[0], len(self.costs)
        low = np.array([*self.low, *(low for low, _ in bounds.values())], float)
        high = np.array([*self.high, *(high for _, high in bounds.values())], float)
        own = zip(range(len(self.low), len(low)), map(self.column.__getitem__, bounds), strict=True)
        soft = [(row, column, 1.0) for row, column in own]
        for n, row in enumerate(range(hard, len(low))):
            soft += [(row, columns + 2 * n, 1.0), (row, columns + 2 * n + 1, -1.0)]
        slack = 2 * (len(low) - hard)
        none = tuple((0,) * (end - start) for start, end in zip(self.first, self.first[1:], strict=False))
        if time.monotonic() >= deadline:
            return Parts(Prices(none, dict.fromkeys(bounds, 0)), None)
        more = _build_matrix(soft)
        entries = tuple(np.concatenate(both) for both in zip(self.entries, more, strict=True))
        costs = np.concatenate([self.costs, np.full(slack, float(PENALTY * max(aim, 1)))])
        most = np.concatenate([self.most, np.full(slack, highspy.kHighsInf)])
        matrix = (entries[0], entries[1], entries[2])
        solver, status = _run(costs, most, matrix, low, high, deadline, whole=False)
        if status == highspy.HighsModelStatus.kTimeLimit:
            return Parts(Prices(none, dict.fromkeys(bounds, 0)), None)
        if status not in SOLVED:
            raise UnsolvedError(f"HiGHS stopped without prices: {status.name}")
        solution = solver.getSolution()
        duals = [round(dual * SCALE) for dual in solution.row_dual]
        rows = tuple(tuple(duals[start:end]) for start, end in zip(self.first, self.first[1:], strict=False))
        prices = Prices(rows, dict(zip(bounds, duals[len(self.low) :], strict=True)))
        at = np.array(solution.col_value)[: len(self.places)]
        off = np.abs(at - np.rint(at))
        n = int(off.argmax()) if len(off) else 0
        return Parts(prices, (self.places[n], float(at[n])) if len(off) and off[n] > WHOLE else None)


def _build_matrix(entries: Iterable[tuple[int, int, float]]) -> Entries:
    row, column, value = zip(*entries, strict=True) if (entries := list(entries)) else ((), (), ())
    return np.array(row, np.int64), np.array(column, np.int64), np.array(value, float)


def _run(
    costs: Floats, most: Floats, entries: Entries, low: Floats, high: Floats, deadline: float, *, whole: bool
) -> tuple[Any, highspy.HighsModelStatus]:
    """Minimise the costs with HiGHS; return the solver and its final status."""
    row, column, value = entries
    order = np.argsort(row, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(low)))])
    model = build_highs_model(costs, most, low, high, start, column[order], value[order])
    if whole:
        model.integrality_ = [highspy.HighsVarType.kInteger] * len(costs)
    solver = create_highs()
    if not math.isinf(deadline):
        solver.setOptionValue("time_limit", max(deadline - time.monotonic(), 0.0))
    solver.passModel(model)
    solver.run()
    return solver, solver.getModelStatus()


FEASIBLE = int(highspy.SolutionStatus.kSolutionStatusFeasible)
"""The status in HiGHS of a flow that keeps all rows, whether or not it is the cheapest."""
FLOW_SHARE = 0.6
"""The share of the time for finding an integer flow; the rest is for the proof."""
PAIRS = 60_000
"""The limit of pairs of a kind and an arc for an integer flow; above it there is only a bound."""
MERGED = 2_000_000
"""The limit of arcs for a bound."""
CASES = 2_000
"""The limit of cases in a proof."""


@dataclass(frozen=True, slots=True)
class Proved:
    """A proof that no flow has a weighted sum of levels below `bound`."""

    weights: tuple[int, ...]
    proof: Proof
    bound: int


@dataclass(frozen=True, slots=True)
class Best:
    """The cheapest known flow, None if there are only bounds; the lower bound of each level, and their proofs.

    A level is proved if its value in the flow is its lower bound, and all levels before it are proved. If there is no
    flow, each level has a bound of its own, independent of the others.
    """

    flow: Flow | None
    values: tuple[int, ...] | None
    least: tuple[int, ...]
    proofs: tuple[Proved, ...]


def solve(sequence: Sequence, deadline: float = math.inf, *, whole: bool = True) -> Best:
    """Return the least sums of a sequence's levels in lexicographic order, as far as proved.

    There is only a bound if the sequence is large, `whole` is False, or no integer flow is found in time. After the
    deadline the flow need not be the cheapest, and the bound is the part proved by then. Raises TooLargeError if even
    the bound is too large, and all errors of :class:`Program`.
    """
    weigh = compute_weights(sequence)
    arcs = sum(len(step.tail) for step in sequence.steps)
    if arcs > MERGED:
        raise TooLargeError(f"over time: the layers have {arcs} arcs. At most {MERGED} are taken")
    if not whole or sequence.size > PAIRS:
        return _compute_bounds(sequence, deadline)
    program = Program(sequence, weigh)
    now = time.monotonic()
    flow = program.solve_integers(deadline if math.isinf(deadline) else now + FLOW_SHARE * (deadline - now))
    if flow is None:
        return _compute_bounds(sequence, deadline)
    if not is_feasible(sequence, flow):
        raise UnsolvedError("over time: HiGHS gives a flow that does not fit")
    values = compute_costs(sequence, flow)
    reached = sum(value * weight for value, weight in zip(values, weigh, strict=True))
    search = _Search(sequence, program, weigh, reached, deadline)
    proof = search.build_proof({})
    proved = reached if search.whole else search.root
    if not is_proof(sequence, weigh, proof, proved):
        raise UnsolvedError(f"over time: the prices do not prove that no sequence has less than {proved}")
    return Best(flow, values, list_level_bounds(proved, weigh, values), (Proved(weigh, proof, proved),))


def _compute_bounds(sequence: Sequence, deadline: float) -> Best:
    proofs = []
    for level in range(len(sequence.levels)):
        unit = tuple(int(n == level) for n in range(len(sequence.levels)))
        # The prices of the sequence with all items of one kind, which is much smaller.
        prices = (
            Program(sequence.merge_kinds(), unit).solve_fractions({}, len(sequence.steps), deadline).prices
        )
        proofs.append(Proved(unit, prices, compute_bound(sequence, unit, prices, {})))
    return Best(None, None, tuple(max(0, each.bound) for each in proofs), tuple(proofs))


class _Search:
    """A search through cases for a proof that nothing costs less than `aim`."""

    def __init__(
        self, sequence: Sequence, program: Program, weigh: tuple[int, ...], aim: int, deadline: float
    ) -> None:
        self.sequence, self.program, self.weigh, self.aim = sequence, program, weigh, aim
        self.deadline, self.cases, self.root, self.whole = deadline, 0, 0, True

    def build_proof(self, bounds: Bounds) -> Proof:
        """Return a proof for a case; after the limit of time or cases `whole` is False, and the proof is the root's prices."""
        parts = self.program.solve_fractions(bounds, self.aim, self.deadline if not self.cases else math.inf)
        least = compute_bound(self.sequence, self.weigh, parts.prices, bounds)
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
        fewer, more = split_bounds(self.sequence, bounds, place, math.floor(at))
        split = Split(place, math.floor(at), self.build_proof(fewer), self.build_proof(more))
        return split if self.whole else parts.prices


def list_level_bounds(least: int, weigh: tuple[int, ...], values: tuple[int, ...]) -> tuple[int, ...]:
    """Return the bound of each level that follows from a bound of the weighted sum: 0 after a level that is not proved."""
    found: list[int] = []
    for n, weight in enumerate(weigh):
        found.append(max(0, least // weight))
        least -= found[-1] * weight
        if found[-1] != values[n]:
            return (*found, *[0] * (len(weigh) - n - 1))
    return tuple(found)


def write_certificate(best: Best) -> dict[str, Any]:
    """Return the proofs as JSON: each is of a weighted sum of the levels, at least `bound`; prices are in `scale`-ths."""
    proofs = [
        {"weights": each.weights, "bound": each.bound, "proof": _write_proof(each.proof)}
        for each in best.proofs
    ]
    return {"scale": SCALE, "proofs": proofs}


def _write_proof(proof: Proof) -> dict[str, Any]:
    if isinstance(proof, Prices):
        places = [[*place, price] for place, price in proof.places.items()]
        return {"rows": proof.rows, "places": places}
    cases = {"fewer": _write_proof(proof.fewer), "more": _write_proof(proof.more)}
    return {"place": proof.place, "most": proof.most, **cases}
