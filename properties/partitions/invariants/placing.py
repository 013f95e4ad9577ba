"""The invariant about co-partitioned topics: the member that reads a number of one reads it of all.

The invariant about joined topics: the member that reads a number of one reads it of all.

The invariant about racks and what nobody owned: who could have it near has it before somebody far away.
"""

from collections.abc import Iterator, Sequence

from kassay.model import Assignment, Group, Topic, TopicPartition
from kassay.model.hosts import located
from kassay.model.joins import joins
from kassay.properties.partitions.owners import holdings, owners, subscribers
from kassay.properties.runs import READS, Violation
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


def co_partitioned(group: Group, assignment: Assignment) -> Iterator[str]:
    """Topics that the configuration joins give each number to the same member.

    Not asked of topics with unequal numbers of partitions, nor where nobody subscribes to all that are joined.
    Source: the client-side assignment proposal, co-partitioning; KIP-28.
    """
    holders: dict[TopicPartition, list[str]] = {}
    for member, given in holdings(group, assignment).items():
        for partition in given:
            holders.setdefault(partition, []).append(member)
    for join in joins(group):
        if join.wrong:
            continue
        first, *others = join.names
        for number in range(join.topics[0].partitions):
            one = holders.get(TopicPartition(first, number), [])
            for other in others:
                same = TopicPartition(other, number)
                if holders.get(same, []) != one:
                    yield (
                        f"{first} and {other} are joined, but {first}-{number} is with {listed(one, ' and ')} and {same} "
                        f"with {listed(holders.get(same, []), ' and ')}"
                    )


def near_before_far(group: Group, assignment: Assignment) -> Iterator[str]:
    """Nobody reads from afar a partition without owner that another member has near, which reads one from afar in its place.

    The two could exchange these partitions: loads and moves stay as they are, and fewer partitions are read across racks.
    Racks are those that assignors are told. Source: KIP-881; AbstractStickyAssignor, which gives members partitions near them first.
    """
    owned_by, racks = owners(group), {topic.name: topic.racks for topic in group.topics}
    members = {member.id: member for member in group.members}
    home = {member.id: member.rack for member in group.members if member.rack}

    def near(partition: TopicPartition, member: str) -> bool:
        known = racks[partition.topic]
        return known is not None and home.get(member) in known[partition.partition]

    held = holdings(group, assignment)
    afar = {
        member: [
            p
            for p in held[member]
            if p not in owned_by and racks[p.topic] is not None and not near(p, member)
        ]
        for member in home
    }
    for far, given in afar.items():
        for partition in given:
            for other, theirs in afar.items():
                takes = other != far and near(partition, other) and partition.topic in members[other].topics
                back = next((p for p in theirs if p.topic in members[far].topics), None) if takes else None
                if back is not None:
                    said = f"{far} reads {partition} from afar, and {other}, which is near it, reads {back} from afar"
                    yield Violation(f"{said}: exchange them", READS)
                    break
