"""The exact optimum of a sequence of rebalances of a cluster: connectors and tasks as even as possible at each, the fewest moves in all."""

from collections.abc import Mapping, Sequence
from typing import Any

from kassay.model.workers import Cluster, WorkAssignment
from kassay.oracles.answers import OverTime, Total
from kassay.oracles.errors import ImpossibleError
from kassay.oracles.partitions import over_time as of_partitions
from kassay.oracles.workers.levels import LEVELS, OVER_TIME
from kassay.oracles.workers.levels.level import KINDS
from kassay.oracles.workers.optimum import joined, kinds, question


def over_time(text: str, stages: Sequence[Cluster], time_limit_s: float | None = None) -> OverTime:
    """Return the fewest moves over all stages that assignments can have which are as even as possible at each.

    A stage is the cluster as it is at a rebalance, with connectors that stay as they are; what its workers run counts in the first
    alone. Raises ImpossibleError where the question cannot be asked, and what the oracle of partitions raises.
    """
    asked = question(text, OVER_TIME)
    limit = None if time_limit_s is None else time_limit_s / 2
    found = {kind: of_partitions.over_time(asked, groups, limit) for kind, groups in _groups(stages).items()}
    assignments: tuple[WorkAssignment, ...] = ()
    if all(best.assignments for best in found.values()):
        assignments = tuple(
            joined(stage, {kind: best.assignments[n] for kind, best in found.items()})
            for n, stage in enumerate(stages)
        )
    return OverTime(
        asked,
        len(stages),
        _together(found),
        assignments,
        {kind: _part_json(best, whole=bool(assignments)) for kind, best in found.items()},
    )


def _groups(stages: Sequence[Cluster]) -> dict[str, list[Any]]:
    if any(stage.connectors != stages[0].connectors for stage in stages):
        raise ImpossibleError("stages: connectors differ; over time, give events that leave connectors alone")
    split = [kinds(stage).groups for stage in stages]
    return {kind: [groups[kind] for groups in split] for kind in KINDS}


def _together(found: Mapping[str, OverTime]) -> tuple[Total, ...]:
    """Return the sums of the levels that both kinds are asked in, each of the kinds that it is of."""
    totals = {kind: {total.name: total for total in best.totals} for kind, best in found.items()}
    summed = []
    for name, level in LEVELS.items():
        parts = [totals[kind][level.of.name] for kind in level.kinds if level.of.name in totals[kind]]
        if len(parts) == len(level.kinds):
            values = [part.value for part in parts if part.value is not None]
            value = sum(values) if len(values) == len(parts) else None
            summed.append(Total(name, sum(part.least for part in parts), value))
    return tuple(summed)


def _part_json(best: OverTime, *, whole: bool) -> dict[str, Any]:
    """Return the sums of a kind; they are bounds alone where the other kind has no assignments to make up the whole with."""
    return {
        "question": best.question,
        "rebalances": best.rebalances,
        "totals": [
            {
                "name": t.name,
                "least": t.least,
                "value": t.value if whole else None,
                "proved": t.proved and whole,
            }
            for t in best.totals
        ],
        "certificate": best.certificate,
    }
