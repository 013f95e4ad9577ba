"""Sequences of rebalances of groups of topics and members, as the engine asks for them."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from kassay.family import Rounds, Sequences
from kassay.model import Assignment, Group
from kassay.model.shaped import shaped
from kassay.oracles.answers import OverTime
from kassay.oracles.partitions.question import OVER_TIME
from kassay.properties.partitions import sequences
from kassay.properties.partitions.measures import cross_rack, moves, square_imbalance
from kassay.shape import Assign


def _rounds(assign: Assign, timeline: Any) -> Iterator[Rounds]:
    return sequences.rounds(assign, timeline)


def _totals(played: Sequence[Rounds]) -> Mapping[str, int]:
    """Sum the moves of every round, as what is withheld first is a move then, and what is read across racks after the last round of each rebalance."""
    return {
        "moves": sum(moves(group, answer) for rounds in played for group, answer in rounds),
        "cross-rack": sum(cross_rack(*rounds[-1]) for rounds in played),
    }


def _uneven(group: Group, answer: Assignment) -> bool:
    return square_imbalance(group, answer) > _least(group)


@lru_cache(maxsize=256)  # several targets come through the same rebalances
def _least(group: Group) -> int:
    from kassay.oracles.partitions.optimum import optimum

    return square_imbalance(group, optimum("balance", group).assignment)


def _optimum(question: str, timeline: Any, time_limit_s: float | None) -> OverTime:
    from kassay.oracles.partitions.over_time import over_time

    return over_time(question, sequences.stages(timeline), time_limit_s)


def _verify(timeline: Any, answer: Any, measured: Mapping[str, int] | None) -> tuple[bool | None, str]:
    from kassay.oracles.over_time.answer import OverTimeForm, verified
    from kassay.oracles.partitions.over_time import asked_over_time, encode

    stated = shaped(answer, OverTimeForm)
    stages = sequences.stages(timeline)
    encoded = encode(stages, asked_over_time(stated.question))
    return verified(encoded.sequence, stated, len(stages), measured)


ASSUMED = {
    "restart": "members come back under new ids. Static members (group.instance.id) that come back in time cause no rebalance at all.",
    "bounce": "members leave one after the other before the first is back, and come back under new ids.",
}
SEQUENCES = Sequences(sequences.SEQUENCES, OVER_TIME, _rounds, _totals, _uneven, _optimum, _verify, ASSUMED)
