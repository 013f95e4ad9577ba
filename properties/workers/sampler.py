"""Sampling clusters by seed: the limits and weights of a sweep as settings of the generator, the same on every machine."""

from collections.abc import Mapping, Sequence

from kassay.properties.choices import from_seed
from kassay.properties.settings import Settings, weights
from kassay.properties.workers.generating.clusters import PLAIN, USUAL, anything, timeline
from kassay.properties.workers.timelines import Timeline

NUMBERS: Mapping[str, tuple[int, int]] = {
    "workers": (1, 10_000),
    "connectors": (1, 10_000),
    "tasks": (0, 10_000),
    "tasks_per_worker": (0, 1_000),
    "churn": (0, 1_000),
}
"""The widest limits of what is drawn uniformly between two limits; the usual ones are USUAL."""
KINDS: Mapping[str, Sequence[str]] = {
    "history": (
        "none", "rest", "joined", "left", "returned", "over", "revoked", "created", "deleted", "shrunk", "missed", "forgotten",
        "uneven", "contested",
    ),
    "names": ("plain", "random", "colliding", "hostile"),
    "delay": ("usual", "none", "short", "one"),
    "order": ("listed", "shuffled"),
    "shape": ("asked", "anything"),
}  # fmt: skip
"""What is drawn by weight for each cluster; the first kind where none is given. A shape of `anything` is what `kassay check` tries:
all else but `churn` is drawn without regard to the settings."""


def draw(
    numbers: Mapping[str, tuple[int, int]], mixes: Mapping[str, Mapping[str, int]], seed: int
) -> Timeline:
    """Draw a cluster and its changes; equal settings and seeds give equal ones, however the settings are ordered."""
    choices = from_seed(seed)
    limits, kinds = {**USUAL, **numbers}, weights(KINDS, mixes)
    if choices.weighed(kinds["shape"]) == "anything":
        return timeline(choices, anything(choices, churn=limits["churn"]))
    return timeline(choices, Settings(limits, {**PLAIN, **kinds}, {}))
