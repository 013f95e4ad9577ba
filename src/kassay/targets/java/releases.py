"""Kafka's own assignors: the artifact and the class of each, by release."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from kassay.errors import InputError
from kassay.targets.maven.repository import Coordinate, list_versions

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
"""The artifacts that assignors of a group coordinator need -> the first line of releases with them."""


def find_newest(artifact: str) -> Coordinate:
    """Return the newest release of an artifact that kassay knows."""
    return Coordinate(GROUP, artifact, list_versions(GROUP, artifact)[-1])


@dataclass(frozen=True, slots=True)
class Own:
    """One of Kafka's own assignors."""

    artifact: str
    classes: Mapping[Line, str]
    """The first line of releases -> its class from there on."""
    artifacts: Mapping[str, Line] = field(hash=False)
    """The other artifacts that its class needs -> the first line of releases with them."""

    def class_name(self, version: str) -> str:
        """Return the name of its class in a release; raises InputError if there is no such release."""
        names = [name for first, name in self.classes.items() if first <= find_line(version)]
        if not names:
            first = ".".join(map(str, min(self.classes)))
            raise InputError(
                f"release: is not one of them. Give {first}.0 or newer, such as {self.versions()[-1]}"
            )
        return names[-1]

    def versions(self) -> list[str]:
        """Return the releases that kassay knows of its artifact and that have its class, oldest first."""
        return [
            known for known in list_versions(GROUP, self.artifact) if min(self.classes) <= find_line(known)
        ]

    def needs(self, version: str) -> list[Coordinate]:
        """Return the artifacts of a release that its class needs, its own first."""
        others = [name for name, first in self.artifacts.items() if first <= find_line(version)]
        return [Coordinate(GROUP, name, version) for name in dict.fromkeys([self.artifact, *others])]


def find_line(version: str) -> Line:
    """Return the line of a release, (0, 0) if it is not a version."""
    number = re.match(r"(\d+)\.(\d+)\b", version)
    return (int(number[1]), int(number[2])) if number else (0, 0)


_CONNECT = {"connect-api": (3, 3), "kafka-clients": (3, 3)}
_OF_CLIENTS = {"kafka-clients": (2, 2)}
_OWN: list[tuple[str, str, Mapping[str, Line], dict[Line, str]]] = [
    ("consumer/range", "kafka-clients", _OF_CLIENTS, {(2, 2): f"{_CLIENTS}RangeAssignor"}),
    ("consumer/roundrobin", "kafka-clients", _OF_CLIENTS, {(2, 2): f"{_CLIENTS}RoundRobinAssignor"}),
    ("consumer/sticky", "kafka-clients", _OF_CLIENTS, {(2, 2): f"{_CLIENTS}StickyAssignor"}),
    ("consumer/cooperative-sticky", "kafka-clients", _OF_CLIENTS, {(2, 4): f"{_CLIENTS}CooperativeStickyAssignor"}),
    ("broker/range", "kafka-group-coordinator", COORDINATORS, {(3, 6): f"{_COORDINATOR}RangeAssignor"}),
    ("broker/uniform", "kafka-group-coordinator", COORDINATORS, {(3, 7): f"{_COORDINATOR}UniformAssignor"}),
    ("share/simple", "kafka-group-coordinator", COORDINATORS, {(3, 9): f"{_COORDINATOR}SimpleAssignor"}),
    ("streams-group/sticky", "kafka-group-coordinator", COORDINATORS, {(4, 1): f"{_STREAMS_GROUPS}StickyTaskAssignor"}),
    ("connect/eager", "connect-runtime", _CONNECT, {(3, 3): f"{_WORKERS}EagerAssignor"}),
    ("connect/incremental-cooperative", "connect-runtime", _CONNECT, {(3, 3): f"{_WORKERS}IncrementalCooperativeAssignor"}),
    ("streams/high-availability", "kafka-streams", _OF_CLIENTS, {(2, 6): f"{_INTERNALS}HighAvailabilityTaskAssignor"}),
    ("streams/sticky", "kafka-streams", _OF_CLIENTS, {(3, 8): f"{_STREAMS}assignment.assignors.StickyTaskAssignor"}),
    ("streams/legacy-sticky", "kafka-streams", _OF_CLIENTS, {(2, 6): f"{_INTERNALS}StickyTaskAssignor", (3, 8): f"{_INTERNALS}LegacyStickyTaskAssignor"}),
    ("streams/fallback-prior", "kafka-streams", _OF_CLIENTS, {(2, 6): f"{_INTERNALS}FallbackPriorTaskAssignor"}),
]  # fmt: skip
KAFKA = {name: Own(artifact, classes, needs) for name, artifact, needs, classes in _OWN}
"""Name of a reference -> Kafka's class."""
