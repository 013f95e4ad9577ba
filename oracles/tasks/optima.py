"""The optima of an application's levels, found and proved once, to hold any number of answers against."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import count
from typing import TypeAlias

from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.answers import Gap, Optima
from kassay.oracles.assignment.active_standby.check import values
from kassay.oracles.assignment.active_standby.item_program import solve_by_item
from kassay.oracles.assignment.active_standby.problem import RoleProblem
from kassay.oracles.assignment.own_levels import BALANCE, SUBTOPOLOGY_SPREAD, TOTAL_BALANCE
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.tasks.encoding import Case, encoded, owners_of, places
from kassay.oracles.tasks.levels import COMPARED, LEVELS, is_of_past
from kassay.oracles.tasks.optimum import best, excess, imbalance
from kassay.oracles.tasks.question import Question, question

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
        from kassay.oracles.assignment.active_standby.small.optimum import small_optima
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
