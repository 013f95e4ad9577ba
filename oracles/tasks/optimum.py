"""The answer to a question about an application: the least values, a placement that has them, and why none has less.

Why nothing is better, as JSON that others can check: a proof for each level, of prices and cases.

The values of a question's levels, as the measures of the streams family give them.

The optima of an application's levels, found and proved once, to hold any number of answers against.
"""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from typing import Any, TypeAlias

import msgspec
import numpy as np

from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.answers import Answer, Gap, Level, Optima
from kassay.oracles.assignment.active_standby.check import (
    Certificate,
    Prices,
    Proof,
    Split,
    least,
    legal,
    values,
)
from kassay.oracles.assignment.active_standby.optimum import joint_optimum, solve_by_item
from kassay.oracles.assignment.active_standby.problem import RoleProblem
from kassay.oracles.assignment.own_levels import BALANCE, SUBTOPOLOGY_SPREAD, TOTAL_BALANCE
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.assignment.values import least_squares
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.tasks.encoding import NOBODY, Case, answer_of, encoded, owners_of, places
from kassay.oracles.tasks.flow import flow_optimum, is_flow
from kassay.oracles.tasks.levels import COMPARED, LEVELS, is_of_past
from kassay.oracles.tasks.question import Question, question
from kassay.oracles.tasks.reasons import reasons
from kassay.properties.tasks import holdings

Names = Mapping[str, int]


class PricesForm(msgspec.Struct, tag="prices", tag_field="by"):
    """Prices that bound a level; clients and caps that are left out ask nothing.

    `before` has a multiplier for each level before, `active` what a client asks for an active task, `every` what it asks for any
    copy; an entry of `caps` is a subtopology, a client and a price, `cases` has a price for each case on the way here.
    """

    unit: int
    before: list[int]
    active: dict[str, int]
    every: dict[str, int]
    caps: list[tuple[int | str, str, int]]
    cases: list[int]


class SplitForm(msgspec.Struct, tag="cases", tag_field="by"):
    """Two cases that leave nothing out: of these tasks at most `most` copies in a role are on these clients, or more are."""

    tasks: list[str] | None
    clients: list[str] | None
    role: str
    most: int
    fewer: "PricesForm | SplitForm"
    more: "PricesForm | SplitForm"


class ProofForm(msgspec.Struct):
    """What a level is worth, what its proof shows that nothing goes below, and the proof; for balance the clients' squared loads, weighed by threads."""

    level: str
    value: int
    least: int
    proof: PricesForm | SplitForm


class CertificateForm(msgspec.Struct):
    """What proves an answer; see :func:`certificate`."""

    proved: bool
    loads: dict[str, tuple[int, int]]
    proofs: list[ProofForm]


def certificate(
    case: Case,
    owners: Ints,
    levels: Sequence[Level],
    names: Sequence[str],
    worth: Sequence[int],
    least: Sequence[int],
    proofs: Certificate,
) -> dict[str, Any]:
    """Return the proof of an answer as JSON, without the assignment itself and the levels.

    `loads` are the active tasks and the copies of each client; each proof has what the level is worth and what nothing goes below.
    """
    width = range(len(case.clients))
    active, copies = (
        np.bincount(held[held != NOBODY], minlength=len(width)).tolist() for held in (owners[:, 0], owners)
    )
    found = [*map(proof_form, [case] * len(proofs.proofs), proofs.proofs)]
    shown = [
        ProofForm(name, value, bound, proof)
        for name, value, bound, proof in zip(names, worth, least, found, strict=False)
    ]
    form = CertificateForm(
        all(level.proved for level in levels) and len(levels) == len(found) == len(names),
        {name: (active[c], copies[c]) for c, name in enumerate(case.clients)},
        shown,
    )
    as_json: dict[str, Any] = msgspec.to_builtins(form)
    return as_json


def proof_form(case: Case, proof: Proof) -> PricesForm | SplitForm:
    """Return a proof with names in place of numbers."""
    if isinstance(proof, Split):
        cut = proof.case
        return SplitForm(
            None if cut.items is None else [str(case.tasks[i]) for i in cut.items],
            None if cut.members is None else [case.clients[m] for m in cut.members],
            cut.role,
            cut.most,
            proof_form(case, proof.fewer),
            proof_form(case, proof.more),
        )
    caps = zip(case.problem.rows.tolist(), proof.caps, strict=True)
    parts = [part if isinstance(part, int) else str(part) for part in case.subtopologies]
    return PricesForm(
        proof.unit,
        list(proof.before),
        {name: price for name, price in zip(case.clients, proof.active, strict=True) if price},
        {name: price for name, price in zip(case.clients, proof.every, strict=True) if price},
        [(parts[j], case.clients[c], price) for (j, c, *_), price in caps if price],
        list(proof.cases),
    )


def remeasure(application: Application, answer: TaskAssignment, asked: Question) -> dict[str, int]:
    """Return what an answer is worth in each level of a question."""
    return {level: LEVELS[level].measure(application, answer) for level in asked.levels}


MEASURED = 100_000
"""Up to this many copies the values found are measured again, on the assignment itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A legal placement with its certificate: what it is worth, and what none goes below, level by level."""

    owners: Ints
    proofs: Certificate
    worth: tuple[int, ...]
    least: tuple[int, ...]

    @property
    def proved(self) -> bool:
        """Whether nothing is better, by a proof of each level: that one of 0 can have no less is none."""
        return self.worth == self.least and len(self.proofs.proofs) == len(self.worth)


def optimum(
    text: str,
    application: Application,
    time_limit_s: float | None = None,
    given: TaskAssignment | None = None,
) -> Answer:
    """Return the exact optimum of a question (see :func:`kassay.oracles.tasks.question.question`), with its certificate.

    `given` is the complete and legal answer that contracts refer to. Where the time limit passes, the levels end with an
    interval or there is no answer. Raises ImpossibleError where nothing answers the question, TooLargeError where it is too large,
    UnsolvedError where a solver fails or the time is over before there is a placement.
    """
    asked = question(text, given=given is not None)
    deadline = math.inf if time_limit_s is None else time.monotonic() + time_limit_s
    case = encoded(application, asked, given)
    return answered(application, asked, case, best(case, asked, deadline))


def best(case: Case, asked: Question, deadline: float = math.inf) -> Judged:
    """Return an optimal placement, judged by its certificate; raises what :func:`optimum` raises."""
    if SUBTOPOLOGY_SPREAD in asked.levels:
        checked = judged(case, asked, *_of_actives(case.problem, asked.levels, deadline))
    elif is_flow(case.problem, asked.levels):
        checked = judged(case, asked, *flow_optimum(case.problem, asked.levels, deadline))
    else:
        found = joint_optimum(case.problem, asked.levels, deadline)
        checked = judged(case, asked, found.owners, found.certificate)
    if math.isinf(deadline) and not checked.proved:
        raise UnsolvedError(f"{asked}: the certificate does not prove the optimum found")
    return checked


def _of_actives(problem: RoleProblem, levels: tuple[str, ...], deadline: float) -> tuple[Ints, Certificate]:
    """Place active tasks by a flow, then standbys, as evenly as these allow; the certificate is of levels of active tasks."""
    if not problem.items:
        nothing = (0,) * problem.members
        proofs = tuple(Prices(1, (0,) * n, nothing, nothing, ()) for n in range(len(levels)))
        return np.empty((0, 1), np.int64), Certificate(proofs)
    active = replace(problem, standbys=np.zeros_like(problem.standbys))
    owners, found = flow_optimum(active, levels, deadline)
    if problem.standbys.any():
        owners = joint_optimum(
            replace(problem, active_at=owners[:, 0], caps=None), (TOTAL_BALANCE,), deadline
        ).owners
    return owners, found


def judged(case: Case, asked: Question, owners: Ints, proofs: Certificate) -> Judged:
    """Judge what a solver found, believing none of it; raises UnsolvedError where it is no legal placement with a certificate.

    What a certificate says nothing of is not below 0.
    """
    if not legal(case.problem, owners):
        raise UnsolvedError(f"{asked}: the placement is not legal")
    worth = values(case.problem, asked.levels, owners)
    try:
        bounds = least(case.problem, asked.levels, worth, proofs)
    except ValueError as wrong:
        raise UnsolvedError(f"{asked}: the certificate proves nothing: {wrong}") from None
    known = [max(each, 0) if each is not None else 0 for each in bounds]
    return Judged(owners, proofs, worth, tuple(known + [0] * (len(worth) - len(known))))


def imbalance(case: Case, level: str, owners: Ints) -> int:
    """Return how far apart loads are, by active tasks or by all copies; see :mod:`kassay.properties.tasks.measures`."""
    held, threads = owners if level == TOTAL_BALANCE else owners[:, :1], case.problem.slots
    count = np.bincount(held[held != NOBODY], minlength=len(threads))
    return holdings.imbalance(zip(count.tolist(), threads.tolist(), strict=True))


def excess(problem: RoleProblem, squares: int) -> int:
    """Return what squares of subtopologies at clients count as their measure does; see :func:`kassay.properties.tasks.measures.subtopology_excess`."""
    weight, size = np.unique(problem.weights, return_counts=True)
    even = sum(least_squares(copies, weight, size) for copies in np.bincount(problem.classes).tolist())
    return max(0, -((even - squares) // (2 if (weight % 2).all() else 1)))


def answered(
    application: Application, asked: Question, case: Case, found: Judged, *, words: bool = True
) -> Answer:
    """Return the answer that a judged placement makes; raises UnsolvedError where it measures otherwise than it was reckoned."""
    assignment = answer_of(case, found.owners)
    value = {
        level: excess(case.problem, own) if level == SUBTOPOLOGY_SPREAD else own
        for level, own in zip(asked.levels, found.worth, strict=True)
    }
    if case.problem.copies <= MEASURED:
        measured = remeasure(application, assignment, asked)
        if any(
            value[level] != measured[level] for level in asked.levels if level not in (BALANCE, TOTAL_BALANCE)
        ):
            raise UnsolvedError(f"the optimum found is {value}, but measured it is {measured}")
    levels: list[Level] = []
    for level, own, bound in zip(asked.levels, found.worth, found.least, strict=True):
        if level in (BALANCE, TOTAL_BALANCE):
            spread = imbalance(case, level, found.owners)
            levels.append(Level(level, spread, spread if own == bound else 0))
        elif level == SUBTOPOLOGY_SPREAD:
            levels.append(Level(level, excess(case.problem, own), excess(case.problem, bound)))
        else:
            levels.append(Level(level, own, bound))
        if own != bound:
            break
    told = reasons(case, asked, found.owners, found.worth) if words and found.proved else ()
    proof = certificate(case, found.owners, levels, asked.levels, found.worth, found.least, found.proofs)
    return Answer(str(asked), tuple(levels), assignment, told, proof)


MANY = 300_000
"""Up to so many ways to place one task's copies on clients, of all tasks together, answers with standbys are compared in moves."""
WARM = 4000
"""So many applications are left to the joint core first: to compile machine code takes as long. Optima are the same."""
Solver: TypeAlias = Callable[[Sequence[Question]], Sequence[Ints]]
_applications = count()


def optima(application: Application, compared: Sequence[str] = COMPARED) -> Optima:
    """Find and prove the optimum of balance, and at the most even loads that of each level compared after it.

    They are in the units of the measures; that of total-balance is known beside them. Moves of large applications with
    standbys, which take minutes to prove, are left out (see MANY). Raises what :func:`kassay.oracles.tasks.optimum.optimum` raises.
    """
    case = _encoded(application, compared)
    least = _least(case, compared, lambda asked: _solved(case, asked))
    levels = [level for level in compared if level in least]

    def gaps(answer: TaskAssignment) -> tuple[Gap, ...]:
        owners = owners_of(case, answer)
        if owners is None:
            return ()
        reached = _measured(case, levels, owners)
        return tuple(Gap(level, reached[level], least[level], LEVELS[level].words) for level in levels)

    return Optima(least, gaps)


def _encoded(application: Application, compared: Sequence[str]) -> Case:
    """Return what all questions but that of the spread of subtopologies are asked of; that needs no more than this."""
    return encoded(application, question(",".join(each for each in compared if each != SUBTOPOLOGY_SPREAD)))


def is_large(case: Case) -> bool:
    """Return whether who had what, of tasks with standbys, makes too many ways for a proof in seconds."""
    standbys = int(case.problem.standbys.max(initial=0))
    return standbys > 0 and case.problem.items * case.problem.members ** (1 + standbys) > MANY


def is_compared(case: Case, level: str) -> bool:
    """Return whether answers are compared in a level: not what would take minutes to prove, nor what is asked of active tasks alone where there are standbys."""
    if level == SUBTOPOLOGY_SPREAD:
        return not case.problem.standbys.any()
    return not (is_of_past(level) and is_large(case))


def programmed(application: Application, compared: Sequence[str] = COMPARED) -> dict[str, int]:
    """Return the same optima by an integer program in PuLP, task by task, to hold the fast ones against."""
    case = _encoded(application, compared)
    return _least(
        case, compared, lambda asked: [solve_by_item(case.problem, each.levels)[0] for each in asked]
    )


def _solved(case: Case, asked: Sequence[Question]) -> list[Ints]:
    """Return owners that are optimal for each question, by machine code where it is loaded and finds them."""
    small = _machine_code() if next(_applications) >= WARM else None
    joint = [each.levels for each in asked if SUBTOPOLOGY_SPREAD not in each.levels]
    found = dict(
        zip(joint, small(case.problem, joint) if small and joint else [None] * len(joint), strict=True)
    )
    known = (found.get(each.levels) for each in asked)
    return [
        best(_squared(case) if SUBTOPOLOGY_SPREAD in each.levels else case, each).owners
        if owners is None
        else owners
        for each, owners in zip(asked, known, strict=True)
    ]


def _squared(case: Case) -> Case:
    return replace(case, problem=replace(case.problem, caps=places(case.problem)))


@cache
def _machine_code() -> Callable[[RoleProblem, Sequence[tuple[str, ...]]], list[Ints | None]] | None:
    """Return what solves small problems fast, None where numba is not installed."""
    try:
        from kassay.oracles.assignment.active_standby.small_optimum import small_optima
    except UnsolvedError:
        return None
    return small_optima


def _least(case: Case, compared: Sequence[str], solve: Solver) -> dict[str, int]:
    found: dict[str, int] = {}
    questions = [question(f"{BALANCE},{level}") for level in compared[1:] if is_compared(case, level)]
    for asked, owners in zip(questions, solve(questions), strict=True):
        measured = _measured(case, asked.levels, owners)
        if any(found.get(level, value) != value for level, value in measured.items()):
            raise UnsolvedError(f"{asked}: two optima differ, {found} and {measured}")
        found |= measured
    return {level: found[level] for level in (BALANCE, TOTAL_BALANCE, *compared[1:]) if level in found}


def _measured(case: Case, levels: Sequence[str], owners: Ints) -> dict[str, int]:
    worth = dict(zip(levels, values(case.problem, tuple(levels), owners), strict=True))
    if SUBTOPOLOGY_SPREAD in worth:
        worth[SUBTOPOLOGY_SPREAD] = excess(case.problem, worth[SUBTOPOLOGY_SPREAD])
    return worth | {each: imbalance(case, each, owners) for each in (BALANCE, TOTAL_BALANCE) if each in worth}
