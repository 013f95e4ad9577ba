"""Settings: between which limits, by which weights and with which oddities a cluster is generated."""

from collections.abc import Mapping

from kassay.model.workers import FIVE_MINUTES_MS
from kassay.properties.choices import Choices
from kassay.properties.settings import Settings

USUAL: Mapping[str, tuple[int, int]] = {
    "workers": (1, 6),
    "connectors": (1, 5),
    "tasks": (0, 5),
    "tasks_per_worker": (0, 0),
    "churn": (0, 0),
}
"""The limits where none are given: `tasks` of each connector, `churn` changes.

`tasks_per_worker` above 0 overrules `tasks`: the connectors share that many for each worker evenly."""
PLAIN: Mapping[str, Mapping[str, int]] = {
    "history": {"none": 1},
    "names": {"plain": 1},
    "delay": {"usual": 1},
    "order": {"listed": 1},
}
"""The weights of the kinds where none are given."""
DELAYS: Mapping[str, int] = {"usual": FIVE_MINUTES_MS, "none": 0, "short": 100, "one": 1}
"""Kind of delay -> scheduled.rebalance.max.delay.ms."""
SIZES: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "small": {},
    "medium": {"workers": (1, 16), "connectors": (0, 12), "tasks": (0, 10)},
    "large": {"workers": (40, 60), "connectors": (10, 30), "tasks": (0, 40)},
}
"""How large clusters of any kind are."""
_WEIGHTS = {"small": 216, "medium": 36, "large": 4}
ANY_HISTORY = {
    "none": 2, "rest": 2, "joined": 4, "left": 5, "returned": 4, "over": 4, "revoked": 3, "created": 2, "deleted": 3, "shrunk": 2,
    "missed": 2, "forgotten": 2, "uneven": 3, "contested": 2,
}  # fmt: skip
"""What has happened to a cluster, by weight."""
ANY: Mapping[str, Mapping[str, int]] = {
    "names": {"plain": 60, "random": 20, "colliding": 10, "hostile": 10},
    "delay": {"usual": 6, "none": 2, "short": 1, "one": 1},
    "order": {"listed": 3, "shuffled": 1},
}


def anything(
    choices: Choices, history: Mapping[str, int] = ANY_HISTORY, churn: tuple[int, int] = (0, 0)
) -> Settings:
    """Choose settings of which clusters of every kind come: small ones mostly, medium ones sometimes, large ones rarely."""
    size = SIZES[choices.weighed(_WEIGHTS)]
    return Settings({**USUAL, **size, "churn": churn}, {**ANY, "history": history}, {})
