"""The least greatest weight that a member holds: of lag, or of bytes a second. What lag assignors do is ``balance,weighted-balance``: count first."""

from kassay.oracles.levels import Judged, LevelWords
from kassay.oracles.partitions.levels.level import Level, Tried
from kassay.properties.partitions.measures import greatest_weight


def tried(one: Tried) -> int:
    """Add up what each member's partitions weigh."""
    weights = {
        partition: (topic.weights or [0] * topic.partitions)[partition.partition] or 0
        for topic in one.group.topics
        for partition in topic
    }
    return max(
        (sum(weights[p] for p, of in one.choice.items() if member.id in of) for member in one.group.members),
        default=0,
    )


WEIGHTED_BALANCE = Level(
    words=LevelWords(
        name="weighted-balance", short="weight", one="weight", many="of weight at most", asked="even weights", missed="more weight on one member than needed",
        column="weight", heading="weight not\neven", worse="loads one member more", measure="greatest_weight",
        judged=Judged(
            "light", "proved: no member is heavier than the most even loads need", "groups with two members or more, of which those without weights count as missed",
            outside=("single_member",), label="light",
        ),
    ),
    least="The least weight that the heaviest member holds",
    brief="the least greatest weight",
    measure=greatest_weight,
    tried=tried,
    weighs=True,
    compared=False,
    about="weights",
)  # fmt: skip
