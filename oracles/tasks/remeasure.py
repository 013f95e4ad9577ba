"""The values of a question's levels, as the measures of the streams family give them."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.tasks.question import BALANCE, TOTAL_BALANCE, Question
from kassay.properties.tasks import measures

Measure = Callable[[Application, TaskAssignment], int]
RACK = "rack"


def remeasure(application: Application, answer: TaskAssignment, asked: Question) -> dict[str, int]:
    """Return what an answer is worth in each level of a question."""
    return {level: MEASURES[level](application, answer) for level in asked.levels}


def _spread(application: Application, answer: TaskAssignment) -> int:
    """Count collisions of tags; where no tags are configured, of racks as if these were a tag."""
    if not application.settings.rack_aware_assignment_tags:
        tags = replace(application.settings, rack_aware_assignment_tags=(RACK,))
        racks = list(dict.fromkeys(client.rack for client in application.clients if client.rack))
        clients = tuple(
            replace(client, tags=((RACK, str(racks.index(client.rack))),) if client.rack else ())
            for client in application.clients
        )
        application = replace(application, clients=clients, settings=tags)
    return measures.tag_collisions(application, answer)


def _sum(*parts: Measure) -> Measure:
    return lambda application, answer: sum(part(application, answer) for part in parts)


MEASURES: Mapping[str, Measure] = {
    BALANCE: measures.active_imbalance,
    TOTAL_BALANCE: measures.total_imbalance,
    "spread": _spread,
    "active": measures.cross_rack,
    "standby": measures.cross_rack_standby,
    "joint": _sum(measures.cross_rack, measures.cross_rack_standby),
    "moves": _sum(measures.active_moves, measures.standby_moves),
    "restore": measures.not_caught_up,
}
"""Level -> what its value is."""
