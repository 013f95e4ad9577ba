"""What a group of members and topics is as numbers, and which of them are tried out completely for which level."""

from collections.abc import Mapping

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.oracles.worst_case.spaces import Kind, Shape, Space


def group(shape: Shape) -> Group:
    """Return the group of a shape; members are m0, m1, ..., topics t0, t1, ... and racks r0, r1, ..., in this order."""
    racks = any(rack >= 0 for _, rack in shape.members)
    topics = tuple(
        Topic(f"t{t}", len(contents), tuple(tuple(f"r{r}" for r in near) for (near,), _ in contents) if racks else None)
        for t, contents in enumerate(shape.parts)
    )  # fmt: skip
    owned: list[list[TopicPartition]] = [[] for _ in shape.members]
    for topic, contents in zip(topics, shape.parts, strict=True):
        for partition, (_, (owner,)) in zip(topic, contents, strict=True):
            if owner >= 0:
                owned[owner].append(partition)
    generation = 1 if any(owned) else None
    members = tuple(
        Member(f"m{m}", tuple(f"t{t}" for t in read), tuple(owned[m]), generation, None, f"r{rack}" if racks else None)
        for m, (read, rack) in enumerate(shape.members)
    )  # fmt: skip
    return Group(topics, members)


KIND = Kind(("member", "partition", "topic"), read=1, roles=1, group=group)
SPACES: Mapping[str, Space[Group]] = {
    "": Space(KIND, members=4, items=5, parts=3, mixed=True),
    "owners": Space(KIND, members=3, items=4, parts=2, mixed=True, claims=True),
    "racks": Space(KIND, members=3, items=4, parts=2, racks=2, mixed=True),
}
"""What the last level of a question is about besides loads -> what is tried out for it completely, as far as the tries last."""
