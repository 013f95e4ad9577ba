"""The exact optima of Connect's clusters, as the engine asks for them."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from kassay.family import Oracles
from kassay.model.workers import Cluster, WorkAssignment
from kassay.model.workers_json import write_group
from kassay.oracles.answers import Answer, Gap, Optima, Worst
from kassay.oracles.explaining import Far, sentences
from kassay.oracles.failures import ImpossibleError
from kassay.oracles.workers.levels import LEVELS
from kassay.shape import Assign
from kassay.shapes.proved import verified
from kassay.shapes.workers.over_time import SEQUENCES

COMPARED = (
    "balance is the most connectors, or tasks, on a worker less the fewest; moves are compared with the least that the most even "
    "workers allow, so less even answers may be below it and count as 0; where an answer revokes or waits, the next one is compared, "
    "unless that revokes or waits, too"
)


def oracles(questions: Mapping[str, str], worst_questions: Mapping[str, str]) -> Oracles:
    """Make the oracles of a family."""
    return Oracles(
        questions, tuple(LEVELS), _optimum, _gaps, optima, _explain, worst_questions, _worst, _programmed, _verify, COMPARED, {name: level.words for name, level in LEVELS.items()},
        over_time=SEQUENCES,
    )  # fmt: skip


@lru_cache(maxsize=1)  # a check asks for those of the cluster that it has just judged
def optima(cluster: Cluster) -> Optima:
    """Find and prove the optima of a cluster's levels."""
    from kassay.oracles.workers.optimum import optima as proved

    return proved(cluster)


def _gaps(cluster: Cluster, answer: WorkAssignment) -> Sequence[Gap]:
    return optima(cluster).gaps(answer)


def _optimum(question: str, cluster: Cluster, time_limit_s: float | None) -> Answer:
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


def _verify(cluster: Cluster, answer: Any) -> tuple[bool | None, str]:
    return verified("workers", write_group(cluster), answer)
