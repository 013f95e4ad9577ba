"""Which members are near which partitions, for the one release whose uniform assignor reads racks.

Source: RackInfo in AbstractUniformAssignmentBuilder of Kafka 3.7.
"""

from collections.abc import Iterable, Mapping

from kassay.model import TopicPartition
from kassay.reference.broker.group_spec import GroupSpec


class RackInfo:
    """The racks of members and partitions; `used` where they differ in a way that matters. An empty rack is none."""

    def __init__(self, spec: GroupSpec, topics: Iterable[str]) -> None:
        by_rack: dict[str, list[str]] = {}
        for member in spec.members.values():
            if member.rack:
                by_rack.setdefault(member.rack, []).append(member.id)
        racks = (
            {partition: there for topic in topics for partition, there in _racks(spec, topic)}
            if by_rack
            else {}
        )
        every = {rack for there in racks.values() for rack in there}
        self.used = not every.isdisjoint(by_rack) and any(every != there.keys() for there in racks.values())
        self._member_racks = {member: rack for rack, members in by_rack.items() for member in members}
        self._partition_racks = racks
        self.near = {
            partition: list(dict.fromkeys(member for rack in there for member in by_rack.get(rack, ())))
            for partition, there in racks.items()
        }
        """The members near each partition; sorted anew, by load, whenever they are asked for."""

    def matches(self, member: str, partition: TopicPartition) -> bool:
        """Say whether a partition has a replica in a member's rack; never for a member without one."""
        return self._member_racks.get(member) in self._partition_racks.get(partition, ())

    def sorted_by_rack_members(
        self, partitions: Iterable[TopicPartition], spec: GroupSpec
    ) -> list[TopicPartition]:
        """Return the partitions that are near some member, those near the fewest first."""
        return sorted(
            (partition for partition in partitions if self.near.get(partition)),
            key=lambda partition: (len(self.near[partition]), spec.id(partition.topic), partition.partition),
        )

    def sorted_near(self, partition: TopicPartition, sizes: Mapping[str, int]) -> list[str]:
        """Return the members near a partition, the least loaded first; ties as they were when last asked."""
        near = self.near.get(partition, [])
        near.sort(key=lambda member: sizes[member])
        return near


def _racks(spec: GroupSpec, topic: str) -> Iterable[tuple[TopicPartition, dict[str, None]]]:
    found = spec.topics[topic]
    for partition in found:
        known = found.racks[partition.partition] if found.racks else ()
        yield partition, dict.fromkeys(rack for rack in known if rack is not None)
