"""How the time of an answer grows as a group doubles: two releases by turns, on groups of four shapes.

New groups and such that a member has joined; many members that subscribe alike, and few of which one reads little, so that
loads cannot be even. Only ratios are kept, for seconds are the machine's.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass

from kassay.errors import SkippedError
from kassay.model import AssignorError, Group, Member, Topic
from kassay.properties.consumer.rounds import after
from kassay.targets import Target

DOUBLINGS = 5
LIMIT_S = 3.0
"""No further doubling after an answer that took so long."""
SLOWER = 4.0
"""A release that takes so many times as long as the other one on the largest group is at fault."""


@dataclass(frozen=True)
class Growth:
    """Two releases' times: how many times as long the first took at last, and by how much each one's grew in the last doubling."""

    shape: str
    slower: float
    first: float
    second: float


def growths(first: Target, second: Target) -> Iterator[Growth]:
    """Measure two releases side by side on each shape; a release that fails on a group ends its shape."""
    for shape, make in SHAPES.items():
        for joined in (False, True):
            times: list[tuple[float, float]] = []
            for doubling in range(DOUBLINGS):
                try:
                    group = make(1 << doubling)
                    group = with_newcomer(second, group) if joined else group
                    times.append((seconds(first, group), seconds(second, group)))
                except (AssignorError, SkippedError):
                    break
                if max(times[-1]) > LIMIT_S:
                    break
            if len(times) > 1:
                (before, beside), (now, then) = times[-2:]
                name = f"{shape}{', one of them new' * joined}"
                yield Growth(name, now / then, now / before, then / beside)


def alike(times: int) -> Group:
    """Make a group of many members that subscribe to the same five topics."""
    names = tuple(f"t{number}" for number in range(5))
    members = 50 * times
    topics = tuple(Topic(name, members + 1) for name in names)
    return Group(topics, tuple(Member(f"m{number:05}", names) for number in range(members)))


def lopsided(times: int) -> Group:
    """Make a group of eight members with many partitions, of which one reads a single one."""
    names = tuple(f"t{number}" for number in range(5))
    topics = (*(Topic(name, 50 * times + (name == "t0")) for name in names), Topic("small", 1))
    most = tuple(Member(f"m{number}", (*names, "small")) for number in range(1, 8))
    return Group(topics, (Member("m0", ("small",)), *most))


SHAPES = {"many alike": alike, "few unlike": lopsided}


def with_newcomer(target: Target, group: Group) -> Group:
    """Let the members own what a target gives them, and one more join that subscribes as the last one does."""
    there = after(group, target.assign(group))
    return Group(there.topics, (*there.members, Member("newcomer", group.members[-1].topics)))


def seconds(target: Target, group: Group) -> float:
    """Return the time of an answer, the shorter of two where it is short."""
    took = _once(target, group)
    return took if took > 1 else min(took, _once(target, group))


def _once(target: Target, group: Group) -> float:
    start = time.perf_counter()
    target.assign(group)
    return time.perf_counter() - start
