"""How the assignors of Kafka Connect behaved in releases of Kafka: the first release of each behaviour."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from kassay.model.workers import Cluster, WorkAssignment
from kassay.reference.connect import apart, eager, incremental_cooperative

Assign: TypeAlias = Callable[[Cluster], WorkAssignment]

NEWEST = "4.3.1"
"""The newest release of connect-runtime that is known."""

FROM: Mapping[str, Mapping[str, Assign]] = {
    "connect/eager": {"3.3.0": eager.assign},
    "connect/incremental-cooperative": {
        "3.3.0": apart.assign,
        "3.4.0": incremental_cooperative.assign_with_wait,
        "3.5.2": incremental_cooperative.assign,
        "3.6.0": incremental_cooperative.assign_with_wait,
        "3.6.1": incremental_cooperative.assign,
    },
}
"""Assignor -> the first release of each behaviour -> that behaviour, oldest first."""
