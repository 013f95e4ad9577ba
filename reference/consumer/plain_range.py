"""Give each topic's partitions to its subscribers in consecutive ranges, without regard to racks.

Topic by topic, P partitions over C subscribers: each gets P div C, and the first P mod C one more.

Known defects, reproduced: a member that lists a topic twice counts twice, and is given two ranges. The same members get
the one more of each topic, so loads may differ by the number of topics.

Source: org.apache.kafka.clients.consumer.RangeAssignor of Kafka 2.2 to 3.4.
"""

from collections.abc import Callable, Iterable

from kassay.model import Assignment, Group, Member, TopicPartition
from kassay.reference.consumer.members import sort_by_id, sort_members
from kassay.reference.java.hash_map import HashTable
from kassay.reference.java.strings import string_hash, string_order


def assign(group: Group, sort: Callable[[Iterable[Member]], list[Member]] = sort_members) -> Assignment:
    """Give each topic's partitions to its subscribers, sorted so, in consecutive ranges."""
    listed = [topic for member in group.members for topic in member.topics]
    readers: dict[str, list[str]] = {name: [] for name in listed}
    for member in sort(group.members):
        for name in member.topics:
            readers[name].append(member.id)
    topics = {topic.name: topic for topic in group.topics}
    given: dict[str, list[TopicPartition]] = {member.id: [] for member in group.members}
    for name in _sort_by_hash(listed):
        if name not in topics:
            continue
        least, extras = divmod(topics[name].partitions, len(readers[name]))
        partitions = iter(topics[name])
        for place, reader in enumerate(readers[name]):
            given[reader] += [next(partitions) for _ in range(least + (place < extras))]
    return given


def _sort_by_hash(listed: Iterable[str]) -> list[str]:
    """Order topics as Kafka's map of their subscribers iterates, which only the order inside lists shows."""
    table = HashTable(string_hash, order_of=string_order)
    for name in listed:
        table.compute_if_absent(name)
    return list(table)


def assign_dynamic(group: Group) -> Assignment:
    """Assign as the releases did that knew no static members: 2.2 and 2.3."""
    return assign(group, sort_by_id)
