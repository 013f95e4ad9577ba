"""The most even loads that subscriptions allow, at any size: optimal semi-matchings as cheapest flows.

Works on audiences and subscriptions, not on items and members: a flow says how many items of an audience go
to the members of a subscription, who share them evenly, at the cost of their squared loads by weight (see :mod:`.convex_arcs`).
"""

import math
import time

import numpy as np

from kassay.oracles.assignment.evenness import at_price
from kassay.oracles.assignment.flow.bipartite import Bipartite, loads_of
from kassay.oracles.assignment.flow.convex_arcs import Marks, closer_marks, first_marks, marks_around, slopes
from kassay.oracles.assignment.flow.or_tools import solved
from kassay.oracles.assignment.level import Ints

GUESSES = 100
"""How often items are shared out again for a guess of the loads."""


def semi_matching(graph: Bipartite, flow: Ints, deadline: float = math.inf) -> None:
    """Fill in the most even flow, one number per pair of the readership.

    Where `deadline` (of time.monotonic) passes, what is filled in is a flow as well, but perhaps not the most
    even one; so a caller that gives a deadline has to prove it, as by the bound of its slot prices.
    """
    flow[:] = _dealt(graph)
    if len(graph.reader) == len(graph.items):
        return  # nothing to choose
    step = int((graph.weight * (2 * (loads_of(graph, flow) // graph.size) + 1)).max())
    most = at_price(
        step, graph.weight
    )  # evener flows pay no more for a last item than this one for a next one
    top = np.zeros_like(graph.size)
    np.add.at(top, graph.reader, graph.items[graph.audience])
    top = np.minimum(top, most)
    first = first_marks(top)
    if (
        first.rows.shape[1] < most.max()
    ):  # far apart: a guess is nearly always right, and saves all rounds but one
        if time.monotonic() >= deadline:
            return
        flow[:], marks = _closer(graph, marks_around(_guess(graph, flow), top))
        if marks is None:
            return
    marks = first
    while marks is not None and time.monotonic() < deadline:
        flow[:], marks = _closer(graph, marks)


def _closer(graph: Bipartite, marks: Marks) -> tuple[Ints, Marks | None]:
    """Return a cheapest flow between marks, and closer marks; none where it is most even."""
    flow = _cheapest(graph, marks)
    load = loads_of(graph, flow)
    return flow, closer_marks(marks, load // graph.size, -(-load // graph.size))


def _guess(graph: Bipartite, flow: Ints) -> Ints:
    """Return about what load each subscription's members have when loads are even.

    Again and again each audience shares its items out again, the less to readers as their loads are greater.
    """
    share = flow + 0.001
    for _ in range(GUESSES):
        load = np.bincount(graph.reader, share, len(graph.size)) / graph.size
        share /= np.maximum(load * graph.weight, 1e-9)[graph.reader]  # nobody may be given any
        asked = np.bincount(graph.audience, share, len(graph.items))
        share *= (graph.items / np.maximum(asked, 1e-300))[graph.audience]
    return np.rint(load).astype(np.int64)


def _dealt(graph: Bipartite) -> Ints:
    """Deal each audience's items to its readers, as many to each member."""
    size = graph.size[graph.reader]
    until = np.cumsum(size)
    before = np.repeat((until - size)[graph.start[:-1]], np.diff(graph.start))
    whole = np.repeat(until[graph.start[1:] - 1], np.diff(graph.start)) - before
    items = graph.items[graph.audience]
    return np.asarray(items * (until - before) // whole - items * (until - size - before) // whole, np.int64)


def _cheapest(graph: Bipartite, marks: Marks) -> Ints:
    """Return a cheapest flow where squares are straight between each subscription's marks."""
    audiences, pairs = len(graph.items), len(graph.reader)
    of, width, slope = slopes(marks)
    sink = audiences + len(graph.size)
    return solved(
        np.concatenate([graph.audience, audiences + of]),
        np.concatenate([audiences + graph.reader, np.full(len(of), sink)]),
        np.concatenate([graph.items[graph.audience], width * graph.size[of]]),
        np.concatenate([np.zeros(pairs, np.int64), slope * graph.weight[of]]),
        np.concatenate([graph.items, np.zeros(sink - audiences, np.int64), [-graph.items.sum()]]),
    )[:pairs]
