"""How the server-side assignors of consumer groups behaved in releases of Kafka: the first release of each behaviour."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from kassay.model import Assignment, Group
from kassay.reference.broker import range as by_range
from kassay.reference.broker import sticky_range, uniform

Assign: TypeAlias = Callable[[Group], Assignment]

FROM: Mapping[str, Mapping[str, Assign]] = {
    "broker/range": {
        "3.6.0": sticky_range.assign,
        "3.8.0": sticky_range.assign_3_8,
        "3.9.0": by_range.assign,
    },
    "broker/uniform": {
        "3.7.0": uniform.assign_3_7,
        "3.8.0": uniform.assign_3_8,
        "4.0.0": uniform.assign_4_0_0,
        "4.0.1": uniform.assign,
    },
}
"""Assignor -> the first release of each behaviour -> that behaviour, oldest first."""
