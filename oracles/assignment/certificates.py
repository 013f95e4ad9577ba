"""Prices: the certificate that no assignment is better, and the code that checks it.

Let every member m name a price for a slot, and let c(i, m) be the cost of item i at m. Whatever the prices, the cost of any
assignment is

    sum over items of c(i, owner)  +  sum over members of load^2
    =  sum over items of (c(i, owner) + price(owner))  +  sum over members of (load^2 - price * load)
    >= sum over items of the least (c + price) among readers  +  sum over members of the least (l^2 - price * l).

The last line, the *bound*, does not depend on the assignment. So prices cannot lie: wrong prices give a lower
bound, never a wrong one, and an assignment whose cost equals the bound is optimal. With several levels, costs
and prices are rows of numbers in lexicographic order; sums of inequalities between such rows are
inequalities too, so the same three lines hold. If every item needs n distinct owners, the least (c +
price) becomes the sum of the n least. By linear-programming duality, prices that reach the optimum exist
whenever the optimum is that of a network flow.

Nothing here knows a solver: prices and owners may come from anywhere. So both are checked first (:func:`whole`, :func:`legal`), and
numbers prove nothing if their sums could leave 64 bits.
"""

import math
from dataclasses import dataclass

import numpy as np

from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import (
    LARGEST,
    Ints,
    Problem,
    Units,
    reading,
    refuse_impossible,
)
from kassay.oracles.assignment.spread_bound import digits, owned_places, packed, spread_bound
from kassay.oracles.assignment.values import Prices, values
from kassay.oracles.errors import OracleError, TooLargeError, UnsolvedError

INT64 = np.iinfo(np.int64)


def whole(name: str, given: object, shape: tuple[int, ...]) -> Ints:
    """Return an array from any source as 64-bit integers.

    Raises ValueError naming it where it is no plain array of integers, of another shape, or beyond 64 bits.
    """
    if type(given) is not np.ndarray or given.dtype.kind not in "iu":
        kind = given.dtype if type(given) is np.ndarray else type(given).__name__
        raise ValueError(f"the {name} are of the type {kind}; give a numpy array of integers")
    if given.shape != shape:
        raise ValueError(f"the {name} have the shape {given.shape}; give {shape}")
    if given.dtype.kind == "u" and int(given.max(initial=0)) > INT64.max:
        raise ValueError(f"the {name} go up to {given.max()}; give 64-bit integers")
    return given.astype(np.int64, copy=False)


def legal(problem: Problem, owners: Ints) -> bool:
    """Return True if every item (row) goes to as many different members as it has copies, all of whom exist and may hold it."""
    if not owners.size:
        return True
    there = np.arange(problem.copies) < problem.copies_of_audience[problem.audience_of][:, None]
    if ((owners < 0) == there).any() or owners.min() < -1 or owners.max() >= problem.members:
        return False
    ordered = np.sort(owners, axis=1) if problem.copies > 1 else owners
    if ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any():
        return False
    place = problem.audience_of[:, None] * problem.subscriptions + problem.subscription_of[owners]
    return bool(reading(problem).reshape(-1)[place].all(where=there))


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A legal assignment and prices, with what it is worth and what no assignment can go below, level by level.

    Both rows are in lexicographic order; where they are equal, the assignment is proved optimal.
    """

    owners: Ints
    prices: Prices
    value: tuple[int, ...]
    least: tuple[int, ...]

    @property
    def proved(self) -> bool:
        """Whether nothing is better."""
        return self.value == self.least


def judged(problem: Problem, levels: tuple[str, ...], owners: object, prices: Prices) -> Judged:
    """Judge what a solver found, believing none of it; raises UnsolvedError if it is no legal assignment with prices."""
    no_answer = f"{','.join(levels)}: what the solver found is no answer"
    try:
        held = whole("owners", owners, (problem.items, problem.copies))
        asked = _check_prices(problem, levels, prices)
        least = bound(problem, levels, asked)
    except (ValueError, OracleError) as wrong:
        raise UnsolvedError(f"{no_answer}: {wrong}") from None
    if not legal(problem, held):
        raise UnsolvedError(f"{no_answer}: it does not give every partition to different subscribers")
    return Judged(held, asked, values(problem, levels, held), least)


def proves(problem: Problem, levels: tuple[str, ...], owners: Ints, prices: Prices) -> bool:
    """Return True if prices prove an assignment, from any source, to be legal and optimal.

    Raises ValueError if either is no array of integers of the problem's shape, TooLargeError where they leave 64 bits.
    """
    held = whole("owners", owners, (problem.items, problem.copies))
    asked = _check_prices(problem, levels, prices)
    if not legal(problem, held):
        return False
    least = bound(problem, levels, asked)
    return values(problem, levels, held) == least


def bound(problem: Problem, levels: tuple[str, ...], prices: Prices) -> tuple[int, ...]:
    """Return what no assignment can go below, level by level, in lexicographic order.

    Raises ValueError if the prices are no integers of the problem's shape, TooLargeError where they leave 64 bits,
    ImpossibleError if there is no assignment.
    """
    asked = _check_prices(problem, levels, prices)
    if not problem.items:
        return (0,) * len(levels)
    problem, rows = problem.asked(levels), asked.rows
    refuse_impossible(problem)
    if TOPIC_SPREAD in levels:
        return spread_bound(problem, levels, asked)
    # Per level a base in which every sum of an item's prices and costs is one digit, positive or negative.
    greatest = [max(int(row.max(initial=0)), -int(row.min(initial=0))) for row in rows]
    bases = [2 * (problem.copies + 1) * (each + problem.greatest_cost) + 1 for each in greatest]
    sums = problem.members * problem.items * (problem.items + max(greatest, default=0))
    if math.prod(bases) >= LARGEST or sums >= LARGEST:
        raise TooLargeError("the prices leave 64 bits")
    unit = {level: math.prod(bases[n + 1 :]) for n, level in enumerate(levels)}
    price = packed(rows, bases)
    offered = (
        offers(problem, unit, price) if problem.single else _find_offers_of_several(problem, unit, price)
    )
    slots = _sum_slots(rows, levels, problem.items)
    paid = [int(row.sum()) for row in digits(offered, bases)]
    return tuple(offer + slot for offer, slot in zip(reversed(paid), slots, strict=True))


def _check_prices(problem: Problem, levels: tuple[str, ...], prices: Prices) -> Prices:
    """Return prices from any source as 64-bit integers; raises ValueError naming what is of another shape."""
    rows = whole("prices", prices.rows, (len(levels), problem.members))
    if TOPIC_SPREAD not in levels or not problem.items:
        return Prices(rows)
    shape, number = (len(levels), problem.topics, problem.asked(levels).racks), len(prices.places[0])
    topic, member = (whole("places", each, (number,)) for each in prices.places)
    owned = owned_places(problem)
    if not np.isin(topic * problem.members + member, owned).all():
        raise ValueError("the places have prices of their own where nothing was owned; leave these out")
    return Prices(
        rows,
        whole("prices of topics", prices.topics, shape),
        (topic, member),
        whole("prices of places", prices.place_rows, (len(levels), number)),
    )


def _sum_slots(rows: Ints, levels: tuple[str, ...], most: int) -> list[int]:
    """Add up every member's least (-price * load, or load^2 - price * load for balance), over the loads 0 to `most`.

    The loads that are least so far are an interval, which every level narrows.
    """
    low, high = np.zeros(rows.shape[1], np.int64), np.full(rows.shape[1], most)
    for row, level in zip(rows, levels, strict=True):
        if level == BALANCE:
            low, high = np.clip(row // 2, low, high), np.clip((row + 1) // 2, low, high)
        else:
            low, high = np.where(row > 0, high, low), np.where(row < 0, low, high)
    squares = int((low * low).sum())
    return [
        (squares if level == BALANCE else 0) - int((row * low).sum())
        for row, level in zip(rows, levels, strict=True)
    ]


def offers(problem: Problem, unit: Units, price: Ints) -> Ints:
    """Return what each item pays at least, cost and price together: at its owners, or at any reader in each rack."""
    reads = reading(problem)
    far = problem.table(unit)
    cheapest = np.full((problem.subscriptions, far.shape[1]), LARGEST)
    np.minimum.at(cheapest, (problem.subscription_of, problem.rack_of), price)
    in_rack = np.minimum.reduceat(
        cheapest[problem.audience_subscription], problem.audience_start[:-1], axis=0
    )
    audience, profile = problem.audience_of, problem.profile_of
    fewer = problem.audiences * len(far) < problem.items  # pairs of them than items
    if fewer:
        audience, profile = map(np.ravel, np.indices((problem.audiences, len(far))))
    least = np.full(len(audience), 2 * LARGEST - 1)
    for rack in range(far.shape[1]):
        np.minimum(least, in_rack[:, rack][audience] + far[:, rack][profile], out=least)
    if fewer:
        least = least[problem.audience_of * len(far) + problem.profile_of]
    gain, loss = problem.gains(unit), problem.losses(unit)
    left = loss[problem.claim_of]
    least += left
    first = problem.claim_start[problem.claim_of]
    number = problem.claim_start[problem.claim_of + 1] - first
    for k in range(int(number.max(initial=0))):
        items = np.flatnonzero(number > k)
        owner = problem.claim_member[first[items] + k]
        reader = reads[problem.audience_of[items], problem.subscription_of[owner]]
        items, owner = items[reader], owner[reader]
        saved = gain[first[items] + k]
        stay = price[owner] + far[problem.profile_of[items], problem.rack_of[owner]] + left[items] - saved
        least[items] = np.minimum(least[items], stay)
    return least


def _find_offers_of_several(problem: Problem, unit: Units, price: Ints) -> Ints:
    """Return what each item pays at least for its copies, looking at every member for every item class."""
    reads, copies = reading(problem), problem.copies_of_audience
    classes, class_of = np.unique(
        np.column_stack([problem.audience_of, problem.profile_of, problem.claim_of]),
        axis=0,
        return_inverse=True,
    )
    far, gain, loss = problem.table(unit), problem.gains(unit), problem.losses(unit)
    paid = []
    for audience, profile, claim in classes.tolist():
        offer = price + far[profile, problem.rack_of]
        claimed = slice(problem.claim_start[claim], problem.claim_start[claim + 1])
        offer[problem.claim_member[claimed]] -= gain[claimed]
        offer = np.sort(offer[reads[audience, problem.subscription_of]])[: copies[audience]]
        paid.append(int(offer.sum()) + int(loss[claim]))
    return np.array(paid, np.int64)[class_of.reshape(-1)]
