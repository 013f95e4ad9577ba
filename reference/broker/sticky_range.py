"""Give each topic's partitions to its subscribers, each keeping the lowest numbers it owns.

Source: org.apache.kafka.coordinator.group.assignor.RangeAssignor of Kafka 3.6 to 3.8.
"""

from kassay.model import Assignment, AssignorError, Group
from kassay.reference.broker.group_spec import GroupSpec, group_spec
from kassay.reference.broker.range import UNKNOWN
from kassay.reference.java.hash_map import HashTable


def assign(group: Group) -> Assignment:
    """Give each topic's partitions to its subscribers, each keeping the lowest numbers it owns (3.6 and 3.7)."""
    return _assign_topics(group_spec(group), put=False)


def assign_3_8(group: Group) -> Assignment:
    """Do the same; a group without members makes 3.8 fail."""
    if not group.members:
        raise AssignorError("NoSuchElementException")
    spec = group_spec(group)
    return _assign_topics(spec, put=spec.alike)


def _assign_topics(spec: GroupSpec, *, put: bool) -> Assignment:
    """Give out topic by topic, in the order of a HashMap that was filled by put, or else by computeIfAbsent."""
    given: dict[str, dict[str, set[int]]] = {member: {} for member in spec.members}
    topics = HashTable(spec.hash, order_of=spec.id)
    read = dict.fromkeys(topic for topics in spec.subscribed.values() for topic in topics)
    if not read.keys() <= spec.topics.keys():
        raise AssignorError(UNKNOWN)
    for topic in read:
        (topics.add if put else topics.compute_if_absent)(topic)
    for topic in topics:
        for member, numbers in _read_topic(spec, topic).items():
            if numbers:
                given[member][topic] = numbers
    return spec.answer({member: of_topic for member, of_topic in given.items() if of_topic})


def _read_topic(spec: GroupSpec, topic: str) -> dict[str, set[int]]:
    """Return what each subscriber gets of a topic; raises AssignorError where stale claims leave too few partitions."""
    partitions = spec.topics[topic].partitions
    readers = [member for member, topics in spec.subscribed.items() if topic in topics]
    quota, extras = divmod(partitions, len(readers))
    given: dict[str, set[int]] = {}
    unfilled: list[tuple[str, int]] = []
    for member in readers:
        own = sorted(spec.owned[member].get(topic, ()))
        has_extra = len(own) > quota and extras > 0
        given[member] = set(own[: quota + has_extra])
        if has_extra:
            extras -= 1
        else:
            unfilled.append((member, quota - len(own)))
    kept = set().union(*given.values())
    left = [number for number in range(partitions) if number not in kept]
    start = 0
    for member, missing in unfilled:
        remaining = missing + (extras > 0)
        extras -= extras > 0
        if remaining > 0:
            if start + remaining > len(left):
                raise AssignorError(f"IndexOutOfBoundsException: toIndex = {start + remaining}")
            given[member].update(left[start : start + remaining])
            start += remaining
    return given
