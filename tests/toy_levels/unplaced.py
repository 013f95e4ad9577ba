"""The fewest partitions that are read by members which tell no rack, though racks of their replicas are known."""

from collections.abc import Sequence

from kassay.model import Assignment, Group
from kassay.oracles.levels import LevelWords
from kassay.oracles.partitions.levels import Level, Near, Tried


def known(racks: Sequence[str | None]) -> bool:
    return any(rack is not None for rack in racks)


def unplaced(group: Group, assignment: Assignment) -> int:
    racks = {topic.name: topic.racks or ((),) * topic.partitions for topic in group.topics}
    adrift = [assignment.get(member.id, ()) for member in group.members if not member.rack]
    return sum(known(racks[partition.topic][partition.partition]) for own in adrift for partition in own)


def in_rack(replicas: Near, racks: Sequence[str]) -> tuple[int, ...]:
    return (*(0 for _ in racks), sum(map(known, replicas)))


def tried(one: Tried) -> int:
    racks = {(topic.name, n): near for topic in one.group.topics for n, near in enumerate(topic.racks or ())}
    adrift = {member.id for member in one.group.members if not member.rack}
    return sum(m in adrift for p, of in one.choice.items() if known(racks.get(tuple(p), ())) for m in of)


UNPLACED = Level(
    words=LevelWords(
        name="unplaced", short="adrift", one="read from nowhere", many="reads from nowhere", asked="placed",
        missed="needless reads from nowhere", column="adrift", heading="needless reads\nfrom nowhere", worse="reads more from nowhere",
    ),
    least="The fewest partitions read by members without a rack",
    brief="the fewest partitions read by members without a rack",
    measure=unplaced,
    in_rack=in_rack,
    tried=tried,
    about="racks",
)  # fmt: skip
