"""Moves that make an assignment better, found for any legal assignment that is not optimal, whoever made it."""

import numpy as np

from kassay.oracles.compiled import compiled
from kassay.oracles.consumer.flow.dense import BARRED, join_hub, join_members
from kassay.oracles.consumer.flow.small import matrix
from kassay.oracles.consumer.problem import Ints, Problem
from kassay.oracles.consumer.question import Question
from kassay.oracles.consumer.values import loads
from kassay.oracles.failures import TooLargeError

ENTRIES = 10**7
"""Up to this many pairs of an item and a member are looked at."""


def improving_moves(problem: Problem, question: Question, owners: Ints) -> list[tuple[int, int, int]] | None:
    """Return moves (item, giver, taker) that together improve an assignment; None where it is optimal.

    They are a cycle of negative length among the members and the hub (see :mod:`.dense`): a chain of moves
    from one member to another, or a ring of them. Raises TooLargeError where there are more than ENTRIES
    pairs of an item and a member, or 64 bits do not hold their costs.
    """
    problem = problem.asked(question.levels)
    if problem.items * problem.members > ENTRIES:
        raise TooLargeError(
            f"{problem.items} partitions and {problem.members} members are too many for a matrix"
        )
    form = matrix(problem, question.levels)
    arc = np.full((problem.members + 1, problem.members + 1), BARRED)
    join_members(form.cost, owners, arc)
    join_hub(loads(problem, owners), form.square, arc)
    cycle = _negative_cycle(arc)
    steps = [
        (a, b) for a, b in zip(cycle, [*cycle[1:], *cycle[:1]], strict=True) if problem.members not in (a, b)
    ]
    moves = []
    for giver, taker in steps:
        held = np.flatnonzero((owners == giver).any(axis=1) & ~(owners == taker).any(axis=1))
        change = form.cost[held, taker] - form.cost[held, giver]
        moves.append((int(held[change.argmin()]), giver, taker))
    return moves or None


def _negative_cycle(arc: Ints) -> list[int]:
    """Return the nodes of a cycle of negative length, or none."""
    nodes = len(arc)
    parent = np.full(nodes, -1)
    last = _last_shortened(arc, parent)
    if last < 0:
        return []
    for _ in range(nodes):
        last = int(parent[last])
    cycle = [last]
    while (before := int(parent[cycle[-1]])) != last:
        cycle.append(before)
    return cycle[::-1]


@compiled
def _last_shortened(arc: Ints, parent: Ints) -> int:
    """Shorten distances, noting each node's last step, as often as there are nodes; return a node shortened still, or -1."""
    nodes = len(arc)
    distance = np.zeros(nodes, np.int64)
    last = -1
    for _ in range(nodes + 1):
        last = -1
        for a in range(nodes):
            for b in range(nodes):
                if arc[a, b] < BARRED and distance[a] + arc[a, b] < distance[b]:
                    distance[b] = distance[a] + arc[a, b]
                    parent[b] = a
                    last = b
        if last < 0:
            break
    return last
