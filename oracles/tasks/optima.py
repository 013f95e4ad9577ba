"""The optima of an application's levels, found and proved once, to hold any number of answers against."""

from collections.abc import Callable, Sequence

from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.answers import Gap, Optima
from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.roles.item_program import solve_by_item
from kassay.oracles.assignment.roles.worth import values
from kassay.oracles.failures import UnsolvedError
from kassay.oracles.tasks.encoding import Case, encoded, owners_of
from kassay.oracles.tasks.optimum import best, imbalance
from kassay.oracles.tasks.question import BALANCE, COMPARED, TOTAL_BALANCE, Question, question

MANY = 300_000
"""Up to so many ways to place one task's copies on clients, of all tasks together, answers with standbys are compared in moves."""
ASKED = tuple(question(f"{BALANCE},{level}") for level in COMPARED[1:])


def optima(application: Application) -> Optima:
    """Find and prove the optimum of balance, and at the most even loads those of active, of joint and of moves.

    They are in the units of the measures; that of total-balance is known beside them. Moves of large applications with
    standbys, which take minutes to prove, are left out (see MANY). Raises what :func:`kassay.oracles.tasks.optimum.optimum` raises.
    """
    case = encoded(application, question(",".join(COMPARED)))
    least = _least(case, lambda asked: best(case, asked).owners)
    levels = [level for level in COMPARED if level in least]

    def gaps(answer: TaskAssignment) -> tuple[Gap, ...]:
        owners = owners_of(case, answer)
        if owners is None:
            return ()
        reached = _measured(case, levels, owners)
        return tuple(Gap(level, reached[level], least[level]) for level in levels)

    return Optima(least, gaps)


def is_large(case: Case) -> bool:
    """Return whether who had what, of tasks with standbys, makes too many ways for a proof in seconds."""
    standbys = int(case.problem.standbys.max(initial=0))
    return standbys > 0 and case.problem.items * case.problem.members ** (1 + standbys) > MANY


def programmed(application: Application) -> dict[str, int]:
    """Return the same optima by an integer program in PuLP, task by task, to hold the fast ones against."""
    case = encoded(application, question(",".join(COMPARED)))
    return _least(case, lambda asked: solve_by_item(case.problem, asked.levels)[0])


def _least(case: Case, solve: Callable[[Question], Ints]) -> dict[str, int]:
    found: dict[str, int] = {}
    for asked in ASKED:
        if "moves" in asked.levels and is_large(case):
            continue
        measured = _measured(case, asked.levels, solve(asked))
        if any(found.get(level, value) != value for level, value in measured.items()):
            raise UnsolvedError(f"{asked}: two optima differ, {found} and {measured}")
        found |= measured
    return {level: found[level] for level in (BALANCE, TOTAL_BALANCE, *COMPARED[1:]) if level in found}


def _measured(case: Case, levels: Sequence[str], owners: Ints) -> dict[str, int]:
    worth = dict(zip(levels, values(case.problem, tuple(levels), owners), strict=True))
    return worth | {each: imbalance(case, each, owners) for each in (BALANCE, TOTAL_BALANCE) if each in worth}
