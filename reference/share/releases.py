"""How the assignor of share groups behaved in releases of Kafka: the first release of each behaviour."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from kassay.model import Assignment, Group
from kassay.reference.share import everything, sharing, simple

Assign: TypeAlias = Callable[[Group], Assignment]

FROM: Mapping[str, Mapping[str, Assign]] = {
    "share/simple": {
        "3.9.0": everything.assign,
        "4.1.0": sharing.assign,
        "4.2.0": simple.assign,
    },
}
"""Assignor -> the first release of each behaviour -> that behaviour, oldest first."""
