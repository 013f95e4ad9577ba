"""Kafka's own assignors: which artifact has which class since which release."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from kassay.errors import InputError
from kassay.targets.maven.repository import Coordinate, versions

GROUP = "org.apache.kafka"
Line: TypeAlias = tuple[int, int]
"""A line of releases, such as (3, 8)."""
_CLIENTS = "org.apache.kafka.clients.consumer."
_STREAMS = "org.apache.kafka.streams.processor."
_INTERNALS = f"{_STREAMS}internals.assignment."
_COORDINATOR = "org.apache.kafka.coordinator.group.assignor."
_STREAMS_GROUPS = "org.apache.kafka.coordinator.group.streams.assignor."
_WORKERS = "org.apache.kafka.connect.runtime.distributed."
COORDINATORS = {
    "kafka-group-coordinator": (3, 6),
    "kafka-group-coordinator-api": (3, 8),
    "kafka-clients": (3, 6),
    "kafka-server-common": (3, 6),
}
"""What assignors of a group coordinator need, each from a line of releases on."""


def newest(artifact: str) -> Coordinate:
    """Return the newest release of an artifact that kassay knows."""
    return Coordinate(GROUP, artifact, versions(GROUP, artifact)[-1])


@dataclass(frozen=True, slots=True)
class Own:
    """An assignor of Kafka's own: its artifact, and its class from the first line of releases that have it under this name."""

    artifact: str
    classes: Mapping[Line, str]
    artifacts: Mapping[str, Line] = field(default_factory=lambda: {"kafka-clients": (2, 2)}, hash=False)
    """What its class needs beside its own artifact, each from a line of releases on."""

    def class_name(self, version: str) -> str:
        """Return the name of its class in a release; raises InputError where there is no such release."""
        names = [name for first, name in self.classes.items() if first <= line(version)]
        if not names:
            first = ".".join(map(str, min(self.classes)))
            raise InputError(f"give a release from {first}.0 on, such as {self.versions()[-1]}")
        return names[-1]

    def versions(self) -> list[str]:
        """Return the releases that kassay knows of its artifact and that have its class, oldest first."""
        return [known for known in versions(GROUP, self.artifact) if min(self.classes) <= line(known)]

    def needs(self, version: str) -> list[Coordinate]:
        """Return the artifacts of a release that its class needs, its own first."""
        others = [name for name, first in self.artifacts.items() if first <= line(version)]
        return [Coordinate(GROUP, name, version) for name in dict.fromkeys([self.artifact, *others])]


def line(version: str) -> Line:
    """Return the line of a release, (0, 0) of what is no version."""
    number = re.match(r"(\d+)\.(\d+)\b", version)
    return (int(number[1]), int(number[2])) if number else (0, 0)


def _consumers(name: str) -> Own:
    return Own("kafka-clients", {(2, 2): _CLIENTS + name})


def _coordinators(name: str, first: Line) -> Own:
    return Own("kafka-group-coordinator", {first: _COORDINATOR + name}, COORDINATORS)


def _connect(name: str) -> Own:
    needs = {"connect-api": (3, 3), "kafka-clients": (3, 3)}
    return Own("connect-runtime", {(3, 3): _WORKERS + name}, needs)


def _streams(classes: Mapping[Line, str]) -> Own:
    return Own("kafka-streams", classes)


KAFKA = {
    "consumer/range": _consumers("RangeAssignor"),
    "consumer/roundrobin": _consumers("RoundRobinAssignor"),
    "consumer/sticky": _consumers("StickyAssignor"),
    "consumer/cooperative-sticky": _consumers("CooperativeStickyAssignor"),
    "broker/range": _coordinators("RangeAssignor", (3, 6)),
    "broker/uniform": _coordinators("UniformAssignor", (3, 7)),
    "share/simple": _coordinators("SimpleAssignor", (3, 9)),
    "streams-group/sticky": Own(
        "kafka-group-coordinator", {(4, 1): f"{_STREAMS_GROUPS}StickyTaskAssignor"}, COORDINATORS
    ),
    "connect/eager": _connect("EagerAssignor"),
    "connect/incremental-cooperative": _connect("IncrementalCooperativeAssignor"),
    "streams/high-availability": _streams({(2, 6): f"{_INTERNALS}HighAvailabilityTaskAssignor"}),
    "streams/sticky": _streams({(3, 8): f"{_STREAMS}assignment.assignors.StickyTaskAssignor"}),
    "streams/legacy-sticky": _streams(
        {(2, 6): f"{_INTERNALS}StickyTaskAssignor", (3, 8): f"{_INTERNALS}LegacyStickyTaskAssignor"}
    ),
    "streams/fallback-prior": _streams({(2, 6): f"{_INTERNALS}FallbackPriorTaskAssignor"}),
}
"""Name of a reference -> Kafka's class."""
