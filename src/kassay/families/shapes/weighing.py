"""The weights of a group's partitions, and the heaviest member of each answer with the minimum that even counts allow.

Counts come first, as in lag assignors: the numbers of partitions are even, and the lightest of these assignments is found. Otherwise
partitions without weight could go to any member.
"""

from collections.abc import Mapping

from kassay.model import Assignment, Group
from kassay.oracles.answers import Weighing
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.partitions.levels import LEVELS
from kassay.oracles.partitions.optimum import compute_optimum
from kassay.oracles.partitions.weights.instance import WEIGHTED_BALANCE
from kassay.properties.partitions.measures import weights_held

MOVING = next(name for name, level in LEVELS.items() if level.words.counts == "moving")
QUESTION = f"{BALANCE},{WEIGHTED_BALANCE},{MOVING}"


def weigh_answers(group: Group, answers: Mapping[str, Assignment]) -> Weighing:
    """Compare answers by weight, by the names of their targets; raises ImpossibleError if a weight is missing."""
    best = compute_optimum(QUESTION, group)
    there = {topic.name for topic in group.topics if topic.partitions}
    able = {member.id for member in group.members if there.intersection(member.topics)}
    held = {
        name: {m: weight for m, weight in weights_held(group, given).items() if m in able}
        for name, given in answers.items()
    }
    weights = {
        str(partition): weight or 0
        for topic in group.topics
        for partition, weight in zip(topic, topic.weights or (0,) * topic.partitions, strict=True)
    }
    level = next(one for one in best.levels if one.name == WEIGHTED_BALANCE)
    return Weighing(group.weight_unit or "of weight", QUESTION, level, best, held, weights)
