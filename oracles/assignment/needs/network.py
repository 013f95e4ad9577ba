"""The optimum where members have needs: one network of item classes, caps, members and their loads.

Items that differ in nothing are one class. A class leads to each of its readers, through a node with a cap where there
is one; a member demands the fewest it must hold, and passes on what it holds beyond along arcs that cost its squared
load (see :mod:`kassay.oracles.assignment.flow.convex_arcs`).
"""

import math
import time
from dataclasses import dataclass, replace

import numpy as np

from kassay.oracles.assignment.aggregation import Network
from kassay.oracles.assignment.flow.convex_arcs import Marks, closer_marks, first_marks, slopes
from kassay.oracles.assignment.flow.integer_sort import ordered, rank_in_run
from kassay.oracles.assignment.flow.min_cost_flow import distances, min_cost_flow
from kassay.oracles.assignment.level import BALANCE, Ints
from kassay.oracles.assignment.needs.bound import NeedPrices
from kassay.oracles.assignment.needs.needs import Needs, refuse_unfit
from kassay.oracles.assignment.problem import Problem, costs, eligible, refuse_impossible
from kassay.oracles.failures import ImpossibleError, TooLargeError, UnsolvedError

MANY = 2 * 10**6
"""Up to this many pairs of an item class and a member are taken."""


@dataclass(frozen=True, slots=True, eq=False)
class NeedSolution:
    """The members that each item goes to (items x copies), and prices whose bound proves it."""

    owners: Ints
    prices: NeedPrices


def solve_with_needs(
    problem: Problem, needs: Needs, levels: tuple[str, ...], deadline: float = math.inf
) -> NeedSolution:
    """Return an optimum among the assignments that meet the needs.

    Raises ImpossibleError where there is none, TooLargeError where there are more than MANY pairs or numbers leave 64
    bits, UnsolvedError where a solver fails or `deadline` (of time.monotonic) passes.
    """
    refuse_impossible(problem)
    refuse_unfit(problem, needs)
    problem = problem.asked(levels)
    columns = np.column_stack(
        [problem.audience_of, problem.profile_of, problem.claim_of, needs.classes(problem)]
    )
    found, class_of = np.unique(columns, axis=0, return_inverse=True)
    if len(found) * problem.members > MANY:
        raise TooLargeError(
            f"{len(found)} classes of items and {problem.members} members are too many with needs"
        )
    audience, profile, claim, _ = found.T
    classes = replace(problem, audience_of=audience, profile_of=profile, claim_of=claim)
    network, taker = _network(classes, needs, levels, found[:, 3], class_of.reshape(-1))
    fewest, most = needs.span(problem)
    marks = first_marks(most - fewest)
    while True:
        whole = _with_slots(network, levels, marks, needs.unit(problem), fewest)
        try:
            flow = min_cost_flow(whole, deadline)
        except UnsolvedError as failed:
            if "INFEASIBLE" not in str(failed):
                raise
            raise ImpossibleError("caps, fewest, most: no assignment meets all of them") from failed
        if flow is None or time.monotonic() > deadline:
            raise UnsolvedError("the time was over before the network was solved")
        load = np.zeros(problem.members, np.int64)
        np.add.at(load, taker, flow[: len(taker)])
        closer = closer_marks(marks, load - fewest, load - fewest) if BALANCE in levels else None
        if closer is None:
            break
        marks = closer
    distance = distances(whole, flow)
    assert distance is not None
    caps, first = needs.rows, len(found)
    price = distance[:, -1:] - distance[:, first:-1]
    members = price[:, len(caps) :]
    extra = price[:, : len(caps)] - members[:, caps[:, 1]]
    below = [tuple(column) < (0,) * len(levels) for column in extra.T.tolist()]
    extra[:, below] = 0  # nothing of the class is there
    return NeedSolution(
        _dealt(problem, class_of.reshape(-1), network.tail, taker, flow), NeedPrices(members, extra)
    )


def _network(
    classes: Problem, needs: Needs, levels: tuple[str, ...], need_class: Ints, class_of: Ints
) -> tuple[Network, Ints]:
    """Return the arcs from each class to each of its readers, then from the caps to their members; and the readers."""
    tail, taker = np.nonzero(eligible(classes))
    caps, members, items = needs.rows, classes.members, classes.items
    node = {(number, member): items + n for n, (number, member, _) in enumerate(caps.tolist())}
    first = items + len(caps)
    pairs = zip(need_class[tail].tolist(), taker.tolist(), strict=True)
    head = np.array([node.get(pair, first + pair[1]) for pair in pairs], np.int64)
    count = np.bincount(class_of, minlength=items)
    rows = [
        np.zeros(len(tail), np.int64) if level == BALANCE else costs(classes, level)[tail, taker]
        for level in levels
    ]
    return Network(
        np.concatenate([tail, items + np.arange(len(caps))]), np.concatenate([head, first + caps[:, 1]]),
        np.concatenate([count[tail], caps[:, 2]]), np.hstack([rows, np.zeros((len(levels), len(caps)), np.int64)]),
        np.concatenate([classes.copies * count, np.zeros(len(caps) + members, np.int64)]),
        (0, items, first, first + members), (0, len(tail), len(tail) + len(caps)), class_of, class_of,
    ), taker  # fmt: skip


def _with_slots(network: Network, levels: tuple[str, ...], marks: Marks, unit: Ints, fewest: Ints) -> Network:
    """Return the network with each member's demand, and arcs to a node that takes in what is beyond."""
    of, width, slope = slopes(marks)
    square = unit[of] * (slope + 2 * fewest[of])
    slots = [square if level == BALANCE else np.zeros(len(of), np.int64) for level in levels]
    supply = network.supply.copy()
    supply[network.first[2] :] = -fewest
    return replace(
        network,
        tail=np.concatenate([network.tail, network.first[2] + of]),
        head=np.concatenate([network.head, np.full(len(of), network.first[3])]),
        capacity=np.concatenate([network.capacity, width]),
        costs=np.hstack([network.costs, slots]),
        supply=np.concatenate([supply, [-supply.sum()]]),
    )


def _dealt(problem: Problem, class_of: Ints, tail: Ints, taker: Ints, flow: Ints) -> Ints:
    """Deal the items of each class to its takers, round and round, so that no item comes to a member twice."""
    items, count = ordered(class_of), np.bincount(class_of)
    of = np.repeat(tail[: len(taker)], flow[: len(taker)])
    turn = rank_in_run(of)
    owners = np.empty((problem.items, problem.copies), np.int64)
    item = items[(np.cumsum(count) - count)[of] + turn % count[of]]
    owners[item, turn // count[of]] = np.repeat(taker, flow[: len(taker)])
    return owners
