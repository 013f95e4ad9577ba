"""The most even loads that subscriptions allow, at any size: optimal semi-matchings as cheapest flows, with the prices that prove them.

Works on audiences (sets of topics with the same readers) and subscriptions, not on items and members. A flow says how many items
of an audience go to the members of a subscription, who share them evenly, at the cost of their squared loads by weight
(see :mod:`kassay.oracles.assignment.flow.min_cost_flow`).
"""

import math
import time
from typing import NamedTuple

import numpy as np

from kassay.oracles.assignment.flow.item_classes import in_turn, ordered
from kassay.oracles.assignment.flow.min_cost_flow import (
    Marks,
    closer_marks,
    first_marks,
    marks_around,
    slopes,
    solved,
)
from kassay.oracles.assignment.problem import LARGEST, Ints, Problem, starts
from kassay.oracles.assignment.values import at_price


class Bipartite(NamedTuple):
    """The pairs of an audience and a subscription that reads it, in the audiences' order, found from both sides.

    Pairs ``start[a]`` to ``start[a + 1]`` are those of audience a; ``pairs[first[s]]`` to ``pairs[first[s +
    1]]`` are those of subscription s. `audience` and `reader` are a pair's two sides, `items` the items of
    each audience, `size` the members of each subscription, `weight` what the squares of their loads weigh.
    """

    start: Ints
    audience: Ints
    reader: Ints
    first: Ints
    pairs: Ints
    items: Ints
    size: Ints
    weight: Ints


def bipartite(problem: Problem) -> Bipartite:
    """Return the graph of the problem's audiences and subscriptions."""
    reader = problem.audience_subscription
    return Bipartite(
        start=problem.audience_start,
        audience=np.repeat(np.arange(problem.audiences), np.diff(problem.audience_start)),
        reader=reader,
        first=starts(np.bincount(reader, minlength=problem.subscriptions)),
        pairs=np.argsort(reader, kind="stable"),
        items=np.bincount(problem.audience_of, minlength=problem.audiences),
        size=np.bincount(problem.subscription_of, minlength=problem.subscriptions),
        weight=problem.weights,
    )


def loads_of(graph: Bipartite, flow: Ints) -> Ints:
    """Return how many items the members of each subscription hold together, in a flow of items along the pairs."""
    load = np.zeros(len(graph.size), np.int64)
    np.add.at(load, graph.reader, flow)
    return load


GUESSES = 100
"""How often items are shared out again for a guess of the loads."""


def semi_matching(graph: Bipartite, deadline: float = math.inf) -> Ints:
    """Return the most even flow, one number for each pair of the readership.

    If `deadline` (of time.monotonic) passes, it is a flow as well, but perhaps not the most even one. So a caller
    that gives a deadline has to prove it, as by the bound of its slot prices.
    """
    # Deal each audience's items to its readers, as many to each member.
    size = graph.size[graph.reader]
    until = np.cumsum(size)
    before = np.repeat((until - size)[graph.start[:-1]], np.diff(graph.start))
    whole = np.repeat(until[graph.start[1:] - 1], np.diff(graph.start)) - before
    items = graph.items[graph.audience]
    flow = np.asarray(items * (until - before) // whole - items * (until - size - before) // whole, np.int64)
    if len(graph.reader) == len(graph.items):
        return flow  # nothing to choose
    # Evener flows pay no more for a last item than this one for a next one.
    step = int((graph.weight * (2 * (loads_of(graph, flow) // graph.size) + 1)).max())
    most = at_price(step, graph.weight)
    top = np.zeros_like(graph.size)
    np.add.at(top, graph.reader, items)
    top = np.minimum(top, most)
    first = first_marks(top)
    if first.rows.shape[1] < most.max():
        # The marks are far apart: a guess is nearly always right, and saves all rounds but one.
        if time.monotonic() >= deadline:
            return flow
        flow, marks = _find_closer(graph, marks_around(_guess_loads(graph, flow), top))
        if marks is None:
            return flow
    marks = first
    while marks is not None and time.monotonic() < deadline:
        flow, marks = _find_closer(graph, marks)
    return flow


def _find_closer(graph: Bipartite, marks: Marks) -> tuple[Ints, Marks | None]:
    """Return a cheapest flow, squares being straight between each subscription's marks, and closer marks; none if it is most even."""
    audiences, pairs = len(graph.items), len(graph.reader)
    of, width, slope = slopes(marks)
    sink = audiences + len(graph.size)
    flow = solved(
        np.concatenate([graph.audience, audiences + of]),
        np.concatenate([audiences + graph.reader, np.full(len(of), sink)]),
        np.concatenate([graph.items[graph.audience], width * graph.size[of]]),
        np.concatenate([np.zeros(pairs, np.int64), slope * graph.weight[of]]),
        np.concatenate([graph.items, np.zeros(sink - audiences, np.int64), [-graph.items.sum()]]),
    )[:pairs]
    load = loads_of(graph, flow)
    return flow, closer_marks(marks, load // graph.size, -(-load // graph.size))


def _guess_loads(graph: Bipartite, flow: Ints) -> Ints:
    """Return about what load each subscription's members have when loads are even.

    Again and again each audience shares its items out again, the less to readers as their loads are greater.
    """
    share = flow + 0.001
    for _ in range(GUESSES):
        load = np.bincount(graph.reader, share, len(graph.size)) / graph.size
        share /= np.maximum(load * graph.weight, 1e-9)[graph.reader]  # a subscription may have no items
        asked = np.bincount(graph.audience, share, len(graph.items))
        share *= (graph.items / np.maximum(asked, 1e-300))[graph.audience]
    return np.rint(load).astype(np.int64)


def balance_duals(graph: Bipartite, flow: Ints) -> Ints:
    """Return the price of each subscription's slots that proves a flow most even, for members whose squares weigh w.

    From l to l + 1 is a step of w (2l + 1), what the square of l + 1 is more than that of l. If the members hold l in every
    optimum the price lies between their last step and the next one, at 2 w l if no member before them in a chain of moves asks more.
    They can come to l + 1 exactly where a chain leads to them from a member whose last step is as high, and lose one where
    one leads from them to a member whose next step is as low; the price is then that step.
    """
    load = loads_of(graph, flow)
    low, high = load // graph.size, -(-load // graph.size)
    gives = np.flatnonzero(flow)
    takes = np.arange(len(flow))
    highest_before = -_find_least_along(graph, gives, takes, -graph.weight * (low + high))
    lowest_after = _find_least_along(graph, takes, gives, graph.weight * (2 * low + 1))
    return np.minimum(highest_before, lowest_after)


def _find_least_along(graph: Bipartite, from_: Ints, to: Ints, values: Ints) -> Ints:
    """Return the least value that chains of pairs bring to each subscription, its own included.

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
    """Return the owner of each item (items x 1): subscriptions as the flow says, their members evenly and in order."""
    subscription = np.empty(problem.items, np.int64)
    subscription[ordered(problem.audience_of)] = np.repeat(graph.reader, flow)
    return in_turn(problem, subscription, ordered(subscription))
