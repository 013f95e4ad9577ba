"""Sequences of rebalances of Connect's clusters, as the engine asks for them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kassay.family import Rounds, Sequences
from kassay.model.workers import Cluster, WorkAssignment
from kassay.model.workers_json import write_group
from kassay.oracles.answers import OverTime
from kassay.oracles.workers.levels import LEVELS, OVER_TIME
from kassay.properties.workers import sequences
from kassay.properties.workers.measures import connector_imbalance, task_imbalance
from kassay.properties.workers.timelines import Bounce, Timeline
from kassay.shape import Assign
from kassay.shapes.proved import verified


def _rounds(assign: Assign, timeline: Any) -> Iterator[Rounds]:
    return sequences.rounds(assign, timeline)


def _totals(played: Sequence[Rounds]) -> Mapping[str, int]:
    """Sum what passes, such as moves, of every round: what is revoked is one then, and none when it is given out."""
    return {
        name: sum(level.measure(*each) for rounds in played for each in rounds)
        for name, level in LEVELS.items()
        if level.words.passing
    }


def _uneven(cluster: Cluster, answer: WorkAssignment) -> bool:
    return connector_imbalance(cluster, answer) > 1 or task_imbalance(cluster, answer) > 1


def _optimum(question: str, timeline: Any, time_limit_s: float | None) -> OverTime:
    from kassay.oracles.workers.over_time import over_time

    best = over_time(question, sequences.stages(timeline), time_limit_s)
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


def _verify(cluster: Cluster, events: tuple[str, int], answer: Any) -> tuple[bool | None, str]:
    return verified("workers", write_group(cluster), answer, events)


def _members(cluster: Cluster) -> list[str]:
    return [each.id for each in cluster.workers]


ASSUMED = {
    "restart": "workers come back after scheduled.rebalance.max.delay.ms. A worker that is back before that gets what it ran, and nothing else moves.",
    "bounce": "workers are back before scheduled.rebalance.max.delay.ms is over, under new ids.",
}
SEQUENCES = Sequences(
    sequences.SEQUENCES, OVER_TIME, _rounds, _totals, _uneven, _optimum, _verify, _members, ASSUMED
)
