"""The joint optimum of copies in roles: level by level on classes and groups, dealt back to items, with a certificate."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kassay.oracles.assignment.active_standby.check import (
    Case,
    Certificate,
    Prices,
    Proof,
    Split,
    legal,
    values,
)
from kassay.oracles.assignment.active_standby.collapsed.branch_and_bound import (
    GroupProof,
    Solved,
    Tree,
    UndecidedError,
    even_balances,
    solved,
)  # fmt: skip
from kassay.oracles.assignment.active_standby.collapsed.collapse import Collapsed, collapsed
from kassay.oracles.assignment.active_standby.collapsed.master import TimeOverError
from kassay.oracles.assignment.active_standby.collapsed.place_in_groups import dealt, even_placement
from kassay.oracles.assignment.active_standby.collapsed.program import Columns, Program
from kassay.oracles.assignment.active_standby.problem import RoleProblem, refuse_unfit
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.errors import ImpossibleError, UnsolvedError

NONE = np.empty(0, np.int64)
EMPTY = Columns(NONE, NONE)


@dataclass(frozen=True, slots=True, eq=False)
class JointOptimum:
    """The owners found, what each level is worth, what no placement goes below, and the certificate of that.

    `least` goes down to the first level that is not proved; :func:`.check.least` finds it again from the certificate.
    """

    owners: Ints
    value: tuple[int, ...]
    least: tuple[int, ...]
    certificate: Certificate

    @property
    def proved(self) -> bool:
        """Whether every level is optimal."""
        return self.value == self.least


class _Solution(NamedTuple):
    values: tuple[int, ...]
    least: tuple[int, ...]
    proofs: list[GroupProof]
    columns: Columns
    number: Ints


def joint_optimum(problem: RoleProblem, levels: tuple[str, ...], deadline: float = math.inf) -> JointOptimum:
    """Return an optimum of the levels, the first weighing infinitely more than the next, with a certificate.

    Raises ImpossibleError where there is no placement, TooLargeError where there are too many classes, groups or patterns,
    UnsolvedError where `deadline` (of time.monotonic) passes before a placement is found.
    """
    refuse_unfit(problem, levels)
    try:
        return _optimum(problem, levels, False, deadline)
    except UndecidedError:
        return _optimum(problem, levels, True, deadline)


def _optimum(problem: RoleProblem, levels: tuple[str, ...], apart: bool, deadline: float) -> JointOptimum:
    of = collapsed(problem, levels, apart)
    program, solution = placed(of, levels, deadline)
    worth, least, proofs, columns, number = solution
    owners = dealt(program, columns, number)
    value = values(problem, levels, owners)
    losses = [problem.constant(level) for level in levels]
    if not legal(problem, owners) or value != tuple(map(sum, zip(worth, losses, strict=True))):
        raise UnsolvedError(f"{','.join(levels)}: what is dealt is no legal placement worth {worth}")
    proved = tuple(map(sum, zip(least, losses, strict=False)))
    return JointOptimum(
        owners, value, proved, Certificate(tuple(_proof(problem, of, each) for each in proofs))
    )


def placed(of: Collapsed, levels: tuple[str, ...], deadline: float = math.inf) -> tuple[Program, _Solution]:
    """Return an optimum on classes and groups, with its proofs; see :func:`joint_optimum`."""
    program = Program(of, levels)
    even = even_balances(program)
    try:
        solution = _solved(program, even, deadline) if even else None
    except TimeOverError:  # no placement was found that is as even as it should be
        start = even_placement(program)
        solution = None if start is None else _solved(program, even, deadline, *start)
    solution = solution or _solved(program, [], deadline)
    if solution is None:
        raise ImpossibleError("counts, caps: no placement keeps all of them")
    return program, solution


def _solved(
    program: Program, even: list[Solved], deadline: float, columns: Columns = EMPTY, number: Ints = NONE
) -> _Solution | None:
    """Return a placement with what its levels are worth and what is proved, None where there is none.

    `even` are proofs that even loads are best, for the first levels; a placement with such loads may be given.
    """
    pool = EMPTY
    least, proofs = [each.least for each in even], [each.proof for each in even]
    worth = tuple(least)
    for _ in program.levels[len(even) :]:
        found = solved(program, worth, columns, number, pool, deadline)
        if found.columns is None:
            return None
        columns, number, pool = found.columns, found.number, found.pool
        worth = (*worth, found.value)
        least.append(found.least)
        proofs.append(found.proof)
        if found.least < found.value:
            break
    return _Solution(program.values(columns, number), tuple(least), proofs, columns, number)


def _proof(problem: RoleProblem, of: Collapsed, proof: GroupProof) -> Proof:
    """Return a proof for items and members."""
    if isinstance(proof, Tree):
        case = proof.case
        items = (
            None
            if case.classes is None
            else tuple(np.flatnonzero(np.isin(of.class_of, case.classes)).tolist())
        )
        members = None if case.group < 0 else tuple(np.flatnonzero(of.group_of == case.group).tolist())
        split = Case(items, members, "active" if case.active else "every", case.most)
        return Split(split, _proof(problem, of, proof.fewer), _proof(problem, of, proof.more))
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
