"""The settings that assignors read of a group or an application: where they are set, their defaults, and what they trade."""

from collections.abc import Mapping

from kassay.family import Tunable
from kassay.model.config import OTHERS
from kassay.model.tasks import Settings
from kassay.model.workers import FIVE_MINUTES_MS

_USUAL = Settings()
_PROPOSED = "it is read by the studies of the client-side assignment proposal, and by no release of Kafka"
_STANDBYS = "standbys shorten the time without a task whose client is lost, and cost disk and network for as long as all goes well"
_TAGS = "tags keep the copies of a task apart, so that not all are lost with one zone"

CONSUMER: Mapping[str, Tunable] = {
    "rack.from.host": Tunable("all members", None, _PROPOSED),
    "joined.topics": Tunable("all members", [], _PROPOSED),
    "other.topics.assignor": Tunable("all members", OTHERS[0], _PROPOSED),
}
"""Source: the client-side assignment proposal."""

STREAMS: Mapping[str, Tunable] = {
    "acceptable.recovery.lag": Tunable(
        "all instances", _USUAL.acceptable_recovery_lag,
        "more lets a task move before it has caught up there, and what it lacks is restored while nobody runs it",
    ),
    "max.warmup.replicas": Tunable(
        "all instances", _USUAL.max_warmup_replicas,
        "with more, tasks that are to move take fewer rebalances, and more is restored at a time",
    ),
    "num.standby.replicas": Tunable("all instances", _USUAL.num_standby_replicas, _STANDBYS),
    "rack.aware.assignment.tags": Tunable("all instances", [], _TAGS),
    "rack.aware.assignment.strategy": Tunable("all instances", _USUAL.rack_aware_assignment_strategy),
    "rack.aware.assignment.traffic_cost": Tunable("all instances", None),
    "rack.aware.assignment.non_overlap_cost": Tunable("all instances", None),
}  # fmt: skip
"""Source: StreamsConfig of kafka-streams 4.3; KIP-441, KIP-708, KIP-925."""

STREAMS_GROUP: Mapping[str, Tunable] = {
    "num.standby.replicas": Tunable("the group, as streams.num.standby.replicas", 0, _STANDBYS),
    "rack.aware.assignment.tags": Tunable("all instances", [], _TAGS),
}
"""Source: KIP-1071."""

CONNECT: Mapping[str, Tunable] = {
    "scheduled.rebalance.max.delay.ms": Tunable(
        "all workers", FIVE_MINUTES_MS,
        "for so long nobody runs what a lost worker ran, and if that worker comes back in time nothing else moves",
    )
}  # fmt: skip
"""Source: KIP-415; DistributedConfig."""
