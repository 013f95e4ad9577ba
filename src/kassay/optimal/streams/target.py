"""Where an application's copies are to be in the end: the certified optimum, the same however the application is listed.

Where several placements are best, the order of clients and tasks decides: clients by Java's order of their ids, tasks by
subtopology and partition.
"""

import math
import time
from dataclasses import dataclass, replace

from kassay.model import AssignorError
from kassay.model.tasks import Application, Client
from kassay.optimal.streams.counts import counted
from kassay.oracles.assignment.own_levels import BALANCE, SPREAD, TOTAL_BALANCE
from kassay.oracles.errors import OracleError
from kassay.oracles.tasks.encoding import Case, encoded
from kassay.oracles.tasks.levels import COLD
from kassay.oracles.tasks.levels.moves import MOVES
from kassay.oracles.tasks.levels.reads import JOINT
from kassay.oracles.tasks.optima import is_large
from kassay.oracles.tasks.optimum import Judged, best
from kassay.oracles.tasks.question import Question

HISTORY = (COLD, MOVES.name)
"""The levels that look at what clients hold; large applications with standbys are placed without them."""


@dataclass(frozen=True, slots=True)
class Target:
    """An application in its canonical order, its problem, and the placement that its certificate proves to be the best.

    `judged` is None where there are no tasks.
    """

    application: Application
    asked: Question
    case: Case
    judged: Judged | None


def target(application: Application, time_limit_s: float | None = None) -> Target:
    """Find and prove the best placement.

    Raises AssignorError where none is proved, within so many seconds of a clock if there is a limit: nothing else is ever given
    instead.
    """
    deadline = math.inf if time_limit_s is None else time.monotonic() + time_limit_s
    listed = canonical(application)
    try:
        asked, case = _asked(listed)
        judged = best(case, asked, deadline) if case.tasks else None
    except OracleError as failure:
        raise AssignorError(f"no optimum is proved: {failure}") from failure
    if judged is not None and not judged.proved:
        raise AssignorError(
            f"no optimum is proved: the certificate proves {judged.least}, found is {judged.worth}"
        )
    return Target(listed, asked, case, judged)


def canonical(application: Application) -> Application:
    """Return an application without what is not to count.

    That is the order of its lists, a factor that the threads of all clients have in common, and racks where no strategy asks for them.
    """
    common = math.gcd(*(client.threads for client in application.clients))
    racks = application.settings.rack_aware_assignment_strategy != "none"

    def alone(client: Client) -> Client:
        return replace(client, threads=client.threads // common, rack=client.rack if racks else None)

    return replace(
        application,
        tasks=tuple(sorted(application.tasks, key=lambda task: task.id)),
        clients=tuple(map(alone, sorted(application.clients, key=lambda client: client.order))),
    )


def question(application: Application) -> Question:
    """Return what makes a placement best, first things first; docs/optimal.md says why in this order."""
    settings = application.settings
    standbys = settings.num_standby_replicas > 0 and any(task.stateful for task in application.tasks)
    tags, racks = settings.rack_aware_assignment_tags, settings.rack_aware_assignment_strategy != "none"
    wanted = (
        (BALANCE, True),
        (SPREAD, standbys and bool(tags)),
        (TOTAL_BALANCE, True),
        (JOINT.name, racks),
        (SPREAD, standbys and racks and not tags),
    )
    return Question((*(level for level, here in wanted if here), *HISTORY))


def _asked(application: Application) -> tuple[Question, Case]:
    asked = question(application)
    case = encoded(application, asked)
    if is_large(case):
        asked = Question(tuple(level for level in asked.levels if level not in HISTORY))
        case = encoded(application, asked)
    if application.settings.rack_aware_assignment_strategy == "balance_subtopology":
        case = replace(case, problem=counted(case.problem))
    return asked, case
