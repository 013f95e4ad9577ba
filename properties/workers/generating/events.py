"""Generating what happens to a cluster, one event at a time."""

from kassay.model.workers import Cluster
from kassay.properties.choices import Choices
from kassay.properties.workers.timelines import (
    Break,
    Configure,
    Delete,
    Event,
    Join,
    Lead,
    Leave,
    Miss,
    Wait,
    happen,
)

MOST_TASKS = 6
_KINDS = {
    "wait": 6, "moment": 4, "join": 5, "leave": 5, "configure": 3, "delete": 2, "miss": 2, "break": 1, "lead": 1,
}  # fmt: skip


def event(choices: Choices, cluster: Cluster, at: int) -> tuple[Event, Cluster]:
    """Choose the `at`-th event; return it with the cluster that is known to be there then, whatever anybody is given."""
    happened = _chosen(choices, cluster, at)
    return happened, happen(cluster, happened)


def _chosen(choices: Choices, cluster: Cluster, at: int) -> Event:
    kind = choices.weighed(_KINDS)
    if kind in {"delete", "configure"} and not cluster.connectors:
        return Configure(f"e{at}", choices.below(MOST_TASKS))
    match kind:
        case "moment":
            return Wait(choices.below(200))
        case "join":
            return Join(f"j{at}")
        case "leave":
            return Leave(choices.pick(cluster.workers).id)
        case "configure":
            known = choices.chance(50)
            name = choices.pick(cluster.connectors).name if known else f"e{at}"
            return Configure(name, choices.below(MOST_TASKS))
        case "delete":
            return Delete(choices.pick(cluster.connectors).name)
        case "miss":
            return Miss(choices.pick(cluster.workers).id)
        case "break":
            return Break()
        case "lead":
            return Lead()
        case _:
            return Wait()
