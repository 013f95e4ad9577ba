"""The consumer family: client-side assignors of the classic group protocol."""

from typing import Any

from kassay.families.consumer_questions import QUESTIONS, TELLING
from kassay.families.settable import CONSUMER as SETTABLE
from kassay.families.tunable import CONSUMER as TUNABLE
from kassay.family import Crossing, Family, Migration, Where
from kassay.model import Assignment, Assignor, Group
from kassay.oracles.consumer import ORACLES, WORST
from kassay.properties.consumer import EXPECTED, INVARIANTS, LAWS, LEGAL, MEASURES, RUN_MEASURES, SITUATIONS
from kassay.properties.partitions.doubling import GROWING
from kassay.properties.partitions.rounds import rejoined
from kassay.reference.consumer.members import in_leader_order
from kassay.shape import Assign
from kassay.shapes.partitions.gaps import moves_optimal
from kassay.shapes.partitions.migrations import beyond_clients
from kassay.shapes.partitions.oracles import oracles
from kassay.shapes.partitions.shape import PARTITIONS


def _settled(assign: Assign, group: Group) -> Assignment:
    from kassay.engine.settle import rest

    answer: Assignment = rest(CONSUMER, assign, group).answer
    return answer


def _adapt(attribute: Any) -> Assignor | None:
    from kassay.clients import adapt, cooperates, instance

    assign = adapt(attribute)
    if assign is None:
        return None
    expected = EXPECTED | {"instance_isolated"}
    if cooperates(attribute):
        expected = expected - {"complete"} | {"cooperative", "settling"}
    name = getattr(attribute, "__name__", type(attribute).__name__)
    return Assignor(name, assign, expected, attribute.__module__, instance=lambda: instance(attribute))


CONSUMER = Family(
    name="consumer",
    shape=PARTITIONS,
    invariants=INVARIANTS,
    laws={**LAWS, "moves_optimal": moves_optimal(_settled)},
    measures=MEASURES,
    situations=SITUATIONS,
    expected=EXPECTED,
    run_measures=RUN_MEASURES,
    legal=LEGAL,
    oracles=oracles(ORACLES, WORST, _settled),
    rejoined=rejoined,
    withheld=frozenset({"complete"}),
    leader_order=in_leader_order,
    growing=GROWING,
    timeline_measures=("moves",),
    crossing=Crossing("cross-rack", "partitions", Where(("racks",), ("unread_topic",))),
    questions=QUESTIONS,
    telling=TELLING,
    settable=SETTABLE,
    by_name=("consumer/redundant",),
    tunable=TUNABLE,
    adapt=_adapt,
    migrations={"broker": Migration(beyond_clients)},
)
