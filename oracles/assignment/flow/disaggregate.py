"""Any one of the most even assignments, from how many items of each audience go to each subscription."""

import numpy as np

from kassay.oracles.assignment.flow.bipartite import Bipartite
from kassay.oracles.assignment.flow.integer_sort import ordered, rank_in_run
from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.problem import Problem


def disaggregate(problem: Problem, graph: Bipartite, flow: Ints) -> Ints:
    """Return the owner of each item (items x 1): subscriptions as the flow says, their members evenly and in order."""
    subscription = np.empty(problem.items, np.int64)
    subscription[ordered(problem.audience_of)] = np.repeat(graph.reader, flow)
    order = ordered(subscription)
    in_turn = subscription[order]
    first = np.cumsum(graph.size) - graph.size
    turn = rank_in_run(in_turn) % graph.size[in_turn]
    owners = np.empty(problem.items, np.int64)
    owners[order] = ordered(problem.subscription_of)[first[in_turn] + turn]
    return owners.reshape(-1, 1)
