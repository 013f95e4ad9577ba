"""How the assignors of the consumer family behaved in releases of Kafka: the first release of each behaviour."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

from kassay.model import Assignment, Group
from kassay.reference.consumer import plain_range, roundrobin
from kassay.reference.consumer import range as range_by_racks
from kassay.reference.consumer.sticky import assignor, cooperative
from kassay.reference.consumer.sticky import releases as sticky_releases

Assign: TypeAlias = Callable[[Group], Assignment]

FROM: Mapping[str, Mapping[str, Assign]] = {
    "consumer/range": {
        "2.2.0": plain_range.assign_dynamic,
        "2.4.0": plain_range.assign,
        "3.5.0": range_by_racks.assign,
    },
    "consumer/roundrobin": {
        "2.2.0": roundrobin.assign_dynamic,
        "2.4.0": roundrobin.assign,
    },
    "consumer/sticky": {
        "2.2.0": partial(assignor.assign, parts=sticky_releases.FROM_2_2_0),
        "2.3.0": partial(assignor.assign, parts=sticky_releases.FROM_2_3_0),
        "2.4.0": partial(assignor.assign, parts=sticky_releases.FROM_2_4_0),
        "2.5.1": partial(assignor.assign, parts=sticky_releases.FROM_2_5_1),
        "2.8.1": partial(assignor.assign, parts=sticky_releases.FROM_2_8_1),
        "3.0.0": partial(assignor.assign, parts=sticky_releases.FROM_3_0_0),
        "3.4.1": partial(assignor.assign, parts=sticky_releases.FROM_3_4_1),
        "3.5.0": partial(assignor.assign, parts=sticky_releases.FROM_3_5_0),
        "3.5.2": partial(assignor.assign, parts=sticky_releases.FROM_3_5_2),
        "3.7.1": assignor.assign,
    },
    "consumer/cooperative-sticky": {
        "2.4.0": partial(cooperative.assign, parts=sticky_releases.COOPERATIVE_FROM_2_4_0),
        "2.5.1": partial(cooperative.assign, parts=sticky_releases.COOPERATIVE_FROM_2_5_1),
        "2.8.1": partial(cooperative.assign, parts=sticky_releases.COOPERATIVE_FROM_2_8_1),
        "3.0.0": partial(cooperative.assign, parts=sticky_releases.FROM_3_0_0),
        "3.4.1": partial(cooperative.assign, parts=sticky_releases.FROM_3_4_1),
        "3.5.0": partial(cooperative.assign, parts=sticky_releases.FROM_3_5_0),
        "3.5.2": partial(cooperative.assign, parts=sticky_releases.FROM_3_5_2),
        "3.7.1": cooperative.assign,
    },
}
"""Assignor -> the first release of each behaviour -> that behaviour, oldest first."""
