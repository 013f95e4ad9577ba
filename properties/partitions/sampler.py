"""Sampling groups by seed: the limits and weights of a sweep as settings of the generator, the same on every machine."""

from collections.abc import Mapping, Sequence

from kassay.properties.choices import from_seed
from kassay.properties.partitions.generating.events import PLAIN, USUAL, anything
from kassay.properties.partitions.generating.groups import timeline
from kassay.properties.partitions.timelines import Timeline
from kassay.properties.settings import Settings, weights

NUMBERS: Mapping[str, tuple[int, int]] = {
    "members": (1, 100_000),
    "topics": (0, 100_000),
    "partitions": (0, 1_000_000),
    "partitions_per_member": (0, 10_000),
    "racks": (0, 1_000),
    "replication": (1, 100),
    "static_percent": (0, 100),
    "churn": (0, 1_000),
}
"""The widest limits of what is drawn uniformly between two limits; the usual ones are USUAL."""
KINDS: Mapping[str, Sequence[str]] = {
    "subscriptions": ("all", "same", "some", "one", "pair", "odd"),
    "claims": (
        "none", "even", "newcomers", "joined", "leavers", "uneven", "stale", "contested", "vanished", "resubscribed",
    ),
    "order": ("listed", "shuffled"),
    "names": ("plain", "hostile"),
    "extras": ("none", "user data", "hosts", "joined", "ids", "withheld"),
    "shape": ("asked", "anything"),
}  # fmt: skip
"""What is drawn by weight for each group; the first kind where none is given. A shape of `anything` is what `kassay check`
tries: all else but `churn` is drawn without regard to the settings."""


def draw(
    numbers: Mapping[str, tuple[int, int]], mixes: Mapping[str, Mapping[str, int]], seed: int
) -> Timeline:
    """Draw a group and its changes; equal settings and seeds give equal ones, however the settings are ordered."""
    choices = from_seed(seed)
    limits = {**USUAL, **numbers}
    kinds = weights(KINDS, mixes)
    if choices.weighed(kinds["shape"]) == "anything":
        return timeline(choices, anything(choices, churn=limits["churn"]))
    return timeline(choices, Settings(limits, {**PLAIN, **kinds}, {}))
