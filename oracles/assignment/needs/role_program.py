"""The optimum of copies in roles: one integer program, solved by HiGHS and by CP-SAT, which have to agree.

x[i, m, r] is 1 where member m holds a copy of item i in role r. To place actives and standbys together is NP-hard, and
no prices prove it; two solvers that share nothing but the rows stand for the proof.

    for every i, r:     sum over m of x[i, m, r] = copies of r
    for every i, m:     sum over r of x[i, m, r] <= 1
    for every i, zone:  sum over its members and r of x <= 1, or <= 1 + z[i, zone], and same-zone is the sum of z
    loads, caps, counts and balance as in :mod:`kassay.oracles.assignment.needs.program`
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.needs.needs import Needs
from kassay.oracles.assignment.needs.roles import (
    SAME_ZONE,
    Roles,
    legal_in_roles,
    pairs_in_roles,
    refuse_unfit_roles,
    worth_in_roles,
)  # fmt: skip
from kassay.oracles.assignment.needs.rows import Rows, Terms
from kassay.oracles.assignment.needs.two_solvers import least_by_both
from kassay.oracles.assignment.problem import Problem, costs, span
from kassay.oracles.failures import TooLargeError, UnsolvedError
from kassay.oracles.solving import Objective

MANY = 20_000
"""Up to this many triples of an item, a member and a role are taken (seconds to minutes)."""


@dataclass(frozen=True, slots=True, eq=False)
class RoleSolution:
    """An optimum that two solvers agree on: the members of each item's copies (items x copies), and each level's value."""

    owners: Ints
    values: tuple[int, ...]


def solve_in_roles(
    problem: Problem, roles: Roles, levels: tuple[str, ...], deadline: float = math.inf
) -> RoleSolution:
    """Return an optimum of the levels among all ways to place copies in roles.

    Raises ImpossibleError where there is none, TooLargeError where there are more than MANY triples, UnsolvedError where
    a solver does not prove every level before `deadline` (of time.monotonic), or the two differ.
    """
    refuse_unfit_roles(problem, roles, levels)
    program = _program(problem, roles, levels)
    values, taken = least_by_both(program.rows, levels, deadline)
    owners = _owners(problem, roles, [triple for triple, held in zip(program.x, taken, strict=False) if held])
    if not legal_in_roles(problem, roles, owners) or worth_in_roles(problem, roles, levels, owners) != values:
        raise UnsolvedError(f"{','.join(levels)}: what HiGHS finds is no legal assignment worth {values}")
    return RoleSolution(owners, values)


@dataclass(frozen=True, slots=True)
class _Program:
    x: dict[tuple[int, int, str], int]
    rows: Rows = field(default_factory=Rows)


def _program(problem: Problem, roles: Roles, levels: tuple[str, ...]) -> _Program:
    triples = pairs_in_roles(problem, roles)
    if len(triples) > MANY:
        raise TooLargeError(
            f"{len(triples)} triples of an item, a member and a role are too many for a program"
        )
    program = _Program({triple: n for n, triple in enumerate(triples)})
    rows = program.rows
    rows.most.extend([1] * len(triples))
    of_role: dict[tuple[int, str], Terms] = {(i, r): [] for i in range(problem.items) for r in roles.copies}
    of_pair: dict[tuple[int, int], Terms] = {}
    for (item, member, role), variable in program.x.items():
        of_role[item, role].append((variable, 1))
        of_pair.setdefault((item, member), []).append((variable, 1))
    for (_, role), terms in of_role.items():
        rows.equal(terms, roles.copies[role])
    for terms in of_pair.values():
        rows.at_most(terms, 1)
    same = _zones(roles, program)
    for some, needs in roles.needs:
        _need(problem, some, needs, program)
    for level in levels:
        counted = roles.counted(level)
        if roles.is_balance(level):
            unit = Needs(weight=roles.weight).unit(roles.sub(problem, tuple(roles.copies))).tolist()
            rows.objectives.append(_balance(problem, counted, unit, program))
        elif level == SAME_ZONE:
            rows.objectives.append(Objective([(z, 1) for z in same], sum(rows.most[z] for z in same)))
        else:
            cost, sub = costs(problem, level), roles.sub(problem, counted)
            low, high = span(sub, level)
            losses = int(problem.losses({level: 1})[problem.claim_of].sum())  # which each copy's cost counts
            terms = [(v, int(cost[i, m])) for (i, m, role), v in program.x.items() if role in counted]
            rows.objectives.append(Objective(terms, high, losses * (1 - sub.copies), low))
    return program


def _zones(roles: Roles, program: _Program) -> list[int]:
    """Add the rows of the zones; return the variables that count copies beyond the first, none where there are none."""
    if roles.zone_of is None:
        return []
    counted = roles.counted(SAME_ZONE)
    found: dict[tuple[int, int, bool], Terms] = {}
    for (item, member, role), variable in program.x.items():
        zone = int(roles.zone_of[member])
        if zone >= 0:
            if roles.apart:
                found.setdefault((item, zone, True), []).append((variable, 1))
            if role in counted:
                found.setdefault((item, zone, False), []).append((variable, 1))
    same = []
    for (*_, strict), terms in found.items():
        if strict:
            program.rows.at_most(terms, 1)
        else:
            same.append(program.rows.variable(max(len(terms) - 1, 0)))
            program.rows.at_most([*terms, (same[-1], -1)], 1)
    return same


def _need(problem: Problem, some: tuple[str, ...], needs: Needs, program: _Program) -> None:
    """Add the rows of some roles' caps and counts."""
    classes = needs.classes(problem).tolist()
    for number, member, cap in needs.rows.tolist():
        held = [
            (v, 1) for (i, m, r), v in program.x.items() if r in some and m == member and classes[i] == number
        ]
        program.rows.at_most(held, cap)
    fewest, most = (column.tolist() for column in needs.span(problem))
    for member in range(problem.members):
        held = [(v, 1) for (_, m, r), v in program.x.items() if r in some and m == member]
        program.rows.at_most(held, most[member])
        program.rows.at_most([(v, -1) for v, _ in held], -fewest[member])


def _balance(problem: Problem, some: tuple[str, ...], unit: Sequence[int], program: _Program) -> Objective:
    """Add each member's slots, 1, 3, 5, ... dear; return the sum of the squared loads."""
    terms, greatest = [], 0
    for member, each in enumerate(unit):
        held = [(v, 1) for (_, m, r), v in program.x.items() if r in some and m == member]
        steps = [(program.rows.variable(1), each * (2 * j + 1)) for j in range(min(len(held), problem.items))]
        program.rows.equal([*held, *((step, -1) for step, _ in steps)], 0)
        terms += steps
        greatest += each * len(steps) ** 2
    return Objective(terms, greatest)


def _owners(problem: Problem, roles: Roles, held: list[tuple[int, int, str]]) -> Ints:
    order = {role: n for n, role in enumerate(roles.copies)}
    rows = sorted((item, order[role], member) for item, member, role in held)
    return np.array([member for *_, member in rows], np.int64).reshape(
        problem.items, sum(roles.copies.values())
    )
