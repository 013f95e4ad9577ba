"""The bound of prices of any size, in Python's integers: slow, for certificates whose prices leave 64 bits."""

from collections import Counter
from heapq import nsmallest
from typing import TypeAlias

import numpy as np

from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.assignment.problem import Problem

Row: TypeAlias = tuple[int, ...]


def exact_bound(problem: Problem, levels: tuple[str, ...], prices: list[Row]) -> Row:
    """Return what :func:`.duals.bound` returns, for one row of prices per member; items need enough readers."""
    rows = [_slots(levels, row, problem.items) for row in prices]
    rows.append(paid_by_items(problem, levels, prices))
    return tuple(map(sum, zip(*rows, strict=True)))


def paid_by_items(problem: Problem, levels: tuple[str, ...], prices: list[Row]) -> Row:
    """Return what all items together pay at least, cost and price, for one row of prices per member."""
    problem = problem.asked(levels)
    classes = Counter(
        zip(problem.audience_of.tolist(), problem.profile_of.tolist(), problem.claim_of.tolist(), strict=True)
    )
    copies = problem.copies_of_audience.tolist()
    nearest = [_cheapest(problem, audience, prices) for audience in range(problem.audiences)]
    tables, gains, losses = (
        [columns({level: 1}) for level in levels]
        for columns in (problem.table, problem.gains, problem.losses)
    )
    paid = [(0,) * len(levels)]
    for (audience, profile, claim), count in classes.items():
        entries = range(problem.claim_start[claim], problem.claim_start[claim + 1])
        gain = {int(problem.claim_member[n]): [int(each[n]) for each in gains] for n in entries}
        nothing = [0] * len(levels)
        readers, cheapest = nearest[audience]
        some = cheapest | (readers & gain.keys())
        offers = (
            tuple(
                price + int(table[profile, problem.rack_of[m]]) - saved
                for price, table, saved in zip(prices[m], tables, gain.get(m, nothing), strict=True)
            )
            for m in some
        )
        best = [*nsmallest(copies[audience], offers), tuple(int(each[claim]) for each in losses)]
        paid += [tuple(count * sum(column) for column in zip(*best, strict=True))]
    return tuple(map(sum, zip(*paid, strict=True)))


def _cheapest(problem: Problem, audience: int, prices: list[Row]) -> tuple[set[int], set[int]]:
    """Return an audience's members, and as many of the cheapest of them in each rack as there are copies."""
    subscriptions = problem.audience_subscription[
        problem.audience_start[audience] : problem.audience_start[audience + 1]
    ]
    readers = set(np.flatnonzero(np.isin(problem.subscription_of, subscriptions)).tolist())
    racks: dict[int, list[int]] = {}
    for m in sorted(readers):
        racks.setdefault(int(problem.rack_of[m]), []).append(m)
    return readers, {
        m for each in racks.values() for m in nsmallest(problem.copies, each, key=prices.__getitem__)
    }


def _slots(levels: tuple[str, ...], price: Row, most: int) -> Row:
    """Return a member's least (load^2 for balance, less price * load), over the loads 0 to `most`."""
    low, high = 0, most
    for level, own in zip(levels, price, strict=True):
        if level == BALANCE:
            low, high = (min(max(each, low), high) for each in (own // 2, (own + 1) // 2))
        elif own:
            low = high = high if own > 0 else low
    return tuple(
        (low * low if level == BALANCE else 0) - own * low for level, own in zip(levels, price, strict=True)
    )
