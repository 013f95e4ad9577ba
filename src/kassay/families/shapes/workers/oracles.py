"""The exact optima of Connect's clusters, as the engine asks for them.

Sequences of rebalances of Connect's clusters, as the engine asks for them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from kassay.families.shapes.proved import checks
from kassay.family import Oracles, Sequences
from kassay.model.workers import Cluster, WorkAssignment
from kassay.model.workers_json import write_group
from kassay.oracles.answers import Answer, Dominated, Far, Gap, Optima, OverTime, Worst, sentences
from kassay.oracles.errors import ImpossibleError
from kassay.oracles.levels import summed
from kassay.oracles.workers.levels import LEVELS, OVER_TIME
from kassay.properties.workers import timelines
from kassay.properties.workers.measures import connector_imbalance, task_imbalance
from kassay.properties.workers.timelines import Bounce, Timeline
from kassay.shape import Assign


def _uneven(cluster: Cluster, answer: WorkAssignment) -> bool:
    return connector_imbalance(cluster, answer) > 1 or task_imbalance(cluster, answer) > 1


def _optimum(question: str, timeline: Any, time_limit_s: float | None) -> OverTime:
    from kassay.oracles.workers.optimum import over_time

    best = over_time(question, timelines.stages(timeline), time_limit_s)
    return replace(best, assignments=_with_waiting(timeline, best.assignments))


def _with_waiting(timeline: Timeline, answers: Sequence[WorkAssignment]) -> tuple[WorkAssignment, ...]:
    """Put before the answer to workers that are back the one while they are away: all others keep what they run, and the rest waits."""
    found: list[WorkAssignment] = []
    for event, answer in zip((None, *timeline.events), answers, strict=False):
        if isinstance(event, Bounce):
            stay = {name: work for name, work in found[-1].workers.items() if name not in event.workers}
            found.append(WorkAssignment(stay, {}, delay_ms=1))
        found.append(answer)
    return tuple(found)


def _members(cluster: Cluster) -> list[str]:
    return [each.id for each in cluster.workers]


ASSUMED = {
    "restart": "workers come back after scheduled.rebalance.max.delay.ms. A worker that is back before that gets what it ran, and nothing else moves.",
    "bounce": "workers are back before scheduled.rebalance.max.delay.ms is over, under new ids.",
}
SUMMED = [level for level in LEVELS.values() if level.words.passing]
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


COMPARED = (
    "balance is the most connectors, or tasks, on a worker less the fewest; moves and connector-spread are compared with the least that the "
    "most even workers allow, so less even answers may be below it and count as 0; where an answer revokes or waits, the next one is compared, "
    "unless that revokes or waits, too"
)


def oracles(questions: Mapping[str, str], worst_questions: Mapping[str, str]) -> Oracles:
    """Make the oracles of a family."""
    return Oracles(
        questions, tuple(LEVELS), _optimum_oracles, _gaps, optima, _explain, worst_questions, _worst, _programmed, checks("workers", write_group), COMPARED, {name: level.words for name, level in LEVELS.items()},
        over_time=SEQUENCES, dominance=_dominance,
    )  # fmt: skip


@lru_cache(maxsize=1)  # a check asks for those of the cluster that it has just judged
def optima(cluster: Cluster) -> Optima:
    """Find and prove the optima of a cluster's levels."""
    from kassay.oracles.workers.optimum import optima as proved

    return proved(cluster)


@lru_cache(maxsize=1)  # a comparison asks about the same cluster several times in a row
def _dominance(cluster: Cluster) -> Callable[[WorkAssignment], Dominated | None]:
    from kassay.oracles.workers.optimum import dominance

    return dominance(cluster)


def _gaps(cluster: Cluster, answer: WorkAssignment) -> Sequence[Gap]:
    return optima(cluster).gaps(answer)


def _optimum_oracles(question: str, cluster: Cluster, time_limit_s: float | None) -> Answer:
    from kassay.oracles.workers.optimum import optimum

    return optimum(question, cluster, time_limit_s)


def _explain(cluster: Cluster, answer: WorkAssignment) -> list[str]:
    """Say of each level in which an answer is not at its best what would do."""
    return sentences(Far(gap.said, gap.value, gap.optimum) for gap in _gaps(cluster, answer))


def _worst(_assign: Assign, question: str, _seed: int, _tries: int) -> Worst:
    raise ImpossibleError(f"question: there is no search for the worst {question} of workers")


def _programmed(cluster: Cluster) -> Mapping[str, int]:
    from kassay.oracles.workers.optimum import programmed

    return programmed(cluster)
