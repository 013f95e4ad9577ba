"""The bound of prices where members have needs, in Python's integers, and what it proves.

As in :mod:`kassay.oracles.assignment.certificates.duals`, every member asks a price for a slot. For a cap there is one
more price q, 0 or more, that its class pays at its member. As at most `most` copies of the class are there,

    sum over copies of (c + price + q) - sum over caps of q * most + sum over members of (u load^2 - price * load)

is never above the cost of an assignment; nor is the sum of each part's least, loads being between fewest and most.
"""

from collections import Counter
from dataclasses import dataclass
from heapq import nsmallest
from typing import TypeAlias

import numpy as np

from kassay.oracles.assignment.certificates.legality import whole
from kassay.oracles.assignment.level import BALANCE, Ints
from kassay.oracles.assignment.needs.needs import Needs, legal, weighed
from kassay.oracles.assignment.problem import Problem, costs, eligible

Row: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class NeedPrices:
    """What each member asks for a slot, and each cap of its class: a row per level, a column per member or cap."""

    rows: Ints
    caps: Ints


def proves(problem: Problem, needs: Needs, levels: tuple[str, ...], owners: Ints, prices: NeedPrices) -> bool:
    """Return whether prices prove an assignment, whoever made it, to meet all needs and be optimal."""
    held = whole("owners", owners, (problem.items, problem.copies))
    least = bound(problem, needs, levels, prices)
    return legal(problem, needs, held) and weighed(problem, needs, levels, held) == least


def bound(problem: Problem, needs: Needs, levels: tuple[str, ...], prices: NeedPrices) -> Row:
    """Return what no assignment that meets the needs can go below, level by level, compared like words in a dictionary.

    Raises ValueError where the prices have another shape, or a cap's price is below 0.
    """
    rows = whole("prices", prices.rows, (len(levels), problem.members))
    caps = list(zip(*whole("cap prices", prices.caps, (len(levels), len(needs.rows))).tolist(), strict=True))
    nothing = (0,) * len(levels)
    if any(price < nothing for price in caps):
        raise ValueError("the price of a cap is below 0")
    asked = list(zip(*rows.tolist(), strict=True))
    fewest, most = (column.tolist() for column in needs.span(problem))
    unit = needs.unit(problem).tolist()
    paid = [_slots(levels, *each) for each in zip(asked, unit, fewest, most, strict=True)]
    extra = {
        (number, member): price for (number, member, _), price in zip(needs.rows.tolist(), caps, strict=True)
    }
    paid += [
        tuple(-cap * n for n in price) for (*_, cap), price in zip(needs.rows.tolist(), caps, strict=True)
    ]
    paid += _offers(problem, needs, levels, asked, extra)
    # Every copy's cost has in it what its item may lose, which is lost but once.
    losses = [
        0 if level == BALANCE else problem.losses({level: 1})[problem.claim_of].sum() for level in levels
    ]
    paid.append(tuple((1 - problem.copies) * int(loss) for loss in losses))
    return tuple(map(sum, zip(*paid, strict=True)))


def _offers(
    problem: Problem,
    needs: Needs,
    levels: tuple[str, ...],
    asked: list[Row],
    extra: dict[tuple[int, int], Row],
) -> list[Row]:
    """Return what the copies of each item pay at least, cost and prices together."""
    none = np.zeros((problem.items, problem.members), np.int64)
    cost = np.stack([none if level == BALANCE else costs(problem, level) for level in levels], axis=2)
    readers, of, nothing = eligible(problem), needs.classes(problem).tolist(), (0,) * len(levels)
    columns = (problem.audience_of, problem.profile_of, problem.claim_of, needs.classes(problem))
    alike = Counter(zip(*(column.tolist() for column in columns), strict=True))
    first = {key: item for item, key in enumerate(zip(*(column.tolist() for column in columns), strict=True))}
    paid = []
    for key, count in alike.items():
        item = first[key]
        offers = (
            tuple(
                map(
                    sum, zip(cost[item, m].tolist(), asked[m], extra.get((of[item], m), nothing), strict=True)
                )
            )
            for m in np.flatnonzero(readers[item]).tolist()
        )
        best = nsmallest(problem.copies, offers)
        paid.append(tuple(count * sum(column) for column in zip(*best, strict=True)))
    return paid


def _slots(levels: tuple[str, ...], price: Row, unit: int, low: int, high: int) -> Row:
    """Return a member's least (unit * load^2 for balance, less price * load), over the loads `low` to `high`."""
    for level, own in zip(levels, price, strict=True):
        if level == BALANCE:
            best = -((unit - own) // (2 * unit)), (own + unit) // (2 * unit)
            low, high = (min(max(load, low), high) for load in best)
        elif own:
            low = high = high if own > 0 else low
    return tuple(
        (unit * low * low if level == BALANCE else 0) - own * low
        for level, own in zip(levels, price, strict=True)
    )
