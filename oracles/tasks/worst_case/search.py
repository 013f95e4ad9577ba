"""Where the worst of a task assignor is looked for, and by what it is judged: the last level of a question."""

from collections.abc import Callable, Iterator

from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.failures import UnsolvedError
from kassay.oracles.tasks.encoding import encoded
from kassay.oracles.tasks.levels import LEVELS
from kassay.oracles.tasks.optimum import answered as answer_of
from kassay.oracles.tasks.optimum import best
from kassay.oracles.tasks.question import SUBTOPOLOGIES, question
from kassay.oracles.tasks.worst_case.doubling import WAYS
from kassay.oracles.tasks.worst_case.mutate import mutate, seedling
from kassay.oracles.tasks.worst_case.placements import settled
from kassay.oracles.tasks.worst_case.spaces import SPACES, size
from kassay.oracles.tasks.worst_case.structured_applications import seeds
from kassay.oracles.worst_case.judge import Judge, answered
from kassay.oracles.worst_case.search import Ground
from kassay.properties.tasks.racks import rack_aware
from kassay.properties.tasks.shrinking import steps


def ground(text: str) -> Ground[Application]:
    """Return where to look for the worst in a question's last level."""
    level = text.rpartition(",")[2]
    space = SPACES[SUBTOPOLOGIES if SUBTOPOLOGIES in question(text).contracts else LEVELS[level].about]
    structured = list(seeds(space.kind, claims=space.claims))
    return Ground(space, structured, lambda: seedling(space.kind), mutate, _smaller, WAYS, (4, 8), (16, 64))


def judge(assign: Callable[[Application], TaskAssignment], text: str) -> Judge[Application]:
    """Return what judges an assignor by the last level of a question; answers that another rebalance is to follow are not compared."""
    asked, last = question(text), text.rpartition(",")[2]
    of = LEVELS[last].measure

    def measured(application: Application, given: TaskAssignment) -> int | None:
        return None if settled(application, given) is None else of(application, given)

    def optimum(application: Application) -> int:
        case = encoded(application, asked)
        found = answer_of(application, asked, case, best(case, asked), words=False)
        if last not in found.values:
            raise UnsolvedError(f"{asked}: {last} is not proved")
        return found.values[last]

    return Judge(answered(assign, measured), optimum, size)


def _smaller(application: Application) -> Iterator[Application]:
    """Yield what is smaller and no less rack-aware: of an assignor that may not look at racks nothing is to be learnt of them."""
    aware, strategy = rack_aware(application), application.settings.rack_aware_assignment_strategy
    for each in steps.smaller(application):
        if rack_aware(each) == aware and each.settings.rack_aware_assignment_strategy == strategy:
            yield each
