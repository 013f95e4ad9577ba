"""The fewest partitions that leave their owners; where a partition may have several owners, each that loses it counts."""

from collections import Counter
from collections.abc import Mapping, Sequence

from kassay.oracles.levels import Judged, LevelWords
from kassay.oracles.partitions.levels.level import Level, Owners, Tried
from kassay.properties.partitions.measures import copies_lost, moves


def owned(standing: Sequence[Owners], several: bool) -> tuple[int, Mapping[int, int]]:
    """Return what leaving all owners of some partitions costs, and each owner with what staying there saves."""
    cost = sum(len(by) if several else bool(by) for by in standing)
    return cost, Counter(member for by in standing for member in by)


def tried(one: Tried) -> int:
    """Count the partitions that no owner has any more, or their owners that have lost them."""
    counts = {topic.name: topic.partitions for topic in one.group.topics}
    lost = 0
    for partition, claimants in one.owners.items():
        if partition.partition < counts.get(partition.topic, 0):
            kept = [m for m in claimants if m in one.choice.get(partition, ())]
            lost += len(claimants) - len(kept) if one.several else not kept
    return lost


MOVES = Level(
    words=LevelWords(
        name="moves", short="moves", one="move", many="moves", counts="moving", passing=True, asked="few moves", missed="needless moves",
        column="moves", heading="needless\nmoves", worse="moves more", measure="moves",
        judged=Judged(
            "sticky", "no needless move", "groups with two members or more, one of which owns a partition",
            outside=("single_member", "first_generation"), label="few moves", adjective="without needless moves",
        ),
    ),
    least="The fewest partitions that must leave their owners",
    brief="the fewest moves",
    measure=moves,
    of_copies=copies_lost,
    owned=owned,
    tried=tried,
    about="owners",
    why=("that only {} may keep", "that none of their owners may keep", "move"),
)  # fmt: skip
