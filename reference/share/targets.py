"""The partitions of a share group that may be given out.

Source: computeTargetPartitions of SimpleAssignor and its builders, Kafka 4.1 to 4.4.
"""

from collections.abc import Iterable, Sequence

from kassay.model import TopicPartition
from kassay.reference.broker.group_spec import GroupSpec


def target_partitions(spec: GroupSpec, topics: Iterable[str]) -> list[TopicPartition]:
    """Return the partitions of some topics, but for those that may not be given yet; raises AssignorError for unknown topics."""
    return [TopicPartition(topic, number) for topic in topics for number in assignable_numbers(spec, topic)]


def assignable_numbers(spec: GroupSpec, topic: str) -> Sequence[int]:
    """Return the numbers of a topic's partitions that may be given; raises AssignorError for an unknown topic."""
    numbers = range(spec.partitions(topic))
    withheld = spec.topics[topic].unassignable
    return [number for number in numbers if number not in withheld] if withheld else numbers


def map_capacity(size: int) -> int:
    """Return the capacity that AssignorHelpers.newHashMap asks for."""
    return int((size + 1) / 0.75 + 1)
