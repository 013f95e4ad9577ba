"""The exact optima of applications, as the engine asks for them; families say which questions are theirs."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from kassay.family import Oracles
from kassay.model.tasks import Application, TaskAssignment
from kassay.model.tasks_json import write_group
from kassay.oracles.answers import Answer, Frontier, Gap, Optima, Worst
from kassay.oracles.tasks.levels import COMPARED, LEVELS
from kassay.shape import Assign
from kassay.shapes.proved import verified
from kassay.shapes.tasks.over_time import SEQUENCES

SAYS = (
    "balance is the active tasks of the busiest thread less those of the idlest one, and 2 at least where one on another client would even "
    "two clients; active, joint and moves are compared with the "
    "least that the most even loads of active tasks and of all copies allow, so less even answers may be below it and count as 0; "
    "an answer that asks for a probing rebalance or has warm-ups is provisional and not compared, nor are the moves of large "
    "applications with standbys"
)

EVERY = 16
"""A check measures every so-manieth application: a proof takes as long as all that is judged of one."""
QUICK = 30_000
"""Up to so many ways to place one task's copies, of all tasks together, optima take a moment; with more, up to half a minute."""


def oracles(questions: Mapping[str, str], worst_questions: Mapping[str, str]) -> Oracles:
    """Make the oracles of a family."""
    return Oracles(
        questions, COMPARED, _optimum, _gaps, optima, _explain, worst_questions, _worst, _programmed, _verify, SAYS,
        {name: level.words for name, level in LEVELS.items()}, _frontiers, SEQUENCES, every=EVERY, quick=quick,
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


def _gaps(application: Application, answer: TaskAssignment) -> Sequence[Gap]:
    return optima(application).gaps(answer)


def _optimum(question: str, application: Application, time_limit_s: float | None) -> Answer:
    from kassay.oracles.tasks.optimum import optimum

    return optimum(question, application, time_limit_s)


def _frontiers(application: Application, time_limit_s: float | None) -> Sequence[Frontier]:
    """Moves against what active tasks and standbys read across racks at the most even loads; squared loads against both at any loads."""
    from kassay.oracles.tasks.frontier import frontiers

    return frontiers(application, time_limit_s)


def _explain(application: Application, answer: TaskAssignment) -> list[str]:
    from kassay.oracles.tasks.explain import explain

    return explain(application, answer)


def _programmed(application: Application) -> Mapping[str, int]:
    from kassay.oracles.tasks.optima import programmed

    return programmed(application)


def _verify(application: Application, answer: Any) -> tuple[bool | None, str]:
    return verified("tasks", {"family": "streams", **write_group(application)}, answer)


def _worst(assign: Assign, question: str, seed: int, tries: int) -> Worst:
    from kassay.oracles.tasks.worst_case.search import ground, judge
    from kassay.shapes.tasks.small_applications import small_applications
    from kassay.shapes.worst import worst_of

    of = ground(question)
    return worst_of(judge(assign, question), of, small_applications(of.space.kind), question, seed, tries)
