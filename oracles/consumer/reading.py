"""From a group to problems, and from the owners of items back to an assignment."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from kassay.model import Assignment, Group, Topic, TopicPartition
from kassay.oracles.consumer.problem import Ints, Problem, starts
from kassay.oracles.consumer.question import Question
from kassay.properties.consumer.claims import owners

Claim: TypeAlias = tuple[int, tuple[tuple[int, int], ...]]
"""What leaving all owners costs, and each owner's number with what staying there saves."""


@dataclass(frozen=True, slots=True)
class Case:
    """A problem and what its numbers stand for.

    `members` and `racks` are names. Each entry of `topics` is a topic, or a co-partitioned set of them; its
    items begin at the same place of `start`, and the n-th of them is the partitions numbered n. `lost` counts
    the moves that no assignment avoids, as nobody reads the partition.
    """

    problem: Problem
    members: tuple[str, ...]
    racks: tuple[str, ...]
    topics: tuple[tuple[str, ...], ...]
    start: tuple[int, ...]
    lost: int = 0

    def partitions(self, item: int) -> list[TopicPartition]:
        """Return the partitions of an item."""
        place = bisect_right(self.start, item) - 1
        return [TopicPartition(topic, item - self.start[place]) for topic in self.topics[place]]


def cases(group: Group, question: Question) -> list[Case]:
    """Return the group as independent problems: one, or under the range contract one per co-partitioned set of topics.

    Leaves out topics that nobody reads or that have no partitions.
    """
    known = _Known(group, question.copies)
    read = [topic for topic in group.topics if known.readers[topic.name]]
    if not question.together:
        return [known.case([(topic,) for topic in read], known.lost)]
    sets: dict[tuple[tuple[int, ...], int], list[Topic]] = {}
    for topic in read:
        sets.setdefault((known.readers[topic.name], topic.partitions), []).append(topic)
    return [known.case([], known.lost), *(known.case([tuple(each)], 0) for each in sets.values())]


def assignment_of(group: Group, cases: Iterable[Case], owned: Iterable[Ints]) -> Assignment:
    """Return what the owners of each case's items make together: every member with its partitions in order."""
    given: dict[str, list[TopicPartition]] = {member.id: [] for member in group.members}
    for case, holders in zip(cases, owned, strict=True):
        places = list(zip(case.topics, case.start, [*case.start[1:], len(holders)], strict=False))
        for column in holders.T.tolist():
            for topics, start, end in places:
                for number, owner in enumerate(column[start:end]):
                    given[case.members[owner]].extend(TopicPartition(topic, number) for topic in topics)
    return {member: tuple(sorted(partitions)) for member, partitions in given.items()}


def owners_in(case: Case, given: Assignment) -> Ints | None:
    """Return who owns each item; None where the assignment is not legal, complete, and of `copies` owners each."""
    index = {member: n for n, member in enumerate(case.members)}
    held: dict[TopicPartition, list[int]] = {}
    for member, partitions in given.items():
        for partition in partitions:
            held.setdefault(partition, []).append(index.get(member, -1))
    rows = []
    for item in range(case.problem.items):
        row, *others = (sorted(held.pop(partition, ())) for partition in case.partitions(item))
        if (
            any(other != row for other in others)
            or len(set(row)) != len(row)
            or len(row) != case.problem.copies
        ):
            return None
        rows.append(row)
    owned = np.array(rows, np.int64).reshape(len(rows), case.problem.copies)
    return owned if not held and owned.min(initial=0) >= 0 and permitted(case.problem, owned) else None


def permitted(problem: Problem, owned: Ints) -> bool:
    """Return whether every item's owners, numbers of members, subscribe to it."""
    pairs = np.repeat(np.arange(problem.audiences), np.diff(problem.audience_start)) * (
        problem.subscriptions + 1
    )
    asked = problem.audience_of[:, None] * (problem.subscriptions + 1) + problem.subscription_of[owned]
    return bool(np.isin(asked, pairs + problem.audience_subscription).all())


class _Known:
    """What is known of a group, told once for all its cases."""

    def __init__(self, group: Group, copies: int) -> None:
        existing = {topic.name for topic in group.topics if topic.partitions}
        subscriptions = [frozenset(member.topics) & existing for member in group.members]
        numbers = {subscription: n for n, subscription in enumerate(dict.fromkeys(subscriptions))}
        reading: dict[str, list[int]] = {topic.name: [] for topic in group.topics}
        for subscription, number in numbers.items():
            for name in subscription:
                reading[name].append(number)
        racks = dict.fromkeys(member.rack for member in group.members if member.rack)
        self.copies = copies
        self.readers = {name: tuple(found) for name, found in reading.items()}
        self.members = {member.id: n for n, member in enumerate(group.members)}
        self.racks = {rack: n for n, rack in enumerate(racks)}
        self.claims = owners(group)
        self.subscription_of = np.array([numbers[each] for each in subscriptions], np.int64)
        self.rack_of = np.array([self.racks.get(m.rack or "", len(racks)) for m in group.members], np.int64)
        unread = {topic.name: topic.partitions for topic in group.topics if not self.readers[topic.name]}
        self.lost = sum(
            len(by) if copies > 1 else 1
            for p, by in self.claims.items()
            if p.partition < unread.get(p.topic, 0)
        )

    def case(self, sets: list[tuple[Topic, ...]], lost: int) -> Case:
        """Return the case of these topics, each alone or with those it is co-partitioned with."""
        audiences: dict[tuple[int, ...], int] = {}
        profiles: dict[tuple[int, ...], int] = {(0,) * (len(self.racks) + 1): 0}
        claims: dict[Claim, int] = {(0, ()): 0}
        rows: dict[tuple[tuple[str, ...], ...], int] = {}
        audience_of: list[int] = []
        profile_of: list[int] = []
        claim_of: list[int] = []
        for topics in sets:
            count = topics[0].partitions
            readers = self.readers[topics[0].name]
            audience_of += [audiences.setdefault(readers, len(audiences))] * count
            for standing in zip(*(self._standing(topic) for topic in topics), strict=True):
                if standing not in rows:
                    rows[standing] = claims.setdefault(self._claim(standing), len(claims))
                claim_of.append(rows[standing])
            far: dict[tuple[tuple[str | None, ...], ...], int] = {}
            for racks in zip(*(topic.racks or ((),) * count for topic in topics), strict=True):
                if racks not in far:
                    far[racks] = profiles.setdefault(self._far(racks), len(profiles))
                profile_of.append(far[racks])
        problem = Problem(
            self.subscription_of, self.rack_of,
            starts(np.array([len(readers) for readers in audiences], np.int64)),
            np.array([number for readers in audiences for number in readers], np.int64),
            np.array(audience_of, np.int64), np.array(profile_of, np.int64), np.array(claim_of, np.int64),
            np.array(list(profiles), np.int64),
            starts(np.array([len(holders) for _, holders in claims], np.int64)),
            np.array([owner for _, holders in claims for owner, _ in holders], np.int64),
            np.array([gain for _, holders in claims for _, gain in holders], np.int64),
            np.array([cost for cost, _ in claims], np.int64),
            self.copies,
        )  # fmt: skip
        names = tuple(tuple(topic.name for topic in topics) for topics in sets)
        begins = starts(np.array([topics[0].partitions for topics in sets], np.int64))[:-1]
        return Case(problem, tuple(self.members), tuple(self.racks), names, tuple(begins.tolist()), lost)

    def _standing(self, topic: Topic) -> list[tuple[str, ...]]:
        """Return the owners of each partition of a topic."""
        claims, name = self.claims, topic.name
        return [tuple(claims.get(TopicPartition(name, number), ())) for number in range(topic.partitions)]

    def _claim(self, standing: tuple[tuple[str, ...], ...]) -> Claim:
        """Return what leaving all owners of some partitions costs, and each owner with what staying there saves."""
        cost = sum(len(by) if self.copies > 1 else bool(by) for by in standing)
        saved: dict[int, int] = {}
        for by in standing:
            for member in by:
                saved[self.members[member]] = saved.get(self.members[member], 0) + 1
        return cost, tuple(saved.items())

    def _far(self, racks: tuple[tuple[str | None, ...], ...]) -> tuple[int, ...]:
        """Return how many of these partitions have no replica in each rack; 0 for no rack, and for unknown replicas."""
        near = [known for each in racks if (known := {rack for rack in each if rack is not None})]
        return (*(sum(rack not in each for each in near) for rack in self.racks), 0)
