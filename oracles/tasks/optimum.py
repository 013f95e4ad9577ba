"""The answer to a question about an application: the least values, a placement that has them, and why none has less.

Why nothing is better, as JSON that others can check: a proof for each level, of prices and cases.

The values of a question's levels, as the measures of the streams family give them.

The optima of an application's levels, found and proved once, to hold any number of answers against.
"""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np

from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.answers import Answer, Level
from kassay.oracles.assignment.active_standby.check import (
    Certificate,
    Prices,
    Proof,
    Split,
    least,
    legal,
    values,
)
from kassay.oracles.assignment.active_standby.optimum import joint_optimum
from kassay.oracles.assignment.active_standby.problem import RoleProblem
from kassay.oracles.assignment.own_levels import BALANCE, SUBTOPOLOGY_SPREAD, TOTAL_BALANCE
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.assignment.values import least_squares
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.tasks.encoding import NOBODY, Case, answer_of, encoded
from kassay.oracles.tasks.flow import flow_optimum, is_flow
from kassay.oracles.tasks.levels import LEVELS
from kassay.oracles.tasks.question import ACTIVES, COUNTS, SUBTOPOLOGIES, Question, question
from kassay.properties.tasks import holdings
from kassay.properties.tasks.holdings import uneven

KEPT = {
    COUNTS: "the counts of the answer", ACTIVES: "the active tasks of the answer", SUBTOPOLOGIES: "an even share of each subtopology",
}  # fmt: skip
"""Contract -> what is kept by it, in words."""


def reasons(case: Case, asked: Question, owners: Ints, worth: Sequence[int]) -> tuple[str, ...]:
    """Return a sentence for each level of a proved answer: what cannot be avoided, and what the levels before it cost."""
    return tuple(
        f"{level}: {_why(case, asked, place, owners, worth[place])}"
        for place, level in enumerate(asked.levels)
    )


def _why(case: Case, asked: Question, place: int, owners: Ints, worth: int) -> str:
    level, problem = asked.levels[place], case.problem
    before, what = _before(asked, place), LEVELS[level].what
    if level in (BALANCE, TOTAL_BALANCE):
        held = owners if level == TOTAL_BALANCE else owners[:, :1]
        return _why_no_more_even(case, held, what, before)
    if not worth:
        return "nothing is less than 0"
    nothing = (0,) * problem.members
    free = Prices(1, (), nothing, nothing, (0,) * len(problem.rows))
    (anywhere,) = least(problem, (level,), (), Certificate((free,)))
    floor = max(anywhere or 0, 0)
    if floor == worth:
        return f"{what}: {worth}; wherever the tasks are, it is no less"
    avoidable = f"{floor} of them wherever the tasks are, the other {worth - floor}" if floor else "all"
    return f"{what}: {worth}; {avoidable} {_cost(before)}, which is proved"


def _cost(before: Sequence[str]) -> str:
    if not before:
        return "for want of room on different clients"
    return (
        f"for the sake of {' and '.join([', '.join(before[:-1]), before[-1]] if len(before) > 1 else before)}"
    )


def _before(asked: Question, place: int) -> list[str]:
    contracts = [KEPT[each] for each in (COUNTS, ACTIVES, SUBTOPOLOGIES) if each in asked.contracts]
    return contracts + [LEVELS[level].best for level in asked.levels[:place]]


def _why_no_more_even(case: Case, held: Ints, what: str, before: Sequence[str]) -> str:
    """Say how tasks and threads divide, or that something else forbids loads that differ by one at most."""
    slots = case.problem.slots
    count = np.bincount(held[held != NOBODY], minlength=case.problem.members)
    total, threads = int(count.sum()), int(slots.sum())
    each, more = divmod(total, max(1, threads))
    busiest, idlest = int((-(-count // slots)).max(initial=0)), int((count // slots).min(initial=total))
    forced = f"; {_cost(before)}" if before else ", as a client holds each task but once"
    if busiest - idlest > 1:
        return f"the threads hold {idlest} to {busiest} {what}{forced}, which is proved"
    if uneven(zip(count.tolist(), slots.tolist(), strict=True)):
        return f"clients hold {what} less evenly than by their threads{forced}, which is proved"
    if not more:
        return f"every thread holds {each} {what}"
    return f"{total} {what} on {threads} threads leave a remainder, so the loads differ by one"


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
