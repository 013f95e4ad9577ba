"""Dual prices: the certificate that no assignment is better, and the code that verifies it.

Let every member m have a price for a slot, and let c(i, m) be the cost of item i at m. For any prices, the cost of an
assignment is

    sum over items of c(i, owner)  +  sum over members of load^2

    =  sum over items of (c(i, owner) + price(owner))  +  sum over members of (load^2 - price * load)

    >= sum over items of the least (c + price) among readers  +  sum over members of the least (l^2 - price * l).

The last line, the *bound*, does not depend on the assignment. So wrong prices give a lower bound that is too low,
never a wrong one, and an assignment whose cost equals the bound is optimal. With several levels, costs and prices are
rows of numbers in lexicographic order. Sums of inequalities between such rows are inequalities too, so the same three
lines hold. If every item needs n distinct owners, the least (c + price) becomes the sum of the n least. By
linear-programming duality, prices that reach the optimum exist whenever the optimum is a network flow.

With topic spread, an item pays at member m the cost there and the price s(t, m) of a *place* for its topic t. A place
pays p(m) for each slot of its member. For any prices an assignment costs at least

    sum over items of the least (cost + s(topic, m)) among readers
    + sum over topics t and readers m of the least (spread's k^2 - (s(t, m) - p(m)) k)
    + sum over members of the least (balance's l^2 - p(m) l).

If m owned nothing of t, s(t, m) is u(t), the price of the topic in the rack of m. Assume that m owned c partitions,
each of them has one owner, and racks do not count. Then no price gives a greater bound than ``p(m) + 2 c`` squares,
or the nearest number to it from u(t) to u(t) plus the cost of leaving. So a row for each member and each topic is the
complete proof. With racks there is a row for each topic and rack, and the certificate lists the places that differ.

Nothing here knows a solver: prices and owners may come from anywhere. So both are checked first (:func:`require_integers`,
:func:`is_legal`), and numbers whose sums could leave 64 bits prove nothing.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kassay.oracles.assignment.aggregation import expand_runs, find_item_kinds, renumber
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import (
    LARGEST,
    Ints,
    Problem,
    Units,
    find_reading,
    iterate_owners,
    refuse_impossible,
)
from kassay.oracles.assignment.values import Prices, compute_values
from kassay.oracles.errors import OracleError, TooLargeError, UnsolvedError


def compute_spread_bound(
    problem: Problem, levels: tuple[str, ...], prices: Prices, unit: Units | None = None
) -> tuple[int, ...]:
    """Return the lower bound of each level; the problem and the prices have exactly these levels, and there are items.

    If there is a `unit`, return only the lower bound of one weighted sum: of squared loads, squares of topics and
    costs, by their units. Prices are then one row. Raises TooLargeError if the prices leave 64 bits.
    """
    return _Counted(problem, levels, prices, unit).compute_bound()


def drop_derived_prices(
    problem: Problem, levels: tuple[str, ...], prices: Prices, unit: Units | None = None
) -> Prices:
    """Return prices that prove as much without the owners' places that follow from the other prices; of a weighted sum if there is a `unit`."""
    if prices.topics is None or not len(prices.places[0]):
        return prices
    problem = problem if unit else problem.asked(levels)
    none = np.empty(0, np.int64)
    plain = replace(prices, places=(none, none), place_rows=np.empty((len(levels), 0), np.int64))
    usual = _Counted(problem, levels, plain, unit)
    proved = compute_spread_bound(problem, levels, prices, unit)
    if usual.compute_bound() == proved:
        return plain
    topic, member = prices.places
    follows = usual.read_owner_rows()[:, np.searchsorted(usual.owned, topic * problem.members + member)]
    differ = np.flatnonzero((follows != prices.place_rows).any(axis=0))
    some = replace(prices, places=(topic[differ], member[differ]), place_rows=prices.place_rows[:, differ])
    return some if compute_spread_bound(problem, levels, some, unit) == proved else prices


def pack_digits(rows: Ints, bases: Sequence[int]) -> Ints:
    """Return each column as one number that compares as the column does; each row is a digit in its base."""
    found = np.zeros(rows.shape[1], np.int64)
    for row, base in zip(rows, bases, strict=True):
        found = found * base + row
    return found


def split_digits(numbers: Ints, bases: Sequence[int]) -> Iterator[Ints]:
    """Yield the rows of numbers that :func:`pack_digits` made, or of sums of such numbers, the last row first."""
    for base in reversed(bases[1:]):
        rest = (numbers + base // 2) // base
        yield numbers - rest * base
        numbers = rest
    yield numbers


class _Counted:
    """A problem's topics, owners' places and prices; the levels of a price are digits of one number, a weighted sum is one digit."""

    def __init__(
        self, problem: Problem, levels: tuple[str, ...], prices: Prices, weights: Units | None = None
    ) -> None:
        assert prices.topics is not None
        self.problem, self.levels, self.prices, self.weights = problem, levels, prices, weights
        topic, self.weigh = problem.topic_numbers, problem.weights[problem.subscription_of]
        self.count = np.bincount(topic, minlength=problem.topics)
        self.audience = problem.topic_audience
        (self.topic, self.profile, self.claim), kind_of = find_item_kinds(problem, topic, problem.topics)
        self.many = np.bincount(kind_of, minlength=len(self.topic))
        self.item_class, self.entry, self.owner = _find_owners(problem, self.topic, self.claim)
        key = self.topic[self.item_class] * problem.members + self.owner
        self.owned, self.place = renumber(key, problem.topics * problem.members)
        self.owns = np.bincount(self.place, self.many[self.item_class], len(self.owned)).astype(np.int64)

        # In the base of a level, every sum of an item's prices and costs is one digit, positive or negative.
        dearest = sum(weights.values() if weights else [1]) * int(self.weigh.max(initial=1))
        squares = (2 * int(self.owns.max(initial=0)) + 1) * dearest
        self.bases = []
        for n in range(len(levels)):
            rows = prices.rows[n], prices.topics[n], prices.place_rows[n]
            most = max((int(np.abs(row).max(initial=0)) for row in rows), default=0)
            self.bases.append(2 * (3 * most + squares + 3 * problem.greatest_cost * dearest) + 1)
        sums = problem.items * (problem.members + 1) * (problem.items * dearest + max(self.bases))
        if math.prod(self.bases) >= LARGEST or sums >= LARGEST:
            raise TooLargeError("the prices leave 64 bits")

        self.unit = weights or {level: math.prod(self.bases[n + 1 :]) for n, level in enumerate(levels)}
        pools = pack_digits(prices.topics.reshape(len(levels), -1), self.bases)
        self.pool = pools.reshape(problem.topics, problem.racks)
        # The price of each owner's place: as near to the best bound as the topic's price and the gains allow, or as given.
        topic, member = np.divmod(self.owned, problem.members)
        pool, slot = self.pool[topic, problem.rack_of[member]], pack_digits(prices.rows, self.bases)[member]
        leaving = sum(self.unit.get(level.name, 0) for level in problem.levels if level.gain is not None)
        best = slot + 2 * self.owns * self.weigh[member] * self.unit[TOPIC_SPREAD]
        stay = np.clip(best, pool, pool + leaving)
        topics, members = prices.places
        given = np.searchsorted(self.owned, topics * problem.members + members)
        stay[given] = pack_digits(prices.place_rows, self.bases)
        self.stay = np.asarray(np.maximum(stay, pool), np.int64)

    def compute_bound(self) -> tuple[int, ...]:
        """Return the lower bound of each digit."""
        most, squares = np.array([self.problem.items]), self.list_weights(BALANCE)
        loads = _sum_least(self.prices.rows, squares, most, weigh=self.weigh)
        return tuple(map(sum, zip(self.sum_items(), self.sum_places(), loads, strict=True)))

    def list_weights(self, name: str) -> list[int]:
        """Return the weight of a square of this level in each digit."""
        if self.weights is not None:
            return [self.weights.get(name, 0)]
        return [int(level == name) for level in self.levels]

    def read_owner_rows(self) -> Ints:
        """Return the price of each owner's place in each level."""
        return np.array([*split_digits(self.stay, self.bases)][::-1])

    def sum_items(self) -> list[int]:
        """Return the sum of the least payments of all items."""
        problem = self.problem
        far, loss = problem.table(self.unit), problem.losses(self.unit)[self.claim]
        near = np.zeros((problem.subscriptions, problem.racks), np.bool_)
        near[problem.subscription_of, problem.rack_of] = True
        there = (_find_readers(problem).astype(np.int64) @ near) > 0
        least = np.full(len(self.topic), LARGEST)
        for rack in range(problem.racks):
            offer = self.pool[self.topic, rack] + far[self.profile, rack]
            least = np.where(there[self.topic, rack], np.minimum(least, offer), least)
        own = (
            far[self.profile[self.item_class], problem.rack_of[self.owner]]
            - problem.gains(self.unit)[self.entry]
        )
        np.minimum.at(least, self.item_class, self.stay[self.place] + own)
        return [int((digit * self.many).sum()) for digit in split_digits(least + loss, self.bases)][::-1]

    def sum_places(self) -> list[int]:
        """Return the sum of the least payments of all places: owners' places, then all others, aggregated over equal members."""
        problem, prices = self.problem, self.prices
        assert prices.topics is not None
        topic, member = np.divmod(self.owned, problem.members)
        paid = self.read_owner_rows() - prices.rows[:, member]
        squares = self.list_weights(TOPIC_SPREAD)
        weigh = self.weigh[member]
        total = _sum_least(paid, squares, self.count[topic], weigh=weigh)
        plain = prices.topics[:, topic, problem.rack_of[member]] - prices.rows[:, member]
        total = [
            a - b
            for a, b in zip(total, _sum_least(plain, squares, self.count[topic], weigh=weigh), strict=True)
        ]

        alike = np.vstack([problem.subscription_of, problem.rack_of, prices.rows])
        kinds, size = np.unique(alike, axis=1, return_counts=True)
        order, of = np.argsort(kinds[0], kind="stable"), np.zeros(problem.subscriptions + 1, np.int64)
        of[1:] = np.cumsum(np.bincount(kinds[0], minlength=problem.subscriptions))
        topic, entry = expand_runs(problem.audience_start, self.audience)
        entry, at = expand_runs(of, problem.audience_subscription[entry])
        topic, kind = topic[entry], order[at]
        paid = prices.topics[:, topic, kinds[1][kind]] - kinds[2:][:, kind]
        weigh = problem.weights[kinds[0][kind]]
        others = _sum_least(paid, squares, self.count[topic], size[kind], weigh)
        return [a + b for a, b in zip(total, others, strict=True)]


def place_prices(problem: Problem, levels: tuple[str, ...], prices: Prices) -> Ints:
    """Return the price of a place of each topic at each member (levels x topics x members), if all members read all topics."""
    assert prices.topics is not None
    problem = problem.asked(levels)
    found = prices.topics[:, :, problem.rack_of]
    if problem.items:
        counted = _Counted(problem, levels, prices)
        topic, member = np.divmod(counted.owned, problem.members)
        found[:, topic, member] = counted.read_owner_rows()
    return found


def find_owned_places(problem: Problem) -> Ints:
    """Return the places ``topic * members + member`` of readers that owned items of the topic, ascending."""
    (topic, _, claim), _ = find_item_kinds(problem, problem.topic_numbers, problem.topics)
    item_class, _, owner = _find_owners(problem, topic, claim)
    return np.unique(topic[item_class] * problem.members + owner)


def _find_readers(problem: Problem) -> NDArray[np.bool_]:
    """Return True for each topic (row) and subscription (column) that reads it."""
    reads = np.zeros((problem.topics, problem.subscriptions), np.bool_)
    topic, entry = expand_runs(problem.audience_start, problem.topic_audience)
    reads[topic, problem.audience_subscription[entry]] = True
    return reads


def _find_owners(problem: Problem, topic: Ints, claim: Ints) -> tuple[Ints, Ints, Ints]:
    """Return each kind of items with each of its owners that may read it: the kind, the claim's entry, the owner."""
    kind, entry = expand_runs(problem.claim_start, claim)
    owner = problem.claim_member[entry]
    may = _find_readers(problem)[topic[kind], problem.subscription_of[owner]]
    return kind[may], entry[may], owner[may]


def _sum_least(
    prices: Ints, squares: Sequence[int], most: Ints, times: Ints | int = 1, weigh: Ints | int = 1
) -> list[int]:
    """Return for each level the sum over columns of the least (weight * n^2 - price * n), over n from 0 to `most`.

    Prices and `squares`, the weights of a square, have a row for each level. Column c counts ``times[c]`` times, and its
    squares weigh ``weigh[c]`` times as much.
    """
    # The numbers n that are least so far are an interval; each level narrows it.
    low = np.zeros(prices.shape[1], np.int64)
    high = np.broadcast_to(most, low.shape)
    for row, square in zip(prices, squares, strict=True):
        if square:
            weight = square * weigh
            least, greatest = -((weight - row) // (2 * weight)), (row + weight) // (2 * weight)
            low, high = np.clip(least, low, high), np.clip(greatest, low, high)
        else:
            low, high = np.where(row > 0, high, low), np.where(row < 0, low, high)
    return [
        int(((square * weigh * low - row) * low * times).sum())
        for row, square in zip(prices, squares, strict=True)
    ]


INT64 = np.iinfo(np.int64)


def require_integers(name: str, given: object, shape: tuple[int, ...]) -> Ints:
    """Return an array from any source as 64-bit integers.

    Raises ValueError with the array's `name` if it is not a plain array of integers, has another shape, or leaves 64
    bits.
    """
    if type(given) is not np.ndarray or given.dtype.kind not in "iu":
        kind = given.dtype if type(given) is np.ndarray else type(given).__name__
        raise ValueError(f"the {name} are of the type {kind}. Give a numpy array of integers")
    if given.shape != shape:
        raise ValueError(f"the {name} have the shape {given.shape}. Give {shape}")
    if given.dtype.kind == "u" and int(given.max(initial=0)) > INT64.max:
        raise ValueError(f"the {name} go up to {given.max()}. Give 64-bit integers")
    return given.astype(np.int64, copy=False)


def is_legal(problem: Problem, owners: Ints) -> bool:
    """Return True if every item (row) goes to as many different members as it has copies, and all of them may hold it."""
    if not owners.size:
        return True
    there = np.arange(problem.copies) < problem.copies_of_audience[problem.audience_of][:, None]
    if ((owners < 0) == there).any() or owners.min() < -1 or owners.max() >= problem.members:
        return False
    ordered = np.sort(owners, axis=1) if problem.copies > 1 else owners
    if ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any():
        return False
    place = problem.audience_of[:, None] * problem.subscriptions + problem.subscription_of[owners]
    return bool(find_reading(problem).reshape(-1)[place].all(where=there))


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A legal assignment with prices, its value and the lower bound, level by level in lexicographic order."""

    owners: Ints
    prices: Prices
    value: tuple[int, ...]
    least: tuple[int, ...]

    @property
    def proved(self) -> bool:
        """True if the value equals the lower bound: the assignment is optimal."""
        return self.value == self.least


def verify_solution(problem: Problem, levels: tuple[str, ...], owners: object, prices: Prices) -> Judged:
    """Verify a solver's result independently. Raises UnsolvedError if it is not a legal assignment with prices."""
    no_answer = f"{','.join(levels)}: what the solver found is no answer"
    try:
        held = require_integers("owners", owners, (problem.items, problem.copies))
        asked = _check_prices(problem, levels, prices)
        least = _compute_checked_bound(problem, levels, asked)
    except (ValueError, OracleError) as wrong:
        raise UnsolvedError(f"{no_answer}: {wrong}") from None
    if not is_legal(problem, held):
        raise UnsolvedError(f"{no_answer}: it does not give every partition to different subscribers")
    return Judged(held, asked, compute_values(problem, levels, held), least)


def is_proof(problem: Problem, levels: tuple[str, ...], owners: Ints, prices: Prices) -> bool:
    """Return True if prices prove that an assignment, from any source, is legal and optimal.

    Raises ValueError if either is not an array of integers of the problem's shape, TooLargeError if they leave 64
    bits.
    """
    held = require_integers("owners", owners, (problem.items, problem.copies))
    asked = _check_prices(problem, levels, prices)
    if not is_legal(problem, held):
        return False
    least = _compute_checked_bound(problem, levels, asked)
    return compute_values(problem, levels, held) == least


def compute_bound(problem: Problem, levels: tuple[str, ...], prices: Prices) -> tuple[int, ...]:
    """Return the lower bound of each level over all assignments, in lexicographic order.

    Raises ValueError if the prices are not integers of the problem's shape, TooLargeError if they leave 64 bits,
    ImpossibleError if there is no assignment.
    """
    return _compute_checked_bound(problem, levels, _check_prices(problem, levels, prices))


def _compute_checked_bound(problem: Problem, levels: tuple[str, ...], prices: Prices) -> tuple[int, ...]:
    """Return the bound of prices that are integers of the problem's shape."""
    if not problem.items:
        return (0,) * len(levels)
    problem, rows = problem.asked(levels), prices.rows
    refuse_impossible(problem)
    if TOPIC_SPREAD in levels:
        return compute_spread_bound(problem, levels, prices)
    # In the base of a level, every sum of an item's prices and costs is one digit, positive or negative.
    greatest = [max(int(row.max(initial=0)), -int(row.min(initial=0))) for row in rows]
    bases = [2 * (problem.copies + 1) * (each + problem.greatest_cost) + 1 for each in greatest]
    sums = problem.members * problem.items * (problem.items + max(greatest, default=0))
    if math.prod(bases) >= LARGEST or sums >= LARGEST:
        raise TooLargeError("the prices leave 64 bits")
    unit = {level: math.prod(bases[n + 1 :]) for n, level in enumerate(levels)}
    price = pack_digits(rows, bases)
    offered = (
        compute_offers(problem, unit, price)
        if problem.single
        else _find_offers_of_several(problem, unit, price)
    )
    slots = _sum_least(rows, [int(level == BALANCE) for level in levels], np.array(problem.items))
    paid = [int(row.sum()) for row in split_digits(offered, bases)]
    return tuple(offer + slot for offer, slot in zip(reversed(paid), slots, strict=True))


def _check_prices(problem: Problem, levels: tuple[str, ...], prices: Prices) -> Prices:
    """Return prices from any source as 64-bit integers. Raises ValueError with the name of an array of another shape."""
    rows = require_integers("prices", prices.rows, (len(levels), problem.members))
    if TOPIC_SPREAD not in levels or not problem.items:
        return Prices(rows)
    shape, number = (len(levels), problem.topics, problem.asked(levels).racks), len(prices.places[0])
    topic, member = (require_integers("places", each, (number,)) for each in prices.places)
    owned = find_owned_places(problem)
    if not np.isin(topic * problem.members + member, owned).all():
        raise ValueError("the places have prices of their own where nothing was owned. Leave these out")
    return Prices(
        rows,
        require_integers("prices of topics", prices.topics, shape),
        (topic, member),
        require_integers("prices of places", prices.place_rows, (len(levels), number)),
    )


def compute_offers(problem: Problem, unit: Units, price: Ints) -> Ints:
    """Return the least payment, cost and price, of each item: at its owners, or at any reader in each rack."""
    reads = find_reading(problem)
    far = problem.table(unit)
    cheapest = np.full((problem.subscriptions, far.shape[1]), LARGEST)
    np.minimum.at(cheapest, (problem.subscription_of, problem.rack_of), price)
    in_rack = np.minimum.reduceat(
        cheapest[problem.audience_subscription], problem.audience_start[:-1], axis=0
    )
    audience, profile = problem.audience_of, problem.profile_of
    # If there are fewer pairs of an audience and a profile than items, compute each pair once.
    fewer = problem.audiences * len(far) < problem.items
    if fewer:
        audience, profile = map(np.ravel, np.indices((problem.audiences, len(far))))
    least = np.full(len(audience), 2 * LARGEST - 1)
    for rack in range(far.shape[1]):
        np.minimum(least, in_rack[:, rack][audience] + far[:, rack][profile], out=least)
    if fewer:
        least = least[problem.audience_of * len(far) + problem.profile_of]
    gain, left = problem.gains(unit), problem.losses(unit)[problem.claim_of]
    least += left
    for items, entry in iterate_owners(problem.claim_start, problem.claim_of):
        owner = problem.claim_member[entry]
        stay = (
            price[owner] + far[problem.profile_of[items], problem.rack_of[owner]] + left[items] - gain[entry]
        )
        reader = reads[problem.audience_of[items], problem.subscription_of[owner]]
        least[items[reader]] = np.minimum(least[items[reader]], stay[reader])
    return least


def _find_offers_of_several(problem: Problem, unit: Units, price: Ints) -> Ints:
    """Return the least payment of each item for all of its copies; examines every member for every item class."""
    reads, copies = find_reading(problem), problem.copies_of_audience
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
