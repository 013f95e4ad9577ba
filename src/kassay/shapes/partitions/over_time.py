"""Sequences of rebalances of groups of topics and members, as the engine asks for them."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from kassay.family import Rounds, Sequences
from kassay.model import Assignment, Group
from kassay.model.hosts import without_rule
from kassay.model.partitions_json import write_group
from kassay.oracles.answers import OverTime
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.partitions.levels import LEVELS, OVER_TIME
from kassay.properties.partitions import sequences
from kassay.properties.partitions.measures import square_imbalance
from kassay.shape import Assign
from kassay.shapes.proved import verified


def _rounds(assign: Assign, timeline: Any) -> Iterator[Rounds]:
    return sequences.rounds(assign, timeline)


def _totals(played: Sequence[Rounds]) -> Mapping[str, int]:
    """Sum what passes, such as moves, of every round, as what is withheld first moves then; what lasts after the last round of each rebalance."""
    return {
        name: sum(
            level.measure(*each)
            for rounds in played
            for each in (rounds if level.words.passing else rounds[-1:])
        )
        for name, level in LEVELS.items()
        if level.words.counts != "loads"
    }


def _uneven(group: Group, answer: Assignment) -> bool:
    return square_imbalance(group, answer) > _least(group)


@lru_cache(maxsize=256)  # several targets come through the same rebalances
def _least(group: Group) -> int:
    from kassay.oracles.partitions.optimum import optimum

    return square_imbalance(group, optimum(BALANCE, group).assignment)


def _optimum(question: str, timeline: Any, time_limit_s: float | None) -> OverTime:
    from kassay.oracles.partitions.over_time import over_time

    return over_time(question, sequences.stages(timeline), time_limit_s)


def _verify(group: Group, events: tuple[str, int], answer: Any) -> tuple[bool | None, str]:
    return verified("partitions", write_group(without_rule(group)), answer, events)


def _members(group: Group) -> list[str]:
    return [each.id for each in group.members]


ASSUMED = {
    "restart": "members come back under new ids. Static members (group.instance.id) that come back in time cause no rebalance at all.",
    "bounce": "members leave one after the other before the first is back, and come back under new ids.",
}
SEQUENCES = Sequences(
    sequences.SEQUENCES, OVER_TIME, _rounds, _totals, _uneven, _optimum, _verify, _members, ASSUMED
)
