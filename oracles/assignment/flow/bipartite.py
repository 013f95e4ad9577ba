"""Who may hold what, in the large: audiences (sets of topics with the same readers) and subscriptions."""

from typing import NamedTuple

import numpy as np

from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.problem import Problem, starts


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
