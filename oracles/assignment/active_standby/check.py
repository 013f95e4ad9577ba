"""The value of a placement of active and standby copies, and the check of the certificate of a joint optimum.

Every member has a price for an active copy and a price for any copy. For any prices and any placement, the cost has
two parts: the items' payments (costs and prices), and the members' squared loads minus the payments that they
receive. Each part has a lower bound of its own, which needs no solver. Each level before the one that is proved adds
a multiple of its cost (0 or more) above its value. A cap adds a price that its copies pay, and so does a case, if the
proof is a small tree of cases with prices at its leaves.

The columns of a problem and a certificate go to :mod:`kassay.oracles.proof.roles`, which knows only lists of integers
and not how anything was found; see docs/explanation/tasks.md. The value of a placement is computed from items and owners
alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Literal, TypeAlias, cast

import numpy as np

from kassay.oracles.assignment.active_standby.problem import (
    BALANCES,
    NO_COSTS,
    RoleLevel,
    RoleProblem,
    refuse_unfit,
)
from kassay.oracles.assignment.own_levels import SPREAD, SUBTOPOLOGY_SPREAD
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.assignment.values import sum_savings
from kassay.oracles.proof import roles


def is_legal(problem: RoleProblem, owners: Ints) -> bool:
    """Return True if every item has all its copies, on different members, and all counts and caps are kept."""
    width = 1 + int(problem.standbys.max(initial=0))
    if owners.shape != (problem.items, width):
        return False
    if not problem.items:
        return True
    placed = np.arange(width) <= problem.standbys[:, None]
    if (owners[placed] < 0).any() or (owners >= problem.members).any() or (owners[~placed] != -1).any():
        return False
    rows = np.sort(owners, axis=1)
    if ((rows[:, 1:] == rows[:, :-1]) & (rows[:, 1:] >= 0)).any():
        return False
    given = problem.given
    if ((given >= 0) & (given != owners[:, 0])).any():
        return False
    for asked, held in ((problem.active_loads, owners[:, 0]), (problem.loads, owners[placed])):
        if asked is not None and not np.array_equal(np.bincount(held, minlength=problem.members), asked):
            return False
    rows = problem.rows
    if not len(rows):
        return True
    number = max(int(problem.classes.max()), int(rows[:, 0].max())) + 1
    held = np.bincount(owners[:, 0] * number + problem.classes, minlength=problem.members * number)
    there = held[rows[:, 1] * number + rows[:, 0]]
    return bool(((rows[:, 2] <= there) & (there <= rows[:, 3])).all())


def compute_values(problem: RoleProblem, levels: tuple[str, ...], owners: Ints) -> tuple[int, ...]:
    """Return the value of each level."""
    found = []
    for level in levels:
        if level == SPREAD:
            # Each item's copies in a known zone, beyond the first copy there.
            zones = (np.sort(np.where(owners >= 0, zone[owners], -1), axis=1) for zone in problem.zones)
            total = sum(int(((held[:, 1:] == held[:, :-1]) & (held[:, 1:] >= 0)).sum()) for held in zones)
        elif level == SUBTOPOLOGY_SPREAD:
            places, held = np.unique(problem.classes * problem.members + owners[:, 0], return_counts=True)
            total = int((problem.weights[places % problem.members] * held * held).sum())
        else:
            total = 0 if level in BALANCES else _sum_costs(problem, level, owners)
            for factor, held in zip(problem.squares(level), (owners[:, :1], owners), strict=True):
                if factor:
                    load = np.bincount(held[held >= 0], minlength=problem.members).tolist()
                    weighed = zip(load, problem.weights.tolist(), strict=True)
                    total += factor * sum(w * n * n for n, w in weighed)
        found.append(total)
    return tuple(found)


def _sum_costs(problem: RoleProblem, name: str, owners: Ints) -> int:
    level, total = problem.level(name), problem.constant(name)
    item, place = np.nonzero(owners >= 0)
    member, active = owners[item, place], place == 0
    for table, which in ((level.active, active), (level.standby, ~active)):
        if table is not None:
            total += int(table[problem.profile_of[item[which]], problem.kind_of[member[which]]].sum())
    for gain, own in ((level.active_gain, owners[:, :1]), (level.standby_gain, owners[:, 1:])):
        if gain is not None:
            total -= sum_savings(problem.claim_start, problem.claim_member, problem.claims, gain, own)
    return total


Role: TypeAlias = Literal["active", "every"]


@dataclass(frozen=True, slots=True)
class Prices:
    """Integers that bound a level from below, times `unit`; a unit of 0 proves that no placement is possible.

    `before` has a multiplier for each level before, `active` and `every` a price for each member, and `caps` one for
    each cap. `cases` has one for each case on the path from the root, in this order.
    """

    unit: int
    before: tuple[int, ...]
    active: tuple[int, ...]
    every: tuple[int, ...]
    caps: tuple[int, ...]
    cases: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """At most `most` active copies (or copies in every role) of these items are on these members, or more are.

    `items` and `members` are numbers in ascending order; None means all.
    """

    items: tuple[int, ...] | None
    members: tuple[int, ...] | None
    role: Role
    most: int


@dataclass(frozen=True, slots=True)
class Split:
    """A case and the proofs of its two sides."""

    case: Case
    fewer: "Proof"
    more: "Proof"


Proof: TypeAlias = Prices | Split
"""A proof of the lower bound of one level over all placements whose levels before it are at most their values."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A proof for each level of a question, in order."""

    proofs: tuple[Proof, ...]


def is_proof(problem: RoleProblem, levels: tuple[str, ...], owners: Ints, certificate: Certificate) -> bool:
    """Return True if a certificate proves that owners, from any source, are legal and optimal in all levels.

    Raises ValueError if the certificate does not have the shape that the question needs.
    """
    if not is_legal(problem, owners):
        return False
    worth = compute_values(problem, levels, owners)
    return compute_least(problem, levels, worth, certificate) == worth


def compute_least(
    problem: RoleProblem, levels: tuple[str, ...], worth: tuple[int, ...], certificate: Certificate
) -> tuple[int | None, ...]:
    """Return the lower bound of each level with a proof, over placements whose levels before it are at most `worth`.

    None if the proof shows that no placement exists. Raises ValueError if the certificate does not have the shape
    that the question needs.
    """
    refuse_unfit(problem, levels)
    if len(certificate.proofs) > len(levels):
        raise ValueError(f"there are {len(certificate.proofs)} proofs for {len(levels)} levels")
    columns = problem.profile_of, problem.standbys, problem.claims, problem.classes, problem.given
    known = roles.Roles(
        problem.kind_of.tolist(),
        problem.weights.tolist(),
        list(zip(*problem.zones.tolist(), strict=True)) or [()] * problem.members,
        cast("list[roles.Item]", list(zip(*(column.tolist() for column in columns), strict=True))),
        {name: _build_costs(problem, problem.level(name)) for name in levels if name not in NO_COSTS},
        {(part, m): (low, high) for part, m, low, high in problem.rows.tolist()},
        None if problem.active_loads is None else problem.active_loads.tolist(),
        None if problem.loads is None else problem.loads.tolist(),
    )
    found = (
        roles.compute_bound(known, levels[: n + 1], worth[:n], _build_proof(problem, proof), f"proofs[{n}]")
        for n, proof in enumerate(certificate.proofs)
    )
    return tuple(None if each == inf else int(each) for each in found)


def _build_costs(problem: RoleProblem, level: RoleLevel) -> roles.Costs:
    start, holder = problem.claim_start.tolist(), problem.claim_member.tolist()
    none = [0] * len(holder)
    active, standby = (
        none if gain is None else gain.tolist() for gain in (level.active_gain, level.standby_gain)
    )
    gains: list[dict[int, tuple[int, int]]] = []
    for first, last in (
        pairwise(start) if level.active_gain is not None or level.standby_gain is not None else ()
    ):
        own: dict[int, tuple[int, int]] = {}
        for entry in range(first, last):
            before = own.get(holder[entry], (0, 0))
            own[holder[entry]] = before[0] + active[entry], before[1] + standby[entry]
        gains.append(own)
    run, kept = (None if table is None else table.tolist() for table in (level.active, level.standby))
    return roles.Costs(run, kept, [] if level.loss is None else level.loss.tolist(), gains, level.squares)


def _build_proof(problem: RoleProblem, proof: Proof) -> roles.Proof:
    """Return a proof in lists. Raises ValueError if it names unknown items or members, or has a wrong number of prices."""
    if isinstance(proof, Split):
        case = proof.case
        _refuse_wrong_numbers("items", case.items, problem.items)
        _refuse_wrong_numbers("members", case.members, problem.members)
        if type(case.most) is not int or case.role not in ("active", "every"):
            raise ValueError("most, role: has no valid value. Give a whole number, and active or every")
        items, members = (
            None if numbers is None else frozenset(numbers) for numbers in (case.items, case.members)
        )
        return roles.Split(
            items,
            members,
            case.role,
            case.most,
            _build_proof(problem, proof.fewer),
            _build_proof(problem, proof.more),
        )
    lengths = {"active": problem.members, "every": problem.members, "caps": len(problem.rows)}
    for name in ("before", "active", "every", "caps", "cases"):
        column = getattr(proof, name)
        length = lengths.get(name, len(column))
        if len(column) != length or any(type(each) is not int for each in column):
            raise ValueError(f"{name}: has no valid value. Give {length} whole numbers")
    if type(proof.unit) is not int:
        raise ValueError("unit: has no valid value. Give a whole number")
    caps = ((part, m) for part, m, *_ in problem.rows.tolist())
    return roles.Prices(
        proof.unit, proof.before, dict(enumerate(proof.active)), dict(enumerate(proof.every)),
        dict(zip(caps, proof.caps, strict=True)), proof.cases,
    )  # fmt: skip


def _refuse_wrong_numbers(name: str, numbers: Sequence[int] | None, most: int) -> None:
    if numbers is not None and not (
        all(type(each) is int and 0 <= each < most for each in numbers)
        and all(a < b for a, b in pairwise(numbers))
    ):
        raise ValueError(f"{name}: has no valid value. Give numbers of 0 to {most - 1}, ascending")
