"""The answer to a question about an application: the least values, a placement that has them, and why no placement has less.

The reasons are sentences for operators, and a certificate as JSON: a proof of each level by prices and cases.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.answers import Answer, Level
from kassay.oracles.assignment.active_standby.check import (
    Certificate,
    Prices,
    Proof,
    Split,
    compute_least,
    compute_values,
    is_legal,
)
from kassay.oracles.assignment.active_standby.optimum import find_joint_optimum
from kassay.oracles.assignment.active_standby.problem import NO_COSTS, RoleProblem
from kassay.oracles.assignment.certificates import place_prices
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.assignment.own_levels import (
    BALANCE,
    SPREAD,
    SUBTOPOLOGY_SPREAD,
    TOPIC_SPREAD,
    TOTAL_BALANCE,
)
from kassay.oracles.assignment.problem import Ints, Problem
from kassay.oracles.assignment.problem import Level as CostLevel
from kassay.oracles.assignment.values import compute_least_squares
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.tasks.encoding import NOBODY, Case, decode_answer, encode_application
from kassay.oracles.tasks.levels import LEVELS
from kassay.oracles.tasks.question import ACTIVES, COUNTS, SUBTOPOLOGIES, Question, parse_question
from kassay.properties.tasks import measures as holdings
from kassay.properties.tasks.measures import uneven
from kassay.sentences import join_names


def is_flow(problem: RoleProblem, levels: tuple[str, ...]) -> bool:
    """Return True if only active tasks are placed, with nothing fixed or capped: then the optimum is a minimum-cost flow."""
    bound = (problem.loads, problem.active_loads, problem.active_at, problem.caps)
    active = problem.items > 0 and not problem.standbys.any() and SPREAD not in levels
    return active and all(each is None for each in bound) and (BALANCE in levels) == (TOTAL_BALANCE in levels)


def compute_flow_optimum(
    problem: RoleProblem, levels: tuple[str, ...], deadline: float = math.inf
) -> tuple[Ints, Certificate]:
    """Return the owners of active tasks alone, by a minimum-cost flow, and a certificate.

    Clients are members, and clients with equally many threads have one subscription. Without standbys no question is NP-hard.
    :mod:`kassay.oracles.assignment.flow.exact` solves the problem, at any size and with previous owners, or
    :mod:`kassay.oracles.assignment.flow.topic_spread`, with subtopologies for topics. If the deadline passes, the owners may be short of an
    optimum. Raises what ``solve`` raises.
    """
    asked = tuple(level for level in levels if level != TOTAL_BALANCE)  # without standbys the same as balance
    of = build_flow_problem(problem, asked)
    # in the flow, subtopologies are topics
    names = tuple(TOPIC_SPREAD if level == SUBTOPOLOGY_SPREAD else level for level in asked)
    found = solve(of, names, deadline)
    places: list[list[int]] = []
    if SUBTOPOLOGY_SPREAD in asked:
        own = place_prices(of, names, found.prices) - found.prices.rows[:, None]
        places = own.reshape(len(asked), -1).T.tolist()
    return found.owners, _build_flow_certificate(of, levels, asked, found.prices.rows.T.tolist(), places)


def build_flow_problem(problem: RoleProblem, levels: Sequence[str]) -> Problem:
    """Return the problem whose members are clients, all of which may run every task, and whose topics are subtopologies."""
    weight_of, subscription_of = np.unique(problem.weights, return_inverse=True)
    costs = [problem.level(name) for name in levels if name not in NO_COSTS]
    every = np.arange(len(weight_of))
    return Problem(
        subscription_of.reshape(-1), problem.kind_of, np.array([0, len(every)]), every, np.zeros(problem.items, np.int64),
        problem.profile_of, problem.claims, problem.claim_start, problem.claim_member,
        tuple(CostLevel(of.name, of.active, of.active_gain, of.loss) for of in costs), weight_of=weight_of,
        topic_of=problem.classes if SUBTOPOLOGY_SPREAD in levels else None,
    )  # fmt: skip


def _build_flow_certificate(
    of: Problem,
    levels: tuple[str, ...],
    asked: tuple[str, ...],
    prices: list[list[int]],
    places: list[list[int]],
) -> Certificate:
    """Return the proof of each level: prices and costs of the levels up to it, as digits of one number.

    Prices of a flow are rows, one number per level, compared lexicographically. A proof of the joint core weighs levels by numbers, so each
    level before gets a factor above the greatest sum of the levels after it.
    """
    square = of.items * int(of.weights.max())
    reach = [
        2 * of.items * (square + of.greatest_cost + 2 * max(abs(row[n]) for row in chain(prices, places))) + 1
        for n in range(len(asked))
    ]
    proofs, nothing = [], (0,) * len(prices)
    for place, level in enumerate(levels):
        last = asked.index(BALANCE if level == TOTAL_BALANCE else level)
        factor = [math.prod(reach[n + 1 : last + 1]) for n in range(last + 1)]
        before = tuple(
            0 if each == TOTAL_BALANCE or asked.index(each) == last else factor[asked.index(each)]
            for each in levels[:place]
        )
        paid, there = (
            tuple(sum(n * own for n, own in zip(factor, row, strict=False)) for row in rows)
            for rows in (prices, places)
        )
        active, every = (nothing, paid) if level == TOTAL_BALANCE else (paid, nothing)
        proofs.append(Prices(1, before, active, every, there))
    return Certificate(tuple(proofs))


KEPT = {
    COUNTS: "the counts of the answer", ACTIVES: "the active tasks of the answer", SUBTOPOLOGIES: "an even share of each subtopology",
}  # fmt: skip
"""Contract -> description of what it keeps."""


def explain_bounds(case: Case, asked: Question, owners: Ints, worth: Sequence[int]) -> tuple[str, ...]:
    """Return a sentence for each level of a proved answer: the unavoidable part, and the part due to the levels before it."""
    before = [KEPT[each] for each in (COUNTS, ACTIVES, SUBTOPOLOGIES) if each in asked.contracts]
    found = []
    for level, own in zip(asked.levels, worth, strict=True):
        found.append(f"{level}: {_explain_value(case, level, owners, own, before)}")
        before.append(LEVELS[level].best)
    return tuple(found)


def _explain_value(case: Case, level: str, owners: Ints, worth: int, before: Sequence[str]) -> str:
    problem, what = case.problem, LEVELS[level].what
    if level in (BALANCE, TOTAL_BALANCE):
        held = owners if level == TOTAL_BALANCE else owners[:, :1]
        return _explain_balance(case, held, what, before)
    if not worth:
        return "nothing is less than 0"
    nothing = (0,) * problem.members
    free = Prices(1, (), nothing, nothing, (0,) * len(problem.rows))
    (anywhere,) = compute_least(problem, (level,), (), Certificate((free,)))
    floor = max(anywhere or 0, 0)
    if floor == worth:
        return f"{what}: {worth}; wherever the tasks are, it is no less"
    avoidable = f"{floor} of them wherever the tasks are, the other {worth - floor}" if floor else "all"
    cause = f"for the sake of {join_names(before)}" if before else "for want of room on different clients"
    return f"{what}: {worth}; {avoidable} {cause}, which is proved"


def _explain_balance(case: Case, held: Ints, what: str, before: Sequence[str]) -> str:
    """Return how tasks and threads divide, or that something else forbids loads that differ by at most one."""
    slots = case.problem.slots
    count = np.bincount(held[held != NOBODY], minlength=case.problem.members)
    total, threads = int(count.sum()), int(slots.sum())
    each, more = divmod(total, max(1, threads))
    busiest, idlest = int((-(-count // slots)).max(initial=0)), int((count // slots).min(initial=total))
    forced = f"; for the sake of {join_names(before)}" if before else ", as a client holds each task but once"
    if busiest - idlest > 1:
        return f"the threads hold {idlest} to {busiest} {what}{forced}, which is proved"
    if uneven(zip(count.tolist(), slots.tolist(), strict=True)):
        return f"clients hold {what} less evenly than by their threads{forced}, which is proved"
    if not more:
        return f"every thread holds {each} {what}"
    return f"{total} {what} on {threads} threads leave a remainder, so the loads differ by one"


def _build_certificate(
    case: Case, found: "Judged", levels: Sequence[Level], names: Sequence[str]
) -> dict[str, Any]:
    """Return the proof of an answer as JSON, without the assignment itself and the levels.

    `loads` are the active tasks and the copies of each client. Each proof has the value and the lower bound of its level. For balance
    these are squared loads, weighed by threads.
    """
    active, copies = (
        np.bincount(held[held != NOBODY], minlength=len(case.clients)).tolist()
        for held in (found.owners[:, 0], found.owners)
    )
    proofs = found.proofs.proofs
    rows = zip(names, found.worth, found.least, proofs, strict=False)
    return {
        "proved": all(level.proved for level in levels) and len(levels) == len(proofs) == len(names),
        "loads": {name: (active[c], copies[c]) for c, name in enumerate(case.clients)},
        "proofs": [
            {"level": name, "value": value, "least": bound, "proof": write_proof(case, proof)}
            for name, value, bound, proof in rows
        ],
    }


def write_proof(case: Case, proof: Proof) -> dict[str, Any]:
    """Return a proof as JSON, with names in place of numbers; prices of 0 are left out.

    See docs/oracles/tasks-certificate.schema.json. Of two cases, at most `most` copies of the tasks in a role are on the
    clients, or more. `before` has the multiplier of each level before, and `cases` the price of each case on the way here.
    """
    if isinstance(proof, Split):
        cut = proof.case
        return {
            "by": "cases",
            "tasks": None if cut.items is None else [str(case.tasks[i]) for i in cut.items],
            "clients": None if cut.members is None else [case.clients[m] for m in cut.members],
            "role": cut.role,
            "most": cut.most,
            "fewer": write_proof(case, proof.fewer),
            "more": write_proof(case, proof.more),
        }
    caps = zip(case.problem.rows.tolist(), proof.caps, strict=True)
    parts = [part if isinstance(part, int) else str(part) for part in case.subtopologies]
    return {
        "by": "prices",
        "unit": proof.unit,
        "before": list(proof.before),
        "active": {name: price for name, price in zip(case.clients, proof.active, strict=True) if price},
        "every": {name: price for name, price in zip(case.clients, proof.every, strict=True) if price},
        "caps": [(parts[j], case.clients[c], price) for (j, c, *_), price in caps if price],
        "cases": list(proof.cases),
    }


def remeasure(application: Application, answer: TaskAssignment, asked: Question) -> dict[str, int]:
    """Return the value of an answer in each level of a question."""
    return {level: LEVELS[level].measure(application, answer) for level in asked.levels}


MEASURED = 100_000
"""The most copies of a placement whose values are measured again, on the assignment itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A legal placement with its certificate, its values, and their lower bounds, level by level."""

    owners: Ints
    proofs: Certificate
    worth: tuple[int, ...]
    least: tuple[int, ...]

    @property
    def proved(self) -> bool:
        """True if each level has a proof that nothing is less; a value of 0 needs one, too."""
        return self.worth == self.least and len(self.proofs.proofs) == len(self.worth)


def compute_optimum(
    text: str,
    application: Application,
    time_limit_s: float | None = None,
    given: TaskAssignment | None = None,
) -> Answer:
    """Return the exact optimum of a question (see :func:`kassay.oracles.tasks.question.parse_question`), with its certificate.

    `given` is the complete and legal answer that contracts refer to. If the time limit passes, the levels end with an
    interval or there is no answer. Raises ImpossibleError if nothing answers the question, TooLargeError if it is too large,
    UnsolvedError if a solver fails or the time is over before there is a placement.
    """
    asked = parse_question(text, given=given is not None)
    deadline = math.inf if time_limit_s is None else time.monotonic() + time_limit_s
    case = encode_application(application, asked, given)
    return build_answer(application, asked, case, find_best(case, asked, deadline))


def find_best(case: Case, asked: Question, deadline: float = math.inf) -> Judged:
    """Return an optimal placement, verified by its certificate; raises what :func:`compute_optimum` raises."""
    if SUBTOPOLOGY_SPREAD in asked.levels:
        checked = verify_placement(case, asked, *_solve_actives(case.problem, asked.levels, deadline))
    elif is_flow(case.problem, asked.levels):
        checked = verify_placement(case, asked, *compute_flow_optimum(case.problem, asked.levels, deadline))
    else:
        found = find_joint_optimum(case.problem, asked.levels, deadline)
        checked = verify_placement(case, asked, found.owners, found.certificate)
    if math.isinf(deadline) and not checked.proved:
        raise UnsolvedError(f"{asked}: the certificate does not prove the optimum found")
    return checked


def _solve_actives(
    problem: RoleProblem, levels: tuple[str, ...], deadline: float
) -> tuple[Ints, Certificate]:
    """Place active tasks by a flow, then standbys, as evenly as these allow; the certificate is of levels of active tasks."""
    if not problem.items:
        nothing = (0,) * problem.members
        proofs = tuple(Prices(1, (0,) * n, nothing, nothing, ()) for n in range(len(levels)))
        return np.empty((0, 1), np.int64), Certificate(proofs)
    active = replace(problem, standbys=np.zeros_like(problem.standbys))
    owners, found = compute_flow_optimum(active, levels, deadline)
    if problem.standbys.any():
        fixed = replace(problem, active_at=owners[:, 0], caps=None)
        owners = find_joint_optimum(fixed, (TOTAL_BALANCE,), deadline).owners
    return owners, found


def verify_placement(case: Case, asked: Question, owners: Ints, proofs: Certificate) -> Judged:
    """Verify the result of a solver; raises UnsolvedError if it is no legal placement with a certificate.

    The lower bound of levels without a proof is 0.
    """
    if not is_legal(case.problem, owners):
        raise UnsolvedError(f"{asked}: the placement is not legal")
    worth = compute_values(case.problem, asked.levels, owners)
    try:
        bounds = compute_least(case.problem, asked.levels, worth, proofs)
    except ValueError as wrong:
        raise UnsolvedError(f"{asked}: the certificate proves nothing: {wrong}") from None
    known = [max(each, 0) if each is not None else 0 for each in bounds]
    return Judged(owners, proofs, worth, tuple(known + [0] * (len(worth) - len(known))))


def compute_imbalance(case: Case, level: str, owners: Ints) -> int:
    """Return the imbalance of active tasks or of all copies; see :mod:`kassay.properties.tasks.measures`."""
    held, threads = owners if level == TOTAL_BALANCE else owners[:, :1], case.problem.slots
    count = np.bincount(held[held != NOBODY], minlength=len(threads))
    return holdings.imbalance(zip(count.tolist(), threads.tolist(), strict=True))


def compute_excess(problem: RoleProblem, squares: int) -> int:
    """Return squares of subtopologies at clients in the unit of :func:`kassay.properties.tasks.measures.subtopology_excess`."""
    weight, size = np.unique(problem.weights, return_counts=True)
    even = sum(
        compute_least_squares(copies, weight, size) for copies in np.bincount(problem.classes).tolist()
    )
    return max(0, -((even - squares) // (2 if (weight % 2).all() else 1)))


def build_answer(
    application: Application, asked: Question, case: Case, found: Judged, *, words: bool = True
) -> Answer:
    """Return the answer of a verified placement; raises UnsolvedError if its measures differ from its values."""
    assignment = decode_answer(case, found.owners)
    value = {
        level: compute_excess(case.problem, own) if level == SUBTOPOLOGY_SPREAD else own
        for level, own in zip(asked.levels, found.worth, strict=True)
    }
    if case.problem.copies <= MEASURED:
        measured, sums = remeasure(application, assignment, asked), {*asked.levels} - {BALANCE, TOTAL_BALANCE}
        if any(value[level] != measured[level] for level in sums):
            raise UnsolvedError(f"the optimum found is {value}, but measured it is {measured}")
    levels: list[Level] = []
    for level, own, bound in zip(asked.levels, found.worth, found.least, strict=True):
        if level in (BALANCE, TOTAL_BALANCE):
            spread = compute_imbalance(case, level, found.owners)
            levels.append(Level(level, spread, spread if own == bound else 0))
        elif level == SUBTOPOLOGY_SPREAD:
            levels.append(
                Level(level, compute_excess(case.problem, own), compute_excess(case.problem, bound))
            )
        else:
            levels.append(Level(level, own, bound))
        if own != bound:
            break
    told = explain_bounds(case, asked, found.owners, found.worth) if words and found.proved else ()
    proof = _build_certificate(case, found, levels, asked.levels)
    return Answer(str(asked), tuple(levels), assignment, told, proof)
