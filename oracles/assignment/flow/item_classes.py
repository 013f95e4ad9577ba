"""The network of item classes and members, for small problems and for several copies; each class leads to each of its readers.

Items with the same readers, profile and owners are one *item class*. With several copies no coarser classes are
possible: which copies can stay depends on the set of owners. A member takes at most as many items of a class as the
class has. Then they can be dealt to one member after the other, around the items of the class, so that no item comes
to a member twice. All levels are costs here, including the squares of the loads (see
:mod:`kassay.oracles.assignment.flow.min_cost_flow`), in any order.

A flow through the aggregated network is turned back into single items here too: every item follows the remaining
flow.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kassay.oracles.assignment.aggregation import Network, expand_runs, find_item_kinds
from kassay.oracles.assignment.flow.min_cost_flow import (
    Marks,
    compute_distances,
    create_marks,
    find_closer_marks,
    find_min_cost_flow,
    list_slopes,
    place_marks_around,
)
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.assignment.problem import (
    Ints,
    Problem,
    build_gain_matrix,
    count_readers,
    find_reading,
    list_starts,
)
from kassay.oracles.assignment.values import Prices
from kassay.oracles.errors import TooLargeError, UnsolvedError


def sort_stably(keys: Ints) -> Ints:
    """Return the places of the keys (0 or more) in ascending order; equal keys keep their order."""
    if int(keys.max(initial=0)) < 2**16:
        keys = keys.astype(np.uint16)  # sorted by radix
    return np.argsort(keys, kind="stable")


def rank_in_run(sorted_keys: Ints) -> Ints:
    """Return the number of equal keys before each of these sorted keys."""
    changes = np.flatnonzero(sorted_keys[1:] != sorted_keys[:-1]) + 1
    lengths = np.diff(changes, prepend=0, append=len(sorted_keys))
    begins = np.zeros(len(lengths), np.int64)
    begins[1:] = changes
    return np.arange(len(sorted_keys)) - np.repeat(begins, lengths)


def deal_in_turn(problem: Problem, subscription: Ints, order: Ints) -> Ints:
    """Return the owner of each item (items x 1): the members of its subscription take turns, in this order of the items."""
    sorted_ = subscription[order]
    size = np.bincount(problem.subscription_of, minlength=problem.subscriptions)
    first = np.cumsum(size) - size
    turn = rank_in_run(sorted_) % size[sorted_]
    owners = np.empty(problem.items, np.int64)
    owners[order] = sort_stably(problem.subscription_of)[first[sorted_] + turn]
    return owners.reshape(-1, 1)


def follow_flow(network: Network, flow: Ints) -> Ints:
    """Return the owner of each item (items x 1): claimed items stay as far as the flow allows, then the rest follows the flow in order."""
    left = flow.copy()
    members = network.first[3]
    at = network.class_of.copy()
    claimants = np.flatnonzero(network.keeper_of >= 0)
    claimants = claimants[sort_stably(network.keeper_of[claimants])]
    keeper = network.keeper_of[claimants]
    stays = rank_in_run(keeper) < left[keeper]
    at[claimants[stays]] = network.head[keeper[stays]]
    left -= np.bincount(keeper[stays], minlength=len(left))
    for arcs in (slice(0, network.arcs[2]), *map(slice, network.arcs[2:4], network.arcs[3:5])):
        walking = np.flatnonzero(at < members)
        at[walking] = follow_arcs(at[walking], network.tail[arcs], network.head[arcs], left[arcs])
    return (at - members).reshape(-1, 1)


def follow_arcs(at: Ints, tail: Ints, head: Ints, left: Ints) -> Ints:
    """Return the nodes that items at these nodes reach along arcs with this remaining flow, the first items first."""
    arcs = np.flatnonzero(left)
    arcs = arcs[sort_stably(tail[arcs])]
    order = sort_stably(at)
    if not np.array_equal(np.repeat(tail[arcs], left[arcs]), at[order]):
        raise UnsolvedError("the flow that OR-tools calls cheapest loses partitions")
    reached = np.empty(len(at), np.int64)
    reached[order] = np.repeat(head[arcs], left[arcs])
    return reached


FEW = 2_000
"""The limit of pairs of an item class and a member below which this network is faster than the aggregated one."""
MANY = 5 * 10**6
"""The limit of arcs from an item class to a reader if there is no other way."""
ALL_SHOWN = 2 * 10**6
"""The limit of arcs that a solver gets at once."""
AT_RANDOM = 20
"""The approximate number of arcs of each item class that a solver gets from the start, if it does not get all."""
PRICED_IN = 100_000
"""The limit of hidden arcs that a solver gets at once."""


class ItemClasses(NamedTuple):
    """A problem with one item of each class, and each item's class."""

    problem: Problem
    class_of: Ints

    @property
    def pairs(self) -> int:
        """The number of pairs of an item class and a member."""
        return self.problem.items * self.problem.members


def find_item_classes(problem: Problem) -> ItemClasses:
    """Return the classes of a problem's items."""
    (audience, profile, claim), class_of = find_item_kinds(problem, problem.audience_of, problem.audiences)
    return ItemClasses(replace(problem, audience_of=audience, profile_of=profile, claim_of=claim), class_of)


def solve_directly(
    problem: Problem,
    of: ItemClasses,
    asked: Sequence[tuple[str, ...]],
    deadline: float = math.inf,
    guess: Ints | None = None,
) -> list[tuple[Ints, Prices]]:
    """Return for each list of levels the owners of the items in an optimum, and the prices that prove it.

    A good `guess` of the members' most balanced loads saves most of the time; the result is an optimum for any guess. If `deadline` (of time.monotonic) passes, the owners are arbitrary, and the prices prove nothing. Raises
    TooLargeError if there are more than MANY arcs, or numbers leave 64 bits.
    """
    every = tuple(dict.fromkeys(level for levels in asked for level in levels))
    network = build_class_network(problem, of, every)
    found = []
    for levels in asked:
        costs = network.costs[list(map(every.index, levels))]
        near = guess if levels[0] == BALANCE else None
        found.append(_solve_question(problem, of, replace(network, costs=costs), levels, deadline, near))
    return found


def _solve_question(
    problem: Problem,
    of: ItemClasses,
    network: Network,
    levels: tuple[str, ...],
    deadline: float,
    guess: Ints | None,
) -> tuple[Ints, Prices]:
    top = count_most_items(problem)
    if levels[0] == BALANCE and problem.weight_of is None:
        # No balanced load is greater than if all readers had equal shares.
        items = np.bincount(problem.audience_of, minlength=problem.audiences)
        alike = -(-items * problem.copies_of_audience // np.maximum(1, count_readers(problem)))
        top = np.minimum(top, (alike @ find_reading(problem)).max(initial=0))
    marks: Marks | None = create_marks(top) if guess is None else place_marks_around(guess, top)
    weight = problem.weights[problem.subscription_of]
    flow, shown = None, _choose_arcs(problem, of, network)
    while marks is not None and time.monotonic() < deadline:
        whole = with_slots(
            network, marks, [int(level == BALANCE) for level in levels], weight, network.first[1]
        )
        if shown is None:
            cheapest = find_min_cost_flow(whole, deadline)
        else:
            cheapest = _find_by_columns(whole, shown, deadline)
        if cheapest is None:
            break
        flow = cheapest[: len(network.tail)]
        load = np.bincount(network.head - of.problem.items, flow, problem.members).astype(np.int64)
        marks = find_closer_marks(marks, load, load) if BALANCE in levels else None
        if guess is not None and marks is not None:
            guess, marks = None, create_marks(top)  # it was far off, so its marks are in the wrong places
    prices = np.zeros((len(levels), problem.members), np.int64)
    if marks is None and cheapest is not None:
        distance = compute_distances(whole, cheapest)
        assert distance is not None
        prices = distance[:, -1:] - distance[:, of.problem.items : -1]
    if flow is None:
        # Any flow is feasible: each class's first readers take all they can.
        before = rank_in_run(network.tail)
        flow = np.clip(network.supply[network.tail] - before * network.capacity, 0, network.capacity)
    return deal_items(problem, of, network, flow), Prices(prices)


def _choose_arcs(problem: Problem, of: ItemClasses, network: Network) -> NDArray[np.bool_] | None:
    """Return the arcs that a solver gets from the start, of a feasible flow among others; None if it gets all.

    In the feasible flow the readers of each audience take turns, from class to class.
    """
    if len(network.tail) <= ALL_SHOWN:
        return None
    classes, arcs = of.problem, np.bincount(network.tail, minlength=of.problem.items)
    units = network.supply[: classes.items]
    by_audience = sort_stably(classes.audience_of)
    sent = np.cumsum(units[by_audience]) - units[by_audience]
    first = np.empty(classes.items, np.int64)
    first[by_audience] = (
        sent - sent[np.searchsorted(classes.audience_of[by_audience], classes.audience_of[by_audience])]
    )
    turn = (rank_in_run(network.tail) - first[network.tail]) % arcs[network.tail]
    shown = turn < units[network.tail]
    shown |= np.random.default_rng(0).random(len(network.tail)) < AT_RANDOM / arcs[network.tail]
    owns = np.zeros(problem.members * len(classes.claim_start), np.bool_)
    claim = np.repeat(np.arange(len(classes.claim_start) - 1), np.diff(classes.claim_start))
    owns[claim * problem.members + classes.claim_member] = True
    shown |= owns[classes.claim_of[network.tail] * problem.members + network.head - classes.items]
    return np.asarray(shown, np.bool_)


def _find_by_columns(network: Network, shown: NDArray[np.bool_], deadline: float) -> Ints | None:
    """Return a cheapest flow by column generation; None if `deadline` passed.

    The solver gets the `shown` of the first arcs and all arcs behind them, then hidden arcs that are shorter than the
    distance of their ends. `shown` gets these as well.
    """
    hidden_from = len(shown)
    while True:
        arcs = np.concatenate([np.flatnonzero(shown), np.arange(hidden_from, len(network.tail))])
        part = replace(
            network, tail=network.tail[arcs], head=network.head[arcs], capacity=network.capacity[arcs],
            costs=network.costs[:, arcs], arcs=(0, int(shown.sum())),
        )  # fmt: skip
        flow = find_min_cost_flow(part, deadline)
        distance = None if flow is None else compute_distances(part, flow, deadline)
        if flow is None or distance is None:
            return None
        hidden = np.flatnonzero(~shown)
        order = np.zeros(len(hidden), np.int64)
        for row, cost in zip(distance, network.costs, strict=True):
            short = np.sign(row[network.head[hidden]] - row[network.tail[hidden]] - cost[hidden])
            order = np.where(order == 0, short, order)
        worth = hidden[order > 0]
        if not len(worth):
            whole = np.zeros(len(network.tail), np.int64)
            whole[arcs] = flow
            return whole
        if len(worth) > PRICED_IN:
            worth = np.random.default_rng(0).choice(worth, PRICED_IN, replace=False)
        shown[worth] = True


def count_most_items(problem: Problem) -> Ints:
    """Return the most items that each member can hold."""
    items = np.bincount(problem.audience_of, minlength=problem.audiences)
    return np.asarray((items @ find_reading(problem))[problem.subscription_of], np.int64)


def with_slots(network: Network, marks: Marks, squares: Sequence[int], weight: Ints, first: int) -> Network:
    """Return the network with arcs from each member (node `first` is the first one) to one more node that takes in all.

    A member's squared load costs its `weight` times the number in `squares` for each level.
    """
    of, width, slope = list_slopes(marks)
    return replace(
        network,
        tail=np.concatenate([network.tail, first + of]),
        head=np.concatenate([network.head, np.full(len(of), len(network.supply))]),
        capacity=np.concatenate([network.capacity, width]),
        costs=np.hstack([network.costs, np.array(squares)[:, None] * (slope * weight[of])]),
        supply=np.append(network.supply, -network.supply.sum()),
    )


def build_class_network(problem: Problem, of: ItemClasses, levels: tuple[str, ...]) -> Network:
    """Return the arcs from each item class to each of its readers, with their costs in each level. Raises TooLargeError above MANY."""
    if int(count_readers(of.problem)[of.problem.audience_of].sum()) > MANY:
        raise TooLargeError(
            f"{problem.copies} copies of {problem.items} partitions for {problem.members} members are too many: "
            f"{of.problem.items} classes of items"
        )
    classes = of.problem
    audience, reader = np.nonzero(find_reading(classes)[:, classes.subscription_of])
    tail, entry = expand_runs(
        list_starts(np.bincount(audience, minlength=classes.audiences)), classes.audience_of
    )
    member = reader[entry]
    count = np.bincount(of.class_of, minlength=classes.items)

    def cost(level: str) -> Ints:
        if level == BALANCE:
            return np.zeros(len(tail), np.int64)
        unit, columns = {level: 1}, classes.level(level)
        total = np.zeros(len(tail), np.int64)
        if columns.table is not None:
            total += classes.table(unit)[classes.profile_of[tail], classes.rack_of[member]]
        if columns.loss is not None:
            total += classes.losses(unit)[classes.claim_of[tail]]
        if columns.gain is not None:
            total -= _compute_savings(classes, classes.gains(unit), tail, member)
        return total

    return Network(
        tail, classes.items + member, count[tail], np.array(list(map(cost, levels))),
        np.concatenate([classes.copies_of_audience[classes.audience_of] * count, np.zeros(problem.members, np.int64)]),
        (0, classes.items, classes.items + problem.members), (0, len(tail)), of.class_of, of.class_of,
    )  # fmt: skip


def _compute_savings(problem: Problem, gain: Ints, item: Ints, member: Ints) -> Ints:
    if problem.items * problem.members <= FEW:  # A matrix is faster than a search.
        saved = build_gain_matrix(problem.claim_start, problem.claim_member, problem.members, gain)
        return np.asarray(saved[problem.claim_of[item], member], np.int64)
    rows = np.repeat(np.arange(len(problem.claim_start) - 1), np.diff(problem.claim_start))
    claims = rows * problem.members + problem.claim_member
    order = sort_stably(claims)
    claims, gain = np.append(claims[order], -1), np.append(gain[order], 0)
    wanted = problem.claim_of[item] * problem.members + member
    place = np.searchsorted(claims[:-1], wanted)
    return np.where(claims[place] == wanted, gain[place], 0)


def deal_items(problem: Problem, of: ItemClasses, network: Network, flow: Ints) -> Ints:
    """Return the owners of each item (items x copies)."""
    items = sort_stably(of.class_of)
    count = np.bincount(of.class_of, minlength=of.problem.items)
    of_class = np.repeat(network.tail, flow)
    turn = rank_in_run(of_class)
    owners = np.full((problem.items, problem.copies), -1)
    item = items[(np.cumsum(count) - count)[of_class] + turn % count[of_class]]
    owners[item, turn // count[of_class]] = np.repeat(network.head, flow) - of.problem.items
    return owners
