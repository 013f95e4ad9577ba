"""Whether an answer to an application is dominated: another has loads as even, as few moves and reads across racks, and spreads subtopologies better.

It is asked where no task has standbys; else to place them as well is NP-hard.
"""

from collections.abc import Callable, Sequence

from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.answers import Dominated
from kassay.oracles.assignment import dominated as core
from kassay.oracles.assignment.own_levels import SUBTOPOLOGY_SPREAD, TOPIC_SPREAD
from kassay.oracles.tasks.encoding import answer_of, encoded, owners_of
from kassay.oracles.tasks.flow import clients
from kassay.oracles.tasks.levels import COMPARED, LEVELS
from kassay.oracles.tasks.optimum import excess
from kassay.oracles.tasks.question import Question


def dominance(
    application: Application, compared: Sequence[str] = COMPARED
) -> Callable[[TaskAssignment], Dominated | None]:
    """Return what says of an answer whether it is dominated in the levels compared.

    None where the answer is provisional, or not complete and legal, or where there are standbys. Raises as :func:`core.dominance`.
    """
    levels = tuple(
        level for level in compared if not LEVELS[level].reads[1]
    )  # without standbys nothing else is read
    case = encoded(application, Question(()))
    standbys = bool(case.problem.standbys.any())
    case = case if standbys else encoded(application, Question(levels))
    judge = None if standbys else core.dominance(clients(case.problem, levels))

    def dominated(answer: TaskAssignment) -> Dominated | None:
        owners = owners_of(case, answer)
        if judge is None or owners is None:
            return None
        if not case.problem.items:
            return Dominated(SUBTOPOLOGY_SPREAD, 0, 0, False)
        found = judge(owners)
        value, least = (excess(case.problem, squares) for squares in (found.squares, found.least))
        better = None if found.owners is None else answer_of(case, found.owners)
        asked = ",".join(found.levels).replace(TOPIC_SPREAD, SUBTOPOLOGY_SPREAD)
        return Dominated(SUBTOPOLOGY_SPREAD, value, least, found.verdict, better, asked)

    return dominated
