"""Moves that improve an assignment, for any legal assignment that is not optimal."""

import numpy as np
from second_opinions.cost_matrix import BARRED, Matrix, matrix

from kassay.oracles.assignment.problem import Ints, Problem
from kassay.oracles.assignment.values import count_loads
from kassay.oracles.errors import TooLargeError

ENTRIES = 10**7
"""Up to this many pairs of an item and a member are looked at."""


def negative_cycle(
    problem: Problem, levels: tuple[str, ...], owners: Ints
) -> list[tuple[int, int, int]] | None:
    """Return moves (item, giver, taker) that together improve an assignment, None if it is optimal.

    They are a cycle of negative length among the members and the slack node (see :mod:`.successive_shortest_paths`). It is a chain of moves
    from one member to another, or a cyclic exchange. Raises TooLargeError for more than ENTRIES pairs of an item and a member, or if 64 bits do
    not hold their costs.
    """
    problem = problem.asked(levels)
    if problem.items * problem.members > ENTRIES:
        raise TooLargeError(
            f"{problem.items} partitions and {problem.members} members are too many for a matrix"
        )
    form = matrix(problem, levels)
    cycle = _negative_cycle(_arcs(form, owners, count_loads(problem, owners)))
    steps = [
        (a, b) for a, b in zip(cycle, [*cycle[1:], *cycle[:1]], strict=True) if problem.members not in (a, b)
    ]
    moves = []
    for giver, taker in steps:
        held = np.flatnonzero((owners == giver).any(axis=1) & ~(owners == taker).any(axis=1))
        change = form.cost[held, taker] - form.cost[held, giver]
        moves.append((int(held[change.argmin()]), giver, taker))
    return moves or None


def _arcs(form: Matrix, owners: Ints, load: Ints) -> Ints:
    """Return how long it is from each member to each, handing on one item, and from and to the slack node, which is the last node."""
    members = len(load)
    arc = np.full((members + 1, members + 1), BARRED)
    for giver in range(members):
        held = np.flatnonzero((owners == giver).any(axis=1))
        change = np.where(form.cost[held] < BARRED, form.cost[held] - form.cost[held, giver][:, None], BARRED)
        np.put_along_axis(change, owners[held], BARRED, axis=1)  # not to a member that already has it
        arc[giver, :members] = change.min(axis=0, initial=BARRED)
    arc[members, members] = 0
    arc[:members, members] = form.square * (2 * load + 1)
    arc[members, :members] = np.where(load > 0, -form.square * (2 * load - 1), BARRED)
    return arc


def _negative_cycle(arc: Ints) -> list[int]:
    """Return the nodes of a cycle of negative length, or none: distances are shortened until none gets shorter, or steps go round."""
    nodes = np.arange(len(arc))
    distance = np.zeros(len(arc), np.int64)
    parent = np.full(len(arc), -1)
    while True:
        through = np.where(arc < BARRED, arc + distance[:, None], BARRED)
        nearest = through.argmin(axis=0)
        shorter = through[nearest, nodes] < distance
        if not shorter.any():
            return []
        distance[shorter] = through[nearest, nodes][shorter]
        parent[shorter] = nearest[shorter]
        seen = [int(np.flatnonzero(shorter)[0])]
        while parent[seen[-1]] >= 0:
            before = int(parent[seen[-1]])
            if before in seen:
                return seen[seen.index(before) :][::-1]
            seen.append(before)
