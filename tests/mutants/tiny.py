"""Tiny groups and assignments, on which every definition can be counted out."""

from collections.abc import Iterator
from itertools import combinations, product

from hypothesis import strategies as st

from kassay.model import Assignment, Group, Member, Topic, TopicPartition
from kassay.properties.choices import Choices, from_bytes
from kassay.properties.partitions.owners import subscribers

COUNTS = ((1,), (0,), (3,), (5,), (1, 1), (2, 1), (2, 2), (3, 2), (1, 4))
RACKS = (None, "a", "b")


def any_choices() -> st.SearchStrategy[Choices]:
    """Draw the choices of which a test makes its group and assignment."""
    return st.binary(min_size=64, max_size=64).map(from_bytes)


def tiny_group(choices: Choices, *, racks: bool = False, claims: bool = True) -> Group:
    """Make a group of up to three members and five partitions in two topics."""
    topics = tuple(
        Topic(
            f"t{at}",
            count,
            tuple(_near(choices) for _ in range(count)) if racks and choices.chance(60) else None,
        )
        for at, count in enumerate(choices.pick(COUNTS))
    )
    names = [topic.name for topic in topics]
    claimable = [TopicPartition(topic.name, n) for topic in topics for n in range(topic.partitions + 1)]
    members = [
        Member(
            id=f"m{at}",
            topics=tuple(names) if choices.chance(40) else choices.some(names),
            owned=tuple(choices.pick_order(choices.some(claimable))) if claims else (),
            generation=choices.pick((None, 1, 2)) if claims else None,
            rack=choices.pick(RACKS) if racks else None,
        )
        for at in range(1 + choices.below(3))
    ]
    return Group(topics, tuple(members))


def _near(choices: Choices) -> tuple[str | None, ...]:
    return tuple(choices.pick(RACKS) for _ in range(choices.below(3)))


def all_assignments(group: Group, copies: int = 1) -> Iterator[dict[str, list[TopicPartition]]]:
    """Yield every assignment that gives each partition to a number of its subscribers, or to all where they are fewer."""
    readers = subscribers(group)
    partitions = [partition for topic in group.topics if readers[topic.name] for partition in topic]
    choices = [list(combinations(readers[p.topic], min(copies, len(readers[p.topic])))) for p in partitions]
    for chosen in product(*choices):
        given: dict[str, list[TopicPartition]] = {member.id: [] for member in group.members}
        for partition, takers in zip(partitions, chosen, strict=True):
            for taker in takers:
                given[taker].append(partition)
        yield given


def legal_assignment(
    choices: Choices, group: Group, *, whole: bool = False
) -> dict[str, list[TopicPartition]]:
    """Give each partition to at most one of its subscribers; to one, if `whole`."""
    readers = subscribers(group)
    given: dict[str, list[TopicPartition]] = {member.id: [] for member in group.members}
    for topic in group.topics:
        for partition in topic if readers[topic.name] else ():
            if whole or not choices.chance(20):
                given[choices.pick(readers[topic.name])].append(partition)
    return given


def any_assignment(choices: Choices, group: Group) -> Assignment:
    """Make an assignment that may be wrong in any way."""
    names = [*(member.id for member in group.members), "stranger", ""]
    topics = [*(topic.name for topic in group.topics), "nowhere"]
    numbers = (0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, -1, 2**31, -(2**31))
    return {
        name: [TopicPartition(choices.pick(topics), choices.pick(numbers)) for _ in range(choices.below(7))]
        for name in choices.some(names)
    }
