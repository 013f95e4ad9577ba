"""The proof of optima of topic spread: prices of topics and members, whose bound no assignment goes below.

A partition pays at a member m of topic t what it costs there and the price s(t, m) of a place, a place pays p(m) for each slot of
its member. For any prices an assignment costs at least

    sum over items of the least (cost + s(topic, m)) among readers
    + sum over topics t and readers m of the least (spread's k^2 - (s(t, m) - p(m)) k)  +  sum over members of the least (balance's l^2 - p(m) l).

Where m owned nothing of t, s(t, m) is u(t), the price of the topic in the rack of m. Where it owned c partitions, no price makes
the bound greater than ``p(m) + 2 c`` squares if each of these has one owner and racks do not count: that, or the nearest to it from u(t) to u(t) and
what leaving costs. So a row for each member and each topic is the whole proof; with racks, one for each topic and rack, and what differs is given.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kassay.oracles.assignment.aggregation import numbered, runs
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import LARGEST, Ints, Problem, Units
from kassay.oracles.assignment.values import Prices
from kassay.oracles.errors import TooLargeError


def spread_bound(problem: Problem, levels: tuple[str, ...], prices: Prices) -> tuple[int, ...]:
    """Return what no assignment goes below, level by level; problem and prices are of the levels and have items.

    Raises TooLargeError where the prices leave 64 bits.
    """
    return _bound(_Counted(problem, levels, prices))


def weighted_bound(problem: Problem, unit: Units, prices: Prices) -> int:
    """Return what no assignment's weighted sum goes below: of squared loads, the squares of topics, and levels of cost, each by its `unit`.

    Prices are one row. Raises TooLargeError where they leave 64 bits.
    """
    (least,) = _bound(_Counted(problem, ("",), prices, unit))
    return least


def _bound(counted: "_Counted") -> tuple[int, ...]:
    most, squares = np.array([counted.problem.items]), counted.squared(BALANCE)
    loads = _least(counted.prices.rows, squares, most, weigh=counted.weigh)
    sums = [counted.items(), counted.places(), loads]
    return tuple(map(sum, zip(*sums, strict=True)))


def leanest(problem: Problem, levels: tuple[str, ...], prices: Prices, unit: Units | None = None) -> Prices:
    """Return prices that prove as much and say nothing of owners' places where that follows; of a weighted sum where there is a `unit`."""
    if prices.topics is None or not len(prices.places[0]):
        return prices
    problem = problem if unit else problem.asked(levels)
    none = np.empty(0, np.int64)
    plain = replace(prices, places=(none, none), place_rows=np.empty((len(levels), 0), np.int64))
    usual = _Counted(problem, levels, plain, unit)
    proved = _bound(_Counted(problem, levels, prices, unit))
    if _bound(usual) == proved:
        return plain
    topic, member = prices.places
    follows = usual.owner_rows()[:, np.searchsorted(usual.owned, topic * problem.members + member)]
    differ = np.flatnonzero((follows != prices.place_rows).any(axis=0))
    some = replace(prices, places=(topic[differ], member[differ]), place_rows=prices.place_rows[:, differ])
    return some if _bound(_Counted(problem, levels, some, unit)) == proved else prices


class _Counted:
    """A problem's topics, owners' places and prices, the levels of a price as digits of one number; of a weighted sum it is one digit."""

    def __init__(
        self, problem: Problem, levels: tuple[str, ...], prices: Prices, weights: Units | None = None
    ) -> None:
        assert prices.topics is not None
        self.problem, self.levels, self.prices, self.weights = problem, levels, prices, weights
        topic, self.weigh = problem.topic_numbers, problem.weights[problem.subscription_of]
        self.count = np.bincount(topic, minlength=problem.topics)
        self.audience = problem.topic_audience
        (self.topic, self.profile, self.claim), self.many = _kinds(problem)
        self.reads = _reads(problem)
        self.item_class, self.entry, self.owner = _owners(problem, self.topic, self.claim)
        key = self.topic[self.item_class] * problem.members + self.owner
        self.owned, self.place = numbered(key, problem.topics * problem.members)
        self.owns = np.bincount(self.place, self.many[self.item_class], len(self.owned)).astype(np.int64)

        self.bases = self._bases()
        self.unit = weights or {level: math.prod(self.bases[n + 1 :]) for n, level in enumerate(levels)}
        self.slot = self._packed(prices.rows)
        self.pool = self._packed(prices.topics.reshape(len(levels), -1)).reshape(
            problem.topics, problem.racks
        )
        self.stay = self._stay()

    def _bases(self) -> list[int]:
        """Return, per level, a base in which every sum of an item's prices and costs is one digit, positive or negative."""
        assert self.prices.topics is not None
        weights = [*self.weights.values()] if self.weights else [1]
        dearest = sum(weights)
        dearest *= int(self.weigh.max(initial=1))
        squares = (2 * int(self.owns.max(initial=0)) + 1) * dearest
        bases = []
        for n in range(len(self.levels)):
            rows = self.prices.rows[n], self.prices.topics[n], self.prices.place_rows[n]
            most = max((int(np.abs(row).max(initial=0)) for row in rows), default=0)
            bases.append(2 * (3 * most + squares + 3 * self.problem.greatest_cost * dearest) + 1)
        sums = self.problem.items * (self.problem.members + 1) * (self.problem.items * dearest + max(bases))
        if math.prod(bases) >= LARGEST or sums >= LARGEST:
            raise TooLargeError("the prices leave 64 bits")
        return bases

    def squared(self, name: str) -> list[int]:
        """Return what a square of this level weighs in each digit."""
        if self.weights is not None:
            return [self.weights.get(name, 0)]
        return [int(level == name) for level in self.levels]

    def _packed(self, rows: Ints) -> Ints:
        packed = np.zeros(rows.shape[1], np.int64)
        for row, base in zip(rows, self.bases, strict=True):
            packed = packed * base + row
        return packed

    def _digits(self, packed: Ints) -> Ints:
        rows = []
        for base in reversed(self.bases[1:]):
            rest = (packed + base // 2) // base
            rows.append(packed - rest * base)
            packed = rest
        return np.array([packed, *reversed(rows)])

    def _stay(self) -> Ints:
        """Return the price of each owner's place."""
        problem = self.problem
        topic, member = np.divmod(self.owned, problem.members)
        pool, slot = self.pool[topic, problem.rack_of[member]], self.slot[member]
        leaving = sum(self.unit.get(level.name, 0) for level in problem.levels if level.gain is not None)
        stay = np.clip(
            slot + 2 * self.owns * self.weigh[member] * self.unit[TOPIC_SPREAD], pool, pool + leaving
        )
        topics, members = self.prices.places
        given = np.searchsorted(self.owned, topics * problem.members + members)
        stay[given] = self._packed(self.prices.place_rows)
        return np.asarray(np.maximum(stay, pool), np.int64)

    def owner_rows(self) -> Ints:
        """Return the price of each owner's place, level by level."""
        return self._digits(self.stay)

    def items(self) -> list[int]:
        """Add up what items pay at least."""
        problem = self.problem
        far, loss = problem.table(self.unit), problem.losses(self.unit)[self.claim]
        near = np.zeros((problem.subscriptions, problem.racks), np.bool_)
        near[problem.subscription_of, problem.rack_of] = True
        there = (self.reads.astype(np.int64) @ near) > 0
        least = np.full(len(self.topic), LARGEST)
        for rack in range(problem.racks):
            offer = self.pool[self.topic, rack] + far[self.profile, rack]
            least = np.where(there[self.topic, rack], np.minimum(least, offer), least)
        own = (
            far[self.profile[self.item_class], problem.rack_of[self.owner]]
            - problem.gains(self.unit)[self.entry]
        )
        np.minimum.at(least, self.item_class, self.stay[self.place] + own)
        return [int((digit * self.many).sum()) for digit in self._digits(least + loss)]

    def places(self) -> list[int]:
        """Add up the least that places pay: those of owners, and all others, which are alike where members are."""
        problem, prices = self.problem, self.prices
        assert prices.topics is not None
        topic, member = np.divmod(self.owned, problem.members)
        paid = self.owner_rows() - prices.rows[:, member]
        squares = self.squared(TOPIC_SPREAD)
        weigh = self.weigh[member]
        total = _least(paid, squares, self.count[topic], weigh=weigh)
        plain = prices.topics[:, topic, problem.rack_of[member]] - prices.rows[:, member]
        total = _added(total, _least(plain, squares, self.count[topic], weigh=weigh), -1)

        alike = np.vstack([problem.subscription_of, problem.rack_of, prices.rows])
        kinds, size = np.unique(alike, axis=1, return_counts=True)
        order, of = np.argsort(kinds[0], kind="stable"), np.zeros(problem.subscriptions + 1, np.int64)
        of[1:] = np.cumsum(np.bincount(kinds[0], minlength=problem.subscriptions))
        topic, entry = runs(problem.audience_start, self.audience)
        entry, at = runs(of, problem.audience_subscription[entry])
        topic, kind = topic[entry], order[at]
        paid = prices.topics[:, topic, kinds[1][kind]] - kinds[2:][:, kind]
        weigh = problem.weights[kinds[0][kind]]
        return _added(total, _least(paid, squares, self.count[topic], size[kind], weigh))


def place_prices(problem: Problem, levels: tuple[str, ...], prices: Prices) -> Ints:
    """Return what a place of each topic costs at each member, level by level (levels x topics x members), where all members read all topics."""
    assert prices.topics is not None
    problem = problem.asked(levels)
    found = prices.topics[:, :, problem.rack_of]
    if problem.items:
        counted = _Counted(problem, levels, prices)
        topic, member = np.divmod(counted.owned, problem.members)
        found[:, topic, member] = counted.owner_rows()
    return found


def owned_places(problem: Problem) -> Ints:
    """Return the places of owners, ``topic * members + member``, ascending: those of readers that owned some of the topic."""
    (topic, _, claim), _ = _kinds(problem)
    item_class, _, owner = _owners(problem, topic, claim)
    return np.unique(topic[item_class] * problem.members + owner)


def _kinds(problem: Problem) -> tuple[tuple[Ints, ...], Ints]:
    """Return the topic, profile and claim of each kind of items, and how many there are of each."""
    shape = problem.topics, *problem.shape[1:]
    key = np.ravel_multi_index((problem.topic_numbers, problem.profile_of, problem.claim_of), shape)
    found, kind = numbered(key, math.prod(shape))
    return np.unravel_index(found, shape), np.bincount(kind, minlength=len(found))


def _reads(problem: Problem) -> NDArray[np.bool_]:
    """Return whether members of each subscription (column) read each topic (row)."""
    reads = np.zeros((problem.topics, problem.subscriptions), np.bool_)
    topic, entry = runs(problem.audience_start, problem.topic_audience)
    reads[topic, problem.audience_subscription[entry]] = True
    return reads


def _owners(problem: Problem, topic: Ints, claim: Ints) -> tuple[Ints, Ints, Ints]:
    """Return each kind with each of its owners that may read it: the kind, the claim's entry, the owner."""
    kind, entry = runs(problem.claim_start, claim)
    owner = problem.claim_member[entry]
    may = _reads(problem)[topic[kind], problem.subscription_of[owner]]
    return kind[may], entry[may], owner[may]


def _added(one: list[int], other: list[int], sign: int = 1) -> list[int]:
    return [a + sign * b for a, b in zip(one, other, strict=True)]


def _least(
    prices: Ints, squares: Sequence[int], most: Ints, times: Ints | int = 1, weigh: Ints | int = 1
) -> list[int]:
    """Add up the least (weight * n^2 - price * n), over n from 0 to `most`, for each column; a row of prices and what a square counts for each level, times what it weighs in a column.

    The numbers that are least so far are an interval, which every level narrows.
    """
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
