"""Problems with active and standby copies, and their aggregation into classes of items and groups of members.

An item (a task) has one active copy and ``standbys[i]`` standbys (none for a stateless task), all on different
members (clients). A member's load counts per slot (thread), see :attr:`RoleProblem.weights`. Owners have a row for
each item: the member of its active copy, the members of its standbys, then -1 up to the greatest number of copies.

Equal items are one class, and equal members are one group. Copies lie in groups, at most as many of an item in each
as the group has members. That is enough, because the copies in a group can always be dealt to its members with two
properties. No member gets two copies of one item. The active copies of each class, all active copies, and all copies
are balanced (see :func:`.program.dealt`).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from kassay.oracles.assignment.own_levels import BALANCE, SPREAD, SUBTOPOLOGY_SPREAD, TOTAL_BALANCE
from kassay.oracles.assignment.problem import LARGEST, NO_CLAIMS, Ints, iterate_owners
from kassay.oracles.errors import ImpossibleError, TooLargeError

BALANCES = (BALANCE, TOTAL_BALANCE)
"""The levels of squared loads."""
NO_COSTS = (*BALANCES, SPREAD, SUBTOPOLOGY_SPREAD)
"""The levels without columns of costs."""


@dataclass(frozen=True, slots=True, eq=False)
class RoleLevel:
    """A sum of costs over all copies, to be minimized; columns as in :class:`kassay.oracles.assignment.problem.Level`.

    A copy of an item of profile p costs ``active[p, kind]`` or ``standby[p, kind]`` at a member of that kind. An item
    of claim c costs ``loss[c]`` once. If entry i of the claim's holders has the active copy, the sum falls by
    ``active_gain[i]``; if it has a standby, by ``standby_gain[i]``. A column that is None costs nothing. `squares`
    are the weights in the sum of the squared loads of active copies, and of all copies.
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
    """The copies to place, the members, and the costs.

    Items have `profile_of` (a row of the levels' tables), `standbys`, `claim_of` and `class_of` (a subtopology);
    members have `kind_of` (a column of the tables), `slots` and a zone for each tag (`zones`, tags x members, -1 if
    unknown). Claim c has the holders ``claim_member[i]``, for each i in ``range(claim_start[c], claim_start[c +
    1])``; claim 0 has no holder. A row (class, member, least, most) of `caps` bounds the active copies of that class
    there. `active_loads` and `loads` fix the number of active copies and of all copies of each member; `active_at`
    fixes the member of each item's active copy, -1 if it is free. A field that is None requires nothing.
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
        """The number of items."""
        return len(self.profile_of)

    @property
    def members(self) -> int:
        """The number of members."""
        return len(self.kind_of)

    @property
    def copies(self) -> int:
        """The number of copies."""
        return self.items + int(self.standbys.sum())

    @property
    def rows(self) -> Ints:
        """The caps, an empty array if there are no caps."""
        return np.empty((0, 4), np.int64) if self.caps is None else self.caps

    @property
    def weights(self) -> Ints:
        """The weight of each member's squared load: the least common multiple of all slots divided by the member's slots.

        So squares per slot are integers. Raises TooLargeError if the multiple leaves 64 bits.
        """
        multiple = math.lcm(*np.unique(self.slots).tolist())
        if multiple >= LARGEST:
            raise TooLargeError(
                f"threads: the least common multiple of the clients' numbers is {multiple}. At most {LARGEST} is counted"
            )
        return np.asarray(multiple // self.slots, np.int64)

    def level(self, name: str) -> RoleLevel:
        """Return the level with this name. Raises ImpossibleError if there are no such costs."""
        for level in self.levels:
            if level.name == name:
                return level
        raise ImpossibleError(f"level: there are no costs of the name {name!r}")

    def squares(self, name: str) -> tuple[int, int]:
        """Return the weights of the squared loads of active copies, and of all copies, in a level."""
        if name in BALANCES:
            return int(name == BALANCE), int(name == TOTAL_BALANCE)
        return (0, 0) if name in NO_COSTS else self.level(name).squares

    def constant(self, name: str) -> int:
        """Return the cost of a level in every placement: its items' losses."""
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
        """The fixed member of each item's active copy, -1 if it is free."""
        return np.full(self.items, -1) if self.active_at is None else self.active_at


def refuse_unfit(problem: RoleProblem, levels: tuple[str, ...]) -> None:
    """Raise ImpossibleError if columns do not fit each other, TooLargeError if sums could leave 64 bits."""
    if not levels or len(set(levels)) != len(levels):
        raise ImpossibleError("levels: the list is empty or has one twice. Name one or more, each once")
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
            raise ImpossibleError(
                f"{name}: has no valid value. Give whole numbers of {least} or more in the shape {shape}"
            )
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
        raise ImpossibleError(
            "caps: have no valid value. Give one row for each class and member, its least not above its most"
        )
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
            raise ImpossibleError(f"levels: {name!r} counts squared loads {level.squares}. Give 0 or more")
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
            f"{problem.copies} copies at costs up to {greatest}, their squares at {dearest}, sum up to {sums}. At most {LARGEST} is counted"
        )


def _refuse_impossible_counts(problem: RoleProblem) -> None:
    most = int(problem.standbys.max(initial=0))
    if problem.items and most >= problem.members:
        raise ImpossibleError(
            f"standbys: {most + 1} copies of an item need as many members. There are {problem.members}"
        )
    for name, column, copies in (
        ("active_loads", problem.active_loads, problem.items), ("loads", problem.loads, problem.copies),
    ):  # fmt: skip
        if column is not None and int(column.sum()) != copies:
            raise ImpossibleError(f"{name}: sum up to {column.sum()}, but there are {copies}")


ENTRIES = 2 * 10**7
"""The limit of pairs of an item class and a group (a few hundred MB)."""


@dataclass(frozen=True, slots=True, eq=False)
class Collapsed:
    """Classes of items and groups of members, with the constraints.

    Classes have a number of items, their standbys, their `part` (class of caps) and the group of their fixed active
    copy, or -1. Groups have a number of members, the weight of each one's squared load, and zones (tags x groups).
    `active_loads` and `loads` are a group's fixed sums or None, `caps` has rows (part, group, least, most). `costs`
    has for each level of costs the cost of a class's active copy and of a standby in each group, `squares` for each
    level the weights of squared loads. `class_of` and `group_of` are the class of each item and the group of each
    member.
    """

    count: Ints
    standbys: Ints
    part: Ints
    given: Ints
    size: Ints
    weight: Ints
    zones: Ints
    active_loads: Ints | None
    loads: Ints | None
    caps: Ints
    costs: Mapping[str, tuple[Ints, Ints]]
    squares: Mapping[str, tuple[int, int]]
    class_of: Ints
    group_of: Ints

    @property
    def classes(self) -> int:
        """The number of classes of items."""
        return len(self.count)

    @property
    def groups(self) -> int:
        """The number of groups of members."""
        return len(self.size)


def build_classes(problem: RoleProblem, levels: tuple[str, ...], apart: bool = False) -> Collapsed:
    """Return the classes and groups for a question; if `apart`, each item and member has its own.

    Raises TooLargeError if there are more than ENTRIES pairs of a class and a group.
    """
    problem = _drop_unasked(problem, levels)
    columns = [problem.profile_of, problem.standbys, problem.claims, problem.classes, problem.given]
    one_item, class_of, count = _find_sorts([np.arange(problem.items)] if apart else columns)
    one_member, group_of, size = _find_sorts(_list_member_columns(problem, apart))
    if len(count) * len(size) > ENTRIES:
        raise TooLargeError(
            f"{len(count)} classes of items and {len(size)} groups of members make {len(count) * len(size)} pairs. "
            f"At most {ENTRIES} are taken"
        )
    given, rows = problem.given[one_item], problem.rows
    # The caps of each group's first member, times the group's size.
    own = rows[one_member[group_of[rows[:, 1]]] == rows[:, 1]]
    group = group_of[own[:, 1]]
    caps = np.column_stack([own[:, 0], group, own[:, 2] * size[group], own[:, 3] * size[group]])
    return Collapsed(
        count,
        problem.standbys[one_item],
        problem.classes[one_item],
        np.where(given >= 0, group_of[given], -1),
        size,
        problem.weights[one_member],
        problem.zones[:, one_member],
        None if problem.active_loads is None else problem.active_loads[one_member] * size,
        None if problem.loads is None else problem.loads[one_member] * size,
        caps,
        {
            level: _compute_class_costs(problem, level, one_item, one_member, group_of)
            for level in levels
            if level not in (*BALANCES, SPREAD)
        },
        {level: problem.squares(level) for level in levels},
        class_of,
        group_of,
    )


def _drop_unasked(problem: RoleProblem, levels: tuple[str, ...]) -> RoleProblem:
    """Drop columns that no level needs: zones, profiles, claims, kinds; and zones of one member, which cannot have collisions."""
    zones = problem.zones if SPREAD in levels else problem.zones[:0]
    known = np.full_like(zones, -1)
    for tag, zone in enumerate(zones):
        shared = np.bincount(zone[zone >= 0], minlength=1) > 1
        known[tag] = np.where((zone >= 0) & shared[zone], zone, -1)
    some = [problem.level(level) for level in levels if level not in (*BALANCES, SPREAD)]
    tables = any(level.active is not None or level.standby is not None for level in some)
    gains = any(level.active_gain is not None or level.standby_gain is not None for level in some)
    return replace(
        problem,
        zones=known,
        profile_of=problem.profile_of if tables else np.zeros_like(problem.profile_of),
        kind_of=problem.kind_of if tables else np.zeros_like(problem.kind_of),
        claim_of=problem.claim_of if gains else None,
        class_of=problem.class_of if len(problem.rows) else None,
    )


def _list_member_columns(problem: RoleProblem, apart: bool) -> list[Ints]:
    """Return the columns in which members of one group agree; a member in a claim, or with fixed active copies, is alone."""
    everyone = np.arange(problem.members)
    if apart:
        return [everyone]
    named = np.zeros(problem.members, np.bool_)
    claims = np.unique(problem.claims)
    for claim in claims[np.diff(problem.claim_start)[claims] > 0].tolist():
        named[problem.claim_member[problem.claim_start[claim] : problem.claim_start[claim + 1]]] = True
    if problem.active_at is not None:
        named[:] = True
    columns = [problem.kind_of, problem.slots, *problem.zones, np.where(named, everyone, -1)]
    columns += [column for column in (problem.active_loads, problem.loads) if column is not None]
    rows = problem.rows
    order = np.lexsort((rows[:, 0], rows[:, 1]))
    bounds: dict[int, list[tuple[int, ...]]] = {}
    for number, member, least, most in rows[order].tolist():
        bounds.setdefault(member, []).append((number, least, most))
    signatures: dict[tuple[tuple[int, ...], ...], int] = {}
    caps = (
        [signatures.setdefault(tuple(bounds.get(m, ())), len(signatures)) for m in range(problem.members)]
        if bounds
        else []
    )
    return [*columns, np.array(caps, np.int64)] if caps else columns


def _find_sorts(columns: list[Ints]) -> tuple[Ints, Ints, Ints]:
    """Return one index of each sort, the sort of each index, and the sizes of the sorts, ascending in the columns."""
    key = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        low = int(column.min(initial=0))
        span = int(column.max(initial=0)) - low + 1
        key = key * span + (column - low)
        if int(key.max(initial=0)) >= 2**20:
            key = np.unique(key, return_inverse=True)[1].reshape(-1)
    present = np.bincount(key)
    sorts = np.flatnonzero(present)
    number = np.empty(len(present), np.int64)
    number[sorts] = np.arange(len(sorts))
    of = number[key] if len(key) else key
    one = np.empty(len(sorts), np.int64)
    one[of[::-1]] = np.arange(len(key))[::-1]
    return one, of, present[sorts]


def _compute_class_costs(
    problem: RoleProblem, name: str, one_item: Ints, one_member: Ints, group_of: Ints
) -> tuple[Ints, Ints]:
    level, found = problem.level(name), []
    claims = problem.claims[one_item]
    for table, gain in ((level.active, level.active_gain), (level.standby, level.standby_gain)):
        cost = np.zeros((len(one_item), len(one_member)), np.int64)
        if table is not None:
            cost += table[problem.profile_of[one_item]][:, problem.kind_of[one_member]]
        if gain is not None:
            for some, entry in iterate_owners(problem.claim_start, claims):
                np.subtract.at(cost, (some, group_of[problem.claim_member[entry]]), gain[entry])
        found.append(cost)
    return found[0], found[1]
