"""Assignments in which no member holds much: the heaviest partitions dealt first, then exchanges as long as they help."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapreplace

import numpy as np
from numpy.typing import NDArray

from kassay.oracles.assignment.problem import Ints
from kassay.oracles.partitions.weights.instance import HEAVIEST, Instance, loads_of

WORK = 20_000_000
"""So many pairs of partitions are looked at; a number and no time, so that the answer is the same everywhere."""


def dealt(instance: Instance) -> list[int]:
    """Give the partitions, the heaviest first, each to its reader that holds least of what it can bear, then the fewest."""
    owner = [0] * len(instance.items)
    limited = any(limit is not None for limit in instance.capacities)
    standing = [(-(limit or 0) if limited else 0, 0, m) for m, limit in enumerate(instance.capacities)]
    queues = {some: sorted(standing[m] for m in some) for some in set(instance.readers)}
    for item in sorted(range(len(owner)), key=lambda i: (-instance.weights[i], i)):
        queue = queues[instance.readers[item]]
        while queue[0] != standing[queue[0][2]]:  # it has got something from another queue, so it comes later
            heapreplace(queue, standing[queue[0][2]])
        load, count, m = queue[0]
        owner[item] = m
        standing[m] = load + instance.weights[item], count + 1, m
        heapreplace(queue, standing[m])
    return owner


def exchanged(instance: Instance, owner: Sequence[int], kept: Sequence[str]) -> list[int]:
    """Return owners whose greatest weight is no greater: the heaviest member hands a partition on, or exchanges it for a lighter one.

    What `kept` levels cost stays what it is, and windows are kept. Levels of squares are kept where they fix the windows.
    """
    if sum(instance.weights) >= HEAVIEST:
        return list(owner)
    held = np.array(owner)
    weights, loads = np.array(instance.weights), np.array(loads_of(instance, owner))
    count = np.bincount(held, minlength=instance.members)
    audiences, sorts = dict.fromkeys(instance.readers), {id(costs): costs for costs in instance.costs}
    may = np.zeros((len(audiences), instance.members), np.bool_)
    for row, some in zip(may, audiences, strict=True):
        row[list(some)] = True
    tables = [
        np.array([[of[level].get(m, 0) for m in range(instance.members)] for of in sorts.values()])
        for level in kept
    ]
    number = {some: n for n, some in enumerate(audiences)}
    sort = {key: n for n, key in enumerate(sorts)}
    audience = np.array([number[some] for some in instance.readers])
    of_sort = np.array([sort[id(costs)] for costs in instance.costs])
    table = _Table(np.array(instance.windows), weights, may, audience, tables, of_sort)
    work = 0
    while work < WORK:
        step, looked = _step(table, held, loads, count)
        work += looked
        if step is None:
            break
        giver, taker, item, other = step
        held[item] = taker
        gained = int(weights[item])
        if other >= 0:
            held[other] = giver
            gained -= int(weights[other])
        else:
            count[giver] -= 1
            count[taker] += 1
        loads[giver] -= gained
        loads[taker] += gained
    return [int(m) for m in held]


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """Weights, who may hold what, and what the levels to be kept cost, as arrays: rows for audiences, and for partitions that cost the same."""

    windows: Ints
    weights: Ints
    may: NDArray[np.bool_]
    audience: Ints
    costs: list[Ints]
    sort: Ints


def _step(of: _Table, held: Ints, loads: Ints, count: Ints) -> tuple[tuple[int, int, int, int] | None, int]:
    """Return who gives whom which partition for which other, -1 for none, so that both are below the heaviest; and how many pairs were looked at."""
    giver = int(loads.argmax())
    mine, looked = np.flatnonzero(held == giver), 0
    low, high = of.windows.T
    for taker in np.argsort(loads, kind="stable").tolist():
        room = int(loads[giver] - loads[taker])
        if room <= 1:
            break
        theirs = np.flatnonzero(held == taker)
        looked += len(mine) * (len(theirs) + 1) + len(held) // 100
        gain = of.weights[mine][:, None] - np.append(of.weights[theirs], 0)[None, :]
        fine = (gain > 0) & (gain < room) & of.may[of.audience[mine], taker][:, None]
        fine[:, :-1] &= of.may[of.audience[theirs], giver][None, :]
        if count[giver] <= low[giver] or count[taker] >= high[taker]:
            fine[:, -1] = False
        for cost in of.costs:
            change = (cost[of.sort[mine], taker] - cost[of.sort[mine], giver])[:, None]
            back = np.append(cost[of.sort[theirs], giver] - cost[of.sort[theirs], taker], 0)[None, :]
            fine &= change + back == 0
        if fine.any():
            best = int(np.where(fine, np.abs(2 * gain - room), np.iinfo(np.int64).max).argmin())
            item, other = divmod(best, len(theirs) + 1)
            return (giver, taker, int(mine[item]), int(theirs[other]) if other < len(theirs) else -1), looked
    return None, looked
