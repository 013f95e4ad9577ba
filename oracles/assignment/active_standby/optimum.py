"""The joint optimum of active and standby copies, level by level on classes and groups, with a certificate.

The same question is also solved as one disaggregated integer program, by HiGHS and by CP-SAT, which have to agree.
x[i, m, r] is 1 if member m holds a copy of item i in role r, active or standby.
- for every i, r: sum over m of x[i, m, r] = copies of i in r
- for every i, m: x[i, m, active] + x[i, m, standby] <= 1
- for every i, tag, zone: sum over members there and r of x <= 1 + z[i, tag, zone]; spread is the sum of z
- for every m, role(s): sum of x = sum over j of y[m, j],  0 <= y <= 1; a balance is the sum of weight of m * (2j - 1) y
- for every m, class: the same for active copies of items of the class; subtopology spread is their sum
"""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np

from kassay.oracles.assignment.active_standby.branch_and_bound import (
    GroupProof,
    Solved,
    Tree,
    UndecidedError,
    list_even_balances,
    solve_level,
)
from kassay.oracles.assignment.active_standby.check import (
    Case,
    Certificate,
    Prices,
    Proof,
    Split,
    compute_values,
    is_legal,
)
from kassay.oracles.assignment.active_standby.master import TimeOverError
from kassay.oracles.assignment.active_standby.problem import (
    BALANCES,
    Collapsed,
    RoleProblem,
    build_classes,
    refuse_unfit,
)
from kassay.oracles.assignment.active_standby.program import (
    Columns,
    Program,
    deal_copies,
    find_even_placement,
)
from kassay.oracles.assignment.linear_program import Rows, Terms, minimise_by_both
from kassay.oracles.assignment.own_levels import SPREAD, SUBTOPOLOGY_SPREAD
from kassay.oracles.assignment.problem import Ints, build_gain_matrix
from kassay.oracles.errors import ImpossibleError, TooLargeError, UnsolvedError
from kassay.oracles.solving import Objective

NONE = np.empty(0, np.int64)
EMPTY = Columns(NONE, NONE)


@dataclass(frozen=True, slots=True, eq=False)
class JointOptimum:
    """The owners found, the value and the lower bound of each level, and the certificate.

    `least` ends with the first level that is not proved; :func:`.check.compute_least` computes it again from the certificate.
    """

    owners: Ints
    value: tuple[int, ...]
    least: tuple[int, ...]
    certificate: Certificate

    @property
    def proved(self) -> bool:
        """True if every level is optimal."""
        return self.value == self.least


class _Solution(NamedTuple):
    values: tuple[int, ...]
    least: tuple[int, ...]
    proofs: list[GroupProof]
    columns: Columns
    number: Ints


def find_joint_optimum(
    problem: RoleProblem, levels: tuple[str, ...], deadline: float = math.inf
) -> JointOptimum:
    """Return an optimum of the levels in lexicographic order, with a certificate.

    Raises ImpossibleError if there is no placement, TooLargeError if there are too many classes, groups or patterns,
    UnsolvedError if `deadline` (of time.monotonic) passes before a placement is found.
    """
    refuse_unfit(problem, levels)
    try:
        return _find_optimum(problem, levels, False, deadline)
    except UndecidedError:
        return _find_optimum(problem, levels, True, deadline)


def _find_optimum(
    problem: RoleProblem, levels: tuple[str, ...], apart: bool, deadline: float
) -> JointOptimum:
    of = build_classes(problem, levels, apart)
    program, solution = place_copies(of, levels, deadline)
    worth, least, proofs, columns, number = solution
    owners = deal_copies(program, columns, number)
    value = compute_values(problem, levels, owners)
    losses = [problem.constant(level) for level in levels]
    if not is_legal(problem, owners) or value != tuple(map(sum, zip(worth, losses, strict=True))):
        raise UnsolvedError(f"{','.join(levels)}: the owners are not a legal placement of the values {worth}")
    proved = tuple(map(sum, zip(least, losses, strict=False)))
    return JointOptimum(
        owners, value, proved, Certificate(tuple(_expand_proof(problem, of, each) for each in proofs))
    )


def place_copies(
    of: Collapsed, levels: tuple[str, ...], deadline: float = math.inf
) -> tuple[Program, _Solution]:
    """Return an optimum on classes and groups, with its proofs; see :func:`find_joint_optimum`."""
    program = Program(of, levels)
    even = list_even_balances(program)
    try:
        solution = _solve_levels(program, even, deadline) if even else None
    except TimeOverError:  # no balanced placement was found
        start = find_even_placement(program)
        solution = None if start is None else _solve_levels(program, even, deadline, *start)
    solution = solution or _solve_levels(program, [], deadline)
    if solution is None:
        raise ImpossibleError("counts, caps: no placement keeps all of them")
    return program, solution


def _solve_levels(
    program: Program, even: list[Solved], deadline: float, columns: Columns = EMPTY, number: Ints = NONE
) -> _Solution | None:
    """Return a placement with the values of its levels and their bounds, None if no placement exists.

    `even` are proofs for the first levels that balanced loads are best; a placement with such loads may be given.
    """
    pool = EMPTY
    least, proofs = [each.least for each in even], [each.proof for each in even]
    worth = tuple(least)
    for _ in program.levels[len(even) :]:
        found = solve_level(program, worth, columns, number, pool, deadline)
        if found.columns is None:
            return None
        columns, number, pool = found.columns, found.number, found.pool
        worth = (*worth, found.value)
        least.append(found.least)
        proofs.append(found.proof)
        if found.least < found.value:
            break
    return _Solution(program.compute_values(columns, number), tuple(least), proofs, columns, number)


def _expand_proof(problem: RoleProblem, of: Collapsed, proof: GroupProof) -> Proof:
    if isinstance(proof, Tree):
        case = proof.case
        items = (
            None
            if case.classes is None
            else tuple(np.flatnonzero(np.isin(of.class_of, case.classes)).tolist())
        )
        members = None if case.group < 0 else tuple(np.flatnonzero(of.group_of == case.group).tolist())
        split = Case(items, members, "active" if case.active else "every", case.most)
        return Split(split, _expand_proof(problem, of, proof.fewer), _expand_proof(problem, of, proof.more))
    active, every = (tuple(column[of.group_of].tolist()) for column in (proof.active, proof.every))
    price = {
        (part, group): each
        for (part, group, *_), each in zip(of.caps.tolist(), proof.caps.tolist(), strict=True)
    }
    group_of = of.group_of.tolist()
    caps = tuple(price[part, group_of[member]] for part, member, *_ in problem.rows.tolist())
    return Prices(
        int(proof.unit), tuple(proof.before.tolist()), active, every, caps, tuple(proof.cases.tolist())
    )


MANY = 20_000
"""The limit of triples of an item, a member and a role (seconds to minutes)."""
ROLES = (0, 1)
"""Active and standby."""


def solve_by_item(
    problem: RoleProblem, levels: tuple[str, ...], deadline: float = math.inf
) -> tuple[Ints, tuple[int, ...]]:
    """Return the owners in an optimum on which two solvers agree, and the value of each level.

    Raises ImpossibleError if there is no placement, TooLargeError if there are more than MANY triples. Raises
    UnsolvedError if a solver does not prove every level before `deadline` (of time.monotonic), or the two differ.
    """
    refuse_unfit(problem, levels)
    program = _build_program(problem, levels)
    found, taken = minimise_by_both(program.rows, levels, deadline)
    owners = program.read_owners(problem, taken)
    if not is_legal(problem, owners) or compute_values(problem, levels, owners) != found:
        raise UnsolvedError(
            f"{','.join(levels)}: HiGHS does not find a legal placement of the values {found}"
        )
    return owners, found


@dataclass(frozen=True, slots=True)
class _Program:
    x: dict[tuple[int, int, int], int]
    rows: Rows = field(default_factory=Rows)

    def list_held(self, role: int | None, member: int) -> Terms:
        """Return a member's copies in a role, or in both."""
        return [(v, 1) for (_, m, r), v in self.x.items() if m == member and role in (None, r)]

    def read_owners(self, problem: RoleProblem, taken: list[int]) -> Ints:
        """Return the owners that the variables' values give; variables beyond the triples are ignored."""
        owners = np.full((problem.items, 1 + int(problem.standbys.max(initial=0))), -1)
        place = [0] * problem.items
        held = (triple for triple, one in zip(self.x, taken, strict=False) if one)
        for item, _, member in sorted((item, role, member) for item, member, role in held):
            owners[item, place[item]] = member
            place[item] += 1
        return owners


def _build_program(problem: RoleProblem, levels: tuple[str, ...]) -> _Program:
    size = 2 * problem.items * problem.members
    if size > MANY:
        raise TooLargeError(f"{size} triples of an item, a member and a role. A program takes up to {MANY}")
    triples = [(i, m, r) for i in range(problem.items) for m in range(problem.members) for r in ROLES]
    program = _Program({triple: n for n, triple in enumerate(triples)})
    rows, x = program.rows, program.x
    rows.most.extend([1] * len(triples))
    members = range(problem.members)
    given = problem.given.tolist()
    for item, standbys in enumerate(problem.standbys.tolist()):
        rows.add_equal([(x[item, m, 0], 1) for m in members], 1)
        rows.add_equal([(x[item, m, 1], 1) for m in members], standbys)
        for m in members:
            rows.add_at_most([(x[item, m, r], 1) for r in ROLES], 1)
        if given[item] >= 0:
            rows.add_equal([(x[item, given[item], 0], 1)], 1)
    for role, column in ((0, problem.active_loads), (None, problem.loads)):
        if column is not None:
            for member, load in enumerate(column.tolist()):
                rows.add_equal(program.list_held(role, member), load)
    classes = problem.classes.tolist()
    for number, member, least, most in problem.rows.tolist():
        held = [(x[i, member, 0], 1) for i, each in enumerate(classes) if each == number]
        rows.add_at_most(held, most)
        rows.add_at_most([(v, -1) for v, _ in held], -least)
    rows.objectives.extend(_add_objective(problem, level, program) for level in levels)
    return program


def _add_squares(held: Terms, weight: int, most: int, program: _Program) -> tuple[Terms, int]:
    """Add variables for up to `most` copies, at costs of 1, 3, 5, ... weights; return the weighted square, and its greatest value."""
    steps = [(program.rows.add_variable(1), weight * (2 * number + 1)) for number in range(most)]
    program.rows.add_equal([*held, *((step, -1) for step, _ in steps)], 0)
    return steps, weight * most**2


def _add_objective(problem: RoleProblem, name: str, program: _Program) -> Objective:
    """Add the variables and rows of a level; return its sum."""
    if name == SPREAD:
        # The copies beyond the first one in each zone.
        same: Terms = []
        for zone_of in problem.zones:
            for zone in np.unique(zone_of[zone_of >= 0]).tolist():
                there = np.flatnonzero(zone_of == zone).tolist()
                for item, standbys in enumerate(problem.standbys.tolist()):
                    held = [(program.x[item, m, r], 1) for m in there for r in ROLES]
                    same.append((program.rows.add_variable(standbys), 1))
                    program.rows.add_at_most([*held, (same[-1][0], -1)], 1)
        return Objective(same, sum(program.rows.most[v] for v, _ in same))
    weights = list(enumerate(problem.weights.tolist()))
    if name == SUBTOPOLOGY_SPREAD:
        found = Objective([], 0)
        sizes = Counter(problem.classes.tolist()).items()
        for (number, size), (member, weight) in product(sizes, weights):
            held = [(program.x[i, member, 0], 1) for i in np.flatnonzero(problem.classes == number).tolist()]
            squares, most = _add_squares(held, weight, size, program)
            found = Objective([*found.terms, *squares], found.most + most)
        return found
    terms: Terms = []
    if name not in BALANCES:
        active, standby = compute_item_costs(problem, name)
        terms = [(v, int((standby if r else active)[i, m])) for (i, m, r), v in program.x.items()]
    constant = problem.constant(name)
    low, high = (sum(pick(0, cost) for _, cost in terms) for pick in (min, max))
    for role, factor in zip((0, None), problem.squares(name), strict=True):
        for member, weight in weights if factor else ():
            squares, most = _add_squares(
                program.list_held(role, member), factor * weight, problem.items, program
            )
            terms, high = [*terms, *squares], high + most
    return Objective(terms, high + constant, constant, low + constant)


def compute_item_costs(problem: RoleProblem, name: str) -> tuple[Ints, Ints]:
    """Return the costs of each item's active copy, and of each standby, at each member, without losses; for small problems."""
    level, found = problem.level(name), []
    for table, gain in ((level.active, level.active_gain), (level.standby, level.standby_gain)):
        cost = np.zeros((problem.items, problem.members), np.int64)
        if table is not None:
            cost += table[problem.profile_of][:, problem.kind_of]
        if gain is not None:
            cost -= build_gain_matrix(problem.claim_start, problem.claim_member, problem.members, gain)[
                problem.claims
            ]
        found.append(cost)
    return found[0], found[1]


def build_item_program(
    problem: RoleProblem, levels: tuple[str, ...]
) -> tuple[Rows, Callable[[list[int]], Ints]]:
    """Return the program of some levels, to which rows may be added, and the function that reads owners from its variables' values.

    Raises TooLargeError if there are more than MANY triples of an item, a member and a role.
    """
    program = _build_program(problem, levels)
    return program.rows, partial(program.read_owners, problem)
