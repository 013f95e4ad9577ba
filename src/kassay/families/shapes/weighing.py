"""The weights of a group's partitions, and the heaviest member of each answer with the minimum that even counts allow.

Counts come first, as in lag assignors: every member holds as many partitions as the others, and of these assignments the lightest is
sought. Otherwise partitions that weigh nothing would go anywhere.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import msgspec

from kassay.errors import InputError
from kassay.files.reading import read_json
from kassay.listings.to_group import ENDS, LAG, RATE
from kassay.model import Assignment, Group
from kassay.model.json_text import built
from kassay.oracles.answers import Weighing
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.partitions.levels import LEVELS
from kassay.oracles.partitions.optimum import optimum
from kassay.oracles.partitions.weights.instance import WEIGHTED_BALANCE
from kassay.properties.partitions.measures import weights_held

MOVING = next(name for name, level in LEVELS.items() if level.words.counts == "moving")
QUESTION = f"{BALANCE},{WEIGHTED_BALANCE},{MOVING}"
WAYS = {
    "lag": (LAG, f"it needs LAG; give {ENDS}"),
    "rate": (RATE.partition("{")[0], "make it with kassay import NOW --earlier BEFORE --seconds N"),
}
"""What --weights names -> how the unit of such a group begins, and what to do where it does not."""


class _TopicWeights(msgspec.Struct):
    name: str
    weights: list[Any] | None = None


class _WeightsForm(msgspec.Struct):
    """A file of weights, such as a group; what else is in it does not count."""

    topics: list[_TopicWeights]
    weight_unit: str | None = None


def weighed(group: Group, how: str, where: str) -> Group:
    """Return a group with the weights that are meant: its own by lag or by rate, or those of a file, in the group's own unit if it has one.

    Raises InputError if the group has no such weights, or not of every partition. It names the file that has the weights: the file of the
    option, or the group's own (`where`).
    """
    if how in WAYS:
        begins, fix = WAYS[how]
        unit = group.weight_unit
        if unit is None or not unit.startswith(begins):
            weighs = "partitions weigh nothing" if unit is None else f"partitions weigh {unit!r}"
            raise InputError(f"{where}: --weights {how}: the group's {weighs}; {fix}")
    found, place = (group, where) if how in WAYS else (_read_weights(group, how), f"--weights {how}")
    read = {name for member in found.members for name in member.topics}
    for topic in (topic for topic in found.topics if topic.name in read):
        for partition, weight in zip(topic, topic.weights or (None,) * topic.partitions, strict=True):
            if weight is None:
                raise InputError(
                    f"{place}: topic {topic.name!r} has no weight for {partition}. Give a whole number, 0 if it weighs nothing."
                )
    return found


def _read_weights(group: Group, file: str) -> Group:
    read, *more = read_json(file)
    if more:
        raise InputError(f"--weights {file}: has more than one value; give one group's weights")
    try:
        form = msgspec.convert(read.value, _WeightsForm)
    except msgspec.ValidationError as wrong:
        raise InputError(
            f'--weights {file}: {wrong}; give {{"topics": [{{"name": "t", "weights": [3, 1]}}], "weight_unit": "bytes/s"}}'
        ) from None
    if group.weight_unit and form.weight_unit != group.weight_unit:
        raise InputError(
            f"--weights {file}: weight_unit is {form.weight_unit!r}, and that of the group {group.weight_unit!r}; give both in one unit"
        )
    known = {one.name: one.weights for one in form.topics}

    def build() -> Group:
        topics = (
            replace(topic, weights=None if (own := known.get(topic.name)) is None else tuple(own))
            for topic in group.topics
        )
        return replace(group, topics=tuple(topics), weight_unit=form.weight_unit)

    return built(f"--weights {file}: topics", build)


def weighing(group: Group, answers: Mapping[str, Assignment]) -> Weighing:
    """Judge answers, by the names of who gave them; raises ImpossibleError where a weight is missing."""
    best = optimum(QUESTION, group)
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
