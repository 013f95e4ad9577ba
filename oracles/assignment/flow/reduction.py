"""A smaller network with the same cheapest flows: solvers need time and memory for each arc and node.

- A source with one arc sends its whole supply there.
- Sources with equal arcs are interchangeable, so they are one source. Its flow is dealt to them in turn.
- A node that one arc enters and one curved arc leaves is no choice: the first arc's flow is the second one's, less the supply.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kassay.oracles.assignment.flow.item_classes import sort_stably
from kassay.oracles.assignment.problem import Ints


@dataclass(slots=True, eq=False)
class Arcs:
    """The arcs of a network in one level. Node n has `supply[n]` left, after each arc has its `base` flow.

    A `free` arc takes up to `room` more, at `cost` a unit. A `curved` one also costs a square, and stands for `size` members.
    """

    tail: Ints
    head: Ints
    base: Ints
    room: Ints
    cost: Ints
    free: NDArray[np.bool_]
    curved: NDArray[np.bool_]
    size: Ints
    supply: Ints
    merged: list[tuple[Ints, Ints, Ints, Ints]] = field(default_factory=list)
    """Sources of equally many arcs that were merged: their arcs (a row each), supplies, first supplies in the group, and place of the first."""
    entries: tuple[Ints, Ints] = (np.empty(0, np.int64), np.empty(0, np.int64))
    """The arcs that enter nodes which are left out, and the arcs that leave them."""


def remove_choices(of: Arcs) -> None:
    """Reduce a network in place; :func:`expand_flow` undoes it for a flow."""
    _send_forced(of)
    _merge_sources(of)
    _join_chains(of)


def expand_flow(of: Arcs, more: Ints) -> Ints:
    """Return the flow of all arcs of the whole network, given what the free arcs of the reduced one take beyond their base."""
    more = more.copy()
    into, out = of.entries
    more[into] = more[out]
    flow = of.base + more
    for rows, supply, before, first in of.merged:
        # of the first source's arcs one after the other, each source takes the stretch that is as long as its supply
        until = np.cumsum(more[rows[first]], axis=1)
        begin = np.hstack([np.zeros_like(until[:, :1]), until[:, :-1]])
        low, high = before[:, None], (before + supply)[:, None]
        flow[rows] = of.base[rows] + np.maximum(0, np.minimum(high, until) - np.maximum(low, begin))
    return flow


def _find_sources(of: Arcs) -> tuple[NDArray[np.bool_], Ints]:
    """Return True for each free arc with a source that can send all of its supply there, and the free arcs of each node."""
    nodes = len(of.supply)
    into, out = (np.bincount(ends[of.free], minlength=nodes) for ends in (of.head, of.tail))
    sent = of.supply[of.tail]
    return of.free & ~of.curved & (into[of.tail] == 0) & (sent >= 0) & (sent <= of.room), out


def _send_forced(of: Arcs) -> None:
    able, out = _find_sources(of)
    arcs = np.flatnonzero(able & (out[of.tail] == 1))
    sent = of.supply[of.tail[arcs]]
    of.base[arcs] += sent
    of.supply[of.tail[arcs]] = 0
    np.add.at(of.supply, of.head[arcs], sent)
    of.free[arcs] = False


def _merge_sources(of: Arcs) -> None:
    able, out = _find_sources(of)
    every = np.bincount(of.tail[able], minlength=len(out)) == out
    arcs = np.flatnonzero(able & every[of.tail])
    arcs = arcs[sort_stably(of.tail[arcs])]
    for degree in np.unique(out[of.tail[arcs]]).tolist():
        rows = arcs[out[of.tail[arcs]] == degree].reshape(-1, degree)
        alike = np.zeros(len(rows), np.int64)
        for column in rows.T:
            for feature in (of.head, of.cost):
                _, number = np.unique(feature[column], return_inverse=True)
                _, alike = np.unique(alike * len(rows) + number, return_inverse=True)
        order = sort_stably(alike)
        rows, alike = rows[order], alike[order]
        begins = np.append(True, alike[1:] != alike[:-1])
        first = np.flatnonzero(begins)[np.cumsum(begins) - 1]
        source = of.tail[rows[:, 0]]
        supply = of.supply[source]
        until = np.cumsum(supply)
        before = until - supply
        of.merged.append((rows, supply, before - before[first], first))
        of.free[rows] = begins[:, None]
        of.supply[source] = 0
        np.add.at(of.supply, source[first], supply)
        kept = rows[begins]
        of.room[kept] = of.supply[of.tail[kept]]


def _join_chains(of: Arcs) -> None:
    nodes = len(of.supply)
    free = np.flatnonzero(of.free)
    into, out = (np.bincount(ends[free], minlength=nodes) for ends in (of.head, of.tail))
    joined = (into == 1) & (out == 1) & (of.supply >= 0)
    enters, leaves = np.full(nodes, -1), np.full(nodes, -1)
    enters[of.head[free]] = leaves[of.tail[free]] = free
    some = np.flatnonzero(joined)
    inner, outer = enters[some], leaves[some]
    fits = ~of.curved[inner] & of.curved[outer] & (of.size[outer] == 1) & (of.supply[some] <= of.room[outer])
    some, inner, outer = some[fits], inner[fits], outer[fits]
    supply = of.supply[some]
    of.tail[outer] = of.tail[inner]
    of.cost[outer] += of.cost[inner]
    of.base[outer] += supply
    of.room[outer] = np.minimum(of.room[outer] - supply, of.room[inner])
    of.supply[some] = 0
    np.add.at(of.supply, of.head[outer], supply)
    of.free[inner] = False
    of.entries = inner, outer
