"""The oracle of the oracles: every assignment of a tiny group, enumerated from the group itself.

It shares only the names of objectives with the other oracles, so that their errors show. The subscriptions are read again, and each objective is
computed here independently (see :attr:`.Level.tried`).
"""

from collections.abc import Iterator
from itertools import combinations, product

from kassay.model import Assignment, Group, TopicPartition
from kassay.model.hosts import locate_racks
from kassay.oracles.errors import ImpossibleError, TooLargeError
from kassay.oracles.partitions.levels import LEVELS, Choice, Tried
from kassay.oracles.partitions.question import Question
from kassay.properties.partitions.owners import owners

MOST = 200_000
"""How many assignments are tried at most."""


def exhaust(group: Group, question: Question) -> tuple[tuple[int, ...], Assignment]:
    """Return the least values of the question's levels over all assignments, and the first assignment that has them.

    The value of balance is the sum of the squared loads; under the range contract every choice is balanced
    and it is 0. Raises TooLargeError for more than MOST assignments, ImpossibleError if there is no assignment.
    """
    best: tuple[tuple[int, ...], Choice] | None = None
    for values, choice in yield_choices(group, question):
        if best is None or values < best[0]:
            best = values, choice
    if best is None:
        raise ImpossibleError(f"some partition has fewer than {question.copies} subscribers")
    values, choice = best
    given = {
        member.id: [p for p, holders in choice.items() if member.id in holders] for member in group.members
    }
    return values, given


def yield_choices(group: Group, question: Question) -> Iterator[tuple[tuple[int, ...], Choice]]:
    """Yield the values of the question's levels for every assignment; raises TooLargeError where there are more than MOST."""
    group, standing = locate_racks(group), owners(group)
    joined = frozenset(name for names in group.config.joined_topics for name in names if question.joined)
    choices = _together(group, question) if question.together or question.joined else _apart(group, question)
    for number, choice in enumerate(choices):
        if number == MOST:
            raise TooLargeError(f"there are more than {MOST} assignments; that many are not tried out")
        tried = Tried(group, standing, choice, question.several, question.together, joined)
        yield tuple(LEVELS[level].tried(tried) for level in question.levels), choice


def _readers(group: Group) -> dict[str, list[str]]:
    """Return who reads each topic that has partitions and readers."""
    found = {
        t.name: [m.id for m in group.members if t.name in m.topics] for t in group.topics if t.partitions
    }
    return {topic: readers for topic, readers in found.items() if readers}


def _apart(group: Group, question: Question) -> Iterator[Choice]:
    readers = _readers(group)
    partitions = [p for topic in group.topics if topic.name in readers for p in topic]
    copies = _shared(group, partitions) if question.shared else dict.fromkeys(partitions, question.copies)
    for picked in product(*(combinations(readers[p.topic], copies[p]) for p in partitions)):
        yield dict(zip(partitions, picked, strict=True))


def _shared(group: Group, partitions: list[TopicPartition]) -> dict[TopicPartition, int]:
    """Return how many members a share group wants each partition at: none where it may not be given yet."""
    topics = {topic.name: topic for topic in group.topics}
    given = [p for p in partitions if p.partition not in topics[p.topic].unassignable]
    copies = dict.fromkeys(partitions, 0)
    for partition in given:
        alike = all(set(member.topics) == set(group.members[0].topics) for member in group.members)
        beside = [p for p in given if alike or p.topic == partition.topic]
        takers = sum(partition.topic in member.topics for member in group.members)
        copies[partition] = next(n for n in range(1, takers + 1) if n * len(beside) >= takers)
    return copies


def _together(group: Group, question: Question) -> Iterator[Choice]:
    """Yield the choices of a contract: per co-partitioned set, numbers to members, balanced; all other partitions to any member."""
    readers = _readers(group)
    counts = {topic.name: topic.partitions for topic in group.topics}
    sets: dict[tuple[int, frozenset[str]], list[str]] = {}
    if question.joined:
        known = [[name for name in names if name in readers] for names in group.config.joined_topics]
        sets = {(counts[names[0]], frozenset(names)): names for names in known if names}
    for topic in group.topics if question.together else ():
        if topic.name in readers:
            sets.setdefault((topic.partitions, frozenset(readers[topic.name])), []).append(topic.name)
    spreads = []
    for (count, _), topics in sets.items():
        able = [m for m in readers[topics[0]] if all(m in readers[topic] for topic in topics)]
        if not able or any(counts[topic] != count for topic in topics):
            raise ImpossibleError(f"{topics} cannot be joined")
        few = count // len(able)
        ways = product(able, repeat=count)
        even = [way for way in ways if all(few <= way.count(m) <= few + 1 for m in able)]
        spreads.append(
            [{TopicPartition(t, n): (m,) for t in topics for n, m in enumerate(way)} for way in even]
        )
    bound = {topic for topics in sets.values() for topic in topics}
    others = [p for topic in group.topics if topic.name in readers.keys() - bound for p in topic]
    spreads += [[{p: (m,)} for m in readers[p.topic]] for p in others]
    for parts in product(*spreads):
        yield {partition: holders for part in parts for partition, holders in part.items()}
