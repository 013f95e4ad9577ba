"""Whether an answer is dominated: another has loads as even, as few moves and reads across racks, and spreads topics better."""

from collections.abc import Callable

from kassay.model import Assignment, Group
from kassay.oracles.answers import Dominated
from kassay.oracles.assignment import dominated as core
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.partitions.encoding import COSTS, assignment_of, cases, counted, owners_in
from kassay.oracles.partitions.question import Question


def dominance(group: Group) -> Callable[[Assignment], Dominated | None]:
    """Return what says of an answer to a group whether it is dominated, None where the answer is not complete and legal; raises as :func:`core.dominance`."""
    (case,) = cases(group, Question((BALANCE, *COSTS, TOPIC_SPREAD)))
    judge = core.dominance(case.problem)

    def dominated(assignment: Assignment) -> Dominated | None:
        owners = owners_in(case, assignment)
        if owners is None:
            return None
        if not case.problem.items:
            return Dominated(TOPIC_SPREAD, 0, 0, False)
        found = judge(owners)
        value, least = (counted([case], TOPIC_SPREAD, squares) for squares in (found.squares, found.least))
        better = None if found.owners is None else assignment_of(group, [case], [found.owners])
        return Dominated(TOPIC_SPREAD, value, least, found.verdict, better, ",".join(found.levels))

    return dominated
