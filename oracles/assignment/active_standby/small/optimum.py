"""The joint optimum of small problems by machine code; what it does not prove is left to the joint core."""

from collections.abc import Sequence

from kassay.oracles.assignment.active_standby.problem import RoleProblem, refuse_unfit
from kassay.oracles.assignment.active_standby.small.batch import batch, is_small
from kassay.oracles.assignment.active_standby.small.bulk_check import check_batch
from kassay.oracles.assignment.active_standby.small.solving import Solution, solve_batch
from kassay.oracles.assignment.problem import Ints


def small_optima(problem: RoleProblem, questions: Sequence[tuple[str, ...]]) -> list[Ints | None]:
    """Return owners for each question that machine code finds and its check proves to be optimal, else None.

    Raises what ``refuse_unfit`` raises.
    """
    refuse_unfit(problem, tuple(dict.fromkeys(level for levels in questions for level in levels)))
    fit = [n for n, levels in enumerate(questions) if is_small(problem, levels)]
    owners: list[Ints | None] = [None] * len(questions)
    if fit:
        of = batch([(problem, questions[n]) for n in fit])
        found = solve_batch(of)
        proved = check_batch(of, found)
        for place, n in enumerate(fit):
            if proved[place]:
                owners[n] = owners_of(found, of.first[place, 3], problem)
    return owners


def owners_of(found: Solution, first: int, problem: RoleProblem) -> Ints:
    """Return the owners of a problem whose items begin there in a batch."""
    return found.owners[first : first + problem.items, : 1 + int(problem.standbys.max())]
