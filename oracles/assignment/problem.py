"""An assignment problem as data: items, members, and the cost of each item at each member, in a few arrays.

Sizes go up to 10^6 items and 10^4 members. An *item* goes to one member as a whole: a partition, a set of partitions
that stay together, or a task. Members with the same subscription, and items with the same readers, are
interchangeable in all other respects. Each level of a question is a :class:`Level` with columns of costs. Only
balance, the sum of the squared loads, and topic spread have no columns.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.errors import ImpossibleError, TooLargeError

Ints: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """A sum of costs over all copies of all items, to be minimized.

    A copy of an item of profile p costs ``table[p, rack]`` at a member in that rack. An item of claim c costs
    ``loss[c]`` once. If entry i of the claim's owners holds a copy, the sum falls by ``gain[i]``, 0 or more. A column
    that is None costs nothing. Raises ImpossibleError if a gain is below 0.
    """

    name: str
    table: Ints | None = None
    gain: Ints | None = None
    loss: Ints | None = None

    greatest: int = field(init=False)
    """The most that one copy of an item can cost or save; computed once, because it is read often."""

    def __post_init__(self) -> None:
        if self.gain is not None and int(self.gain.min(initial=0)) < 0:
            raise ImpossibleError(f"level: {self.name!r} has a gain below 0. Give costs in its table instead")
        table, gain, loss = (
            0 if column is None else max(int(column.max(initial=0)), -int(column.min(initial=0)))
            for column in (self.table, self.gain, self.loss)
        )
        object.__setattr__(self, "greatest", max(1, table + max(gain, loss)))


LARGEST = 2**62
"""The limit of all sums of costs: one bit less than 64 bits hold."""
Units: TypeAlias = Mapping[str, int]
"""Level -> weight of one unit, if several levels are digits of one number; levels that are missing weigh nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """The members that each item may go to, and the costs.

    Members have a subscription (`subscription_of`) and a rack (`rack_of`, a column of the levels' tables). Items have
    an audience (`audience_of`: the subscriptions ``audience_subscription[audience_start[a]:audience_start[a + 1]]``
    may hold them), a profile (`profile_of`, a row of the levels' tables) and a claim (`claim_of`). Claim c has the
    owners ``claim_member[i]``, for each i in ``range(claim_start[c], claim_start[c + 1])``; claim 0 has no owner.
    `levels` are the costs, by name. Each item goes to `copies` different members. If this number
    differs, the items of audience a go to ``copies_of[a]`` members, 0 or more, and `copies` is the greatest of these
    numbers. Rows of owners are then filled up with -1. The square of a member's load
    weighs ``weight_of[s]`` of its subscription s in balance, 1 if that is None. Items of one topic (`topic_of`, its
    number; None if no level needs it) have one audience.
    """

    subscription_of: Ints
    rack_of: Ints
    audience_start: Ints
    audience_subscription: Ints
    audience_of: Ints
    profile_of: Ints
    claim_of: Ints
    claim_start: Ints
    claim_member: Ints
    levels: tuple[Level, ...]
    copies: int = 1
    copies_of: Ints | None = None
    weight_of: Ints | None = None
    topic_of: Ints | None = None

    @property
    def topic_numbers(self) -> Ints:
        """The number of each item's topic. Raises ImpossibleError if topics are unknown."""
        if self.topic_of is None:
            raise ImpossibleError(f"level: {TOPIC_SPREAD!r} needs the topic of each item. Give topic_of")
        return self.topic_of

    @property
    def topics(self) -> int:
        """The number of topics."""
        return int(self.topic_numbers.max(initial=-1)) + 1

    @property
    def topic_audience(self) -> Ints:
        """The audience of each topic; any audience for a topic without items."""
        audience = np.zeros(self.topics, np.int64)
        audience[self.topic_numbers] = self.audience_of
        return audience

    @property
    def weights(self) -> Ints:
        """The weight of the squared load in each subscription."""
        return np.ones(self.subscriptions, np.int64) if self.weight_of is None else self.weight_of

    @property
    def single(self) -> bool:
        """True if every item goes to one member."""
        return self.copies == 1 and self.copies_of is None

    @property
    def copies_of_audience(self) -> Ints:
        """The number of members that the items of each audience go to."""
        return np.full(self.audiences, self.copies) if self.copies_of is None else self.copies_of

    @property
    def members(self) -> int:
        """The number of members."""
        return len(self.subscription_of)

    @property
    def items(self) -> int:
        """The number of items."""
        return len(self.audience_of)

    @property
    def subscriptions(self) -> int:
        """The number of different subscriptions."""
        return int(self.subscription_of.max(initial=-1)) + 1

    @property
    def audiences(self) -> int:
        """The number of different audiences."""
        return len(self.audience_start) - 1

    @property
    def racks(self) -> int:
        """The number of racks; members without a rack count as one more."""
        return self.tables[1]

    @property
    def tables(self) -> tuple[int, int]:
        """The number of rows (profiles) and columns (racks) of the levels' tables."""
        for level in self.levels:
            if level.table is not None:
                return level.table.shape
        return int(self.profile_of.max(initial=0)) + 1, int(self.rack_of.max(initial=0)) + 1

    @property
    def greatest_cost(self) -> int:
        """The most that one copy of an item can cost or save in one level."""
        return max((level.greatest for level in self.levels), default=1)

    def level(self, name: str) -> Level:
        """Return the level with this name. Raises ImpossibleError if the problem has no such costs."""
        for level in self.levels:
            if level.name == name:
                return level
        raise ImpossibleError(f"level: there are no costs of the name {name!r}")

    def asked(self, names: tuple[str, ...]) -> "Problem":
        """Drop all levels but these, racks that no level of them needs, claims that no level of them rewards, and unneeded topics."""
        levels = tuple(self.level(name) for name in names if name not in (BALANCE, TOPIC_SPREAD))
        known = self if levels == self.levels else replace(self, levels=levels)
        if all(level.table is None for level in levels):
            none = np.zeros_like(self.profile_of)
            known = replace(known, rack_of=np.zeros_like(self.rack_of), profile_of=none)
        if all(level.gain is None for level in levels):
            start, member = NO_CLAIMS
            none = np.zeros_like(self.claim_of)
            known = replace(known, claim_of=none, claim_start=start, claim_member=member)
        return known if TOPIC_SPREAD in names or known.topic_of is None else replace(known, topic_of=None)

    def table(self, unit: Units) -> Ints:
        """Return the cost of each profile in each rack, as one sum in these units."""
        columns = [(each.table, unit.get(each.name, 0)) for each in self.levels]
        return _add_columns(columns, self.tables)

    def gains(self, unit: Units) -> Ints:
        """Return the saving for each owner of each claim, as one sum in these units."""
        columns = [(each.gain, unit.get(each.name, 0)) for each in self.levels]
        return _add_columns(columns, (len(self.claim_member),))

    def losses(self, unit: Units) -> Ints:
        """Return the cost of leaving all owners, for each claim, as one sum in these units."""
        columns = [(each.loss, unit.get(each.name, 0)) for each in self.levels]
        return _add_columns(columns, (len(self.claim_start) - 1,))

    def claimed(self, of: Ints, start: Ints, member: Ints, *levels: Level) -> "Problem":
        """Replace the claims, and each of these levels by the one given; the other levels lose their gains."""
        given = {level.name: level for level in levels}
        known = tuple(given.get(each.name, replace(each, gain=None, loss=None)) for each in self.levels)
        added = tuple(level for level in levels if level.name not in {each.name for each in known})
        return replace(self, claim_of=of, claim_start=start, claim_member=member, levels=known + added)


NO_CLAIMS = tuple(np.array(each, np.int64) for each in ([0, 0], []))
"""The claim columns of a problem in which no member owns anything: only claim 0."""


def _add_columns(columns: list[tuple[Ints | None, int]], shape: tuple[int, ...]) -> Ints:
    """Return the sum of columns, each times its number; zeros of this shape if nothing remains."""
    some = [
        column if number == 1 else column * number
        for column, number in columns
        if column is not None and number
    ]
    if not some:
        return np.zeros(shape, np.int64)
    return some[0] if len(some) == 1 else np.sum(some, axis=0)


def list_starts(sizes: Ints) -> Ints:
    """Return the start of each run, and the end of the last one, for consecutive runs of these sizes."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def count_readers(problem: Problem) -> Ints:
    """Return the number of members that may hold each audience's items."""
    size = np.bincount(problem.subscription_of, minlength=problem.subscriptions)
    total = np.concatenate([[0], np.cumsum(size[problem.audience_subscription])])
    return np.asarray(total[problem.audience_start[1:]] - total[problem.audience_start[:-1]], np.int64)


def refuse_impossible(problem: Problem) -> None:
    """Raise ImpossibleError if an item has fewer readers than copies, TooLargeError if sums leave 64 bits."""
    few, copies = (each[problem.audience_of] for each in (count_readers(problem), problem.copies_of_audience))
    if (few < copies).any():
        least = int((few - copies).argmin())
        raise ImpossibleError(
            f"{copies[least]} copies of every partition are impossible: some have only {few[least]} subscribers. Ask for fewer"
        )
    if problem.items * problem.copies * (problem.greatest_cost + 1) >= LARGEST:
        raise TooLargeError(
            f"{problem.items} partitions at costs up to {problem.greatest_cost} leave 64 bits"
        )


def iterate_owners(claim_start: Ints, claim_of: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Yield, for k = 0, 1, ..., the items whose claim has a k-th owner, and the entry of that owner."""
    first = claim_start[claim_of]
    number = claim_start[claim_of + 1] - first
    for k in range(int(number.max(initial=0))):
        items = np.flatnonzero(number > k)
        yield items, first[items] + k


def build_gain_matrix(claim_start: Ints, claim_member: Ints, members: int, gain: Ints) -> Ints:
    """Return the saving of each claim (row) at each member (column); for small problems."""
    saved = np.zeros((len(claim_start) - 1, members), np.int64)
    claim = np.repeat(np.arange(len(saved)), np.diff(claim_start))
    np.add.at(saved, (claim, claim_member), gain)
    return saved


def build_costs(problem: Problem, name: str) -> Ints:
    """Return the cost of each item (row) at each member (column) in a level, with its loss; for small problems."""
    unit = {name: 1}
    saved = build_gain_matrix(problem.claim_start, problem.claim_member, problem.members, problem.gains(unit))
    claimed = np.asarray(problem.losses(unit)[:, None] - saved, np.int64)[problem.claim_of]
    if problem.level(name).table is None:
        return claimed
    return claimed + problem.table(unit)[problem.profile_of][:, problem.rack_of]


def compute_span(problem: Problem, name: str) -> tuple[int, int]:
    """Return the bounds of a level's value over all assignments: 0 or a number below it, and the most that it can reach."""
    unit = {name: 1}
    table, copies = problem.table(unit), problem.items * problem.copies
    losses = problem.losses(unit)[problem.claim_of]
    claim = np.repeat(np.arange(len(problem.claim_start) - 1), np.diff(problem.claim_start))
    most = np.zeros(len(problem.claim_start) - 1, np.int64)
    (np.maximum if problem.copies == 1 else np.add).at(most, claim, problem.gains(unit))
    low = int((losses - most[problem.claim_of]).sum()) + copies * int(table.min(initial=0))
    high = int(losses.sum()) + copies * int(table.max(initial=0))
    return min(low, 0), max(high, 0)


def find_reading(problem: Problem) -> NDArray[np.bool_]:
    """Return True for each audience (row) and subscription (column) whose members may hold the audience's items."""
    reads = np.zeros((problem.audiences, problem.subscriptions), np.bool_)
    reads[
        np.repeat(np.arange(problem.audiences), np.diff(problem.audience_start)),
        problem.audience_subscription,
    ] = True
    return reads


def set_audiences(problem: Problem, allowed: NDArray[np.bool_], audience_of: Ints) -> Problem:
    """Return the problem whose audiences are the rows of `allowed`: True for the members (columns) that may hold their items.

    ``audience_of`` has the row of each item. Raises ImpossibleError if audiences differ in their copies.
    """
    if problem.copies_of is not None:
        raise ImpossibleError(
            "copies: has no valid value. Give the same number of owners to all partitions if a member is excluded"
        )
    weight = problem.weights[problem.subscription_of]
    columns, subscription_of = np.unique(np.vstack([weight, allowed]), axis=1, return_inverse=True)
    reads = columns[1:]
    return replace(
        problem,
        subscription_of=subscription_of.reshape(-1),
        audience_start=list_starts(reads.sum(axis=1)),
        audience_subscription=np.nonzero(reads)[1],
        audience_of=audience_of,
        weight_of=None if problem.weight_of is None else columns[0],
    )


def find_eligible(problem: Problem) -> NDArray[np.bool_]:
    """Return True for each item (row) and member (column) that may hold it; for small problems."""
    return np.asarray(find_reading(problem)[problem.audience_of][:, problem.subscription_of], np.bool_)
