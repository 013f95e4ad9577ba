"""Sampling applications by seed: the limits and weights of a sweep as settings of the generator, the same on every machine."""

from collections.abc import Mapping, Sequence

from kassay.properties.settings import drawing
from kassay.properties.tasks.generating.applications import PLAIN, USUAL, anything, timeline

NUMBERS: Mapping[str, tuple[int, int]] = {
    "clients": (1, 10_000),
    "threads": (1, 1_000),
    "subtopologies": (1, 1_000),
    "partitions": (1, 100_000),
    "tasks_per_thread": (0, 1_000),
    "standbys": (0, 1_000),
    "warmups": (1, 1_000_000),
    "racks": (0, 1_000),
    "replication": (1, 100),
    "tags": (0, 5),
    "churn": (0, 1_000),
}
"""The widest limits of what is drawn uniformly between two limits; the usual ones are USUAL."""
KINDS: Mapping[str, Sequence[str]] = {
    "history": (
        "none", "even", "joined", "left", "uneven", "restarted", "behind", "unknown", "contested", "edges",
        "changed",
    ),
    "known_racks": ("all", "some clients", "some topics", "none"),
    "strategy": ("none", "min_traffic", "balance_subtopology"),
    "stateful": ("all", "some", "none"),
    "thread_counts": ("equal", "mixed"),
    "order": ("listed", "shuffled"),
    "names": ("plain", "random", "negative", "colliding", "hostile"),
    "shape": ("asked", "anything"),
}  # fmt: skip
"""What is drawn by weight for each application; the first kind where none is given. A shape of `anything` is what `kassay check`
tries: all else but `churn` is drawn without regard to the settings."""

draw = drawing(timeline, USUAL, PLAIN, KINDS, anything)
