"""A sequence as a program for HiGHS: the cheapest whole flow, and the prices of the cheapest flow in parts."""

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import highspy
import numpy as np
from numpy.typing import NDArray

from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.over_time.proof import SCALE, Bounds, Place, Prices
from kassay.oracles.assignment.over_time.sequence import Flow, Sequence
from kassay.oracles.failures import ImpossibleError, UnsolvedError
from kassay.oracles.solving import WHOLE

PENALTY = 64
"""How many times the value to reach a unit outside a row or a case costs, so that every program has a solution."""
SOLVED = (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kModelEmpty)
"""What HiGHS ends with where it is done: there is no column where nothing is to be assigned, and what it finds is checked anyway."""
Floats: TypeAlias = NDArray[np.float64]
Entries: TypeAlias = tuple[Ints, Ints, Floats]
"""The rows, columns and values of a matrix."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A cheapest flow in parts: its prices, and the place that is furthest from a whole number with what is there, if any."""

    prices: Prices
    split: tuple[Place, float] | None


class Program:
    """The columns and rows of a sequence: what comes to each open place, then the flows on the arcs between.

    First rows say for each place that what comes there is on the arcs to it, then for each kind and place that as much is on the
    arcs from it; the rows of the steps follow.
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
        self.entries, self.low, self.high, self.first = self._rows()

    def _rows(self) -> tuple[Entries, Floats, Floats, list[int]]:
        """Return the matrix, the bounds of its rows, and where the rows of each step begin, with the end."""
        of, places, steps = self.sequence, len(self.places), self.sequence.steps
        after = (
            places + of.kinds
        )  # the rows of what leaves: kinds at the source first, by their columns below 0
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
        users = [
            [(node, used) for node, used in zip(s.user.tolist(), s.used.tolist(), strict=True)] for s in steps
        ]
        for n, step in enumerate(steps):
            entries += [
                (first[-1] + used, column, 1.0)
                for node, used in users[n]
                for kind in range(of.kinds)
                if (column := self.column.get((n, kind, node))) is not None
            ]
            low, high = [*low, *step.low.tolist()], [*high, *step.high.tolist()]
            first.append(len(low))
        return _matrix(entries), np.array(low, float), np.array(high, float), first

    def whole(self, deadline: float = math.inf) -> Flow:
        """Return the cheapest flow; raises ImpossibleError where there is none, UnsolvedError where the time is over."""
        solver = _solver(deadline)
        lp = _model(self.costs, self.most, self.entries, self.low, self.high)
        lp.integrality_ = [highspy.HighsVarType.kInteger] * len(self.costs)
        solver.passModel(lp)
        solver.run()
        status = solver.getModelStatus()
        if status == highspy.HighsModelStatus.kInfeasible:
            raise ImpossibleError(
                "over time: no sequence of assignments keeps every rebalance as even as is asked"
            )
        if status not in SOLVED:
            raise UnsolvedError(f"HiGHS stopped without a proof: {status.name}")
        found = np.array(solver.getSolution().col_value)[len(self.places) :]
        whole = np.rint(found).astype(np.int64)
        if (np.abs(found - whole) > WHOLE).any():
            raise UnsolvedError("HiGHS gives parts of items where only whole ones can be")
        flow = [np.zeros((self.sequence.kinds, len(step.tail)), np.int64) for step in self.sequence.steps]
        for (n, kind, arc), number in zip(self.arcs, whole.tolist(), strict=True):
            flow[n][kind, arc] = number
        return tuple(flow)

    def parts(self, bounds: Bounds, aim: int, deadline: float = math.inf) -> Parts:
        """Return the cheapest flow in parts within the bounds of a case; a unit outside these or a row costs PENALTY times `aim`."""
        hard, columns = self.first[0], len(self.costs)
        low = np.array([*self.low, *(low for low, _ in bounds.values())], float)
        high = np.array([*self.high, *(high for _, high in bounds.values())], float)
        own = zip(range(len(self.low), len(low)), map(self.column.__getitem__, bounds), strict=True)
        soft = [(row, column, 1.0) for row, column in own]
        for n, row in enumerate(range(hard, len(low))):
            soft += [(row, columns + 2 * n, 1.0), (row, columns + 2 * n + 1, -1.0)]
        slack = 2 * (len(low) - hard)
        solver = _solver(deadline)
        more = _matrix(soft)
        entries = tuple(np.concatenate(both) for both in zip(self.entries, more, strict=True))
        costs = np.concatenate([self.costs, np.full(slack, float(PENALTY * max(aim, 1)))])
        most = np.concatenate([self.most, np.full(slack, highspy.kHighsInf)])
        solver.passModel(_model(costs, most, (entries[0], entries[1], entries[2]), low, high))
        solver.run()
        if solver.getModelStatus() not in SOLVED:
            raise UnsolvedError(f"HiGHS stopped without prices: {solver.getModelStatus().name}")
        solution = solver.getSolution()
        duals = [round(dual * SCALE) for dual in solution.row_dual]
        rows = tuple(tuple(duals[start:end]) for start, end in zip(self.first, self.first[1:], strict=False))
        prices = Prices(rows, dict(zip(bounds, duals[len(self.low) :], strict=True)))
        at = np.array(solution.col_value)[: len(self.places)]
        off = np.abs(at - np.rint(at))
        n = int(off.argmax()) if len(off) else 0
        return Parts(prices, (self.places[n], float(at[n])) if len(off) and off[n] > WHOLE else None)


def _matrix(entries: Iterable[tuple[int, int, float]]) -> Entries:
    row, column, value = zip(*entries, strict=True) if (entries := list(entries)) else ((), (), ())
    return np.array(row, np.int64), np.array(column, np.int64), np.array(value, float)


def _model(costs: Floats, most: Floats, entries: Entries, low: Floats, high: Floats) -> Any:
    row, column, value = entries
    order = np.argsort(row, kind="stable")
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(costs), len(low)
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = costs, np.zeros(len(costs)), most
    lp.row_lower_, lp.row_upper_ = low, high
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(low)))])
    lp.a_matrix_.index_, lp.a_matrix_.value_ = column[order].astype(np.int32), value[order]
    return lp


def _solver(deadline: float) -> Any:
    left = deadline - time.monotonic()
    if left <= 0:
        raise UnsolvedError("the time was over before HiGHS had its turn")
    solver = highspy.Highs()
    options = {
        "output_flag": False,
        "threads": 1,
        "presolve": "off",
        "random_seed": 0,
        "mip_rel_gap": 0.0,
        "mip_abs_gap": 0.0,
    }
    for option, value in options.items():
        solver.setOptionValue(option, value)
    if not math.isinf(left):
        solver.setOptionValue("time_limit", left)
    return solver
