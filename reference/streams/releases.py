"""How the assignors of the streams family behaved in releases of Kafka Streams: the first release of each behaviour."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

from kassay.errors import SkippedError
from kassay.model.tasks import Application, TaskAssignment
from kassay.reference.streams import fallback_prior, high_availability, legacy_sticky, sticky
from kassay.reference.streams.rack_aware.graph import Graph36

Assign: TypeAlias = Callable[[Application], TaskAssignment]

NEWEST = "4.3.1"
"""The newest release of kafka-streams, which is not always released with the other artifacts of Kafka."""


def high_availability_3_6(application: Application) -> TaskAssignment:
    """Assign as the high-availability assignor of 3.6; raises SkippedError for a strategy that 3.6 does not know."""
    return high_availability.assign(_known_in_3_6(application), graph=Graph36)


def legacy_sticky_3_6(application: Application) -> TaskAssignment:
    """Assign as the sticky assignor of 3.6; raises SkippedError for a strategy that 3.6 does not know."""
    return legacy_sticky.assign(_known_in_3_6(application), graph=Graph36)


def _known_in_3_6(application: Application) -> Application:
    if application.settings.rack_aware_assignment_strategy == "balance_subtopology":
        raise SkippedError(
            "rack.aware.assignment.strategy: Kafka 3.6 refuses balance_subtopology, new in 3.7"
        )
    return application


FROM: Mapping[str, Mapping[str, Assign]] = {
    "streams/high-availability": {
        "3.3.0": partial(high_availability.assign, graph=None),
        "3.6.0": high_availability_3_6,
        "3.7.0": high_availability.assign,
    },
    "streams/legacy-sticky": {
        "3.3.0": partial(legacy_sticky.assign, graph=None),
        "3.6.0": legacy_sticky_3_6,
        "3.7.0": legacy_sticky.assign,
    },
    "streams/fallback-prior": {"3.3.0": fallback_prior.assign},
    "streams/sticky": {"3.8.0": sticky.assign},
}
"""Assignor -> the first release of each behaviour -> that behaviour, oldest first."""
