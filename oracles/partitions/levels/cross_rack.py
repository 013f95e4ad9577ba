"""The fewest partitions that are read by members in whose rack none of their replicas is (KIP-881)."""

from collections.abc import Sequence

from kassay.oracles.levels import Judged, LevelWords
from kassay.oracles.partitions.levels.level import Level, Near, Tried
from kassay.properties.partitions.measures import cross_rack


def in_rack(replicas: Near, racks: Sequence[str]) -> tuple[int, ...]:
    """Return how many of these partitions have no replica in each rack; 0 for no rack, and for unknown replicas."""
    near = [known for each in replicas if (known := {rack for rack in each if rack is not None})]
    return (*(sum(rack not in each for each in near) for rack in racks), 0)


def tried(one: Tried) -> int:
    """Count the partitions with a member that has a rack, in which none of their replicas is, though some racks of these are known."""
    racks = {topic.name: topic.racks for topic in one.group.topics}
    home = {member.id: member.rack for member in one.group.members}
    far = 0
    for partition, holders in one.choice.items():
        known = racks[partition.topic]
        near = set(known[partition.partition]) - {None} if known else set()
        far += sum(bool(near and home[m] and home[m] not in near) for m in holders)
    return far


CROSS_RACK = Level(
    words=LevelWords(
        name="cross-rack", short="racks", one="read across racks", many="reads across racks", counts="reading", asked="near",
        missed="needless reads across racks", column="reads", heading="needless reads\nacross racks", worse="reads more across racks",
        measure="cross_rack",
        judged=Judged(
            "near", "no needless read across racks", "groups with two members or more where racks can change the outcome",
            within=("racks_decide",), outside=("single_member",),
        ),
    ),
    least="The fewest partitions read across racks",
    brief="the fewest partitions read across racks",
    measure=cross_rack,
    in_rack=in_rack,
    tried=tried,
    about="racks",
    why=("near nobody but {}", "near none of their readers", "be read across racks"),
)  # fmt: skip
