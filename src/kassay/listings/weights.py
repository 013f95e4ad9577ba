"""The weights that `--weights` asks for: by lag, by rate, or of a file."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec

from kassay.errors import InputError
from kassay.listings.to_group import ENDS, LAG, RATE
from kassay.model import Group
from kassay.model.json_text import built

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


def weigh(group: Group, how: str, where: str, file: Sequence[Any] = ()) -> Group:
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
    found, place = (group, where) if how in WAYS else (_read_file(group, how, file), f"--weights {how}")
    read = {name for member in found.members for name in member.topics}
    for topic in (topic for topic in found.topics if topic.name in read):
        for partition, weight in zip(topic, topic.weights or (None,) * topic.partitions, strict=True):
            if weight is None:
                raise InputError(
                    f"{place}: topic {topic.name!r} has no weight for {partition}. Give a whole number, 0 if it weighs nothing."
                )
    return found


def _read_file(group: Group, file: str, values: Sequence[Any]) -> Group:
    if len(values) != 1:
        raise InputError(f"--weights {file}: has more than one value; give one group's weights")
    try:
        form = msgspec.convert(values[0], _WeightsForm)
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
