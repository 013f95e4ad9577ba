"""Linear programs of a question in PuLP, disaggregated and aggregated, and integer programs as data, which two solvers answer.

Disaggregated: for item i and member m that may hold it, x[i, m] is 1 if m holds i, else 0. The load l[m] is the sum
over i of x[i, m].

    for every i:   sum over m of x[i, m] = copies of i
    for every m:   sum over i of x[i, m] = sum over j of y[m, j]        0 <= x <= 1, 0 <= y <= 1
    balance:       least sum over m, j of (2j - 1) y[m, j],  j = 1, 2, ...   (1 + 3 + ... + (2l - 1) = l^2)
    topic spread:  the same for each topic and member, with the items of that topic
    another level: least sum over i, m of c[i, m] x[i, m]

Each level's least value becomes a row before the next level is minimized. No variable needs to be declared an
integer. With integer data the program is a network flow, so its vertices are integers. The optima of a level are a
face, whose vertices are vertices of the program. Levels whose costs fit into a few digits are minimized at once, with
weights: there are fewer programs, and the optimum is the same. If balance comes first, no optimum has a greater load
than any other assignment. So y[m, j] stops at the greatest load of a greedy assignment.

Aggregated: the size is the number of item classes, not of items. If balance comes first, there are two programs. The
first one has only audiences and subscriptions: f[p] items go along pair p, from an audience to the members of a
subscription s that reads it. Its n[s] members share the items evenly.

    for every audience a:      sum of f out of a = items of a
    for every subscription s:  sum of f into s = base n[s] + sum over j of y[s, j]       0 <= y <= n[s]
    balance:     least sum over s, j of (2 (base + j) - 1) y[s, j],  j = 1, 2, ...

base + j spans only a few loads, around a guess. The squares are convex, so a least value inside the span is the least
of all; if it is at an edge, the span widens. A wrong guess costs time or the answer, but cannot give a wrong answer.
The flow gives slot prices in integers, whose bound has to prove it. All most balanced assignments are then the flows
of a network (see :mod:`kassay.oracles.assignment.flow.exact`), so the second program needs no row for balance. It has
one variable f[e] for each arc e, up to its capacity.

    for every node n:  sum of f out of n - sum of f into n = supply of n
    another level:     least sum of all losses + sum of f[e] cost[e]

If balance does not come first, there is one program: that network without its slack nodes (see
:mod:`kassay.oracles.assignment.aggregation`), with each member's slots as variables y. With topic spread, there is
one program on the network of topics' places (see :mod:`kassay.oracles.assignment.flow.topic_spread`). There every
squared arc e has steps y between 0 and 1: f[e] = sum over j of y[e, j].
"""

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from kassay.oracles.assignment.aggregation import build_network
from kassay.oracles.assignment.certificates import compute_bound
from kassay.oracles.assignment.flow.exact import (
    Bipartite,
    balance_duals,
    build_face,
    build_graph,
    disaggregate,
    find_semi_matching,
    sum_loads,
)
from kassay.oracles.assignment.flow.item_classes import follow_flow
from kassay.oracles.assignment.flow.min_cost_flow import import_or_tools
from kassay.oracles.assignment.flow.topic_spread import (
    build_member_network,
    build_subscription_network,
    follow_places,
)
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import (
    Ints,
    Problem,
    build_costs,
    compute_span,
    find_eligible,
    refuse_impossible,
)
from kassay.oracles.assignment.values import Prices
from kassay.oracles.errors import ImpossibleError, UnsolvedError
from kassay.oracles.solving import Model, Objective, Variable

Arcs: TypeAlias = list[list[tuple[Variable, int]]]
"""The arcs at each node, with 1 if they lead out and -1 if they lead in."""


def solve_program(
    problem: Problem, levels: tuple[str, ...], deadline: float = math.inf
) -> tuple[Ints, tuple[int, ...]]:
    """Return the owners of each item in an optimum of the disaggregated program, and the value of each level.

    Raises UnsolvedError if the solver does not prove every level before `deadline` (of time.monotonic),
    ImpossibleError if an item has too few readers.
    """
    refuse_impossible(problem)
    may, copies = find_eligible(problem), problem.copies_of_audience[problem.audience_of]
    pairs = np.argwhere(may)
    model = Model()
    x = [model.variable(1) for _ in pairs]
    of_item: list[list[int]] = [[] for _ in range(problem.items)]
    of_member: list[list[int]] = [[] for _ in range(problem.members)]
    for n, (item, member) in enumerate(pairs.tolist()):
        of_item[item].append(n)
        of_member[member].append(n)
    for entries, wanted in zip(of_item, copies.tolist(), strict=True):
        model.require(model.total((x[n], 1) for n in entries) == wanted)

    def objective(level: str) -> Objective:
        if level == BALANCE:
            most = problem.items
            if levels[0] == BALANCE:
                # The greatest load if every item, those with the fewest readers first, goes to its least loaded readers.
                load = np.zeros(problem.members, np.int64)
                for item in np.argsort(may.sum(axis=1), kind="stable"):
                    readers = np.flatnonzero(may[item])
                    load[readers[np.argsort(load[readers], kind="stable")[: copies[item]]]] += 1
                most = int(load.max(initial=0))
            return squares(of_member, most)
        if level == TOPIC_SPREAD:
            of_place: dict[tuple[int, int], list[int]] = {}
            for n, (item, member) in enumerate(pairs.tolist()):
                of_place.setdefault((int(problem.topic_numbers[item]), member), []).append(n)
            return squares(list(of_place.values()), problem.items)
        cost = build_costs(problem, level)[tuple(pairs.T)].tolist()
        terms = [(variable, each) for variable, each in zip(x, cost, strict=True) if each]
        # The cost of each copy includes the loss of its item, which counts only once.
        again = problem.losses({level: 1})[problem.claim_of] * (1 - copies)
        low, high = compute_span(problem, level)
        return Objective(terms, high, int(again.sum()), low)

    def squares(runs: list[list[int]], most: int) -> Objective:
        into = [[(x[n], 1) for n in entries] for entries in runs]
        highest = [min(most, len(entries)) for entries in runs]
        return _add_squares(model, into, [0] * len(runs), highest, [1] * len(runs))

    objectives = [objective(level) for level in levels]
    values = model.minimise(objectives, deadline)
    chosen = pairs[np.array(model.read_values(x), np.bool_)]
    owners = np.full((problem.items, problem.copies), -1)
    owners[np.arange(problem.copies) < copies[:, None]] = chosen[:, 1]
    return owners, values


def solve_collapsed_program(
    problem: Problem, levels: tuple[str, ...], deadline: float = math.inf
) -> tuple[Ints, tuple[int, ...]]:
    """Return the owners of each item in an optimum of the aggregated program, and the value of each level; one copy only.

    Raises UnsolvedError if the solver does not prove every level before `deadline` (of time.monotonic).
    """
    refuse_impossible(problem)
    problem = problem.asked(levels)
    if not problem.items:
        return np.empty((0, 1), np.int64), (0,) * len(levels)
    if TOPIC_SPREAD in levels:
        return _solve_spread_program(problem, levels, deadline)
    if levels[0] != BALANCE:
        return _solve_in_one(problem, levels, deadline)
    readers = build_graph(problem)
    flow, squares = _find_most_even(readers, deadline)
    slots = balance_duals(readers, flow)
    prices = Prices(slots[problem.subscription_of][None])
    if compute_bound(problem, (BALANCE,), prices) != (squares,):
        raise UnsolvedError(f"balance: HiGHS finds {squares}, which slot prices do not prove")
    if len(levels) == 1:
        return disaggregate(problem, readers, flow), (squares,)
    network = build_face(problem, levels[1:], slots, sum_loads(readers, flow))
    model, along, _ = _build_conserving(
        network.capacity, network.tail, network.head, network.supply, len(network.supply)
    )
    objectives = [
        _sum_arc_costs(problem, level, along, row.tolist())
        for level, row in zip(levels[1:], network.costs, strict=True)
    ]
    values = model.minimise(objectives, deadline)
    return follow_flow(network, np.array(model.read_values(along), np.int64)), (squares, *values)


def _solve_spread_program(
    problem: Problem, levels: tuple[str, ...], deadline: float
) -> tuple[Ints, tuple[int, ...]]:
    places = build_member_network(problem, build_subscription_network(problem))
    network = places.network
    model, along, _ = _build_conserving(
        network.high, network.tail, network.head, network.supply, len(network.supply) - 1
    )
    objectives = []
    for level in levels:
        if level in network.squares:
            arcs, weights = (column.tolist() for column in network.squares[level])
            terms: list[tuple[Variable, int]] = []
            for arc, weight in zip(arcs, weights, strict=True):
                steps = [(model.variable(1), weight * (2 * j + 1)) for j in range(problem.items)]
                model.require(model.total([(along[arc], 1), *((step, -1) for step, _ in steps)]) == 0)
                terms += steps
            objectives.append(Objective(terms, problem.items**2 * max(weights)))
        else:
            # The costs of these arcs include all losses.
            low, high = compute_span(problem, level)
            costs = zip(along, network.costs[level].tolist(), strict=True)
            objectives.append(Objective([(variable, cost) for variable, cost in costs if cost], high, 0, low))
    values = model.minimise(objectives, deadline)
    return follow_places(places, np.array(model.read_values(along), np.int64)), values


def _find_most_even(readers: Bipartite, deadline: float) -> tuple[Ints, int]:
    """Return a flow of items along the pairs at the most balanced loads, and the sum of the members' squared loads."""
    top = np.where(np.diff(readers.first) > 0, readers.items.sum(), 0)
    low, high = _guess_loads(readers)
    reach = 1
    while True:
        low, high = np.maximum(low - reach, 0), np.minimum(high + reach, top)
        model = Model()
        along = [model.variable() for _ in readers.reader]
        for (first, end), items in zip(pairwise(readers.start), readers.items.tolist(), strict=True):
            model.require(model.total((each, 1) for each in along[first:end]) == items)
        into = [[(along[pair], 1) for pair in readers.pairs[a:b]] for a, b in pairwise(readers.first)]
        objective = _add_squares(model, into, low.tolist(), high.tolist(), readers.size.tolist())
        (squares,) = model.minimise([objective], deadline)
        flow = np.array(model.read_values(along), np.int64)
        load = sum_loads(readers, flow)
        inside = (load > low * readers.size) | (low == 0), (load < high * readers.size) | (high == top)
        if np.all(inside):
            return flow, squares
        reach *= 2


def _guess_loads(readers: Bipartite) -> tuple[Ints, Ints]:
    """Return the bounds of each subscription's loads in most balanced assignments, if the flow oracle is right."""
    prices = balance_duals(readers, find_semi_matching(readers))
    return prices // 2, (prices + 1) // 2


def _solve_in_one(problem: Problem, levels: tuple[str, ...], deadline: float) -> tuple[Ints, tuple[int, ...]]:
    """Solve one program in which a member may hold any number of items."""
    costly = tuple(level for level in levels if level != BALANCE)
    network = build_network(problem, costly, np.ones(len(problem.audience_subscription), np.bool_))
    model, along, at = _build_conserving(
        network.capacity, network.tail, network.head, network.supply, network.first[3]
    )
    rows = dict(zip(costly, network.costs.tolist(), strict=True))
    top = np.where(np.isin(problem.subscription_of, problem.audience_subscription), problem.items, 0)
    into = [[(arc, -sign) for arc, sign in arcs] for arcs in at[network.first[3] :]]
    none, one = [0] * problem.members, [1] * problem.members
    objectives = [
        _add_squares(model, into, none, top.tolist(), one)
        if level == BALANCE
        else _sum_arc_costs(problem, level, along, rows[level])
        for level in levels
    ]
    values = model.minimise(objectives, deadline)
    return follow_flow(network, np.array(model.read_values(along), np.int64)), values


def _build_conserving(
    most: Ints, tail: Ints, head: Ints, supply: Ints, nodes: int
) -> tuple[Model, list[Variable], Arcs]:
    """Return a model of the flows in which each of the first `nodes` nodes sends out its supply; its arcs, also by node."""
    model = Model()
    along = [model.variable(each) for each in most.tolist()]
    at = list_arcs(along, tail, head, len(supply))
    for arcs, number in zip(at[:nodes], supply.tolist(), strict=False):
        model.require(model.total(arcs) == number)
    return model, along, at


def list_arcs(arcs: Iterable[Variable], tail: Ints, head: Ints, nodes: int) -> Arcs:
    """Return the arcs at each node."""
    at: Arcs = [[] for _ in range(nodes)]
    for arc, a, b in zip(arcs, tail.tolist(), head.tolist(), strict=True):
        at[a].append((arc, 1))
        at[b].append((arc, -1))
    return at


def _sum_arc_costs(problem: Problem, level: str, along: list[Variable], row: list[int]) -> Objective:
    terms = [(variable, cost) for variable, cost in zip(along, row, strict=True) if cost]
    losses = int(problem.losses({level: 1})[problem.claim_of].sum())
    low, high = compute_span(problem, level)
    return Objective(terms, high, losses, low)


def _add_squares(model: Model, into: Arcs, low: list[int], high: list[int], size: list[int]) -> Objective:
    """Return the sum of the squared loads of the members behind each node, which share its incoming items evenly."""
    terms = []
    for arcs, least, most, members in zip(into, low, high, size, strict=True):
        steps = [(model.variable(members), 2 * load + 1) for load in range(least, most)]
        model.require(model.total([*arcs, *((step, -1) for step, _ in steps)]) == least * members)
        terms += steps
    least_squares, greatest = (
        sum(load * load * members for load, members in zip(loads, size, strict=True)) for loads in (low, high)
    )
    return Objective(terms, greatest, least_squares)


Terms: TypeAlias = list[tuple[int, int]]
"""Numbers of variables, each with an integer factor."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Integer variables between 0 and `most`, rows (terms, low, high), and objectives in lexicographic order.

    Low and high of a row are equal, or low is below all values of its terms.
    """

    most: list[int] = field(default_factory=list)
    rows: list[tuple[Terms, int, int]] = field(default_factory=list)
    objectives: list[Objective] = field(default_factory=list)

    def add_variable(self, most: int) -> int:
        """Add a variable and return its number."""
        self.most.append(most)
        return len(self.most) - 1

    def add_equal(self, terms: Terms, number: int) -> None:
        """Add the row that the terms equal this number."""
        if terms or number:
            self.rows.append((terms, number, number))

    def add_at_most(self, terms: Terms, number: int) -> None:
        """Add the row that the terms are at most this number, unless they always are."""
        least = sum(min(0, factor * self.most[variable]) for variable, factor in terms)
        if sum(max(0, factor * self.most[variable]) for variable, factor in terms) > number:
            self.rows.append((terms, min(least, number) - 1, number))


def minimise_by_cp_sat(program: Rows, deadline: float = math.inf) -> tuple[int, ...]:
    """Return the least value of each objective among the optima of the objectives before it.

    Raises ImpossibleError if nothing fits the rows, UnsolvedError if OR-tools is missing or an optimum is not proved
    before `deadline` (of time.monotonic).
    """
    cp_model = import_or_tools("sat.python.cp_model")
    model = cp_model.CpModel()
    x = [model.new_int_var(0, most, f"x{n}") for n, most in enumerate(program.most)]
    for terms, low, high in program.rows:
        total = sum(factor * x[variable] for variable, factor in terms)
        model.add(total == high if low == high else total <= high)
    values: list[int] = []
    for objective in program.objectives:
        total = sum(factor * x[variable] for variable, factor in objective.terms)
        if objective.terms:
            model.minimize(total)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers, solver.parameters.random_seed = 1, 0
        left = deadline - time.monotonic()
        if left <= 0:
            raise UnsolvedError("the time was over before CP-SAT had its turn")
        if not math.isinf(left):
            solver.parameters.max_time_in_seconds = left
        status = solver.solve(model)
        if status == cp_model.INFEASIBLE and not values:
            raise ImpossibleError("roles: no assignment meets all that is asked of the copies")
        if status != cp_model.OPTIMAL:
            raise UnsolvedError(f"CP-SAT stopped without a proof: {solver.status_name(status)}")
        least = int(solver.value(total)) if objective.terms else 0
        values.append(least + objective.constant)
        if objective.terms:
            model.add(total <= least)
    return tuple(values)


def minimise_by_highs(program: Rows, deadline: float = math.inf) -> tuple[tuple[int, ...], list[int]]:
    """Return the least value of each objective among the optima of those before it, and the variables' values in an optimum.

    Raises UnsolvedError if an optimum is not proved before `deadline` (of time.monotonic).
    """
    model = Model()
    variables = [model.variable(most, whole=True) for most in program.most]
    for terms, low, high in program.rows:
        total = model.total(terms)
        model.require(total == low) if low == high else model.require(total <= high)
    return model.minimise(program.objectives, deadline), model.read_values(variables)


def minimise_by_both(
    program: Rows, levels: tuple[str, ...], deadline: float = math.inf
) -> tuple[tuple[int, ...], list[int]]:
    """Return the result of :func:`minimise_by_highs`, confirmed by CP-SAT; `levels` name the objectives.

    Raises ImpossibleError if nothing fits the rows, UnsolvedError if a solver does not prove every level before
    `deadline` (of time.monotonic), or the two differ.
    """
    least = minimise_by_cp_sat(program, deadline)
    found, taken = minimise_by_highs(program, deadline)
    if found != least:
        raise UnsolvedError(f"{','.join(levels)}: HiGHS finds {found}, but CP-SAT {least}")
    return found, taken
