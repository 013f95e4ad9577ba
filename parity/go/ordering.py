"""Holding answers against the exact optimum in the order in which franz-go says it decides, and counting what comes of it."""

from dataclasses import replace
from functools import lru_cache

import msgspec

from kassay.errors import SkippedError
from kassay.families.consumer import CONSUMER
from kassay.families.convergence import rest
from kassay.families.shape import Assign
from kassay.model import Assignment, AssignorError, Group, Topic, TopicPartition
from kassay.oracles.answers import Optima
from kassay.oracles.errors import OracleError
from kassay.oracles.partitions.optima import compute_ordered_optima
from kassay.oracles.partitions.question import parse_question
from kassay.properties.consumer import INVARIANTS
from kassay.properties.partitions.owners import generation

LOADS, RACKS = "balance,moves", "balance,cross-rack,moves"
ORDERS = {
    "sticky-racks": RACKS,
    "cooperative-sticky-racks": RACKS,
    "sticky": LOADS,
    "cooperative-sticky": LOADS,
}
"""Assignor of the adapter -> in which order it is said to be optimal."""
KAFKA = {"consumer/sticky": LOADS, "consumer/cooperative-sticky": LOADS}
"""Kafka's classes, as the references have them, which promise no such thing: for comparison."""
FAILED, UNPROVED = "failed", "unproved"


class Tally(msgspec.Struct):
    """What came of some groups: how many there are, and of each reason why one is not known to be best how many and the most over.

    A reason is the first level above its optimum, FAILED without a right answer, or UNPROVED.
    """

    groups: int = 0
    reasons: dict[str, tuple[int, int]] = {}

    def note(self, reason: str | None, over: int = 0) -> None:
        """Count a group."""
        self.groups += 1
        if reason is not None:
            self._add(reason, 1, over)

    def merge(self, other: "Tally") -> None:
        """Add what came of other groups."""
        self.groups += other.groups
        for reason, (groups, most) in other.reasons.items():
            self._add(reason, groups, most)

    def _add(self, reason: str, groups: int, over: int) -> None:
        before, most = self.reasons.get(reason, (0, 0))
        self.reasons[reason] = (before + groups, max(most, over))


def as_asked(group: Group, order: str) -> Group:
    """Return the group as the order sees it: each partition in its leader's rack alone, or nowhere where racks do not count."""
    return Group(tuple(_led(topic, order) for topic in group.topics), group.members)


def _led(topic: Topic, order: str) -> Topic:
    if topic.racks is None or "cross-rack" not in order:
        return replace(topic, racks=None)
    return replace(topic, racks=tuple(((racks[0] or None) if racks else None,) for racks in topic.racks))


def claims_of(group: Group) -> str:
    """Say how many claim an existing partition at most: nobody, one, or several, of one generation or of different ones."""
    counts = {topic.name: topic.partitions for topic in group.topics}
    claimed: dict[TopicPartition, list[int]] = {}
    for member in group.members:
        for partition in member.owned:
            if partition.partition < counts.get(partition.topic, 0):
                claimed.setdefault(partition, []).append(generation(member))
    most = max(map(len, claimed.values()), default=0)
    if most < 2:
        return ("nobody", "one")[most]
    return (
        "several generations"
        if any(len(set(each)) > 1 for each in claimed.values())
        else "one generation twice"
    )


def judged(assign: Assign, group: Group, order: str) -> tuple[str | None, int]:
    """Return why a settled answer is not known to be best, None where it is, and how far it is over the optimum of that level."""
    try:
        answer = rest(CONSUMER, assign, group).answer
    except (AssignorError, SkippedError):
        return FAILED, 0
    return beyond(answer, group, order)


def beyond(answer: Assignment, group: Group, order: str) -> tuple[str | None, int]:
    """Return what :func:`judged` returns for an answer. Loads are over their optimum where a chain of moves evens them, and count as one."""
    try:
        found = _optima(group, order).gaps(answer)
    except OracleError:
        return UNPROVED, 0
    if not found:
        return FAILED, 0
    if any(INVARIANTS["balanced"](group, answer)):
        return "balance", 1
    return next(((gap.level, gap.over) for gap in found if gap.over), (None, 0))


@lru_cache(maxsize=1)  # of a group that several are asked about, one after the other
def _optima(group: Group, order: str) -> Optima:
    return compute_ordered_optima(group, parse_question(order))
