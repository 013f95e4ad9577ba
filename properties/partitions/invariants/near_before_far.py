"""The invariant about racks and what nobody owned: who could have it near has it before somebody far away."""

from collections.abc import Iterator

from kassay.model import Assignment, Group, TopicPartition
from kassay.properties.partitions.holdings import holdings
from kassay.properties.partitions.owners import owners
from kassay.properties.runs import READS, Violation


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
