"""The least weight that members hold beyond what they can bear, all of them together."""

from kassay.oracles.levels import LevelWords
from kassay.oracles.partitions.levels.level import Level, Tried
from kassay.properties.partitions.measures import over_capacity


def tried(one: Tried) -> int:
    """Take from what each member's partitions weigh, one by one, what it can bear."""
    beyond = 0
    for member in one.group.members:
        left = member.capacity
        for topic in one.group.topics if left is not None else ():
            for partition, weight in zip(topic, topic.weights or (), strict=False):
                if member.id in one.choice.get(partition, ()):
                    left = (left or 0) - (weight or 0)
        beyond += max(0, -(left or 0))
    return beyond


CAPACITY = Level(
    words=LevelWords(
        name="capacity", short="capacity", one="weight beyond capacity", many="of weight beyond capacity", asked="within capacity",
        missed="more weight beyond capacity than needed", column="beyond", heading="weight beyond\ncapacity", worse="overloads members more",
        measure="over_capacity",
    ),
    least="The least weight beyond what members can bear",
    brief="the least weight beyond what members can bear",
    measure=over_capacity,
    tried=tried,
    weighs=True,
    compared=False,
)  # fmt: skip
