"""The answer to a question about an application: the least values, a placement that has them, and why none has less."""

import math
import time
from dataclasses import dataclass

import numpy as np

from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.answers import Answer, Level
from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.own_levels import BALANCE, TOTAL_BALANCE
from kassay.oracles.assignment.roles.certificate import Certificate
from kassay.oracles.assignment.roles.check import least
from kassay.oracles.assignment.roles.optimum import joint_optimum
from kassay.oracles.assignment.roles.worth import legal, values
from kassay.oracles.failures import UnsolvedError
from kassay.oracles.tasks.certificate import certificate
from kassay.oracles.tasks.encoding import NOBODY, Case, answer_of, encoded
from kassay.oracles.tasks.flow import flow_optimum, is_flow
from kassay.oracles.tasks.question import Question, question
from kassay.oracles.tasks.reasons import reasons
from kassay.oracles.tasks.remeasure import remeasure
from kassay.properties.tasks import holdings

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
    if is_flow(case.problem, asked.levels):
        checked = judged(case, asked, *flow_optimum(case.problem, asked.levels, deadline))
    else:
        found = joint_optimum(case.problem, asked.levels, deadline)
        checked = judged(case, asked, found.owners, found.certificate)
    if math.isinf(deadline) and not checked.proved:
        raise UnsolvedError(f"{asked}: the certificate does not prove the optimum found")
    return checked


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


def answered(
    application: Application, asked: Question, case: Case, found: Judged, *, words: bool = True
) -> Answer:
    """Return the answer that a judged placement makes; raises UnsolvedError where it measures otherwise than it was reckoned."""
    assignment = answer_of(case, found.owners)
    value = dict(zip(asked.levels, found.worth, strict=True))
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
        else:
            levels.append(Level(level, own, bound))
        if own != bound:
            break
    told = reasons(case, asked, found.owners, found.worth) if words and found.proved else ()
    proof = certificate(case, found.owners, levels, asked.levels, found.worth, found.least, found.proofs)
    return Answer(str(asked), tuple(levels), assignment, told, proof)
