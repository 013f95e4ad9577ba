"""Why no placement of tasks is better, in sentences that an operator can follow."""

from collections.abc import Sequence

import numpy as np

from kassay.oracles.assignment.active_standby.check import Certificate, Prices, least
from kassay.oracles.assignment.own_levels import BALANCE, TOTAL_BALANCE
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.tasks.encoding import NOBODY, Case
from kassay.oracles.tasks.levels import LEVELS
from kassay.oracles.tasks.question import ACTIVES, COUNTS, SUBTOPOLOGIES, Question
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
