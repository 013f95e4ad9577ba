"""The exact optima of applications, as the engine asks for them; families say which questions are theirs.

Sequences of rebalances of applications, as the engine asks for them.

Which applications and streams groups a check that samples judges by laws: the time of runs grows with tasks times clients.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from kassay.families.shapes.proved import checks
from kassay.family import Oracles, Sequences
from kassay.model.streams_group import StreamsGroup
from kassay.model.tasks import Application, TaskAssignment
from kassay.model.tasks_json import write_group
from kassay.oracles.answers import Answer, Dominated, Frontier, Gap, Optima, OverTime, Worst
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.levels import summed
from kassay.oracles.tasks.levels import COMPARED, LEVELS, OVER_TIME
from kassay.properties.tasks import timelines
from kassay.shape import Assign


def _squares(application: Application, answer: TaskAssignment) -> tuple[Fraction, Fraction]:
    """Return the sums of the clients' squared loads by threads, of active tasks and of all copies."""
    active = every = Fraction(0)
    for client in application.clients:
        given = answer.clients[client.id]
        active += Fraction(len(given.active) ** 2, client.threads)
        every += Fraction((len(given.active) + len(given.standby)) ** 2, client.threads)
    return active, every


def _uneven(application: Application, answer: TaskAssignment) -> bool:
    return _squares(application, answer) > _least(application)


@lru_cache(maxsize=256)  # several targets come through the same rebalances
def _least(application: Application) -> tuple[Fraction, Fraction]:
    from kassay.oracles.tasks.optimum import optimum

    return _squares(application, optimum(BALANCE, application, None).assignment)


def _optimum(question: str, timeline: Any, time_limit_s: float | None) -> OverTime:
    from kassay.oracles.tasks.over_time import over_time

    return over_time(question, timelines.stages(timeline), time_limit_s)


def _members(application: Application) -> list[str]:
    return [each.id for each in application.clients]


ASSUMED = {
    "restart": "clients come back without their state, as in a container without a volume. With their disks they have less to restore.",
    "bounce": "clients leave one after the other before the first is back, and come back without their state.",
}
SUMMED = [level for level in LEVELS.values() if level.words.passing or level.traded]
SEQUENCES = Sequences(
    timelines.SEQUENCES,
    OVER_TIME,
    timelines.rounds,
    partial(summed, SUMMED),
    _uneven,
    _optimum,
    _members,
    ASSUMED,
)


WHOLE = 8
"""Up to so many pairs of a task and a client, all are judged by all laws."""
LEAST = 80
"""Of a thousand of the largest, so many are."""


def share(application: Application) -> int:
    """Return how many of a thousand applications of this size are judged by laws, so that those of every size take about as long."""
    return _of(len(application.tasks) * len(application.clients))


def share_of_groups(group: StreamsGroup) -> int:
    """Return how many of a thousand streams groups of this size are judged by laws."""
    return _of(sum(each.partitions for each in group.subtopologies) * len(group.members))


def _of(pairs: int) -> int:
    return max(LEAST, min(1000, 1000 * WHOLE // max(pairs, 1)))


SAYS = (
    "balance is the active tasks of the busiest thread less those of the idlest one, and 2 at least where one on another client would even "
    "two clients; active, joint, moves and subtopology-spread are compared with the "
    "least that the most even loads of active tasks and of all copies allow, so less even answers may be below it and count as 0; "
    "of an assignor that asks for probing rebalances, compare takes the answer after the last of them, and a check or sweep takes none; "
    "not compared are the moves of large applications with standbys, and, if there are standbys, the spread of subtopologies"
)

EVERY = 16
"""A check measures every so-manieth application: a proof takes as long as all that is judged of one."""
QUICK = 30_000
"""Up to so many ways to place one task's copies, of all tasks together, optima take a moment; with more, up to half a minute."""


def _written(application: Application) -> Mapping[str, Any]:
    return {"family": "streams", **write_group(application)}


def oracles(questions: Mapping[str, str], worst_questions: Mapping[str, str]) -> Oracles:
    """Make the oracles of a family."""
    return Oracles(
        questions, COMPARED, _optimum_oracles, _gaps, optima, _explain, worst_questions, _worst, _programmed, checks("tasks", _written), SAYS,
        {name: level.words for name, level in LEVELS.items()}, _frontiers, SEQUENCES, every=EVERY, quick=quick, dominance=_dominance,
    )  # fmt: skip


def quick(application: Application) -> bool:
    """Return whether the optima of an application are a matter of a moment, by the ways to place copies of tasks."""
    standbys = application.settings.num_standby_replicas
    stateful = any(task.stateful for task in application.tasks)
    return ways(len(application.tasks), len(application.clients), standbys if stateful else 0) <= QUICK


def ways(tasks: int, places: int, standbys: int) -> int:
    """Return in how many ways the copies of single tasks may be placed, of all tasks together, at most."""
    return tasks * int(places ** (1 + min(standbys, max(places - 1, 0))))


@lru_cache(maxsize=1)
def optima(application: Application) -> Optima:
    """Find and prove the optima of an application's levels."""
    from kassay.oracles.tasks.optima import optima as proved

    return proved(application)


@lru_cache(maxsize=1)  # whoever is compared is asked about one application after the other
def _dominance(application: Application) -> Callable[[TaskAssignment], Dominated | None]:
    from kassay.oracles.tasks.optima import dominance

    return dominance(application)


def _gaps(application: Application, answer: TaskAssignment) -> Sequence[Gap]:
    return optima(application).gaps(answer)


def _optimum_oracles(question: str, application: Application, time_limit_s: float | None) -> Answer:
    from kassay.oracles.tasks.optimum import optimum

    return optimum(question, application, time_limit_s)


def _frontiers(application: Application, time_limit_s: float | None) -> Sequence[Frontier]:
    """Moves against what active tasks and standbys read across racks at the most even loads; squared loads against both at any loads."""
    from kassay.oracles.tasks.frontier import frontiers

    return frontiers(application, time_limit_s)


def _explain(application: Application, answer: TaskAssignment) -> list[str]:
    from kassay.oracles.tasks.optima import explain

    return explain(application, answer)


def _programmed(application: Application) -> Mapping[str, int]:
    from kassay.oracles.tasks.optima import programmed

    return programmed(application)


def _worst(assign: Assign, question: str, seed: int, tries: int) -> Worst:
    from kassay.families.shapes.tasks.small_applications import small_applications
    from kassay.families.shapes.worst import worst_of
    from kassay.oracles.tasks.worst_case import ground, judge

    of = ground(question)
    return worst_of(judge(assign, question), of, small_applications(of.space.kind), question, seed, tries)
