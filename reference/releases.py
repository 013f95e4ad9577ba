"""The table of Kafka's releases that assign alike, behind names such as ``consumer/sticky@3.5.1``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from kassay.errors import SkippedError
from kassay.model import Assignor
from kassay.model.tasks import Application, TaskAssignment
from kassay.reference.broker import range as broker_range
from kassay.reference.broker import sticky_range, uniform
from kassay.reference.connect import apart, eager, incremental_cooperative
from kassay.reference.consumer import plain_range, roundrobin
from kassay.reference.consumer import range as consumer_range
from kassay.reference.consumer.sticky import assignor as consumer_sticky
from kassay.reference.consumer.sticky import cooperative
from kassay.reference.consumer.sticky import releases as parts
from kassay.reference.java.hash_map import hash_order
from kassay.reference.share import sharing, simple
from kassay.reference.streams import fallback_prior, high_availability, legacy_sticky
from kassay.reference.streams import sticky as streams_sticky
from kassay.reference.streams.rack_aware.graph import Graph36
from kassay.reference.streams_group import sticky as streams_group_sticky
from kassay.reference.streams_group.process_state import choose_until_4_3, hold_standbys

Assign: TypeAlias = Callable[[Any], Any]

LAST = (
    "2.2.2", "2.3.1", "2.4.1", "2.5.1", "2.6.3", "2.7.2", "2.8.2",
    "3.0.2", "3.1.2", "3.2.3", "3.3.2", "3.4.1", "3.5.2", "3.6.2", "3.7.2", "3.8.1", "3.9.2",
    "4.0.2", "4.1.2", "4.2.2", "4.3.1", "4.4.0",
)  # fmt: skip
"""The last release of each line known; the releases of a line are numbered from 0."""


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


_STREAMS_GROUP_FIRST = partial(
    streams_group_sticky.assign, candidates=hold_standbys, choose=choose_until_4_3, order=hash_order
)

FROM: Mapping[str, Mapping[str, Assign]] = {
    "consumer/range": {
        "2.2.0": plain_range.assign_dynamic,
        "2.4.0": plain_range.assign,
        "3.5.0": consumer_range.assign,
    },
    "consumer/roundrobin": {
        "2.2.0": roundrobin.assign_dynamic,
        "2.4.0": roundrobin.assign,
    },
    "consumer/sticky": {
        "2.2.0": partial(consumer_sticky.assign, parts=parts.FROM_2_2_0),
        "2.3.0": partial(consumer_sticky.assign, parts=parts.FROM_2_3_0),
        "2.4.0": partial(consumer_sticky.assign, parts=parts.FROM_2_4_0),
        "2.5.1": partial(consumer_sticky.assign, parts=parts.FROM_2_5_1),
        "2.8.1": partial(consumer_sticky.assign, parts=parts.FROM_2_8_1),
        "3.0.0": partial(consumer_sticky.assign, parts=parts.FROM_3_0_0),
        "3.4.1": partial(consumer_sticky.assign, parts=parts.FROM_3_4_1),
        "3.5.0": partial(consumer_sticky.assign, parts=parts.FROM_3_5_0),
        "3.5.2": partial(consumer_sticky.assign, parts=parts.FROM_3_5_2),
        "3.7.1": consumer_sticky.assign,
    },
    "consumer/cooperative-sticky": {
        "2.4.0": partial(cooperative.assign, parts=parts.COOPERATIVE_FROM_2_4_0),
        "2.5.1": partial(cooperative.assign, parts=parts.COOPERATIVE_FROM_2_5_1),
        "2.8.1": partial(cooperative.assign, parts=parts.COOPERATIVE_FROM_2_8_1),
        "3.0.0": partial(cooperative.assign, parts=parts.FROM_3_0_0),
        "3.4.1": partial(cooperative.assign, parts=parts.FROM_3_4_1),
        "3.5.0": partial(cooperative.assign, parts=parts.FROM_3_5_0),
        "3.5.2": partial(cooperative.assign, parts=parts.FROM_3_5_2),
        "3.7.1": cooperative.assign,
    },
    "broker/range": {
        "3.6.0": sticky_range.assign,
        "3.8.0": sticky_range.assign_3_8,
        "3.9.0": broker_range.assign,
    },
    "broker/uniform": {
        "3.7.0": uniform.assign_3_7,
        "3.8.0": uniform.assign_3_8,
        "4.0.0": uniform.assign_4_0_0,
        "4.0.1": uniform.assign,
    },
    "share/simple": {
        "3.9.0": simple.assign_everything,
        "4.1.0": sharing.assign,
        "4.2.0": simple.assign,
    },
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
    "streams/sticky": {"3.8.0": streams_sticky.assign},
    # 4.1 walks through sets of objects without a hash code of their own: its answers differ from process to process, so it has no reference.
    # 4.2.2 has KAFKA-20899, 4.3 has not.
    "streams-group/sticky": {
        "4.2.0": _STREAMS_GROUP_FIRST,
        "4.2.2": partial(streams_group_sticky.assign, candidates=hold_standbys, order=hash_order),
        "4.3.0": _STREAMS_GROUP_FIRST,
        "4.4.0": streams_group_sticky.assign,
    },
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

_NEWEST = {"streams": "4.3.1", "connect": "4.3.1"}
"""Family -> the newest release of the artifact that its assignors come in, if that is not the last of all."""


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
    firsts = FROM.get(name, {})
    starts = [known.index(first) for first in firsts]
    ends = [*starts[1:], len(known)]
    return tuple(
        Behaviour(known[start:end], assign)
        for start, end, assign in zip(starts, ends, firsts.values(), strict=False)
    )


def has_release(name: str, release: str) -> bool:
    """Return True if a release has an assignor."""
    return any(release in behaviour.releases for behaviour in behaviours(name))


def build_release(assignor: Assignor, release: str) -> Assignor:
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
        raise ValueError(f"no release of Kafka has {assignor.name}. Leave out @{release}")
    first, last = found[0].releases[0], found[-1].releases[-1]
    line = release.rpartition(".")[0]
    ends = [end for end in LAST if end.rpartition(".")[0] == line and has_release(assignor.name, end)]
    raise ValueError(
        f"{assignor.name} is known as of Kafka {first} to {last}{f', of {line} up to {ends[0]}' if ends else ''}, "
        f"not as of {release or 'nothing'}. Leave out @{release} for the newest"
    )
