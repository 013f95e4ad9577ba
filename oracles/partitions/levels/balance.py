"""The most even loads: the least sum of the members' squared loads, shown as the greatest load less the least."""

from dataclasses import replace

from kassay.model import Assignment, Group
from kassay.model.joins import joins
from kassay.oracles.assignment.own_levels import BALANCE as NAME
from kassay.oracles.levels import Judged, LevelWords
from kassay.oracles.partitions.levels.level import Level, Tried
from kassay.properties.partitions.measures import imbalance


def imbalance_of_others(group: Group, assignment: Assignment) -> int:
    """Measure how uneven the loads are of the topics that are not joined."""
    joined = {name for join in joins(group) for name in join.names}
    topics = tuple(topic for topic in group.topics if topic.name not in joined)
    return imbalance(replace(group, topics=topics), assignment)


def tried(one: Tried) -> int:
    """Add up the squared loads; under the range contract they are given."""
    held = [m for partition, of in one.choice.items() if partition.topic not in one.joined for m in of]
    return 0 if one.together else sum(held.count(member.id) ** 2 for member in one.group.members)


BALANCE = Level(
    words=LevelWords(
        name=NAME, short="even", one="apart", many="apart", counts="loads", evens=0, asked="even", missed="not as even as possible",
        column="uneven", heading="not as even\nas possible", worse="is less even", measure="imbalance",
        judged=Judged("even", "loads as even as can be", "groups with two members or more", outside=("single_member",)),
    ),
    least="The most even loads that the subscriptions allow",
    brief="the most even loads",
    measure=imbalance,
    beside_joins=imbalance_of_others,
    tried=tried,
)  # fmt: skip
