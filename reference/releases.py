"""Which releases of Kafka assign alike, and how each did: the one table behind ``consumer/sticky@3.5.1``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from kassay.model import Assignor
from kassay.reference.broker.releases import FROM as BROKER
from kassay.reference.connect.releases import FROM as CONNECT
from kassay.reference.connect.releases import NEWEST as NEWEST_CONNECT
from kassay.reference.consumer.releases import FROM as CONSUMER
from kassay.reference.share.releases import FROM as SHARE
from kassay.reference.streams.releases import FROM as STREAMS
from kassay.reference.streams.releases import NEWEST as NEWEST_STREAMS
from kassay.reference.streams_group.releases import FROM as STREAMS_GROUP

Assign: TypeAlias = Callable[[Any], Any]

LAST = (
    "2.2.2", "2.3.1", "2.4.1", "2.5.1", "2.6.3", "2.7.2", "2.8.2",
    "3.0.2", "3.1.2", "3.2.3", "3.3.2", "3.4.1", "3.5.2", "3.6.2", "3.7.2", "3.8.1", "3.9.2",
    "4.0.2", "4.1.2", "4.2.2", "4.3.1", "4.4.0",
)  # fmt: skip
"""The last release of each line known; the releases of a line are numbered from 0."""

_FROM: Mapping[str, Mapping[str, Assign]] = {
    **CONSUMER,
    **BROKER,
    **SHARE,
    **STREAMS,
    **STREAMS_GROUP,
    **CONNECT,
}
"""Assignor -> the first release of each behaviour -> that behaviour, oldest first."""

_NEWEST: Mapping[str, str] = {"streams": NEWEST_STREAMS, "connect": NEWEST_CONNECT}
"""Family -> the newest release of the artifact that its assignors come in, where that is not the last of all."""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How an assignor behaves in all releases from the first to the last one."""

    releases: tuple[str, ...]
    assign: Assign

    def __str__(self) -> str:
        first, last = self.releases[0], self.releases[-1]
        return first if first == last else f"{first} to {last}"


def releases(family: str = "") -> tuple[str, ...]:
    """Return all releases known, oldest first; for a family those that its assignors may come in."""
    lines = (last.rpartition(".") for last in LAST)
    known = tuple(f"{line}.{number}" for line, _, last in lines for number in range(int(last) + 1))
    return known[: known.index(_NEWEST.get(family, known[-1])) + 1]


def behaviours(name: str) -> tuple[Behaviour, ...]:
    """Return how an assignor behaves in which releases, oldest first; none where no release has it."""
    known = releases(name.partition("/")[0])
    firsts = _FROM.get(name, {})
    starts = [known.index(first) for first in firsts]
    ends = [*starts[1:], len(known)]
    return tuple(
        Behaviour(known[start:end], assign)
        for start, end, assign in zip(starts, ends, firsts.values(), strict=False)
    )


def has_release(name: str, release: str) -> bool:
    """Say whether a release has an assignor."""
    return any(release in behaviour.releases for behaviour in behaviours(name))


def of_release(assignor: Assignor, release: str) -> Assignor:
    """Return an assignor as a release had it, with the same promises; raises ValueError with the releases that have it."""
    found = behaviours(assignor.name)
    for behaviour in found:
        if release in behaviour.releases:
            name, source = f"{assignor.name}@{release}", f"Kafka {behaviour}"
            return Assignor(
                name,
                behaviour.assign,
                assignor.promises,
                source,
                assignor.except_in,
                limits=assignor.limits,
                slow=assignor.slow,
            )
    if not found:
        raise ValueError(f"no release of Kafka has {assignor.name}; leave out @{release}")
    first, last = found[0].releases[0], found[-1].releases[-1]
    line = release.rpartition(".")[0]
    ends = [end for end in LAST if end.rpartition(".")[0] == line and has_release(assignor.name, end)]
    raise ValueError(
        f"{assignor.name} is known as of Kafka {first} to {last}{f', of {line} up to {ends[0]}' if ends else ''}, "
        f"not as of {release or 'nothing'}; leave out @{release} for the newest"
    )
