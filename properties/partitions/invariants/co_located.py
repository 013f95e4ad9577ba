"""The invariant about co-partitioned topics: the member that reads a number of one reads it of all."""

from collections.abc import Iterator, Sequence

from kassay.model import Assignment, Group, Topic
from kassay.model.hosts import located
from kassay.properties.partitions.holdings import holdings, subscribers
from kassay.properties.words import listed


def co_located(group: Group, assignment: Assignment) -> Iterator[str]:
    """Topics with equal partition counts and subscribers give each number to the same member, in consecutive ranges.

    Racks void only that the ranges are consecutive, and only for topics of which one needs them (KIP-881): a subscriber
    is in a rack with a replica of that topic, and not all of its partitions are in the same racks.
    Source: RangeAssignor, on which joins of streams rest; sarama #2245, where equal topics were cut differently.
    """
    group = located(group)
    numbers: dict[str, dict[str, list[int]]] = {topic.name: {} for topic in group.topics}
    for member, given in holdings(group, assignment).items():
        for topic, number in sorted(given):
            numbers[topic].setdefault(member, []).append(number)
    for topics, readers in _alike(group):
        first, *others = (topic.name for topic in topics)
        for other in others:
            for reader in readers:
                one, two = numbers[first].get(reader, []), numbers[other].get(reader, [])
                if one != two:
                    yield f"of {first}, {reader} holds {listed(one)}; of {other}, {listed(two)}"
        if not any(_racks_matter(group, topic, readers) for topic in topics):
            yield from _gaps({topic.name: numbers[topic.name] for topic in topics})


def _gaps(numbers: dict[str, dict[str, list[int]]]) -> Iterator[str]:
    for topic, held in numbers.items():
        for reader, own in held.items():
            if own[-1] - own[0] >= len(own):
                yield f"of {topic}, {reader} holds {listed(own)}, which are not consecutive"


def _alike(group: Group) -> list[tuple[list[Topic], list[str]]]:
    """Return the topics that have equally many partitions and the same subscribers together, and these."""
    alike: dict[tuple[int, tuple[str, ...]], list[Topic]] = {}
    readers = subscribers(group)
    for topic in group.topics:
        alike.setdefault((topic.partitions, tuple(readers[topic.name])), []).append(topic)
    return [(topics, list(members)) for (_, members), topics in alike.items()]


def _racks_matter(group: Group, topic: Topic, readers: Sequence[str]) -> bool:
    near = [frozenset(rack for rack in racks if rack is not None) for racks in topic.racks or ()]
    homes = {member.rack for member in group.members if member.rack and member.id in readers}
    return any(homes & racks for racks in near) and len(set(near)) > 1
