"""Judge the answers to one group by what its partitions weigh: the heaviest member of each, beside the least that even counts allow.

Counts come first, as lag assignors have it: who does least holds as many partitions as everybody else, and of the ways to deal them so
the lightest is sought. Without that, partitions that weigh nothing would go anywhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from kassay.comparison.measured import NOW, Measured
from kassay.errors import InputError
from kassay.family import Family
from kassay.files.reading import read_json
from kassay.kafka_tools.weights import ENDS, LAG, RATE
from kassay.model import Assignment, Group
from kassay.model.partitions_json import built
from kassay.oracles.answers import Answer, Level
from kassay.oracles.partitions.optimum import optimum
from kassay.oracles.partitions.weights.instance import WEIGHTED_BALANCE
from kassay.properties.partitions.measures import weights_held

QUESTION = f"balance,{WEIGHTED_BALANCE},moves"
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


@dataclass(frozen=True, slots=True)
class Weighing:
    """What each member weighs in each answer, and the best that is known at even counts.

    `held` are the members' weights by target, what the group has now under :data:`NOW`; `unit` is that of the weights.
    """

    unit: str
    level: Level
    best: Answer
    held: Mapping[str, Mapping[str, int]]
    weights: Mapping[str, int]
    """What each partition weighs, by its name."""

    @property
    def rows(self) -> list[tuple[str, int, int]]:
        """Each target with the weight of its heaviest and its lightest member, the lightest of the heaviest first."""
        rows = [(name, max(each.values()), min(each.values())) for name, each in self.held.items() if each]
        return sorted(rows, key=lambda row: (row[0] != NOW, row[1]))

    @property
    def best_held(self) -> list[int]:
        """What the members weigh in the best answer that is known."""
        return [
            sum(self.weights[str(partition)] for partition in given)
            for given in self.best.assignment.values()
        ]

    @property
    def says(self) -> str:
        """Say what is the least, and whether that is proved."""
        level = self.level
        unit = self.unit.partition(" of ")[0]
        if level.proved or level.agreed:
            end = "proved" if level.proved else "two solvers agree, which is no proof"
            return f"With even counts, the heaviest member holds {level.value:,} {unit} at the least: {end}."
        return f"With even counts, the least that the heaviest member holds is {level.least:,} to {level.value:,} {unit}: not proved."

    @property
    def closest(self) -> list[str]:
        """The targets whose heaviest member holds least, of those that were asked."""
        asked = {name: heaviest for name, heaviest, _ in self.rows if name != NOW}
        return [name for name, heaviest in asked.items() if heaviest == min(asked.values())]

    def record(self, where: str) -> dict[str, Any]:
        """Make the JSON of it."""
        level = {"value": self.level.value, "least": self.level.least, "proved": self.level.proved, "agreed": self.level.agreed}  # fmt: skip
        return {"record": "weights", "where": where, "unit": self.unit, "question": QUESTION, "best": level, "held": self.held, "says": self.says}  # fmt: skip


def weighed(family: Family, group: Any, how: str) -> Group:
    """Return a group with the weights that are meant: its own by lag or by rate, or those of a file, in the group's own unit if it has one.

    Raises InputError where it has none such, or is no group of partitions that have one owner each.
    """
    if not isinstance(group, Group) or family.oracles is None or family.oracles.contract:
        raise InputError("--weights: partitions of consumer and broker groups weigh something; leave it out")
    if how not in WAYS:
        return _from_file(group, how)
    begins, fix = WAYS[how]
    unit = group.weight_unit
    if unit is None or not unit.startswith(begins):
        weighs = "partitions weigh nothing" if unit is None else f"partitions weigh {unit!r}"
        raise InputError(f"--weights {how}: the group's {weighs}; {fix}")
    return group


def _from_file(group: Group, file: str) -> Group:
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


def weighing(group: Group, row: Sequence[Measured], now: Measured | None) -> Weighing:
    """Judge answers by weight; raises ImpossibleError where a weight is missing."""
    best = optimum(QUESTION, group)
    named: list[tuple[str, Assignment]] = [(NOW, now.assignment)] if now is not None else []
    named += [(one.target, one.settled) for one in row if one.legal]
    able = {member.id for member in group.members if {*member.topics} & {t.name for t in group.topics if t.partitions}}  # fmt: skip
    held = {
        name: {m: weight for m, weight in weights_held(group, given).items() if m in able}
        for name, given in named
    }
    weights = {
        str(partition): weight or 0
        for topic in group.topics
        for partition, weight in zip(topic, topic.weights or (0,) * topic.partitions, strict=True)
    }
    level = next(one for one in best.levels if one.name == WEIGHTED_BALANCE)
    return Weighing(group.weight_unit or "of weight", level, best, held, weights)
