"""The consumer family: client-side assignors of the classic group protocol.

It includes the criteria of reports for consumer assignors, and the groups that show most.
"""

from collections.abc import Mapping

from kassay.families.convergence import rest
from kassay.families.family import SAFE, Crossing, Family, Migration, Setting, Tunable, Where, make_question
from kassay.families.shape import Assign
from kassay.families.shapes.partitions import PARTITIONS, list_client_refusals, moves_optimal, oracles
from kassay.model import Assignment, Group
from kassay.model.config import OTHERS
from kassay.oracles.consumer import ORACLES, WORST
from kassay.oracles.partitions.levels import LEVELS
from kassay.properties.consumer import EXPECTED, INVARIANTS, LAWS, LEGAL, MEASURES, RUN_MEASURES, SITUATIONS
from kassay.properties.partitions.groups import GROWING
from kassay.properties.partitions.rounds import build_follow_up
from kassay.reference.consumer.members import apply_leader_order

QUESTIONS = (SAFE, *(make_question(level.words) for level in LEVELS.values() if level.words.judged))
"""The columns of the first table of a report."""

TELLING = Where(
    ("newcomer", "racks_decide"),
    (
        "mixed_subscriptions", "idle_members", "orphaned_partition", "stale_claim", "double_claim", "vanished_partition",
        "vanished_topic", "unknown_topic", "partial_racks", "distant_member", "hostile_name", "hostile_rack",
    ),
    "groups that a member joins, where all read the same topics and racks can change the outcome",
)  # fmt: skip
"""A member joins a group that runs well: what operators see most often."""


_EAGER = "all members stop reading at every rebalance"
_TWICE = "two rolling restarts, the first with both names"
_ONCE = "one rolling restart where no strategy was ever set, else two, the first with both names"


def _strategy(name: str, note: str, *, default: bool = False, cooperative: bool = False) -> Setting:
    line = f"partition.assignment.strategy=org.apache.kafka.clients.consumer.{name}"
    return Setting((line,), "all members", default, note, cooperative, _ONCE if cooperative else _TWICE)


SETTABLE: Mapping[str, Setting] = {
    "consumer/range": _strategy("RangeAssignor", f"eager: {_EAGER}", default=True),
    "consumer/roundrobin": _strategy("RoundRobinAssignor", f"eager: {_EAGER}"),
    "consumer/sticky": _strategy("StickyAssignor", f"eager: {_EAGER} (not so with cooperative-sticky)"),
    "consumer/cooperative-sticky": _strategy(
        "CooperativeStickyAssignor",
        "cooperative: members read on, but for the partitions that they hand over",
        cooperative=True,
    ),
}
"""Members need a common strategy to be in one group, which explains the restarts.

The default lists range and cooperative-sticky, and a group takes the first strategy that all members have.
Source: ConsumerConfig; KIP-429.
"""

_PROPOSED = "it is read by the studies of the client-side assignment proposal, and by no release of Kafka"
TUNABLE: Mapping[str, Tunable] = {
    "rack.from.host": Tunable("all members", None, _PROPOSED),
    "joined.topics": Tunable("all members", [], _PROPOSED),
    "other.topics.assignor": Tunable("all members", OTHERS[0], _PROPOSED),
}
"""Source: the client-side assignment proposal."""


def _converge(assign: Assign, group: Group) -> Assignment:
    answer: Assignment = rest(CONSUMER, assign, group).answer
    return answer


CONSUMER = Family(
    name="consumer",
    shape=PARTITIONS,
    invariants=INVARIANTS,
    laws={**LAWS, "moves_optimal": moves_optimal(_converge)},
    measures=MEASURES,
    situations=SITUATIONS,
    expected=EXPECTED,
    run_measures=RUN_MEASURES,
    legal=LEGAL,
    oracles=oracles(ORACLES, WORST, _converge),
    rejoined=build_follow_up,
    withheld=frozenset({"complete"}),
    leader_order=apply_leader_order,
    leads_on=lambda group, _, following: group.members[0].id == following.members[0].id,
    growing=GROWING,
    timeline_measures=("moves",),
    crossing=Crossing("cross-rack", "partitions", Where(("racks",), ("unread_topic",))),
    questions=QUESTIONS,
    telling=TELLING,
    settable=SETTABLE,
    by_name=("consumer/redundant",),
    tunable=TUNABLE,
    migrations={"broker": Migration(list_client_refusals)},
)
