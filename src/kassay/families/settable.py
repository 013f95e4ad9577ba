"""Which assignors an operator can set in Kafka, how, which are the default, and which stand inside Kafka; all others are studies."""

from collections.abc import Mapping

from kassay.family import Setting

_MEMBERS = "all members"
_EAGER = "all members stop reading at every rebalance"


_TWICE = "two rolling restarts, the first with both names"
_ONCE = "one rolling restart where no strategy was ever set, else two, the first with both names"


def _strategy(name: str, note: str, *, default: bool = False, cooperative: bool = False) -> Setting:
    line = f"partition.assignment.strategy=org.apache.kafka.clients.consumer.{name}"
    return Setting((line,), _MEMBERS, default, note, cooperative, _ONCE if cooperative else _TWICE)


CONSUMER: Mapping[str, Setting] = {
    "consumer/range": _strategy("RangeAssignor", f"eager: {_EAGER}", default=True),
    "consumer/roundrobin": _strategy("RoundRobinAssignor", f"eager: {_EAGER}"),
    "consumer/sticky": _strategy("StickyAssignor", f"eager: {_EAGER} (not so with cooperative-sticky)"),
    "consumer/cooperative-sticky": _strategy(
        "CooperativeStickyAssignor",
        "cooperative: members read on, but for the partitions that they hand over",
        cooperative=True,
    ),
}
"""Source: ConsumerConfig, and KIP-429 for the restarts, as members without a strategy in common cannot be in one group; the default names range and cooperative-sticky, and a group takes the first that all its members have."""


def _remote(name: str, *, default: bool = False) -> Setting:
    lines = ("group.protocol=consumer", f"group.remote.assignor={name}")
    note = "KIP-848: members hand partitions over one by one and read on"
    return Setting(lines, _MEMBERS, default, note, cooperative=True)


BROKER: Mapping[str, Setting] = {
    "broker/uniform": _remote("uniform", default=True),
    "broker/range": _remote("range"),
}
"""Source: KIP-848; the first of group.consumer.assignors is the default."""

SHARE: Mapping[str, Setting] = {
    "share/simple": Setting(
        (), "the brokers", True, "leave group.share.assignors out: there is no other one", cooperative=True
    )
}
"""Source: KIP-932."""

STREAMS: Mapping[str, Setting] = {
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

Other settings of an assignor, such as `num.standby.replicas`, are in :mod:`kassay.families.tunable`. STREAMS_GROUP
has the move to `group.protocol=streams`. Source: KIP-924; StreamsConfig of kafka-streams 4.3; a run of 4.3.1.
"""
STREAMS_INSIDE = ("streams/legacy-sticky", "streams/fallback-prior")

STREAMS_GROUP: Mapping[str, Setting] = {
    "streams-group/sticky": Setting(
        ("group.protocol=streams",),
        "all instances",
        True,
        "the brokers need streams groups (KIP-1071), and have no other task assignor",
        cooperative=True,
        how="a full stop: shut down all instances, wait for session.timeout.ms and start them with this line. "
        "Offsets and internal topics stay",
    )
}
"""Source: KIP-1071; Kafka's page "Streams Rebalance Protocol"."""

CONNECT: Mapping[str, Setting] = {
    "connect/incremental-cooperative": Setting(
        ("connect.protocol=sessioned",),
        "all workers",
        True,
        "a worker stops only what it hands over",
        cooperative=True,
        how="one rolling restart, and takes effect when the last worker has it",
    ),
    "connect/eager": Setting(
        ("connect.protocol=eager",),
        "all workers",
        note="all workers stop all connectors and tasks at every rebalance",
        how="one rolling restart, and takes effect when the first worker has it",
    ),
}
"""A worker offers all protocols up to its own, and the group uses the best one that all workers offer.

Source: KIP-415 and KIP-507; IncrementalCooperativeConnectProtocol.
"""
