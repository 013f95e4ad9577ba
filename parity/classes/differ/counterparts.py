"""What is held against what, and on which groups."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from classes.groups import connect_rounds, hostile_applications
from classes.recorder import answers

from kassay.engine.differential import CHUNK, Source, draw_source
from kassay.families.family import Family
from kassay.families.shape import Assign
from kassay.reference.releases import LAST, Behaviour, behaviours
from kassay.targets.java.releases import KAFKA

WITH_RACKS, WITH_SUBTOPOLOGIES = (3, 6), (3, 7)
"""The lines of releases from which on Kafka Streams has the strategy min_traffic, and balance_subtopology."""


@dataclass(frozen=True)
class Counterpart:
    """A reference, the classes it is held against, and the kind of hostile groups: a strategy of Streams, with user data, or "" for all else."""

    reference: str
    classes: tuple[str, ...]
    kind: str = ""

    @property
    def family(self) -> str:
        """The name of its family."""
        return self.reference.partition("/")[0]

    @property
    def name(self) -> str:
        """A name of its own, for patterns."""
        return f"{self.reference}/{self.kind}" if self.kind else self.reference

    @property
    def file_name(self) -> str:
        """A file name of its own; what runs in clients is named without its family."""
        return self.name.removeprefix("consumer/").removeprefix("streams/").replace("/", "-")

    def stream(self, seed: int) -> Iterator[Any]:
        """Yield hostile groups without end."""
        if self.family == "streams":
            return hostile_applications.applications(seed, self.kind)
        return answers.stream(self.family, seed, self.kind)

    def chunks(self, seed: int) -> Source:
        """Take random groups, hostile ones and such as an assignor may have led to."""

        def chunk(_family: Family, assign: Assign, number: int) -> list[Any]:
            seed_of_chunk = seed + (number << 64)
            if self.family == "connect":  # sequences are played with the behaviour that is held
                return list(islice(connect_rounds.stream(seed_of_chunk, assign), CHUNK))
            return list(islice(self.stream(seed_of_chunk), CHUNK))

        return chunk


KNOWS_USER_DATA = {
    f"consumer/{name}@{release}"
    for name in ("sticky", "cooperative-sticky")
    for release in ("3.4.1", "3.5.1", "3.7.0", "4.4.0")
}
"""The references that read user data that members state; the others decline such groups, or overlook them as their classes do."""


def _line(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")[:2]))


def _ends(name: str, behaviour: Behaviour) -> Sequence[str]:
    """Return the first and the last release of a behaviour; of Kafka Streams and group coordinators the last of the first line.

    No class of their assignors changes within a line in what it decides, but for 4.0.1: the bytecode of Streams was compared
    for 3.3.0 to 4.3.1, the sources of coordinators for 3.6.0 to 4.2.0; streams groups' changed in 4.2.2 too.
    """
    first, last = behaviour.releases[0], behaviour.releases[-1]
    end = next(end for end in LAST if _line(end) == _line(first))
    if KAFKA[name].artifact != "kafka-clients" and end in behaviour.releases:
        first = end
    return list(dict.fromkeys((first, last)))


def _kinds(name: str, behaviour: Behaviour) -> Sequence[str]:
    """Return the strategies of rack-aware assignment that a behaviour knows, or what else it is asked of where it is no assignor of tasks."""
    if KAFKA[name].artifact != "kafka-streams":
        known = f"{name}@{behaviour.releases[-1]}" in KNOWS_USER_DATA
        return ["", answers.USER_DATA] if known else [""]
    line = _line(behaviour.releases[0])
    if line < WITH_RACKS:
        return ["none"]
    return (
        ["none", "min_traffic", "balance_subtopology"]
        if line >= WITH_SUBTOPOLOGIES
        else ["none", "min_traffic"]
    )


def _held(name: str) -> Sequence[Counterpart]:
    return [
        Counterpart(
            f"{name}@{behaviour.releases[-1]}",
            tuple(f"kafka:{release}#{name}" for release in _ends(name, behaviour)),
            kind,
        )
        for behaviour in reversed(behaviours(name))
        for kind in _kinds(name, behaviour)
    ]


COUNTERPARTS: Sequence[Counterpart] = sorted(
    (held for name in KAFKA for held in _held(name)),
    key=lambda held: [-int(part) for part in held.reference.partition("@")[2].split(".")],
)
"""Every behaviour of every assignor, newest first."""


def one_identity_hash() -> None:
    """Let Java machines started from now on give all objects one identity hash.

    Java orders partitions by it where nine or more share a slot and a hash in a table, and Kafka's public sticky assignor the
    tasks that have standbys; otherwise it differs each time.
    """
    os.environ["JAVA_TOOL_OPTIONS"] = "-XX:+UnlockExperimentalVMOptions -XX:hashCode=2"


SOURCES: dict[str, Callable[[Counterpart, int], Source]] = {
    "hostile": lambda held, seed: held.chunks(seed),
    "generated": lambda _, seed: draw_source(seed),
}
