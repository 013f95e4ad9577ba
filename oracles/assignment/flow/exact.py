"""The exact optimum of any problem, with the prices that prove it, by the fastest route.

Levels before balance, and questions without balance: the load of a member has no limit, so each item goes where it is
cheapest.

The most balanced loads that subscriptions allow are an optimal semi-matching, found as a cheapest flow. The graph has
audiences (sets of topics with the same readers) and subscriptions, not items and members. A flow says how many items
of an audience go to the members of a subscription. These share them evenly, at the cost of their squared loads by
weight (see :mod:`kassay.oracles.assignment.flow.min_cost_flow`).

The optima of balance are a network, the *face* of the program on which balance is least. Slot prices give each
member's load in every most balanced assignment. The load is l if the price lies between the member's last step and
its next one. It is l or l + 1 if the price is the step between these two. An audience's items are with its cheapest
readers in every such assignment. So members take in l. Members whose price is a step may take in one more and pass it
to a *slack node*, whose demand is the total of these extra items. Every feasible flow is most balanced, and every
most balanced assignment is a feasible flow. The cheapest flow on the face is the next level's optimum.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from kassay.oracles.assignment.aggregation import Network, build_network
from kassay.oracles.assignment.certificates import drop_derived_prices
from kassay.oracles.assignment.flow.item_classes import (
    FEW,
    deal_in_turn,
    find_item_classes,
    follow_flow,
    solve_directly,
    sort_stably,
)
from kassay.oracles.assignment.flow.min_cost_flow import (
    Marks,
    compute_distances,
    create_marks,
    find_closer_marks,
    find_min_cost_flow,
    list_slopes,
    place_marks_around,
    solve_flow,
)
from kassay.oracles.assignment.flow.topic_spread import Networks, solve_with_spread
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import (
    LARGEST,
    Ints,
    Problem,
    build_gain_matrix,
    count_readers,
    find_eligible,
    find_reading,
    iterate_owners,
    list_starts,
    refuse_impossible,
    set_audiences,
)
from kassay.oracles.assignment.values import Prices, count_at_price
from kassay.oracles.errors import TooLargeError


class Bipartite(NamedTuple):
    """The pairs of an audience and a subscription that reads it, in the audiences' order, indexed from both sides.

    Audience a has the pairs ``start[a]`` to ``start[a + 1]``; subscription s has ``pairs[first[s]]`` to
    ``pairs[first[s + 1]]``. `audience` and `reader` are a pair's two sides, `items` the items of each audience,
    `size` the members of each subscription, `weight` the weight of the squares of their loads. With several `copies`, all of
    which count as items, a member gets only one of each.
    """

    start: Ints
    audience: Ints
    reader: Ints
    first: Ints
    pairs: Ints
    items: Ints
    size: Ints
    weight: Ints
    copies: Ints | int = 1


def build_graph(problem: Problem) -> Bipartite:
    """Return the graph of the problem's audiences and subscriptions."""
    reader = problem.audience_subscription
    return Bipartite(
        start=problem.audience_start,
        audience=np.repeat(np.arange(problem.audiences), np.diff(problem.audience_start)),
        reader=reader,
        first=list_starts(np.bincount(reader, minlength=problem.subscriptions)),
        pairs=np.argsort(reader, kind="stable"),
        items=np.bincount(problem.audience_of, minlength=problem.audiences),
        size=np.bincount(problem.subscription_of, minlength=problem.subscriptions),
        weight=problem.weights,
    )


def sum_loads(graph: Bipartite, flow: Ints) -> Ints:
    """Return the total load of each subscription's members, for a flow of items along the pairs."""
    load = np.zeros(len(graph.size), np.int64)
    np.add.at(load, graph.reader, flow)
    return load


GUESSES = 100
"""The number of times that items are shared out again for a guess of the loads."""


def find_semi_matching(graph: Bipartite, deadline: float = math.inf) -> Ints:
    """Return the most balanced flow, one number for each pair of the graph.

    If `deadline` (of time.monotonic) passes, the flow is feasible, but perhaps not the most balanced one. So a caller
    that gives a deadline has to prove it, for example by the bound of its slot prices.
    """
    # Deal each audience's items to its readers, as many to each member.
    size = graph.size[graph.reader]
    until = np.cumsum(size)
    before = np.repeat((until - size)[graph.start[:-1]], np.diff(graph.start))
    whole = np.repeat(until[graph.start[1:] - 1], np.diff(graph.start)) - before
    items = graph.items[graph.audience]
    flow = np.asarray(items * (until - before) // whole - items * (until - size - before) // whole, np.int64)
    if len(graph.reader) == len(graph.items):
        return flow  # no audience has a choice
    # In a more balanced flow no last item costs more than the next item costs here.
    step = int((graph.weight * (2 * (sum_loads(graph, flow) // graph.size) + 1)).max())
    most = count_at_price(step, graph.weight)
    top = np.zeros_like(graph.size)
    np.add.at(top, graph.reader, items)
    top = np.minimum(top, most)
    first = create_marks(top)
    if first.rows.shape[1] < most.max():
        # The marks are far apart: a guess is nearly always right, and leaves one round.
        if time.monotonic() >= deadline:
            return flow
        flow, marks = _find_closer(graph, place_marks_around(_guess_loads(graph, flow), top))
        if marks is None:
            return flow
    marks = first
    while marks is not None and time.monotonic() < deadline:
        flow, marks = _find_closer(graph, marks)
    return flow


def _find_closer(graph: Bipartite, marks: Marks) -> tuple[Ints, Marks | None]:
    """Return a cheapest flow, with straight lines between each subscription's marks, and closer marks; None if it is most balanced."""
    audiences, pairs = len(graph.items), len(graph.reader)
    of, width, slope = list_slopes(marks)
    sink = audiences + len(graph.size)
    items, once = graph.items[graph.audience], (graph.items // graph.copies)[graph.audience]
    flow = solve_flow(
        np.concatenate([graph.audience, audiences + of]),
        np.concatenate([audiences + graph.reader, np.full(len(of), sink)]),
        np.concatenate([np.minimum(items, once * graph.size[graph.reader]), width * graph.size[of]]),
        np.concatenate([np.zeros(pairs, np.int64), slope * graph.weight[of]]),
        np.concatenate([graph.items, np.zeros(sink - audiences, np.int64), [-graph.items.sum()]]),
    )[:pairs]
    load = sum_loads(graph, flow)
    return flow, find_closer_marks(marks, load // graph.size, -(-load // graph.size))


def _guess_loads(graph: Bipartite, flow: Ints) -> Ints:
    """Return an estimate of the balanced load of each subscription's members.

    Each audience repeatedly shares its items out again, with smaller shares for readers with greater loads.
    """
    share = flow + 0.001
    for _ in range(GUESSES):
        load = np.bincount(graph.reader, share, len(graph.size)) / graph.size
        share /= np.maximum(load * graph.weight, 1e-9)[graph.reader]  # a subscription may have no items
        asked = np.bincount(graph.audience, share, len(graph.items))
        share *= (graph.items / np.maximum(asked, 1e-300))[graph.audience]
    return np.rint(load).astype(np.int64)


def balance_duals(graph: Bipartite, flow: Ints) -> Ints:
    """Return the slot price of each subscription that proves a flow most balanced, for members whose squares weigh w.

    A step from l to l + 1 adds w (2l + 1) to the weighted square. If the members hold l in every optimum, the price
    lies between their last step and the next one. It is 2 w l unless a member before them in a chain of moves has a
    higher price. They can reach l + 1 exactly if a chain leads to them from a member whose last step is as high. They
    can lose an item exactly if a chain leads from them to a member whose next step is as low. In both cases the price
    is that step.
    """
    load = sum_loads(graph, flow)
    low, high = load // graph.size, -(-load // graph.size)
    gives = np.flatnonzero(flow)
    takes = np.arange(len(flow))
    highest_before = -_find_least_along(graph, gives, takes, -graph.weight * (low + high))
    lowest_after = _find_least_along(graph, takes, gives, graph.weight * (2 * low + 1))
    return np.minimum(highest_before, lowest_after)


def _find_least_along(graph: Bipartite, from_: Ints, to: Ints, values: Ints) -> Ints:
    """Return the least value that chains of pairs bring to each subscription, including its own value.

    A step leads from the reader of a pair of `from_` to its audience, and from there to the reader of a pair of `to`.
    """
    least = values.copy()
    there = np.full(len(graph.items), LARGEST)
    while True:
        np.minimum.at(there, graph.audience[from_], least[graph.reader[from_]])
        before = least.copy()
        np.minimum.at(least, graph.reader[to], there[graph.audience[to]])
        if np.array_equal(least, before):
            return least


def disaggregate(problem: Problem, graph: Bipartite, flow: Ints) -> Ints:
    """Return the owner of each item (items x 1): subscriptions follow the flow, their members take turns."""
    subscription = np.empty(problem.items, np.int64)
    subscription[sort_stably(problem.audience_of)] = np.repeat(graph.reader, flow)
    return deal_in_turn(problem, subscription, sort_stably(subscription))


ENTRIES = 10**8
"""The limit of pairs of an item class and a member."""


def keep_admissible(problem: Problem, levels: tuple[str, ...]) -> Problem:
    """Return the problem in which each item may only go where it costs least in these levels, in lexicographic order.

    One copy of each item only. Raises TooLargeError if item classes times members pass 10^8.
    """
    if not levels:
        return problem
    classes, class_of = find_item_classes(problem)
    if classes.items * classes.members > ENTRIES:
        raise TooLargeError(
            f"{classes.items} classes of items times {problem.members} members are too many for levels before balance"
        )
    allowed = find_eligible(classes)
    for level in levels:
        cost = classes.table({level: 1})[classes.profile_of][:, classes.rack_of]
        if classes.level(level).gain is not None:
            gains = classes.gains({level: 1})
            saved = build_gain_matrix(classes.claim_start, classes.claim_member, classes.members, gains)
            cost -= saved[classes.claim_of]
        least = np.where(allowed, cost, cost.max(initial=0) + 1).min(axis=1)
        allowed &= cost == least[:, None]
    audiences, audience_of = np.unique(allowed, axis=0, return_inverse=True)
    return set_audiences(problem, audiences, audience_of.reshape(-1)[class_of])


def build_face(problem: Problem, levels: tuple[str, ...], prices: Ints, load: Ints) -> Network:
    """Return the network of the levels after balance, from the subscriptions' slot prices and most balanced loads."""
    paid = prices[problem.audience_subscription]
    cheapest = np.minimum.reduceat(paid, problem.audience_start[:-1])
    network = build_network(problem, levels, paid == np.repeat(cheapest, np.diff(problem.audience_start)))
    size = np.bincount(problem.subscription_of, minlength=problem.subscriptions)
    low = count_at_price(prices - 1, problem.weights)
    step = count_at_price(prices, problem.weights) > low
    slack = np.unique(prices[step])
    over = np.zeros(len(slack), np.int64)
    np.add.at(over, np.searchsorted(slack, prices[step]), (load - low * size)[step])
    may_vary = np.flatnonzero(step[problem.subscription_of])
    node = network.first[4] + np.searchsorted(slack, prices[problem.subscription_of[may_vary]])
    supply = network.supply.copy()
    supply[network.first[3] :] = -low[problem.subscription_of]
    return replace(
        network,
        tail=np.concatenate([network.tail, network.first[3] + may_vary]),
        head=np.concatenate([network.head, node]),
        capacity=np.concatenate([network.capacity, np.ones(len(node), np.int64)]),
        costs=np.hstack([network.costs, np.zeros((len(levels), len(node)), np.int64)]),
        supply=np.concatenate([supply, -over]),
    )


def find_cheapest_owners(problem: Problem, levels: tuple[str, ...]) -> Ints:
    """Return for each item (items x 1) the reader with the least costs, in lexicographic order of the levels.

    It is one of the owners, or any reader in some rack. One copy only. Raises TooLargeError if costs leave 64 bits.
    """
    base = 2 * problem.greatest_cost + 1
    if base ** (len(levels) + 1) >= LARGEST:
        raise TooLargeError("the costs of the levels leave 64 bits")
    unit = {level: base**n for n, level in enumerate(reversed(levels))}
    far, gain = problem.table(unit), problem.gains(unit)
    owners = np.full(problem.items, -1)
    least = np.full(problem.items, LARGEST)
    # some reader of each audience (row) in each rack (column), -1 if there is none
    some = np.full((problem.subscriptions, problem.racks), -1)
    some[problem.subscription_of, problem.rack_of] = np.arange(problem.members)
    some = np.maximum.reduceat(some[problem.audience_subscription], problem.audience_start[:-1], axis=0)
    for rack, reader in enumerate(some.T):
        owner, cost = reader[problem.audience_of], far[:, rack][problem.profile_of]
        better = (owner >= 0) & (cost < least)
        owners[better], least[better] = owner[better], cost[better]
    reads = find_reading(problem)
    for items, claim in iterate_owners(problem.claim_start, problem.claim_of):
        owner = problem.claim_member[claim]
        cost = far[problem.profile_of[items], problem.rack_of[owner]] - gain[claim]
        better = (cost < least[items]) & reads[problem.audience_of[items], problem.subscription_of[owner]]
        owners[items[better]], least[items[better]] = owner[better], cost[better]
    return owners.reshape(-1, 1)


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The members of each item (items x copies), and prices; an optimum if the prices' bound equals its value."""

    owners: Ints
    prices: Prices


def solve(
    problem: Problem,
    levels: tuple[str, ...],
    deadline: float = math.inf,
    networks: Networks | None = None,
    *,
    brief: bool = True,
) -> Solution:
    """Return an optimum, or the best solution known when `deadline` (of time.monotonic) passed.

    `networks` keeps what questions with topic spread about this problem have in common. Without `brief`,
    prices may follow from other prices, which saves time. Raises ImpossibleError if an item has too few readers, TooLargeError if numbers leave 64 bits or too many items
    have several copies, UnsolvedError if a solver fails.
    """
    refuse_impossible(problem)
    problem = problem.asked(levels)
    if not problem.items:
        return Solution(
            np.empty((0, problem.copies), np.int64),
            Prices(np.zeros((len(levels), problem.members), np.int64)),
        )
    if TOPIC_SPREAD in levels:
        owners, prices = solve_with_spread(problem, levels, deadline, networks)
        return Solution(owners, drop_derived_prices(problem, levels, prices) if brief else prices)
    if problem.single and BALANCE not in levels:
        return solve_large(problem, levels)
    # Item classes are faster than the aggregation if there are few of them, as only small problems have.
    is_small = problem.items * problem.members <= 20 * FEW
    alike = find_item_classes(problem) if is_small or not problem.single else None
    if alike and (alike.pairs <= FEW or not problem.single):
        if alike.pairs <= FEW:
            return Solution(*solve_directly(problem, alike, [levels])[0])
        guess = _guess_loads_of_several(problem, deadline)
        return Solution(*solve_directly(problem, alike, [levels], deadline, guess)[0])
    return solve_large(problem, levels, deadline)


def solve_large(problem: Problem, levels: tuple[str, ...], deadline: float = math.inf) -> Solution:
    """Return an optimum for one copy of each item with the aggregated network, at any size; see :func:`solve`."""
    problem = problem.asked(levels)
    if BALANCE not in levels:
        none = Prices(np.zeros((len(levels), problem.members), np.int64))
        return Solution(find_cheapest_owners(problem, levels), none)
    problem = keep_admissible(problem, levels[: levels.index(BALANCE)])
    return _find_cheapest(problem, _balance_loads(problem, deadline), levels, deadline)


KEPT = 200_000
"""The most items of a problem whose networks a solver keeps."""


class Solver:
    """Solves questions about one problem, and solves only once what they have in common."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._networks = Networks() if problem.items <= KEPT else None
        self._found: dict[tuple[str, ...], Solution] = {}

    def solve(self, levels: tuple[str, ...]) -> Solution:
        """Return an optimum as :func:`solve` does."""
        found = self._found.get(levels) or solve(self.problem, levels, networks=self._networks)
        if self._networks is not None:
            self._found[levels] = found
        return found


def solve_each(
    problem: Problem, questions: Sequence[tuple[str, ...]], solver: Solver | None = None
) -> list[Solution]:
    """Return an optimum of each question, by a solver of the problem if there is one.

    All ask for balance first; a large problem is balanced only once.
    """
    if not problem.items:
        return [solve(problem, levels) for levels in questions]
    refuse_impossible(problem)
    by = solve if solver is None else lambda _, levels: solver.solve(levels)
    spread = {levels: by(problem, levels) for levels in questions if TOPIC_SPREAD in levels}
    others = [levels for levels in questions if TOPIC_SPREAD not in levels]
    alike = find_item_classes(problem)
    if alike.pairs <= FEW or not problem.single:
        guess = None if alike.pairs <= FEW else _guess_loads_of_several(problem)
        best = [Solution(*each) for each in solve_directly(problem, alike, others, guess=guess)]
    else:
        even = _balance_loads(problem)
        best = [_find_cheapest(problem.asked(levels), even, levels) for levels in others]
    found = dict(zip(others, best, strict=True)) | spread
    return [found[levels] for levels in questions]


def _guess_loads_of_several(problem: Problem, deadline: float = math.inf) -> Ints:
    """Return each member's most balanced load, as if a subscription's members could share copies in any way."""
    graph = build_graph(problem)
    copies = np.maximum(np.minimum(count_readers(problem), problem.copies_of_audience), 1)
    graph = graph._replace(items=graph.items * copies, copies=copies)
    load = sum_loads(graph, find_semi_matching(graph, deadline)) // graph.size
    return load[problem.subscription_of]


def _balance_loads(problem: Problem, deadline: float = math.inf) -> tuple[Bipartite, Ints]:
    readers = build_graph(problem)
    return readers, find_semi_matching(readers, deadline)


def _find_cheapest(
    problem: Problem, even: tuple[Bipartite, Ints], levels: tuple[str, ...], deadline: float = math.inf
) -> Solution:
    """Return an optimum of the levels after balance among the most balanced assignments, or one of these after `deadline`."""
    readers, flow = even
    first = levels.index(BALANCE)
    last = levels[first + 1 :]
    slots = balance_duals(readers, flow)
    paid = slots[problem.subscription_of]
    after = np.zeros((len(last), problem.members), np.int64)
    owners = None
    if last and time.monotonic() <= deadline:
        ways = build_face(problem, last, slots, sum_loads(readers, flow))
        cheapest = find_min_cost_flow(ways, deadline)
        distance = None if cheapest is None else compute_distances(ways, cheapest, deadline)
        if cheapest is not None:
            owners = follow_flow(ways, cheapest)
        if distance is not None:
            # Prices count from the slack node of all members with the same slot price, even if their own loads are fixed.
            after -= distance[:, ways.first[3] : ways.first[4]]
            known = np.unique(paid[ways.tail[ways.arcs[4] :] - ways.first[3]])
            place = np.searchsorted(known, paid)
            vary = np.flatnonzero(np.append(known, -1)[place] == paid)
            after[:, vary] += distance[:, ways.first[4] + place[vary]]
    if owners is None:
        owners = disaggregate(problem, readers, flow)
    before = np.zeros((first, problem.members), np.int64)
    return Solution(owners, Prices(np.vstack([before, paid[None], after])))
