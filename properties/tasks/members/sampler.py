"""What is sampled of streams groups for sweeps: the limits and kinds of applications that groups have too."""

from collections.abc import Mapping, Sequence

from kassay.properties.tasks import sampler
from kassay.properties.tasks.generating.applications import USUAL as OF_APPLICATIONS

_NUMBERS = (
    "clients",
    "threads",
    "subtopologies",
    "partitions",
    "tasks_per_thread",
    "standbys",
    "tags",
    "churn",
)
_KINDS = ("history", "stateful", "thread_counts", "order", "names", "shape")

NUMBERS: Mapping[str, tuple[int, int]] = {name: sampler.NUMBERS[name] for name in _NUMBERS}
"""The widest limits; `clients` are processes, `threads` the members of each."""
USUAL: Mapping[str, tuple[int, int]] = {name: OF_APPLICATIONS[name] for name in _NUMBERS}
KINDS: Mapping[str, Sequence[str]] = {name: sampler.KINDS[name] for name in _KINDS}
