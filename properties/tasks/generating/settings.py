"""Settings: between which limits, by which weights and with which oddities an application is generated."""

from collections.abc import Mapping

from kassay.model.tasks import INT64_MAX
from kassay.properties.choices import Choices
from kassay.properties.settings import Settings

USUAL: Mapping[str, tuple[int, int]] = {
    "clients": (1, 6),
    "threads": (1, 2),
    "subtopologies": (1, 3),
    "partitions": (1, 6),
    "tasks_per_thread": (0, 0),
    "standbys": (0, 0),
    "warmups": (2, 2),
    "racks": (0, 0),
    "replication": (1, 3),
    "tags": (0, 0),
    "churn": (0, 0),
}
"""The limits where none are given: `partitions` of each source topic, `churn` changes. No racks: nobody knows any.

`tasks_per_thread` above 0 overrules `partitions`: the subtopologies share that many tasks for each thread evenly."""
PLAIN: Mapping[str, Mapping[str, int]] = {
    "sources": {"one": 1},
    "stateful": {"all": 1},
    "changelogs": {"one": 1},
    "thread_counts": {"equal": 1},
    "names": {"plain": 1},
    "known_racks": {"all": 1},
    "replicas": {"in turn": 1},
    "homes": {"in turn": 1},
    "tagged": {"all": 1},
    "asked tags": {"all": 1},
    "history": {"none": 1},
    "consumers": {"none": 1},
    "recovery": {"usual": 1},
    "strategy": {"none": 1},
    "order": {"listed": 1},
}
"""The weights of the kinds where none are given."""
RECOVERY: Mapping[str, int] = {"usual": 10_000, "hundred": 100, "zero": 0, "endless": INT64_MAX}
"""Kind of recovery -> acceptable.recovery.lag."""

SIZES: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "small": {"threads": (1, 3), "subtopologies": (1, 4)},
    "medium": {"clients": (1, 20), "threads": (1, 4), "subtopologies": (1, 4), "partitions": (1, 10)},
    "large": {"clients": (40, 50), "threads": (1, 8), "subtopologies": (2, 4), "partitions": (8, 24)},
}
"""How large applications of any kind are."""
_WEIGHTS = {"small": 217, "medium": 36, "large": 3}
_EXTRAS = {"standbys": (0, 3), "warmups": (1, 4), "racks": (1, 4), "tags": (1, 3)}
ANY_HISTORY = {
    "none": 2, "even": 3, "joined": 4, "left": 4, "uneven": 2, "restarted": 3, "behind": 3, "unknown": 2,
    "contested": 1, "edges": 4, "anyhow": 6,
}  # fmt: skip
ANY: Mapping[str, Mapping[str, int]] = {
    "sources": {"one": 6, "several": 2, "uneven": 2, "shared": 1},
    "stateful": {"some": 5, "all": 4, "none": 1},
    "changelogs": {"one": 5, "several": 2, "source": 2, "both": 1},
    "thread_counts": {"equal": 3, "mixed": 2},
    "names": {"plain": 60, "random": 14, "negative": 10, "colliding": 10, "hostile": 6},
    "known_racks": {"none": 3, "all": 5, "some clients": 1, "some topics": 1},
    "replicas": {"in turn": 1, "anywhere": 1},
    "homes": {"anywhere": 3, "in turn": 2, "some elsewhere": 1},
    "tagged": {"nobody": 5, "all": 3, "some": 2},
    "asked tags": {"all": 2, "some": 1},
    "consumers": {"none": 3, "reported": 4, "empty": 1},
    "recovery": {"usual": 5, "hundred": 2, "zero": 2, "endless": 1},
    "strategy": {"none": 3, "min_traffic": 4, "balance_subtopology": 3},
    "order": {"listed": 3, "clients": 2, "tasks": 1, "shuffled": 2},
}
ODDITIES = {"unknown tag": 6, "costs": 40, "huge costs": 5}


def anything(
    choices: Choices, history: Mapping[str, int] = ANY_HISTORY, churn: tuple[int, int] = (0, 0)
) -> Settings:
    """Choose settings of which applications of every kind come: small ones mostly, medium ones sometimes, large ones rarely."""
    size = SIZES[choices.weighed(_WEIGHTS)]
    return Settings({**USUAL, **_EXTRAS, **size, "churn": churn}, {**ANY, "history": history}, ODDITIES)
