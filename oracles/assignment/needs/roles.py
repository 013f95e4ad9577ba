"""Roles: active and standby copies of one item, on different members, and if asked in different zones."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from kassay.oracles.assignment.level import BALANCE, Ints
from kassay.oracles.assignment.needs.needs import Needs, legal, refuse_unfit
from kassay.oracles.assignment.problem import Problem, eligible, refuse_impossible
from kassay.oracles.assignment.values import loads, values
from kassay.oracles.failures import ImpossibleError

SAME_ZONE = "same-zone"
"""The level that counts, for each item and zone, its copies there beyond the first."""


@dataclass(frozen=True, slots=True, eq=False)
class Roles:
    """How many copies of each item there are in each role, and what counts which of them.

    All copies of an item are on different members. Owners have a column for each copy: those of the first role, then
    those of the next. `zone_of` is each member's zone, -1 where it is unknown; copies of an item must be in different
    zones where `apart`, else :data:`SAME_ZONE` counts those that are not. A level counts the copies of all roles, or
    of those that `counts` names for it. "balance" evens all loads; `balances` are more levels of that sort, each with
    its roles. `needs` are those of some roles' copies together; the weight of balance is in `weight`.
    """

    copies: Mapping[str, int]
    zone_of: Ints | None = None
    apart: bool = False
    counts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    balances: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    needs: tuple[tuple[tuple[str, ...], Needs], ...] = ()
    weight: Ints | None = None

    def columns(self, roles: tuple[str, ...]) -> list[int]:
        """Return which columns of the owners the copies of these roles are in."""
        every = [role for role, number in self.copies.items() for _ in range(number)]
        return [n for n, role in enumerate(every) if role in roles]

    def counted(self, level: str) -> tuple[str, ...]:
        """Return the roles that a level counts."""
        return self.balances.get(level) or self.counts.get(level) or tuple(self.copies)

    def is_balance(self, level: str) -> bool:
        """Return whether a level is the sum of squared loads."""
        return level == BALANCE or level in self.balances

    def sub(self, problem: Problem, roles: tuple[str, ...]) -> Problem:
        """Return the problem of these roles' copies alone."""
        return replace(problem, copies=len(self.columns(roles)))


def refuse_unfit_roles(problem: Problem, roles: Roles, levels: tuple[str, ...]) -> None:
    """Raise ImpossibleError where roles do not fit the problem or each other."""
    if not roles.copies or any(number < 1 for number in roles.copies.values()):
        raise ImpossibleError("copies: give each role one copy or more")
    named = [each for some in (roles.counts, roles.balances) for each in some.values()]
    for role in {role for some in [*named, *(each for each, _ in roles.needs)] for role in some}:
        if role not in roles.copies:
            raise ImpossibleError(f"roles: {role!r} is none of {', '.join(roles.copies)}")
    if roles.zone_of is None and (roles.apart or SAME_ZONE in levels):
        raise ImpossibleError("zone_of: is missing; give a zone, or -1, for each member")
    if roles.zone_of is not None and len(roles.zone_of) != problem.members:
        raise ImpossibleError("zone_of: give a zone, or -1, for each member")
    every = tuple(roles.copies)
    refuse_impossible(roles.sub(problem, every))
    refuse_unfit(roles.sub(problem, every), Needs(weight=roles.weight))
    for some, needs in roles.needs:
        refuse_unfit(roles.sub(problem, some), needs)
    for level in levels:
        if not roles.is_balance(level) and level != SAME_ZONE:
            problem.level(level)


def legal_in_roles(problem: Problem, roles: Roles, owners: Ints) -> bool:
    """Return whether every item's copies are on different members that may hold it, and all needs are met."""
    every = tuple(roles.copies)
    if not legal(roles.sub(problem, every), Needs(), owners):
        return False
    if roles.apart and _same_zone(roles, owners):
        return False
    return all(
        legal(roles.sub(problem, some), needs, owners[:, roles.columns(some)]) for some, needs in roles.needs
    )


def worth_in_roles(problem: Problem, roles: Roles, levels: tuple[str, ...], owners: Ints) -> tuple[int, ...]:
    """Return the value of each level."""
    unit = Needs(weight=roles.weight).unit(roles.sub(problem, tuple(roles.copies))).tolist()
    worth = []
    for level in levels:
        own = owners[:, roles.columns(roles.counted(level))]
        if roles.is_balance(level):
            load = loads(problem, own).tolist()
            worth.append(sum(each * held * held for each, held in zip(unit, load, strict=True)))
        elif level == SAME_ZONE:
            worth.append(_same_zone(roles, own))
        else:
            worth += values(problem, (level,), own)
    return tuple(worth)


def _same_zone(roles: Roles, owners: Ints) -> int:
    """Count each item's copies in a known zone beyond the first there."""
    assert roles.zone_of is not None
    zones = roles.zone_of[owners].tolist()
    return sum(
        len(known) - len(set(known)) for row in zones for known in [[zone for zone in row if zone >= 0]]
    )


def pairs_in_roles(problem: Problem, roles: Roles) -> list[tuple[int, int, str]]:
    """Return every item, member that may hold it, and role."""
    return [
        (item, member, role)
        for item, member in np.argwhere(eligible(problem)).tolist()
        for role in roles.copies
    ]
