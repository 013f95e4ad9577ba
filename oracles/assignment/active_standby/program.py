"""The aggregated program: patterns, the rows that they fill, the bounds of the rows, and the disaggregation to members.

A *pattern* gives the groups of one item's copies.

The copies in a group are dealt to its members in turn: active copies part by part, then standbys. So members of a
group differ by at most one copy in each part's active copies, in all active copies, and in all copies. If an item has
two copies on one member, that member and one without the item share their copies again (equitable colouring). Copies
are paired, the copies of an item with each other and the copies of a part, and the two of a pair go to different
members. Two such pairings make cycles of even length, so that is always possible. Loads stay balanced, and each time
fewer items have two copies on one member.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from kassay.oracles.assignment.active_standby.problem import BALANCES, Collapsed
from kassay.oracles.assignment.flow.item_classes import rank_in_run, sort_stably
from kassay.oracles.assignment.own_levels import BALANCE, SPREAD, TOTAL_BALANCE
from kassay.oracles.assignment.problem import LARGEST, Ints
from kassay.oracles.assignment.values import compute_even_price, count_at_price
from kassay.oracles.errors import TooLargeError

MANY = 300_000
"""The limit of patterns that are listed."""


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """All patterns of items with a number of standbys: one row for each pattern.

    `active` is the group of the active copy. `groups` has a column for each standby: its group. `standby` has a
    column for each group: its number of standbys. `collisions` counts copies in zones of other copies.
    """

    active: Ints
    groups: Ints
    standby: Ints
    collisions: Ints


def list_patterns(of: Collapsed, standbys: int) -> Patterns:
    """List the patterns of items with this number of standbys. Raises TooLargeError if there are more than MANY."""
    groups, seats = of.groups, np.minimum(of.size, 1 + standbys)
    number = groups
    for k in range(standbys):
        number = number * (groups + k) // (k + 1)
    if number > MANY:
        raise TooLargeError(
            f"{groups} groups of members and {standbys} standbys make about {number} patterns. At most {MANY} are listed"
        )
    chosen = list(combinations_with_replacement(range(groups), standbys))
    rows = np.array(chosen, np.int64).reshape(len(chosen), standbys)
    every = np.zeros((len(rows), groups), np.int64)
    for column in rows.T:
        np.add.at(every, (np.arange(len(rows)), column), 1)
    active = np.repeat(np.arange(groups), len(every))
    standby = np.tile(every, (groups, 1))
    total = standby.copy()
    total[np.arange(len(active)), active] += 1
    fits = (total <= seats).all(axis=1)
    active, standby, total = active[fits], standby[fits], total[fits]
    where = np.tile(rows, (groups, 1))[fits]
    collisions = np.zeros(len(active), np.int64)
    for zone in of.zones:
        known = np.unique(zone[zone >= 0])
        there = total @ (zone[:, None] == known).astype(np.int64)
        collisions += np.maximum(there - 1, 0).sum(axis=1)
    return Patterns(active, where, standby, collisions)


@dataclass(frozen=True, slots=True, eq=False)
class ClassCase:
    """A case of the aggregated program: some classes (None: all) in one group, or in all (-1); see :class:`.check.Case`."""

    classes: Ints | None
    group: int
    active: bool
    most: int


Way = tuple[tuple[ClassCase, bool], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Columns of the program: a class, and one of the patterns of items with its number of standbys."""

    class_: Ints
    pattern: Ints

    def __len__(self) -> int:
        return len(self.class_)

    def join(self, others: "Columns") -> "Columns":
        """Return these columns and then others."""
        return Columns(
            np.concatenate([self.class_, others.class_]), np.concatenate([self.pattern, others.pattern])
        )


class Layers:
    """A balance in the program: each group's load around the balanced one, at costs that grow with the distance.

    A member of weight w with n copies pays w (2 n + 1) for the next one. At balanced loads no copy paid more than
    `price`, and none would pay less. Members have `even` copies; `spare` members of a group may have one more, at
    exactly this price. For a fixed sum of all loads, the sum of squares has two parts. One is `constant`. The other
    is, for each copy beyond the balanced loads, the difference of its payment from `price`. If all loads are fixed,
    `constant` is the sum of their squares.
    """

    def __init__(self, of: Collapsed, active: bool) -> None:
        self.size, self.weight = of.size, of.weight
        self.total = int(of.count.sum()) + (0 if active else int((of.count * of.standbys).sum()))
        self.fixed = of.active_loads if active else of.loads
        self.price = compute_even_price(self.total, of.weight, of.size)
        self.even = count_at_price(self.price - 1, of.weight)
        self.spare = of.size * (count_at_price(self.price, of.weight) - self.even)
        low = of.size * self.even
        even = self.sum_squares(low) + self.price * (self.total - int(low.sum()))
        self.constant = even if self.fixed is None else self.sum_squares(self.fixed)

    def sum_squares(self, loads: Ints) -> int:
        """Return the sum of all members' weighted squares, with each group's load balanced."""
        each, more = np.divmod(loads, self.size)
        rows = (row.tolist() for row in (self.weight, self.size, each, more))
        return sum(w * (n * e * e + m * (2 * e + 1)) for w, n, e, m in zip(*rows, strict=True))

    def list_extra_costs(self, group: int) -> tuple[Ints, Ints]:
        """Return the extra payment of each further copy of a member, and the missing payment of each copy that it lacks."""
        w, low = int(self.weight[group]), int(self.even[group])
        high = low + int(self.spare[group] > 0)
        most = max(-(-self.total // int(self.size[group])), high)
        more, fewer = np.arange(high, most), np.arange(low)[::-1]
        return w * (2 * more + 1) - self.price, self.price - w * (2 * fewer + 1)

    @property
    def step(self) -> int:
        """The least difference of a payment from the price beyond balanced loads, above or below; 1 or more."""
        high = self.even + (self.spare > 0)
        above = self.weight * (2 * high + 1) - self.price
        below = np.where(self.even > 0, self.price - self.weight * (2 * self.even - 1), above)
        return int(np.minimum(above, below).min(initial=LARGEST))


class Program:
    """A question on classes and groups: all patterns, the levels' costs, and the balances' layers."""

    def __init__(self, of: Collapsed, levels: tuple[str, ...]) -> None:
        self.of, self.levels = of, levels
        self.patterns = {int(s): list_patterns(of, int(s)) for s in np.unique(of.standbys)}
        self.layers = {BALANCE: Layers(of, True), TOTAL_BALANCE: Layers(of, False)}
        self.squares = {level: dict(zip(BALANCES, of.squares[level], strict=True)) for level in levels}
        costs = [each for pair in of.costs.values() for each in pair]
        self.greatest_cost = max((int(np.abs(each).max(initial=0)) for each in costs), default=0)
        self.cap_row = np.full((int(of.part.max(initial=0)) + 1, of.groups), -1)
        inside = of.caps[:, 0] < len(self.cap_row)
        self.cap_row[of.caps[inside, 0], of.caps[inside, 1]] = np.flatnonzero(inside)

    def replace_classes(self, of: Collapsed) -> "Program":
        """Return the question on other classes of items and the same groups."""
        other = copy(self)
        other.of = of
        return other

    def locate_copies(self, columns: Columns) -> tuple[Ints, Ints]:
        """Return for each column the active copy's group, and the number of standbys in each group."""
        active = np.empty(len(columns), np.int64)
        standby = np.empty((len(columns), self.of.groups), np.int64)
        for each, which in self._split_by_standbys(columns):
            active[which] = each.active[columns.pattern[which]]
            standby[which] = each.standby[columns.pattern[which]]
        return active, standby

    def compute_costs(self, level: str, columns: Columns) -> Ints:
        """Return the cost of one item of each column in a level; 0 in a balance."""
        found = np.zeros(len(columns), np.int64)
        if level in BALANCES:
            return found
        if level == SPREAD:
            for each, which in self._split_by_standbys(columns):
                found[which] = each.collisions[columns.pattern[which]]
            return found
        active, standby = self.locate_copies(columns)
        actives, standbys = self.of.costs[level]
        found += actives[columns.class_, active] + (standbys[columns.class_] * standby).sum(axis=1)
        return found

    def compute_values(self, columns: Columns, number: Ints) -> tuple[int, ...]:
        """Return the value of each level, without losses, for these numbers of items in the columns."""
        active, standby = self.locate_copies(columns)
        actives = np.zeros(self.of.groups, np.int64)
        np.add.at(actives, active, number)
        loads = {BALANCE: actives, TOTAL_BALANCE: actives + number @ standby}
        return tuple(
            int((self.compute_costs(level, columns) * number).sum())
            + sum(n * self.layers[balance].sum_squares(loads[balance]) for balance, n in squares.items() if n)
            for level, squares in self.squares.items()
        )

    def compute_constant(self, level: str) -> int:
        """Return the part of a level that its program leaves out: the squares of balanced or fixed loads."""
        return sum(n * self.layers[balance].constant for balance, n in self.squares[level].items())

    def build_entries(self, columns: Columns, before: tuple[str, ...], way: Way) -> Ints:
        """Return the entries of an item of each column in the rows: groups' active copies, copies, caps, levels before, cases."""
        of = self.of
        active, standby = self.locate_copies(columns)
        every = np.arange(len(columns))
        groups = np.zeros((len(columns), of.groups), np.int64)
        groups[every, active] = 1
        caps = np.zeros((len(columns), len(of.caps)), np.int64)
        row = self.cap_row[of.part[columns.class_], active]
        caps[every[row >= 0], row[row >= 0]] = 1
        costs = [self.compute_costs(level, columns)[:, None] for level in before]
        cases = []
        for case, _ in way:
            held = groups if case.active else groups + standby
            held = held.sum(axis=1) if case.group < 0 else held[:, case.group]
            inside = (
                np.ones(of.classes, np.bool_)
                if case.classes is None
                else np.isin(np.arange(of.classes), case.classes)
            )
            cases.append((held * inside[columns.class_])[:, None])
        return np.hstack([groups, groups + standby, caps, *costs, *cases])

    def build_bounds(self, before: tuple[str, ...], worth: tuple[int, ...], way: Way) -> tuple[Ints, Ints]:
        """Return the bounds of each row's sum; a load's bounds are the ones of its balanced load, without layers."""
        of = self.of
        low: list[Ints] = []
        high: list[Ints] = []
        for level in BALANCES:
            layers = self.layers[level]
            free = self.is_free(level, before)
            if layers.fixed is not None:
                low, high = [*low, layers.fixed], [*high, layers.fixed]
            elif free:
                low, high = [*low, np.zeros_like(of.size)], [*high, np.full_like(of.size, layers.total)]
            else:
                even = layers.even * layers.size
                low, high = [*low, even], [*high, even + layers.spare]
        most = [value - self.compute_constant(level) for level, value in zip(before, worth, strict=True)]
        sides = [(case.most + 1, 2**60) if more else (-(2**60), case.most) for case, more in way]
        low += [of.caps[:, 2], np.full(len(most), -(2**60)), np.array([side[0] for side in sides], np.int64)]
        high += [of.caps[:, 3], np.array(most, np.int64), np.array([side[1] for side in sides], np.int64)]
        return np.concatenate(low), np.concatenate(high)

    def is_free(self, level: str, before: tuple[str, ...]) -> bool:
        """Return True if a balance plays no part in a program: neither minimised nor bounded."""
        return not any(self.squares[each][level] for each in (*before, self.levels[len(before)]))

    def _split_by_standbys(self, columns: Columns) -> list[tuple[Patterns, Ints]]:
        standbys = self.of.standbys[columns.class_]
        return [(each, np.flatnonzero(standbys == s)) for s, each in self.patterns.items()]


def deal_copies(program: Program, columns: Columns, number: Ints) -> Ints:
    """Return the owners of each item, for these numbers of items in the columns."""
    of = program.of
    width = 1 + int(of.standbys.max(initial=0))
    groups = np.full((len(columns), width), -1)
    for s, each in program.patterns.items():
        which = np.flatnonzero(of.standbys[columns.class_] == s)
        groups[which, 0] = each.active[columns.pattern[which]]
        groups[which, 1 : 1 + s] = each.groups[columns.pattern[which]]
    order = np.argsort(columns.class_, kind="stable")
    placed = np.empty((len(of.class_of), width), np.int64)
    placed[sort_stably(of.class_of)] = groups[np.repeat(order, number[order])]
    owners = np.full_like(placed, -1)
    member = sort_stably(of.group_of)
    first = np.cumsum(of.size) - of.size
    item, place = np.nonzero(placed >= 0)
    group = placed[item, place]
    single = of.size[group] == 1
    owners[item[single], place[single]] = member[first[group[single]]]
    for g in np.flatnonzero(of.size > 1).tolist():
        here = np.flatnonzero(group == g)
        active = place[here] == 0
        part = np.where(active, of.part[of.class_of[item[here]]], -1)
        seat = _deal_seats(item[here], active, part, int(of.size[g]))
        owners[item[here], place[here]] = member[first[g] + seat]
    return owners


def find_even_placement(program: Program) -> tuple[Columns, Ints] | None:
    """Return some placement with balanced loads, if there is no time for a better one.

    None if members differ in slots, or counts, caps or fixed active copies leave no choice.
    """
    of = program.of
    asked = of.active_loads is not None or of.loads is not None or len(of.caps) or (of.given >= 0).any()
    if asked or len(np.unique(of.weight)) != 1 or not len(of.class_of):
        return None
    copies = 1 + of.standbys[of.class_of]
    item = np.repeat(np.arange(len(copies)), copies)
    active = np.arange(len(item)) == (np.cumsum(copies) - copies)[item]
    group = of.group_of[_deal_seats(item, active, np.where(active, 0, -1), len(of.group_of))]
    pattern = np.empty(len(copies), np.int64)
    for s, each in program.patterns.items():
        mine = np.flatnonzero(copies == 1 + s)
        rows = group[np.isin(item, mine)].reshape(-1, 1 + s)
        rows[:, 1:].sort(axis=1)
        base = of.groups ** np.arange(s, -1, -1)
        listed = np.column_stack([each.active, each.groups]) @ base
        order = np.argsort(listed)
        pattern[mine] = order[np.searchsorted(listed[order], rows @ base)]
    keys, number = np.unique(np.column_stack([of.class_of, pattern]), axis=0, return_counts=True)
    return Columns(keys[:, 0], keys[:, 1]), number


def _deal_seats(item: Ints, active: NDArray[np.bool_], part: Ints, members: int) -> Ints:
    """Return the member (0 to `members` - 1) of each copy; `part` is -1 for standbys."""
    order = np.lexsort((item, part, ~active))
    seat = np.empty(len(item), np.int64)
    seat[order] = np.arange(len(item)) % members
    while True:
        # The copies at a member that has an earlier copy of the same item.
        key = item * members + seat
        order = np.argsort(key, kind="stable")
        later = order[1:]
        twice = np.compress(key[later] == key[order[:-1]], later)
        if not len(twice):
            return seat
        _deal_again(item, active, part, seat, _find_pairs(item, seat, twice, members))


def _find_pairs(item: Ints, seat: Ints, twice: Ints, members: int) -> dict[int, int]:
    """Return pairs of different members: one with two copies of an item, and one without the item."""
    order = np.argsort(item, kind="stable")
    first = np.searchsorted(item[order], item[twice])
    last = np.searchsorted(item[order], item[twice], side="right")
    taken: dict[int, int] = {}
    for again, begin, end in zip(twice.tolist(), first.tolist(), last.tolist(), strict=True):
        giver = int(seat[again])
        if giver in taken:
            continue
        full = {*seat[order[begin:end]].tolist()}
        for step in range(1, members):
            taker = (giver + step) % members
            if taker not in full and taker not in taken:
                taken[giver], taken[taker] = taker, giver
                break
    return {a: b for a, b in taken.items() if a < b}


def _deal_again(item: Ints, active: NDArray[np.bool_], part: Ints, seat: Ints, pairs: dict[int, int]) -> None:
    low, high = np.array(list(pairs)), np.array(list(pairs.values()))
    pair_of = np.full(max(int(seat.max()), int(high.max())) + 1, -1)
    pair_of[low] = pair_of[high] = np.arange(len(low))
    copies = np.flatnonzero(pair_of[seat] >= 0)
    pair = pair_of[seat[copies]]
    # A dummy copy makes each pair's number of copies even.
    odd = np.flatnonzero(np.bincount(pair, minlength=len(low)) % 2)
    pair = np.concatenate([pair, odd])
    alone = -1 - np.arange(len(odd))
    items = np.concatenate([item[copies], alone])
    actives = np.concatenate([active[copies], np.zeros(len(odd), np.int64)])
    parts = np.concatenate([part[copies], alone - 1])
    one = _find_partners([np.column_stack([pair, items]), pair[:, None]])
    two = _find_partners(
        [np.column_stack([pair, actives, parts]), np.column_stack([pair, actives]), pair[:, None]]
    )
    ring, on = np.arange(len(pair)), two[one]
    for _ in range(len(pair).bit_length()):
        ring, on = np.minimum(ring, ring[on]), on[on]
    new = np.where(ring < ring[one], low[pair], high[pair])
    seat[copies] = new[: len(copies)]


def _find_partners(keys: Sequence[Ints]) -> Ints:
    """Pair numbers with equal keys, and the rest by the next, coarser keys; return each one's partner."""
    partner = np.full(len(keys[0]), -1)
    for rows in keys:
        left = np.flatnonzero(partner < 0)
        _, key = np.unique(rows[left], axis=0, return_inverse=True)
        order = np.argsort(key.reshape(-1), kind="stable")
        rank = rank_in_run(key.reshape(-1)[order])
        second = np.flatnonzero(rank % 2)
        a, b = left[order[second - 1]], left[order[second]]
        partner[a], partner[b] = b, a
    return partner
