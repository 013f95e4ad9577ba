"""The answer to a question about a cluster: the least values, an assignment that has them, and why none has less."""

import re
from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from kassay.model.workers import Cluster
from kassay.oracles.answers import Answer, Level
from kassay.oracles.partitions import optimum as of_partitions
from kassay.oracles.workers.kinds import joined, kinds
from kassay.oracles.workers.levels import LEVELS
from kassay.oracles.workers.question import question

NOUNS = re.compile(r"(?<![\w.-])(member|partition)(s?)(?![\w.-])")
"""The nouns of the reasons of groups of members and partitions, where they are no part of a name."""


def optimum(text: str, cluster: Cluster, time_limit_s: float | None = None) -> Answer:
    """Return the exact optimum of a question (see :data:`kassay.oracles.workers.question.ORACLES`), with its certificate.

    That has a whole answer for the group of each kind, which can be checked by itself. Raises as
    :func:`kassay.oracles.partitions.optimum.optimum` does.
    """
    asked = question(text)
    limit = None if time_limit_s is None else time_limit_s / 2
    found = {
        kind: of_partitions.optimum(asked, group, limit) for kind, group in kinds(cluster).groups.items()
    }
    words = [f"{kind}: {_of_workers(kind, word)}" for kind, best in found.items() for word in best.words]
    certificate = {
        "proved": all(best.proved for best in found.values()),
        **{kind: part_json(best) for kind, best in found.items()},
    }
    assignment = joined(cluster, {kind: best.assignment for kind, best in found.items()})
    return Answer(asked, together(found), assignment, tuple(words), certificate)


def _of_workers(kind: str, word: str) -> str:
    """Say of workers, and of their connectors or tasks, what is said of members and partitions."""
    nouns = {"member": "worker", "partition": kind.removesuffix("s")}
    return NOUNS.sub(lambda found: nouns[found[1]] + found[2], word)


def together(found: Mapping[str, Answer]) -> tuple[Level, ...]:
    """Return the levels of the answers of both kinds, each where all kinds that it is of tell it."""
    value, least = (
        {kind: {level.name: number(level) for level in best.levels} for kind, best in found.items()}
        for number in (attrgetter("value"), attrgetter("least"))
    )
    return tuple(
        Level(name, level.value(value), level.value(least))
        for name, level in LEVELS.items()
        if all(level.of.name in value[kind] for kind in level.kinds)
    )


def part_json(best: Answer) -> dict[str, Any]:
    """Return the answer of one kind as JSON, in the form of an answer to a group of members and partitions."""
    return {
        "question": best.question,
        "levels": [
            {"level": one.name, "value": one.value, "least": one.least, "proved": one.proved}
            for one in best.levels
        ],
        "assignment": {member: [list(one) for one in given] for member, given in best.assignment.items()},
        "certificate": best.certificate,
    }
