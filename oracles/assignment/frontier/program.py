"""What weights cannot find: the least of one objective while others stay below caps, as an integer program.

Each arc of the network has a whole variable up to its capacity, each node a row that what leaves it less what comes to it
is its supply; a cap is one row more, which takes the network its whole vertices, so variables must be whole. Where loads
are free, and with several copies, member m has variables y[m, j] of cost 2j - 1 that sum up to its load. Two solvers that share nothing, HiGHS
and CP-SAT, must agree.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from kassay.oracles.assignment.frontier.flows import Ways
from kassay.oracles.assignment.frontier.point import Caps, Proof
from kassay.oracles.assignment.frontier.weights import Row
from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.linear_program.two_solvers import Rows, Terms, least_by_cp_sat, least_by_highs
from kassay.oracles.assignment.problem import span
from kassay.oracles.failures import TooLargeError
from kassay.oracles.solving import Objective

LARGEST_PROGRAM = 20_000
"""Up to this many variables a program is asked."""


@dataclass(frozen=True, slots=True)
class Program:
    """Assignments as rows, each objective as a sum of variables, and what makes owners of the variables' values."""

    rows: Rows
    objectives: tuple[Objective, ...]
    owners: Callable[[list[int]], Ints]

    def above(self, proofs: Iterable[Proof]) -> "Program":
        """Return the program with a variable for each objective, and a row for each proof: what no sum of them goes below."""
        rows = Rows([*self.rows.most], [*self.rows.rows])
        values = [rows.variable(objective.most) for objective in self.objectives]
        for value, objective in zip(values, self.objectives, strict=True):
            rows.equal([*objective.terms, (value, -1)], -objective.constant)
        for proof in proofs:
            terms = zip(values, proof.weights, strict=True)
            rows.at_most([(value, -weight) for value, weight in terms if weight], -proof.least)
        objectives = tuple(
            Objective([(value, 1)], of.most) for value, of in zip(values, self.objectives, strict=True)
        )
        return Program(rows, objectives, self.owners)

    def least(self, caps: Caps, order: Sequence[int], deadline: float) -> tuple[Row, Ints]:
        """Return the objectives, each least among the optima of those before it in `order`, and owners of such an optimum, by HiGHS.

        No objective is above its cap; None caps nothing. Raises UnsolvedError where that is not proved before `deadline`
        (of time.monotonic).
        """
        found, taken = least_by_highs(self._capped(caps, order), deadline)
        return _sorted(order, found), self.owners(taken)

    def least_again(self, caps: Caps, order: Sequence[int], deadline: float) -> Row:
        """Return the objectives by CP-SAT; raises UnsolvedError where they are not proved before `deadline`."""
        return _sorted(order, least_by_cp_sat(self._capped(caps, order), deadline))

    def _capped(self, caps: Caps, order: Sequence[int]) -> Rows:
        capped = Rows(list(self.rows.most), list(self.rows.rows), [self.objectives[n] for n in order])
        for cap, objective in zip(caps, self.objectives, strict=True):
            if cap is not None:
                capped.at_most(list(objective.terms), cap - objective.constant)
        return capped


def _sorted(order: Sequence[int], values: Sequence[int]) -> Row:
    """Return values that are in some order as the objectives are."""
    return tuple(value for _, value in sorted(zip(order, values, strict=True)))


def program(ways: Ways) -> Program:
    """Return the integer program of some ways; raises TooLargeError where it has more than LARGEST_PROGRAM variables."""
    network, rows = ways.network, Rows()
    tops = ways.tops.tolist()
    size = len(network.tail) + (sum(tops) if ways.slots is None else 0)
    if size > LARGEST_PROGRAM:
        raise TooLargeError(
            f"an integer program of {size:,} variables is not asked; at most {LARGEST_PROGRAM:,} are"
        )
    at: list[Terms] = [[] for _ in network.supply]
    ends = network.capacity.tolist(), network.tail.tolist(), network.head.tolist()
    for most, tail, head in zip(*ends, strict=True):
        variable = rows.variable(most)
        at[tail].append((variable, 1))
        at[head].append((variable, -1))
    supplied = len(at) if ways.slots is not None else network.first[3]
    for terms, supply in zip(at[:supplied], network.supply.tolist(), strict=False):
        rows.equal(terms, supply)
    objectives = [
        _costs(ways, name, row) for name, row in zip(ways.levels, network.costs.tolist(), strict=True)
    ]
    if ways.slots is None:
        squares = _squares(rows, at[network.first[3] :], tops)
        if ways.squares is None:
            objectives.insert(0, squares)
        else:
            rows.equal([*squares.terms], ways.squares)

    def owners(taken: list[int]) -> Ints:
        return ways.owners(np.array(taken[: len(network.tail)], np.int64))

    return Program(rows, tuple(objectives), owners)


def _costs(ways: Ways, level: str, row: list[int]) -> Objective:
    losses = int(ways.problem.losses({level: 1})[ways.problem.claim_of].sum())
    low, high = span(ways.problem, level)
    return Objective([(n, cost) for n, cost in enumerate(row) if cost], high, losses, low)


def _squares(rows: Rows, into: list[Terms], tops: list[int]) -> Objective:
    terms: Terms = []
    for arcs, top in zip(into, tops, strict=True):
        steps = [(rows.variable(1), 2 * load + 1) for load in range(top)]
        rows.equal([*((arc, -sign) for arc, sign in arcs), *((step, -1) for step, _ in steps)], 0)
        terms += steps
    return Objective(terms, sum(top * top for top in tops))
