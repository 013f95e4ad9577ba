"""The streams family: task assignors of Kafka Streams on the classic group protocol (KIP-441, KIP-708, KIP-924, KIP-925).

It includes the criteria of reports for task assignors, and the applications that show most.
"""

from collections.abc import Mapping

from kassay.families.family import SAFE, Family, Probing, Question, Setting, Tunable, Where
from kassay.families.shapes.tasks import TASKS, oracles, share
from kassay.model.tasks import Settings
from kassay.oracles.streams import ORACLES, WORST
from kassay.properties.streams import EXPECTED, INVARIANTS, LAWS, LEGAL, MEASURES, RUN_MEASURES, SITUATIONS
from kassay.properties.tasks.applications import GROWING
from kassay.properties.tasks.rounds import bound_rebalances, build_follow_up
from kassay.reference.streams.rack_aware.optimise import warnings

_SEVERAL = "applications with two clients or more"

SETTABLE: Mapping[str, Setting] = {
    "streams/high-availability": Setting(
        (), "all instances", True, "leave task.assignor.class unset", cooperative=True
    ),
    "streams/sticky": Setting(
        ("task.assignor.class=org.apache.kafka.streams.processor.assignment.assignors.StickyTaskAssignor",),
        "all instances",
        note="the setting exists from Kafka Streams 3.8 on",
        cooperative=True,
        how="one rolling restart; until it is over, the instance that leads the group decides by its own setting",
    ),
}
"""The settings of the classic protocol. `consumer.partition.assignment.strategy` is accepted and has no effect: Streams always uses its own.

The streams-group family has the move to `group.protocol=streams`. Source: KIP-924; StreamsConfig of kafka-streams 4.3; a run of 4.3.1.
"""
STREAMS_INSIDE = ("streams/legacy-sticky", "streams/fallback-prior")

STANDBYS = "standbys shorten the time without a task whose client is lost, and cost disk and network for as long as all goes well"
TAGS = "tags keep the copies of a task apart, so that not all are lost with one zone"
"""The gains and costs of both settings, in both protocols."""

_USUAL = Settings()
TUNABLE: Mapping[str, Tunable] = {
    "acceptable.recovery.lag": Tunable(
        "all instances", _USUAL.acceptable_recovery_lag,
        "with more, a task may move before its new client has caught up, and does not run while the rest is restored",
    ),
    "max.warmup.replicas": Tunable(
        "all instances", _USUAL.max_warmup_replicas,
        "with more, moving tasks need fewer rebalances, and more is restored at a time",
    ),
    "num.standby.replicas": Tunable("all instances", _USUAL.num_standby_replicas, STANDBYS),
    "rack.aware.assignment.tags": Tunable("all instances", [], TAGS),
    "rack.aware.assignment.strategy": Tunable("all instances", _USUAL.rack_aware_assignment_strategy),
    "rack.aware.assignment.traffic_cost": Tunable("all instances", None),
    "rack.aware.assignment.non_overlap_cost": Tunable("all instances", None),
}  # fmt: skip
"""Source: StreamsConfig of kafka-streams 4.3; KIP-441, KIP-708, KIP-925."""


QUESTIONS = (
    SAFE,
    Question(
        "even", "active tasks as even by threads as single moves make them, unless a probing rebalance is to follow",
        of=Where((), ("single_client",), _SEVERAL), keeps=("active_balanced",), noun="balance",
    ),
    Question(
        "caught up", "no task active at a client that has to restore it while another has not",
        of=Where((), ("single_client", "new_application"), f"{_SEVERAL} that have run before"), keeps=("caught_up",),
        noun="caught-up active tasks",
    ),
    Question(
        "covered", "as many standbys as configured, as far as there are clients",
        of=Where(("standbys",), ("single_client",), f"{_SEVERAL} and standbys configured"), keeps=("enough_standbys",),
        noun="standby coverage",
    ),
    Question(
        "spread", "standbys on as many values of each tag as single moves reach, unless a probing rebalance is to follow",
        of=Where(("standbys", "tags"), ("single_client",), f"{_SEVERAL}, standbys and tags configured"), keeps=("distinct_tags",),
        noun="standby distribution over tags",
    ),
)  # fmt: skip
"""The columns of the matrix that a report begins with."""

TELLING = Where(
    ("newcomer",),
    ("double_claim", "missing_tag", "partial_racks", "unknown_lag", "single_client"),
    "applications that a client joins",
)
"""A client joins an application that runs well: what operators see most often."""


STREAMS = Family(
    name="streams",
    shape=TASKS,
    invariants=INVARIANTS,
    laws=LAWS,
    measures=MEASURES,
    situations=SITUATIONS,
    expected=EXPECTED,
    run_measures=RUN_MEASURES,
    legal=LEGAL,
    oracles=oracles(ORACLES, WORST),
    growing=GROWING,
    leads_on=lambda group, _, following: group.clients[0].id == following.clients[0].id,
    warnings=warnings,
    provisional=lambda answer: bool(answer.probing),
    probing=Probing(build_follow_up, bound_rebalances),
    timeline_measures=("active_moves", "not_caught_up"),
    questions=QUESTIONS,
    share=share,
    telling=TELLING,
    settable=SETTABLE,
    tunable=TUNABLE,
    inside=STREAMS_INSIDE,
)
