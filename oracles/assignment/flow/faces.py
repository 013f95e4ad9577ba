"""A cheapest flow for one level after the other, each on the face of the optima of the levels before it.

A level has costs along arcs, or squares. A cheapest flow gives the distances of the nodes in its residual network.
They show every flow that is as cheap:
- An arc that costs more than the distance between its ends has its least flow.
- An arc that costs less has its greatest flow.
- A squared arc has a flow with the least square - price * load.

So each level leaves bounds: all flows within them are optima, and no optimum is outside. The next level is optimized
within these bounds. No level is weighted against another, so numbers stay as small as in one level.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kassay.oracles.assignment.flow.min_cost_flow import (
    compute_shortest_distances,
    create_marks,
    find_closer_marks,
    list_slopes,
    place_marks_around,
    solve_flow_by,
)
from kassay.oracles.assignment.flow.reduction import Arcs, expand_flow, remove_choices
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.assignment.values import count_at_price

CLOSE = 3
"""The number of marks on either side of a load: few, because there are many places."""
PRICED_IN = 200_000
"""The limit of hidden arcs that a solver gets at once."""
FEW = 10_000
"""The number of marks that are solved without a guess."""
REDUCED = 10_000
"""The number of arcs from which a network is worth reducing."""


@dataclass(frozen=True, slots=True, eq=False)
class Bounded:
    """A network; node n sends out `supply[n]` more than it takes in, and the last node takes in the rest.

    An arc stands for `size` members that share its flow evenly; each takes `low` to `high`. Arcs are in layers, which
    start at `layers`; no arc of a layer leads to an earlier layer. `costs` has the cost of a unit on each arc, by
    level. `squares` has, by level, the arcs on which each member's load costs its square, and the weight of the
    square. `guess` has a guess of each member's flow there, in the first of these levels. `hidden` arcs cost nothing,
    and some feasible flow has their least flow. A solver gets them only if prices show that they help.
    """

    tail: Ints
    head: Ints
    size: Ints
    low: Ints
    high: Ints
    supply: Ints
    layers: tuple[int, ...]
    costs: Mapping[str, Ints]
    squares: Mapping[str, tuple[Ints, Ints]]
    guess: Mapping[str, Ints] = field(default_factory=dict)
    hidden: NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Optimum:
    """A flow that is least in all levels; the price of each node in each level; the network bounded to all such flows."""

    flow: Ints
    prices: Ints
    face: Bounded


Stage: TypeAlias = tuple[Ints, Ints, Bounded]
"""The optimum of some levels: its flow, the distances that prove the last level, and the network bounded to all such optima."""
Stages: TypeAlias = dict[tuple[str, ...], Stage]
"""The stages of one network by their levels in order."""


def minimise_in_order(
    network: Bounded, levels: Sequence[str], deadline: float = math.inf, stages: Stages | None = None
) -> Optimum | None:
    """Return an optimum of the levels in lexicographic order; None if `deadline` passed.

    A node's price is relative to the last node. `stages` of this network are used, and get those that are new. Raises UnsolvedError if OR-tools finds no flow, or one that is not
    cheapest.
    """
    rows: list[Ints] = []
    flow = np.empty(0, np.int64)
    known = {} if stages is None else stages
    for number, level in enumerate(levels, 1):
        stage = known.get(tuple(levels[:number]))
        if stage is None:
            found = (_solve_level if network.hidden is None else _solve_with_hidden)(network, level, deadline)
            if found is None:
                return None
            flow, distance, network = found
            stage = known[tuple(levels[:number])] = flow, distance, _set_bounds(network, level, distance)
        flow, distance, network = stage
        rows.append(distance[-1] - distance)
    return Optimum(flow, np.array(rows, np.int64).reshape(len(levels), len(network.supply)), network)


def _solve_level(network: Bounded, level: str, deadline: float) -> tuple[Ints, Ints, Bounded] | None:
    """Return a flow that is least in a level, the distances that prove it, and the network; None if `deadline` passed."""
    flow = _find_cheapest(network, level, deadline)
    if flow is None:
        return None
    more, last = _compute_steps(network, level, flow)
    layers = [np.arange(a, b) for a, b in pairwise((*network.layers, len(flow)))]
    onward = [arcs[flow[arcs] < (network.high * network.size)[arcs]] for arcs in layers]
    back = [arcs[flow[arcs] > (network.low * network.size)[arcs]] for arcs in reversed(layers)]
    ways = [(network.tail[arcs], network.head[arcs], more[arcs]) for arcs in onward if len(arcs)]
    ways += [(network.head[arcs], network.tail[arcs], -last[arcs]) for arcs in back if len(arcs)]
    distance = compute_shortest_distances(ways, len(network.supply), deadline)
    return None if distance is None else (flow, distance, network)


def _solve_with_hidden(network: Bounded, level: str, deadline: float) -> tuple[Ints, Ints, Bounded] | None:
    """Do the same with column generation: the solver gets only hidden arcs that are shorter than the distance of their ends."""
    assert network.hidden is not None
    hidden = network.hidden.copy()
    while True:
        shown = np.flatnonzero(~hidden)
        found = _solve_level(_take_arcs(network, shown), level, deadline)
        if found is None:
            return None
        part, distance, _ = found
        flow = network.low * network.size
        flow[shown] = part
        unseen = np.flatnonzero(hidden & (network.high > network.low))
        short = distance[network.head[unseen]] - distance[network.tail[unseen]]
        short -= _compute_steps(network, level, flow)[0][unseen]
        worth = unseen[short > 0]
        if not len(worth):
            return flow, distance, replace(network, hidden=hidden)
        if len(worth) > PRICED_IN:
            worth = np.random.default_rng(0).choice(worth, PRICED_IN, replace=False)
        hidden[worth] = False


def _take_arcs(network: Bounded, shown: Ints) -> Bounded:
    """Return the network of some arcs, in which all other arcs have their least flow."""
    rest = np.ones(len(network.tail), np.bool_)
    rest[shown] = False
    base, supply = (network.low * network.size)[rest], network.supply.copy()
    np.subtract.at(supply, network.tail[rest], base)
    np.add.at(supply, network.head[rest], base)
    place = np.cumsum(~rest) - 1
    squares = {
        level: (place[arcs[~rest[arcs]]], weights[~rest[arcs]]) for level, (arcs, weights) in network.squares.items()
    }  # fmt: skip
    return Bounded(
        network.tail[shown], network.head[shown], network.size[shown], network.low[shown], network.high[shown], supply,
        tuple(np.searchsorted(shown, network.layers).tolist()),
        {level: cost[shown] for level, cost in network.costs.items()}, squares,
    )  # fmt: skip


def _list_squared(network: Bounded, level: str) -> tuple[Ints, Ints]:
    none = np.empty(0, np.int64)
    return network.squares.get(level, (none, none))


def _find_cheapest(network: Bounded, level: str, deadline: float) -> Ints | None:
    base = network.low * network.size
    supply = network.supply.copy()
    np.subtract.at(supply, network.tail, base)
    np.add.at(supply, network.head, base)
    squared, weights = _list_squared(network, level)
    curved = np.zeros(len(base), np.bool_)
    curved[squared] = True
    weight = np.ones(len(base), np.int64)
    weight[squared] = weights
    cost = network.costs.get(level, np.zeros_like(base)).copy()
    room = (network.high - network.low) * network.size
    free = network.high > network.low
    of = Arcs(network.tail.copy(), network.head, base, room, cost, free, curved, network.size, supply)
    if len(base) >= REDUCED:
        remove_choices(of)
    bent, plain = np.flatnonzero(free & curved), np.flatnonzero(free & ~curved)
    # An arc's flow is at most the total supply, or its own tail's supply if no arc leads there.
    sent = np.full(len(supply), int(np.maximum(supply, 0).sum()))
    first = np.ones(len(supply), np.bool_)
    first[of.head[free]] = False
    sent[first] = np.maximum(supply, 0)[first]
    size = network.size[bent]
    top = np.minimum(room[bent] // size, -(-sent[of.tail[bent]] // size))
    low = base // network.size
    marks = create_marks(top) if len(bent) else None
    if marks is not None and level in network.guess and marks.rows.size > FEW:
        guessed = np.zeros_like(base)
        guessed[squared] = network.guess[level]
        marks = place_marks_around(np.clip((guessed - low)[bent], 0, top), top, CLOSE)
    while True:
        arc, width, slope = plain[:0], plain[:0], plain[:0]
        if marks is not None:
            place, width, slope = list_slopes(marks)
            arc = bent[place]
        found = solve_flow_by(
            deadline,
            np.concatenate([of.tail[plain], of.tail[arc]]),
            np.concatenate([of.head[plain], of.head[arc]]),
            np.concatenate([room[plain], width * network.size[arc]]),
            np.concatenate([cost[plain], cost[arc] + weight[arc] * (slope + 2 * low[arc])]),
            supply,
        )
        if found is None:
            return None
        more = np.zeros_like(base)
        more[plain] = found[: len(plain)]
        np.add.at(more, arc, found[len(plain) :])
        load = more[bent]
        marks = None if marks is None else find_closer_marks(marks, load // size, -(-load // size), CLOSE)
        if marks is None:
            return expand_flow(of, more)


def _compute_steps(network: Bounded, level: str, flow: Ints) -> tuple[Ints, Ints]:
    """Return the cost of one more unit and of the last unit on each arc."""
    cost = network.costs.get(level, np.zeros_like(flow))
    more, last = cost.copy(), cost.copy()
    squared, weight = _list_squared(network, level)
    held, size = flow[squared], network.size[squared]
    more[squared] += weight * (2 * (held // size) + 1)
    last[squared] += weight * (2 * -(-held // size) - 1)
    return more, last


def _set_bounds(network: Bounded, level: str, distance: Ints) -> Bounded:
    """Bound a network to the flows that are as cheap as distances prove."""
    low, high = network.low.copy(), network.high.copy()
    paid = distance[network.head] - distance[network.tail]
    over = network.costs.get(level, np.zeros_like(paid)) - paid
    squared, weight = _list_squared(network, level)
    over[squared] = 0
    high[over > 0], low[over < 0] = low[over > 0], high[over < 0]
    bottom, top = low[squared], high[squared]
    low[squared] = np.clip(count_at_price(paid[squared] - 1, weight), bottom, top)
    high[squared] = np.clip(count_at_price(paid[squared], weight), bottom, top)
    return replace(network, low=low, high=high)
