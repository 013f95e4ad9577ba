"""A question as data: items, members, and what each item costs where; 10^6 items and 10^4 members in a few arrays.

An *item* goes to one member as a whole: a partition, a set of partitions that stay together, a task. Members with the same
subscription, and items with the same readers, differ nowhere else. Each level of a question is a :class:`Level` with columns of
costs. Only balance, the sum of the squared loads, and topic spread are no columns.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.errors import ImpossibleError, TooLargeError

Ints: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """A sum of costs over all copies of all items, to be made least.

    A copy of an item of profile p costs ``table[p, rack]`` at a member in that rack. An item of claim c costs
    ``loss[c]`` once, and entry i of the claim's owners makes the sum better by ``gain[i]``, 0 or more, where that
    owner holds a copy. A column that is None costs nothing. Raises ImpossibleError if a gain is below 0.
    """

    name: str
    table: Ints | None = None
    gain: Ints | None = None
    loss: Ints | None = None

    greatest: int = field(init=False)
    """The most that one copy of an item can cost or save; found once, as it is asked often."""

    def __post_init__(self) -> None:
        if self.gain is not None and int(self.gain.min(initial=0)) < 0:
            raise ImpossibleError(f"level: {self.name!r} has a gain below 0; give costs in its table instead")
        table, gain, loss = (
            0 if column is None else max(int(column.max(initial=0)), -int(column.min(initial=0)))
            for column in (self.table, self.gain, self.loss)
        )
        object.__setattr__(self, "greatest", max(1, table + max(gain, loss)))


LARGEST = 2**62
"""No sum of costs may pass this: one bit below what 64 bits hold."""
Units: TypeAlias = Mapping[str, int]
"""Level -> what a unit of it weighs, where several levels are digits of one number; levels that are missing weigh nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Who may get what, at which cost.

    Members have a subscription (`subscription_of`) and a rack (`rack_of`, a column of the levels' tables). Items
    have an audience (`audience_of`: the subscriptions
    ``audience_subscription[audience_start[a]:audience_start[a + 1]]`` may hold them), a profile (`profile_of`, a
    row of the levels' tables) and a claim (`claim_of`). Claim c has the owners ``claim_member[i]``, for each i in
    ``range(claim_start[c], claim_start[c + 1])``; claim 0 is no member's. `levels` are the costs, by name. Each item
    goes to `copies` members; where these differ, the items of audience a go to ``copies_of[a]``, 0 or more, and `copies` is the
    most of them. Owners of an item, in rows of `copies`, then end with as many -1 as there are fewer. The square of a
    member's load weighs ``weight_of[s]`` of its subscription s in balance, 1 where that is None. Items of one topic
    (`topic_of`, its number; None if no level asks) have one audience.
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
        """The number of each item's topic; raises ImpossibleError if it is not known."""
        if self.topic_of is None:
            raise ImpossibleError(f"level: {TOPIC_SPREAD!r} needs the topic of each item; give topic_of")
        return self.topic_of

    @property
    def topics(self) -> int:
        """How many topics there are."""
        return int(self.topic_numbers.max(initial=-1)) + 1

    @property
    def topic_audience(self) -> Ints:
        """The audience of each topic; that of a topic without items is any."""
        audience = np.zeros(self.topics, np.int64)
        audience[self.topic_numbers] = self.audience_of
        return audience

    @property
    def weights(self) -> Ints:
        """What the square of the load of each subscription's members weighs."""
        return np.ones(self.subscriptions, np.int64) if self.weight_of is None else self.weight_of

    @property
    def single(self) -> bool:
        """Whether every item goes to one member."""
        return self.copies == 1 and self.copies_of is None

    @property
    def copies_of_audience(self) -> Ints:
        """How many members the items of each audience go to."""
        return np.full(self.audiences, self.copies) if self.copies_of is None else self.copies_of

    @property
    def members(self) -> int:
        """How many members there are."""
        return len(self.subscription_of)

    @property
    def items(self) -> int:
        """How many items there are."""
        return len(self.audience_of)

    @property
    def subscriptions(self) -> int:
        """How many different subscriptions there are."""
        return int(self.subscription_of.max(initial=-1)) + 1

    @property
    def audiences(self) -> int:
        """How many different sets of readers there are."""
        return len(self.audience_start) - 1

    @property
    def shape(self) -> tuple[int, int, int]:
        """How many audiences, profiles and claims there are: what makes items alike."""
        return self.audiences, self._tables[0], len(self.claim_start) - 1

    @property
    def racks(self) -> int:
        """How many racks there are, those of members without one among them."""
        return self._tables[1]

    @property
    def _tables(self) -> tuple[int, int]:
        """How many rows and columns the levels' tables have."""
        for level in self.levels:
            if level.table is not None:
                return level.table.shape
        return int(self.profile_of.max(initial=0)) + 1, int(self.rack_of.max(initial=0)) + 1

    @property
    def greatest_cost(self) -> int:
        """The most that one copy of an item can cost or save in one level."""
        return max((level.greatest for level in self.levels), default=1)

    def level(self, name: str) -> Level:
        """Return the level of this name; raises ImpossibleError if the problem has no such costs."""
        for level in self.levels:
            if level.name == name:
                return level
        raise ImpossibleError(f"level: there are no costs of the name {name!r}")

    def asked(self, names: tuple[str, ...]) -> "Problem":
        """Forget all levels but these, the racks where none of them has a table, and the claims where none has gains."""
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
        """Return what each profile costs in each rack, in these units together."""
        columns = [(each.table, unit.get(each.name, 0)) for each in self.levels]
        return _add_columns(columns, self._tables)

    def gains(self, unit: Units) -> Ints:
        """Return what staying saves, for each owner of each claim, in these units together."""
        columns = [(each.gain, unit.get(each.name, 0)) for each in self.levels]
        return _add_columns(columns, (len(self.claim_member),))

    def losses(self, unit: Units) -> Ints:
        """Return what leaving all owners costs, for each claim, in these units together."""
        columns = [(each.loss, unit.get(each.name, 0)) for each in self.levels]
        return _add_columns(columns, (len(self.claim_start) - 1,))

    def claimed(self, of: Ints, start: Ints, member: Ints, *levels: Level) -> "Problem":
        """Replace the claims by others, and each of these levels by the one given; the others lose their gains."""
        given = {level.name: level for level in levels}
        known = tuple(given.get(each.name, replace(each, gain=None, loss=None)) for each in self.levels)
        added = tuple(level for level in levels if level.name not in {each.name for each in known})
        return replace(self, claim_of=of, claim_start=start, claim_member=member, levels=known + added)


NO_CLAIMS = tuple(np.array(each, np.int64) for each in ([0, 0], []))
"""The claim columns of a problem in which no member owns anything: claim 0 alone."""


def _add_columns(columns: list[tuple[Ints | None, int]], shape: tuple[int, ...]) -> Ints:
    """Return the sum of columns, each times its number; zeros of a shape where there are none."""
    some = [
        column if number == 1 else column * number
        for column, number in columns
        if column is not None and number
    ]
    if not some:
        return np.zeros(shape, np.int64)
    return some[0] if len(some) == 1 else np.sum(some, axis=0)


def starts(sizes: Ints) -> Ints:
    """Return where each run begins, and where the last one ends, for runs of these sizes laid end to end."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def readers(problem: Problem) -> Ints:
    """Return how many members may hold each audience's items."""
    size = np.bincount(problem.subscription_of, minlength=problem.subscriptions)
    total = np.concatenate([[0], np.cumsum(size[problem.audience_subscription])])
    return np.asarray(total[problem.audience_start[1:]] - total[problem.audience_start[:-1]], np.int64)


def refuse_impossible(problem: Problem) -> None:
    """Raise ImpossibleError if an item has fewer readers than copies, TooLargeError if sums leave 64 bits."""
    few, copies = (each[problem.audience_of] for each in (readers(problem), problem.copies_of_audience))
    if (few < copies).any():
        least = int((few - copies).argmin())
        raise ImpossibleError(
            f"{copies[least]} copies of every partition are impossible: some have only {few[least]} subscribers"
        )
    if problem.items * problem.copies * (problem.greatest_cost + 1) >= LARGEST:
        raise TooLargeError(
            f"{problem.items} partitions at costs up to {problem.greatest_cost} leave 64 bits"
        )


class Claims(Protocol):
    """Who claims what: claim c has the owners ``claim_member[i]``, for each i in ``range(claim_start[c], claim_start[c + 1])``."""

    @property
    def claim_start(self) -> Ints:
        """Where each claim's owners begin."""

    @property
    def claim_member(self) -> Ints:
        """The owners of all claims."""


def owners_in_turn(claims: Claims, claim_of: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Yield, for k = 0, 1, ..., the items whose claim has a k-th owner, and the entry of that owner."""
    first = claims.claim_start[claim_of]
    number = claims.claim_start[claim_of + 1] - first
    for k in range(int(number.max(initial=0))):
        items = np.flatnonzero(number > k)
        yield items, first[items] + k


def gain_matrix(claims: Claims, members: int, gain: Ints) -> Ints:
    """Return what each claim (row) saves at each member (column); for small problems."""
    saved = np.zeros((len(claims.claim_start) - 1, members), np.int64)
    claim = np.repeat(np.arange(len(saved)), np.diff(claims.claim_start))
    np.add.at(saved, (claim, claims.claim_member), gain)
    return saved


def costs(problem: Problem, name: str) -> Ints:
    """Return what each item (row) costs at each member (column) in a level, what it may lose in it; for small problems."""
    unit = {name: 1}
    saved = gain_matrix(problem, problem.members, problem.gains(unit))
    claimed = np.asarray(problem.losses(unit)[:, None] - saved, np.int64)[problem.claim_of]
    if problem.level(name).table is None:
        return claimed
    return claimed + problem.table(unit)[problem.profile_of][:, problem.rack_of]


def span(problem: Problem, name: str) -> tuple[int, int]:
    """Return between which values a level lies in every assignment: 0 or below it, and what it can reach at most."""
    unit = {name: 1}
    table, copies = problem.table(unit), problem.items * problem.copies
    losses = problem.losses(unit)[problem.claim_of]
    claim = np.repeat(np.arange(len(problem.claim_start) - 1), np.diff(problem.claim_start))
    most = np.zeros(len(problem.claim_start) - 1, np.int64)
    (np.maximum if problem.single else np.add).at(most, claim, problem.gains(unit))
    low = int((losses - most[problem.claim_of]).sum()) + copies * int(table.min(initial=0))
    high = int(losses.sum()) + copies * int(table.max(initial=0))
    return min(low, 0), max(high, 0)


def reading(problem: Problem) -> NDArray[np.bool_]:
    """Return which subscriptions (columns) have members that may hold the items of each audience (row)."""
    reads = np.zeros((problem.audiences, problem.subscriptions), np.bool_)
    reads[
        np.repeat(np.arange(problem.audiences), np.diff(problem.audience_start)),
        problem.audience_subscription,
    ] = True
    return reads


def restricted(problem: Problem, allowed: NDArray[np.bool_], audience_of: Ints) -> Problem:
    """Return the problem whose audiences are the rows of `allowed`: which members (columns) may hold their items.

    ``audience_of`` has the row of each item. Raises ImpossibleError if the items of audiences differ in their copies.
    """
    if problem.copies_of is not None:
        raise ImpossibleError("copies: partitions that differ in how many members they go to bar nobody else")
    weight = problem.weights[problem.subscription_of]
    columns, subscription_of = np.unique(np.vstack([weight, allowed]), axis=1, return_inverse=True)
    reads = columns[1:]
    return replace(
        problem,
        subscription_of=subscription_of.reshape(-1),
        audience_start=starts(reads.sum(axis=1)),
        audience_subscription=np.nonzero(reads)[1],
        audience_of=audience_of,
        weight_of=None if problem.weight_of is None else columns[0],
    )


def eligible(problem: Problem) -> NDArray[np.bool_]:
    """Return which members (columns) each item (row) may go to; for small problems."""
    return np.asarray(reading(problem)[problem.audience_of][:, problem.subscription_of], np.bool_)
