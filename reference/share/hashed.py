"""Give each member the partition that its id hashes to, and in turn what nobody has.

Known defects, reproduced: what members have is kept up to the even share only where all subscribe to the same topics, and several
members may hash to one partition, so loads may be far from even; partitions that are gone or may not be given are kept.

Source: org.apache.kafka.coordinator.group.assignor.SimpleAssignor of Kafka 4.1.
"""

from collections.abc import Iterable, Sequence
from itertools import cycle

from kassay.model import Assignment, AssignorError, Group, TopicPartition
from kassay.reference.broker.group_spec import GroupSpec, group_spec
from kassay.reference.java.hash_map import HashTable, hash_order
from kassay.reference.java.strings import string_hash, string_order
from kassay.reference.share.targets import target_partitions

Given = dict[str, set[TopicPartition]]


def assign(group: Group) -> Assignment:
    """Give each member the partition that its id hashes to, and in turn what nobody has."""
    spec = group_spec(group)
    if not any(spec.subscribed.values()):
        return {} if spec.alike else spec.answer({member: {} for member in spec.members})
    given = _alike(spec) if spec.alike else _different(spec)
    by_topic: dict[str, dict[str, set[int]]] = {member: {} for member in spec.members}
    for member, partitions in given.items():
        for topic, number in partitions:
            by_topic[member].setdefault(topic, set()).add(number)
    return spec.answer(by_topic)


def _alike(spec: GroupSpec) -> Given:
    topics = next(iter(spec.subscribed.values()))
    targets = target_partitions(spec, topics)
    share = -(-len(targets) // len(spec.members))
    given: Given = {member: set() for member in spec.members}
    hashed = set()
    for member in spec.members:
        hashed |= _hash_to(member, targets, given)
    taken = set(hashed)
    for partition, owners in _current(spec):
        if partition.topic in topics and partition not in hashed:
            for member in owners:
                if len(given[member]) < share:
                    given[member].add(partition)
                    taken.add(partition)
    _in_turn([partition for partition in targets if partition not in taken], given, share)
    return given


def _different(spec: GroupSpec) -> Given:
    targets = {m: target_partitions(spec, topics) for m, topics in spec.subscribed.items() if topics}
    members = hash_order(targets, string_hash, order_of=string_order)
    readers: dict[str, dict[str, None]] = {}
    given: Given = {member: set() for member in spec.members}
    placed = set()
    for member in members:
        placed |= _hash_to(member, targets[member], given)
        for partition in targets[member]:
            readers.setdefault(partition.topic, {})[member] = None
    current = dict(_current(spec))
    every = dict.fromkeys(partition for member in members for partition in targets[member])
    for topic, of_topic in readers.items():
        free = [one for one in every if one.topic == topic and one not in placed and one not in current]
        for partition, member in zip(free, cycle(of_topic), strict=False):
            given[member].add(partition)
            placed.add(partition)
    for partition, owners in current.items():
        if partition not in placed:
            for member in owners:
                if member in readers.get(partition.topic, ()):
                    given[member].add(partition)
    return given


def _hash_to(member: str, targets: Sequence[TopicPartition], given: Given) -> set[TopicPartition]:
    """Give a member the partition that its id hashes to; return that, if there is any."""
    if not targets:
        return set()
    partition = targets[abs(string_hash(member)) % len(targets)]
    given[member].add(partition)
    return {partition}


def _current(spec: GroupSpec) -> Iterable[tuple[TopicPartition, list[str]]]:
    """Return what is owned, each partition with its owners, in the order of the HashMap that Kafka collects it in."""
    owners: dict[TopicPartition, list[str]] = {}
    table = HashTable(spec.record_hash)
    for member, owned in spec.owned.items():
        for partition in (
            TopicPartition(topic, number) for topic, numbers in owned.items() for number in numbers
        ):
            owners.setdefault(partition, []).append(member)
            table.compute_if_absent(partition)
    return [(partition, owners[partition]) for partition in table]


def _in_turn(partitions: Iterable[TopicPartition], given: Given, share: int) -> None:
    """Give each partition to the next member in turn that has at most its share; raises AssignorError where there is none."""
    waiting, at = list(given), 0
    for partition in partitions:
        while True:
            at = at if at < len(waiting) else 0
            if not waiting:
                raise AssignorError("PartitionAssignorException: Inconsistent number of member IDs")
            if len(given[waiting[at]]) <= share:
                break
            del waiting[at]
        given[waiting[at]].add(partition)
        at += 1
