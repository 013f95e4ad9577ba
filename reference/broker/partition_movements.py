"""Which partitions moved between which members in one call, so that one moves back rather than another one forth.

Source: PartitionMovements of GeneralUniformAssignmentBuilder of Kafka 3.7 and UniformHeterogeneousAssignmentBuilder of 3.8 and 3.9.
"""

from kassay.model import AssignorError, TopicPartition
from kassay.reference.broker.group_spec import GroupSpec
from kassay.reference.java.hash_map import HashTable

TWICE = "Mismatch in partition movement record with respect to partition ownership during a rebalance"


class PartitionMovements:
    """The movements of a call, by topic and pair of members; a partition that would move twice makes Kafka fail."""

    def __init__(self, spec: GroupSpec) -> None:
        self._spec = spec
        self._pairs: dict[TopicPartition, tuple[str, str]] = {}
        self._between: dict[tuple[str, str, str], HashTable[TopicPartition]] = {}

    def moved(self, partition: TopicPartition) -> bool:
        """Say whether a partition has moved."""
        return partition in self._pairs

    def actual(self, partition: TopicPartition, owner: str, to: str) -> TopicPartition:
        """Return the partition to move instead: one of the topic that moved the opposite way, if there is one."""
        if partition in self._pairs:
            owner = self._pairs[partition][0]
        reverse = self._between.get((partition.topic, to, owner))
        return next(iter(reverse), partition) if reverse is not None else partition

    def move(self, partition: TopicPartition, owner: str, to: str) -> None:
        """Note a movement; raises AssignorError where the partition has moved before, as Kafka's test of that is inverted."""
        if partition in self._pairs:
            raise AssignorError(f"PartitionAssignorException: {TWICE}")
        self._pairs[partition] = (owner, to)
        self._between.setdefault((partition.topic, owner, to), HashTable(self._spec.partition_hash)).add(
            partition
        )
