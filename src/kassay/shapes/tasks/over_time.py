"""Sequences of rebalances of applications, as the engine asks for them."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from kassay.family import Rounds, Sequences
from kassay.model.tasks import Application, TaskAssignment
from kassay.model.tasks_json import write_group
from kassay.oracles.answers import OverTime
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.tasks.levels import LEVELS, OVER_TIME
from kassay.properties.tasks import sequences
from kassay.shape import Assign
from kassay.shapes.proved import verified


def _rounds(assign: Assign, timeline: Any) -> Iterator[Rounds]:
    return sequences.rounds(assign, timeline)


def _totals(played: Sequence[Rounds]) -> Mapping[str, int]:
    """Sum what passes, such as moves, of every answer, probing ones too; what lasts after the last one of each rebalance."""
    return {
        name: sum(
            level.measure(*each)
            for rounds in played
            for each in (rounds if level.words.passing else rounds[-1:])
        )
        for name, level in LEVELS.items()
        if level.words.passing or level.traded
    }


def _squares(application: Application, answer: TaskAssignment) -> tuple[Fraction, Fraction]:
    """Return the sums of the clients' squared loads by threads, of active tasks and of all copies."""
    active = every = Fraction(0)
    for client in application.clients:
        given = answer.clients[client.id]
        active += Fraction(len(given.active) ** 2, client.threads)
        every += Fraction((len(given.active) + len(given.standby)) ** 2, client.threads)
    return active, every


def _uneven(application: Application, answer: TaskAssignment) -> bool:
    return _squares(application, answer) > _least(application)


@lru_cache(maxsize=256)  # several targets come through the same rebalances
def _least(application: Application) -> tuple[Fraction, Fraction]:
    from kassay.oracles.tasks.optimum import optimum

    return _squares(application, optimum(BALANCE, application, None).assignment)


def _optimum(question: str, timeline: Any, time_limit_s: float | None) -> OverTime:
    from kassay.oracles.tasks.over_time import over_time

    return over_time(question, sequences.stages(timeline), time_limit_s)


def _verify(application: Application, events: tuple[str, int], answer: Any) -> tuple[bool | None, str]:
    return verified("tasks", {"family": "streams", **write_group(application)}, answer, events)


def _members(application: Application) -> list[str]:
    return [each.id for each in application.clients]


ASSUMED = {
    "restart": "clients come back without their state, as in a container without a volume. With their disks they have less to restore.",
    "bounce": "clients leave one after the other before the first is back, and come back without their state.",
}
SEQUENCES = Sequences(
    sequences.SEQUENCES, OVER_TIME, _rounds, _totals, _uneven, _optimum, _verify, _members, ASSUMED
)
