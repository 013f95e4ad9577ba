"""The broker family: assignors of consumer groups that the group coordinator runs (KIP-848)."""

from collections.abc import Mapping

from kassay.families.consumer import QUESTIONS, TELLING
from kassay.families.family import Aspect, Crossing, Family, Migration, Setting, Where
from kassay.families.shapes.partitions import (
    list_coordinator_refusals,
    make_single_owner_shape,
    moves_optimal,
    oracles,
    refuse_unknown_fields,
)
from kassay.oracles.consumer import ORACLES, WORST
from kassay.properties.broker import EXPECTED, INVARIANTS, LAWS, LEGAL, MEASURES, RUN_MEASURES, SITUATIONS
from kassay.properties.partitions.events import OF_BROKERS
from kassay.properties.partitions.groups import GROWING

MOVING = (
    Aspect("imbalance", "imbalance"),
    Aspect("moves when a member joins", "moves", Where(("newcomer",), ("orphaned_partition",))),
    Aspect("moves when a member leaves", "moves", Where(("orphaned_partition",), ("newcomer",))),
    Aspect("reads across racks", "cross_rack", Where(("racks",))),
    Aspect("balance above the optimum", "balance", level=True),
    Aspect("moves above the optimum", "moves", level=True),
    Aspect("reads across racks above the optimum", "cross-rack", Where(("racks",)), level=True),
)
"""The values that a report shows for a migration from the classic protocol to KIP-848."""


def _remote(name: str, *, default: bool = False) -> Setting:
    lines = ("group.protocol=consumer", f"group.remote.assignor={name}")
    note = "KIP-848: members hand partitions over one by one and read on"
    return Setting(lines, "all members", default, note, cooperative=True)


SETTABLE: Mapping[str, Setting] = {
    "broker/uniform": _remote("uniform", default=True),
    "broker/range": _remote("range"),
}
"""Source: KIP-848; the first of group.consumer.assignors is the default."""


BROKER = Family(
    name="broker",
    shape=make_single_owner_shape(OF_BROKERS),
    invariants=INVARIANTS,
    laws={**LAWS, "moves_optimal": moves_optimal(lambda assign, group: assign(group))},
    measures=MEASURES,
    situations=SITUATIONS,
    expected=EXPECTED,
    run_measures=RUN_MEASURES,
    legal=LEGAL,
    oracles=oracles({asked: says for asked, says in ORACLES.items() if asked != "redundancy"}, WORST),
    growing=GROWING,
    timeline_measures=("moves",),
    crossing=Crossing("cross-rack", "partitions", Where(("racks",), ("unread_topic",))),
    questions=QUESTIONS,
    telling=TELLING,
    settable=SETTABLE,
    refused=refuse_unknown_fields,
    migrations={
        "consumer": Migration(
            list_coordinator_refusals,
            "What changes when I move from the classic protocol to KIP-848?",
            MOVING,
        )
    },
)
