"""The collapse: items that differ in nothing are one class, members that differ in nothing are one group.

Copies lie in groups, so many of an item's in each as the group has members. That is enough: the copies in a group can
always be dealt to its members so that no item comes twice to one, and all are as even as can be, actives of each class,
actives and copies (see :func:`.program.dealt`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from kassay.oracles.assignment.active_standby.problem import BALANCES, RoleProblem
from kassay.oracles.assignment.own_levels import SPREAD
from kassay.oracles.assignment.problem import Ints, owners_in_turn
from kassay.oracles.errors import TooLargeError

ENTRIES = 2 * 10**7
"""Up to this many pairs of an item class and a group are taken (a few hundred MB)."""


@dataclass(frozen=True, slots=True, eq=False)
class Collapsed:
    """Classes of items and groups of members, with what is asked of them.

    Of classes: how many items, their standbys, their `part` (class of caps) and the group their active is given to, or -1.
    Of groups: how many members, the weight of the square of each one's load, their zones (tags x groups). `active_loads` and `loads` are a group's
    fixed sums or None, `caps` has rows (part, group, least, most). `costs` has for each level of costs what a class's active
    copy and a standby cost in each group, `squares` for each level what squared loads count in it. `class_of` and `group_of`
    lead from items and members.
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
        """How many classes of items there are."""
        return len(self.count)

    @property
    def groups(self) -> int:
        """How many groups of members there are."""
        return len(self.size)


def collapsed(problem: RoleProblem, levels: tuple[str, ...], apart: bool = False) -> Collapsed:
    """Return the classes and groups for a question, or where they stay `apart` each item and member for itself.

    Raises TooLargeError if there are more than ENTRIES pairs of a class and a group.
    """
    problem = _drop_unasked(problem, levels)
    columns = [problem.profile_of, problem.standbys, problem.claims, problem.classes, problem.given]
    one_item, class_of, count = _find_sorts([np.arange(problem.items)] if apart else columns)
    one_member, group_of, size = _find_sorts(_list_member_columns(problem, apart))
    if len(count) * len(size) > ENTRIES:
        raise TooLargeError(
            f"{len(count)} classes of items and {len(size)} groups of members make {len(count) * len(size)} pairs; "
            f"at most {ENTRIES} are taken"
        )
    given, rows = problem.given[one_item], problem.rows
    # the caps of each group's first member, times the group's size
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
            level: _collapse_costs(problem, level, one_item, one_member, group_of)
            for level in levels
            if level not in (*BALANCES, SPREAD)
        },
        {level: problem.squares(level) for level in levels},
        class_of,
        group_of,
    )


def _drop_unasked(problem: RoleProblem, levels: tuple[str, ...]) -> RoleProblem:
    """Forget what no level asks for: zones, profiles, claims, kinds; and zones of one member, where nothing can collide."""
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
    """Return what makes members alike; who is named in a claim or given actives is like no other member."""
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
    """Return one of each sort, the sort of each, and how many there are of each sort; sorts are ascending in the columns."""
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


def _collapse_costs(
    problem: RoleProblem, name: str, one_item: Ints, one_member: Ints, group_of: Ints
) -> tuple[Ints, Ints]:
    level, found = problem.level(name), []
    claims = problem.claims[one_item]
    for table, gain in ((level.active, level.active_gain), (level.standby, level.standby_gain)):
        cost = np.zeros((len(one_item), len(one_member)), np.int64)
        if table is not None:
            cost += table[problem.profile_of[one_item]][:, problem.kind_of[one_member]]
        if gain is not None:
            for some, entry in owners_in_turn(problem, claims):
                np.subtract.at(cost, (some, group_of[problem.claim_member[entry]]), gain[entry])
        found.append(cost)
    return found[0], found[1]
