"""Items with one active copy and standbys, members with slots and zones, and what each copy costs where.

An item (a task) has one active copy and ``standbys[i]`` standbys (none for a stateless task), all on different members
(clients). What counts of a member's load is the load for each of its slots (threads), see :attr:`RoleProblem.weights`. Owners
have a row for each item: its active's member, its standbys' members, then -1 up to the greatest number of copies.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from kassay.oracles.assignment.own_levels import BALANCE, SPREAD, SUBTOPOLOGY_SPREAD, TOTAL_BALANCE
from kassay.oracles.assignment.problem import LARGEST, NO_CLAIMS, Ints
from kassay.oracles.errors import ImpossibleError, TooLargeError

BALANCES = (BALANCE, TOTAL_BALANCE)
"""The levels of squared loads."""
NO_COSTS = (*BALANCES, SPREAD, SUBTOPOLOGY_SPREAD)
"""The levels that are no sums of costs."""


@dataclass(frozen=True, slots=True, eq=False)
class RoleLevel:
    """A sum of costs over all copies, to be made least; columns as in :class:`kassay.oracles.assignment.problem.Level`.

    A copy of an item of profile p costs ``active[p, kind]`` or ``standby[p, kind]`` at a member of that kind. An item of
    claim c costs ``loss[c]`` once; where entry i of the claim's holders has the active copy the sum falls by
    ``active_gain[i]``, where it has a standby by ``standby_gain[i]``. A column that is None costs nothing. `squares` are what
    the weighed squares of the loads of actives, and those of all copies, count in the sum besides.
    """

    name: str
    active: Ints | None = None
    standby: Ints | None = None
    loss: Ints | None = None
    active_gain: Ints | None = None
    standby_gain: Ints | None = None
    squares: tuple[int, int] = field(default=(0, 0), kw_only=True)


@dataclass(frozen=True, slots=True, eq=False)
class RoleProblem:
    """What is to be placed, where, at which cost.

    Items have `profile_of` (a row of the levels' tables), `standbys`, `claim_of` and `class_of` (a subtopology); members
    have `kind_of` (a column of the tables), `slots` and a zone for each tag (`zones`, tags x members, -1 where unknown).
    Claim c has the holders ``claim_member[i]``, for each i in ``range(claim_start[c], claim_start[c + 1])``; claim 0 is
    nobody's. A row (class, member, least, most) of `caps` bounds the actives of that class there. `active_loads` and
    `loads` fix how many actives and how many copies each member has; `active_at` where each item's active is, -1 where it
    is free. What is None demands nothing.
    """

    kind_of: Ints
    slots: Ints
    zones: Ints
    profile_of: Ints
    standbys: Ints
    levels: tuple[RoleLevel, ...] = ()
    claim_of: Ints | None = None
    claim_start: Ints = field(default_factory=lambda: NO_CLAIMS[0])
    claim_member: Ints = field(default_factory=lambda: NO_CLAIMS[1])
    class_of: Ints | None = None
    caps: Ints | None = None
    active_loads: Ints | None = None
    loads: Ints | None = None
    active_at: Ints | None = None

    @property
    def items(self) -> int:
        """How many items there are."""
        return len(self.profile_of)

    @property
    def members(self) -> int:
        """How many members there are."""
        return len(self.kind_of)

    @property
    def copies(self) -> int:
        """How many copies there are."""
        return self.items + int(self.standbys.sum())

    @property
    def rows(self) -> Ints:
        """The caps, none if there are none."""
        return np.empty((0, 4), np.int64) if self.caps is None else self.caps

    @property
    def weights(self) -> Ints:
        """What the square of each member's load weighs: the least common multiple of all slots by its own number of them.

        So squares by slots are whole. Raises TooLargeError if the multiple leaves 64 bits.
        """
        multiple = math.lcm(*np.unique(self.slots).tolist())
        if multiple >= LARGEST:
            raise TooLargeError(
                f"threads: the least common multiple of the clients' numbers is {multiple}; at most {LARGEST} is counted"
            )
        return np.asarray(multiple // self.slots, np.int64)

    def level(self, name: str) -> RoleLevel:
        """Return the level of this name; raises ImpossibleError if there are no such costs."""
        for level in self.levels:
            if level.name == name:
                return level
        raise ImpossibleError(f"level: there are no costs of the name {name!r}")

    def squares(self, name: str) -> tuple[int, int]:
        """Return what the squares of loads of actives, and of all copies, count in a level."""
        if name in BALANCES:
            return int(name == BALANCE), int(name == TOTAL_BALANCE)
        return (0, 0) if name in NO_COSTS else self.level(name).squares

    def constant(self, name: str) -> int:
        """Return what a level costs in every placement: its items' losses."""
        loss = None if name in NO_COSTS else self.level(name).loss
        return 0 if loss is None else sum(loss[self.claims].tolist())

    @property
    def claims(self) -> Ints:
        """Each item's claim."""
        return np.zeros(self.items, np.int64) if self.claim_of is None else self.claim_of

    @property
    def classes(self) -> Ints:
        """Each item's class."""
        return np.zeros(self.items, np.int64) if self.class_of is None else self.class_of

    @property
    def given(self) -> Ints:
        """The member that each item's active is given to, -1 where it is free."""
        return np.full(self.items, -1) if self.active_at is None else self.active_at


def refuse_unfit(problem: RoleProblem, levels: tuple[str, ...]) -> None:
    """Raise ImpossibleError if columns do not fit each other, TooLargeError if sums could leave 64 bits."""
    if not levels or len(set(levels)) != len(levels):
        raise ImpossibleError("levels: name one or more, each once")
    items, members = problem.items, problem.members
    shapes: Mapping[str, tuple[Ints | None, tuple[int, ...], int]] = {
        "slots": (problem.slots, (members,), 1),
        "zones": (problem.zones, (len(problem.zones), members), -1),
        "kind_of": (problem.kind_of, (members,), 0),
        "profile_of": (problem.profile_of, (items,), 0),
        "standbys": (problem.standbys, (items,), 0),
        "claim_of": (problem.claim_of, (items,), 0),
        "class_of": (problem.class_of, (items,), 0),
        "caps": (problem.caps, (len(problem.rows), 4), 0),
        "active_loads": (problem.active_loads, (members,), 0),
        "loads": (problem.loads, (members,), 0),
        "active_at": (problem.active_at, (items,), -1),
        "claim_member": (problem.claim_member, (int(problem.claim_start[-1]),), 0),
    }
    for name, (column, shape, least) in shapes.items():
        if column is not None and (column.shape != shape or column.min(initial=least) < least):
            raise ImpossibleError(f"{name}: give whole numbers of {least} or more in the shape {shape}")
    caps = problem.rows
    for name, column in {
        "caps": caps[:, 1],
        "active_at": problem.given,
        "claim_member": problem.claim_member,
    }.items():
        if column.max(initial=-1) >= members:
            raise ImpossibleError(f"{name}: names member {column.max()}, but there are {members}")
    if problem.claims.max(initial=0) >= len(problem.claim_start) - 1:
        raise ImpossibleError(f"claim_of: names claim {problem.claims.max()}, but claim_start ends before it")
    if len(np.unique(caps[:, :2], axis=0)) != len(caps) or (caps[:, 2] > caps[:, 3]).any():
        raise ImpossibleError("caps: give one row for each class and member, its least not above its most")
    _refuse_unfit_levels(problem, levels)
    _refuse_impossible_counts(problem)


def _refuse_unfit_levels(problem: RoleProblem, levels: tuple[str, ...]) -> None:
    entries, claims, greatest = len(problem.claim_member), len(problem.claim_start) - 1, 1
    dearest = 1
    for name in levels:
        if name in NO_COSTS:
            continue
        level = problem.level(name)
        if min(level.squares) < 0:
            raise ImpossibleError(f"levels: {name!r} counts squared loads {level.squares}; give 0 or more")
        dearest = max(dearest, *level.squares)
        for column, length in (
            (level.loss, claims),
            (level.active_gain, entries),
            (level.standby_gain, entries),
        ):
            if column is not None and len(column) != length:
                raise ImpossibleError(
                    f"levels: {name!r} has {len(column)} losses or gains where {length} belong"
                )
        for table in (level.active, level.standby):
            if table is not None and not (
                table.shape[0] > problem.profile_of.max(initial=-1)
                and table.shape[1] > problem.kind_of.max(initial=-1)
            ):
                raise ImpossibleError(
                    f"levels: {name!r} has a table of {table.shape} without some profile or kind"
                )
        some = [
            c
            for c in (level.active, level.standby, level.loss, level.active_gain, level.standby_gain)
            if c is not None
        ]
        greatest = max(
            greatest, *(abs(int(bound)) for c in some for bound in (c.max(initial=0), c.min(initial=0))), 1
        )
    dearest *= int(problem.weights.max(initial=1))
    sums = max(3 * greatest * problem.copies, dearest * problem.copies**2)
    if sums >= LARGEST:
        raise TooLargeError(
            f"{problem.copies} copies at costs up to {greatest}, their squares at {dearest}, sum up to {sums}; at most {LARGEST} is counted"
        )


def _refuse_impossible_counts(problem: RoleProblem) -> None:
    most = int(problem.standbys.max(initial=0))
    if problem.items and most >= problem.members:
        raise ImpossibleError(
            f"standbys: {most + 1} copies of an item need as many members; there are {problem.members}"
        )
    for name, column, copies in (
        ("active_loads", problem.active_loads, problem.items), ("loads", problem.loads, problem.copies),
    ):  # fmt: skip
        if column is not None and int(column.sum()) != copies:
            raise ImpossibleError(f"{name}: sum up to {column.sum()}, but there are {copies}")
