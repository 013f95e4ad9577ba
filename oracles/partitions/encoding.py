"""Groups as problems of the core, and owners of items as assignments."""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice, repeat
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np

from kassay.model import Assignment, Group, Topic, TopicPartition
from kassay.model.hosts import locate_racks
from kassay.model.joins import find_joins
from kassay.oracles.assignment.certificates import is_legal
from kassay.oracles.assignment.flow.exact import Solver
from kassay.oracles.assignment.flow.item_classes import rank_in_run
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import Ints, Level, Problem, list_starts
from kassay.oracles.assignment.values import compute_least_spread
from kassay.oracles.errors import ImpossibleError
from kassay.oracles.gc_paused import pause_gc
from kassay.oracles.partitions.levels import LEVELS, Near, Owners
from kassay.oracles.partitions.question import Question
from kassay.properties.partitions.owners import generation, wanted_copies

Claim: TypeAlias = tuple[tuple[int, tuple[tuple[int, int], ...]], ...]
"""For each level of OWNED: the cost of leaving all owners, and each owner's number with what staying there saves."""
OWNED = {name: level.owned for name, level in LEVELS.items() if level.owned is not None}
IN_RACK = {name: level.in_rack for name, level in LEVELS.items() if level.in_rack is not None}
COSTS = tuple(name for name in LEVELS if name in OWNED or name in IN_RACK)
"""The levels that are sums of costs: all but the squares and the weights."""
CHUNK = 2**16
"""How many numbers of an array are objects at the same time."""


@dataclass(frozen=True, slots=True)
class Case:
    """A problem, with the names of its numbers."""

    problem: Problem
    members: tuple[str, ...]
    racks: tuple[str, ...]
    topics: tuple[tuple[str, ...], ...]
    """Each entry is a topic, or a co-partitioned set of topics, whose partitions of equal number are one item."""
    start: tuple[int, ...]
    """The first item of each entry of `topics`; its n-th item is the partitions numbered n."""
    lost: Mapping[str, int] = field(default_factory=dict)
    """The costs of every assignment by level, for partitions that no member reads any more."""

    @property
    def names(self) -> tuple[str, ...]:
        """The topics one by one."""
        return tuple(topic for topics in self.topics for topic in topics)

    def partitions(self, item: int) -> list[TopicPartition]:
        """Return the partitions of an item."""
        place = bisect_right(self.start, item) - 1
        return [TopicPartition(topic, item - self.start[place]) for topic in self.topics[place]]


@pause_gc()
def encode_group(group: Group, question: Question) -> list[Case]:
    """Return the group as independent problems: one, or under the range contract one per co-partitioned set of topics.

    If the group's joins are kept, the first problem has the topics that are not joined. Topics without readers or partitions are left out.
    Raises ImpossibleError for topics that cannot be joined.
    """
    group = locate_racks(group)
    known = _Known(group, question)
    read = [topic for topic in group.topics if known.readers[topic.name]]
    if question.joined:
        found = find_joins(group)
        if wrong := next(filter(None, (join.wrong for join in found)), None):
            raise ImpossibleError(f"question: {question} has no answer: {wrong}")
        joined = {name for join in found for name in join.names}
        read = [topic for topic in read if topic.name not in joined]
        sets = [known.case([join.topics], {}) for join in found]
        return [known.case([(topic,) for topic in read], known.lost), *sets]
    if not question.together:
        return [known.case([(topic,) for topic in read], known.lost)]
    alike: dict[tuple[tuple[int, ...], int], list[Topic]] = {}
    for topic in read:
        alike.setdefault((known.readers[topic.name], topic.partitions), []).append(topic)
    return [known.case([], known.lost), *(known.case([tuple(each)], {}) for each in alike.values())]


_opened: list[tuple[Group, Case, Solver]] = []


def open_group(group: Group) -> tuple[Case, Solver]:
    """Return the problem of a group for questions without a contract, and its solver. The last group's are kept."""
    if not is_open(group):
        (case,) = encode_group(group, Question((BALANCE,)))
        _opened[:] = [(group, case, Solver(case.problem))]
    return _opened[0][1:]


def is_open(group: Group) -> bool:
    """Return True if the solver of a group is kept, because the group is being compared."""
    return bool(_opened) and _opened[0][0] is group


def convert_to_measure(cases: Sequence[Case], level: str, own: int) -> int:
    """Return the core's sum of a level, over all cases of a group, in the unit of its measure; not for balance.

    Losses of every assignment are added. Of the squares of topics, half of the excess over the least sum counts.
    """
    if level != TOPIC_SPREAD:
        return own + sum(case.lost.get(level, 0) for case in cases)
    even = sum(compute_least_spread(case.problem) for case in cases if case.problem.items)
    return max(0, -((even - own) // 2))


@pause_gc()
def decode_assignment(group: Group, cases: Iterable[Case], owned: Iterable[Ints]) -> Assignment:
    """Return the owners of all cases as an assignment: every member with its partitions in ascending order."""
    pieces = [
        (topic, holders[start:end])
        for case, holders in zip(cases, owned, strict=True)
        for topics, start, end in zip(case.topics, case.start, (*case.start[1:], len(holders)), strict=False)
        for topic in topics
    ]
    pieces.sort(key=lambda piece: piece[0])
    none = np.empty(0, np.int64)
    owners = np.concatenate([none, *(holders.reshape(-1) for _, holders in pieces)])
    numbers = [np.repeat(np.arange(len(holders)), holders.shape[1]) for _, holders in pieces]
    names = np.repeat(np.arange(len(pieces)), [holders.size for _, holders in pieces])
    by_owner = np.argsort(owners, kind="stable")[np.count_nonzero(owners < 0) :]
    counts = np.bincount(owners[by_owner], minlength=len(group.members)).tolist()
    topic_of = map([topic for topic, _ in pieces].__getitem__, _iterate(names[by_owner]))
    one_each = range(
        max(map(len, numbers), default=0)
    )  # one int object for each number, not for each partition
    number_of = map([*one_each].__getitem__, _iterate(np.concatenate([none, *numbers])[by_owner]))
    pairs = zip(topic_of, number_of, strict=True)
    made = map(partial(tuple.__new__, TopicPartition), pairs)  # millions: skips the slow __new__
    return {
        member.id: tuple(islice(made, count)) for member, count in zip(group.members, counts, strict=False)
    }


def _iterate(numbers: Ints) -> Iterator[int]:
    """Iterate over an array without an object for each of its numbers at the same time."""
    return chain.from_iterable(
        numbers[start : start + CHUNK].tolist() for start in range(0, len(numbers), CHUNK)
    )


def encode_owners(case: Case, given: Assignment) -> Ints | None:
    """Return the owners of each item; None if the assignment is not legal, not complete, or has another number of owners."""
    problem, counts = case.problem, np.diff([*case.start, case.problem.items])
    columns = [
        (topic, n, place) for n, topics in enumerate(case.topics) for place, topic in enumerate(topics)
    ]
    try:
        every, number = _read_partitions({topic: n for n, (topic, *_) in enumerate(columns)}, given.values())
    except OverflowError:
        return None
    index = {member: n for n, member in enumerate(case.members)}
    owner = np.repeat(_join([[index.get(member, -1) for member in given]]), list(map(len, given.values())))
    if every.min(initial=0) < 0 or number.min(initial=0) < 0:
        return None
    entry, place = np.array([column[1:] for column in columns], np.int64).reshape(-1, 2)[every].T
    if (number >= counts[entry]).any():
        return None
    item = _join([case.start])[entry] + number
    order = np.lexsort((owner, item, place))
    item, owner, place = item[order], owner[order], place[order]
    first, of_first = item[place == 0], owner[place == 0]
    if (np.bincount(first, minlength=problem.items) != problem.copies_of_audience[problem.audience_of]).any():
        return None
    topics_of = np.repeat(_join([list(map(len, case.topics))]), counts)
    for n in range(1, int(topics_of.max(initial=1))):
        alike, also = topics_of[first] > n, place == n
        if not (np.array_equal(first[alike], item[also]) and np.array_equal(of_first[alike], owner[also])):
            return None
    owned = np.full((problem.items, problem.copies), -1)
    owned[first, rank_in_run(first)] = of_first
    return owned if is_legal(problem, owned) else None


def _read_partitions(
    places: Mapping[str, int], lists: Collection[Sequence[TopicPartition]]
) -> tuple[Ints, Ints]:
    """Return the place of the topic, or -1, and the number of each partition in some lists. Raises OverflowError above 64 bits."""
    topics, numbers = (map(itemgetter(column), chain.from_iterable(lists)) for column in (0, 1))
    total = sum(map(len, lists))
    return (
        np.fromiter(map(places.get, topics, repeat(-1)), np.int64, total),
        np.fromiter(numbers, np.int64, total),
    )


def _join(arrays: Sequence[Any]) -> Ints:
    return np.concatenate([np.empty(0, np.int64), *arrays]).astype(np.int64)


class _Known:
    """The features of a group that all its cases share."""

    def __init__(self, group: Group, asked: Question) -> None:
        existing = {topic.name for topic in group.topics if topic.partitions}
        subscriptions = [frozenset(member.topics) & existing for member in group.members]
        numbers = {subscription: n for n, subscription in enumerate(dict.fromkeys(subscriptions))}
        reading: dict[str, list[int]] = {topic.name: [] for topic in group.topics}
        for subscription, number in numbers.items():
            for name in subscription:
                reading[name].append(number)
        racks = dict.fromkeys(member.rack for member in group.members if member.rack)
        self.several, self.shared = asked.several, asked.shared
        copies = wanted_copies(group) if asked.shared else {}
        self.copies = {topic.name: copies.get(topic.name, asked.copies) for topic in group.topics}
        self.readers = {name: tuple(found) for name, found in reading.items()}
        self.members = tuple(member.id for member in group.members)
        self.racks = {rack: n for n, rack in enumerate(racks)}
        self.classify_target, self.owners = _find_owners(group)
        self.subscription_of = np.array([numbers[each] for each in subscriptions], np.int64)
        self.rack_of = np.array([self.racks.get(m.rack or "", len(racks)) for m in group.members], np.int64)
        unread = [of_topic for name, of_topic in self.classify_target.items() if not self.readers[name]]
        gone = [self.owners[own] for of_topic in unread for own in of_topic[of_topic > 0].tolist()]
        self.lost = {name: sum(owned([by], self.several)[0] for by in gone) for name, owned in OWNED.items()}

    def case(self, sets: list[tuple[Topic, ...]], lost: Mapping[str, int]) -> Case:
        """Return the case of some topics, or of co-partitioned sets of them."""
        audiences: dict[tuple[tuple[int, ...], int], int] = {}
        profiles = {self._far(()): 0}
        claims = {self._claim(()): 0}
        audience_of: list[Ints] = []
        profile_of: list[Ints] = []
        claim_of: list[Ints] = []

        def claimed(own: tuple[int, ...]) -> int:
            return claims.setdefault(self._claim([self.owners[each] for each in own]), len(claims))

        def placed(racks: Near) -> int:
            return profiles.setdefault(self._far(racks), len(profiles))

        rows, far = _Numbers(claimed), _Numbers(placed)
        for first, *others in sets:
            topics, also = (first, *others), [{*self.readers[topic.name]} for topic in others]
            readers = tuple(n for n in self.readers[first.name] if all(n in some for some in also))
            number = audiences.setdefault((readers, self.copies[first.name]), len(audiences))
            audience_of.append(np.full(first.partitions, number))
            if self.shared and first.unassignable:
                number = audiences.setdefault((readers, 0), len(audiences))
                audience_of[-1][list(first.unassignable)] = number
            claim_of.append(rows.assign([self.classify_target[topic.name].tolist() for topic in topics]))
            profile_of.append(far.assign([topic.racks or ((),) * topic.partitions for topic in topics]))
        counts = [topics[0].partitions for topics in sets]
        copies = np.array([copies for _, copies in audiences], np.int64)
        most = max(1, int(copies.max(initial=0)))
        none = np.empty(0, np.int64)
        start, member, columns = _build_columns(list(claims))
        tables = dict(zip(IN_RACK, zip(*profiles, strict=True), strict=True))
        problem = Problem(
            self.subscription_of, self.rack_of,
            list_starts(np.array([len(readers) for readers, _ in audiences], np.int64)),
            np.array([number for readers, _ in audiences for number in readers], np.int64),
            np.concatenate([none, *audience_of]), np.concatenate([none, *profile_of]), np.concatenate([none, *claim_of]),
            start, member,
            tuple(
                Level(name, np.array(tables[name], np.int64) if name in tables else None, *columns.get(name, ()))
                for name in COSTS
            ),
            copies=most, copies_of=None if (copies == most).all() else copies,
            topic_of=np.repeat(np.arange(len(counts)), counts),
        )  # fmt: skip
        names = tuple(tuple(topic.name for topic in topics) for topics in sets)
        begins = list_starts(np.array(counts, np.int64))[:-1]
        return Case(problem, self.members, tuple(self.racks), names, tuple(begins.tolist()), lost)

    def _claim(self, standing: Sequence[Owners]) -> Claim:
        known = (owned(standing, self.several) for owned in OWNED.values())
        return tuple((loss, tuple(saved.items())) for loss, saved in known)

    def _far(self, replicas: Near) -> tuple[tuple[int, ...], ...]:
        """Return the costs of these partitions in each rack, for each level of IN_RACK."""
        return tuple(in_rack(replicas, list(self.racks)) for in_rack in IN_RACK.values())


def _build_columns(claims: Sequence[Claim]) -> tuple[Ints, Ints, dict[str, tuple[Ints, Ints]]]:
    """Return the start of each claim's owners, the owners, and each level's gains and losses."""
    owners = [list(dict.fromkeys(owner for _, saved in claim for owner, _ in saved)) for claim in claims]
    columns = {}
    for n, name in enumerate(OWNED):
        saved = [dict(claim[n][1]) for claim in claims]
        gain = [each.get(owner, 0) for each, of in zip(saved, owners, strict=True) for owner in of]
        columns[name] = np.array(gain, np.int64), np.array([claim[n][0] for claim in claims], np.int64)
    start = list_starts(np.array(list(map(len, owners)), np.int64))
    return start, np.array([owner for of in owners for owner in of], np.int64), columns


class _Numbers(dict[Any, int]):
    """The numbers of distinct rows. A row in a single column is its entry, so that millions of rows need no tuples."""

    def __init__(self, number: Callable[[Any], int]) -> None:
        self._number = number
        self._alone = True

    def __missing__(self, row: Any) -> int:
        found = self[row] = self._number((row,) if self._alone else row)
        return found

    def assign(self, columns: Sequence[Sequence[Any]]) -> Ints:
        """Return the number of each row of some columns."""
        self._alone = len(columns) == 1
        rows = columns[0] if self._alone else list(zip(*columns, strict=True))
        return np.fromiter(map(self.__getitem__, rows), np.int64, len(rows))


def _find_owners(group: Group) -> tuple[dict[str, Ints], list[tuple[int, ...]]]:
    """Return for each topic the number of each partition's owners, and for each such number the owners, as numbers of members.

    They equal the result of :func:`kassay.properties.partitions.owners.owners` for existing partitions, but are found faster. Number 0
    stands for no owner, n + 1 for member n alone.
    """
    owners: list[tuple[int, ...]] = [(), *((number,) for number in range(len(group.members)))]
    places = {topic.name: n for n, topic in enumerate(group.topics)}
    counts = np.array([topic.partitions for topic in group.topics], np.int64)
    begins = list_starts(counts)
    lengths = [len(member.owned) for member in group.members]
    topic, number = _read_partitions(places, [member.owned for member in group.members])
    claimant = np.repeat(np.arange(len(group.members)), lengths)
    exists = (topic >= 0) & (number < counts[topic] if len(counts) else False)
    partition, claimant = begins[topic[exists]] + number[exists], claimant[exists]
    standing = np.zeros(int(begins[-1]), np.int64)
    standing[partition] = claimant + 1
    twice = np.flatnonzero(np.bincount(partition, minlength=len(standing))[partition] > 1)
    several: dict[int, tuple[int, ...]] = {}
    generations = [generation(member) for member in group.members]
    for item, member in zip(partition[twice].tolist(), claimant[twice].tolist(), strict=True):
        before = several.get(item, ())
        if not before or generations[member] > generations[before[0]]:
            several[item] = (member,)
        elif generations[member] == generations[before[0]]:
            several[item] = (*before, member)
    numbers = {each: n for n, each in enumerate(owners)}
    for item, together in several.items():
        if together not in numbers:
            numbers[together] = len(owners)
            owners.append(together)
        standing[item] = numbers[together]
    return {name: standing[begins[n] : begins[n + 1]] for name, n in places.items()}, owners
