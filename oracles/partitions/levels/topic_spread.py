"""How evenly each topic lies on its subscribers: half of what the squares of their partitions of it are above the least that whole partitions allow."""

from collections import Counter

from kassay.oracles.assignment.own_levels import TOPIC_SPREAD as NAME
from kassay.oracles.levels import Judged, LevelWords
from kassay.oracles.partitions.levels.level import Level, Tried
from kassay.properties.partitions.measures import topic_excess


def tried(one: Tried) -> int:
    """Count the steps by which the holders of a topic's partitions, two by two, are more than one apart, weighed as squares weigh them."""
    held = Counter((partition.topic, m) for partition, of in one.choice.items() for m in of)
    squares = sum(count * count for count in held.values())
    least = 0
    for topic in one.group.topics:
        readers = [member for member in one.group.members if topic.name in member.topics]
        if readers:
            dealt = Counter(number % len(readers) for number in range(topic.partitions))
            least += sum(count * count for count in dealt.values())
    return (squares - least) // 2


TOPIC_SPREAD = Level(
    words=LevelWords(
        name=NAME, short="spread", one="spread excess", many="spread excess", behind=True, asked="spread topics",
        missed="topics less spread than possible", column="spread", heading="topics less spread\nthan possible", worse="spreads topics less", each=("topic", "topics"), measure="topic_excess",
        judged=Judged(
            "spread", "topics spread as evenly as the most even loads allow", "groups with two members or more", outside=("single_member",),
            label="spread by topic",
        ),
    ),
    least="The most even spread of each topic over its subscribers",
    brief="the most even spread of each topic",
    measure=topic_excess,
    tried=tried,
    about="owners",
)  # fmt: skip
