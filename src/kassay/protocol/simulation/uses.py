"""The uses of simulated groups: the assignor, the shared items, and their changes."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from kassay.model import Assignor, Topic, TopicPartition
from kassay.protocol.simulation.schedule import Setting
from kassay.reference.consumer.roundrobin import assign as round_robin
from kassay.reference.consumer.sticky.cooperative import assign as cooperative_sticky
from kassay.reference.group.member.state import Use
from kassay.reference.group.uses.connect import CONNECT, CONNECTOR, Connectors, Task
from kassay.reference.group.uses.consumer import (
    SINGLE_WRITER,
    WRITER,
    Strategy,
    Subscription,
    consumer,
    match_topics,
)
from kassay.reference.group.uses.streams import Task as StreamsTask
from kassay.reference.group.uses.streams import Topology, streams

Assign: TypeAlias = Callable[[Any], Any]
Cluster: TypeAlias = Any
Change: TypeAlias = Callable[[Cluster, int], Cluster]
RACKS = ("a", "b", "c")


class Program(Struct, frozen=True):
    """The program of a member's process: a use, and the differences to other programs."""

    says: str
    use: Callable[[Setting, Assign], Use]
    subscribes: Callable[[Any], Any] = lambda subscription: subscription
    """Changes the first subscription of members."""
    careful: bool = False
    """True if its leader assigns again in the same generation only if nothing moves from one member to another."""


class Simulated(Struct, frozen=True):
    """A simulated use."""

    programs: tuple[Program, ...]
    """All members begin with the first program. An upgrade goes over the second to the third."""
    family: str | None
    """The family of the assignor; None if the use assigns by itself."""
    subscription: Callable[[Setting, int, int | None], Hashable]
    """The subscription of a member, by its number, and by the number of a fault, None at first."""
    cluster: Callable[[Setting], Cluster]
    grown: Change
    """The cluster with one more partition or task in the topic or connector of a number."""
    moved: Change
    """The cluster with the topic of a number on other racks."""
    created: Change
    """The cluster with one more topic, of a number of partitions."""
    whole: Callable[[Cluster, Iterable[Any]], Iterable[Hashable]]
    """All items that members with these subscriptions share."""
    unfit: frozenset[str] = frozenset()
    """Faults that have no effect here, or from which the group cannot recover."""
    knows_static: bool = False
    """True if its members may have instance ids."""


def _run_strategies(says: str, strategies: Callable[[Strategy], Iterable[Strategy]], **more: Any) -> Program:
    """Return the program of a consumer that supports these strategies, made from the one of the target."""

    def use(setting: Setting, assign: Assign) -> Use:
        own = Strategy(name="own", assign=assign, cooperative=setting.cooperative)
        return consumer(*strategies(own))

    return Program(says, use, **more)


def _make_next(own: Strategy) -> Strategy:
    assign = cooperative_sticky if own.cooperative else round_robin
    return Strategy(name="next", assign=assign, cooperative=own.cooperative)


COOPERATIVE = Strategy(name="cooperative", assign=cooperative_sticky, cooperative=True)
CONSUMERS = (
    _run_strategies("supports the given strategy", lambda own: (own,)),
    _run_strategies("also supports another one, which it prefers", lambda own: (_make_next(own), own)),
    _run_strategies("supports only the other one", lambda own: (_make_next(own),)),
    _run_strategies("has metadata of the oldest version", lambda own: (replace(own, version=0),)),
    _run_strategies(
        "has metadata of the oldest version, and prefers metadata of the newest version under another name",
        lambda own: (replace(own, name="newest"), replace(own, version=0)),
    ),
    _run_strategies("also supports a cooperative strategy, which it prefers", lambda own: (COOPERATIVE, own)),
    _run_strategies("supports only the cooperative one", lambda _: (COOPERATIVE,)),
    _run_strategies("has no rack", lambda own: (own,), subscribes=lambda wants: replace(wants, rack=None)),
    _run_strategies(
        "subscribes to all topics by a regular expression", lambda own: (own,),
        subscribes=lambda wants: replace(wants, topics=(), pattern="t[0-9]+"),
    ),
    _run_strategies(
        "has no rack, and is a careful leader: it synchronises again in a generation only if no item moves to another member",
        lambda own: (own,), careful=True, subscribes=lambda wants: replace(wants, rack=None),
    ),
)  # fmt: skip
"""Programs of consumers, by the numbers that schedules give them."""


def _subscribe(setting: Setting, slot: int, number: int | None) -> Subscription:
    every = tuple(f"t{topic}" for topic in range(len(setting.partitions)))
    topics = every if number is None else every[number : number + 1] or every
    return Subscription(topics=topics, rack=RACKS[slot % len(RACKS)])


def _make_topic(number: int, partitions: int) -> Topic:
    racks = tuple((RACKS[(number + one) % len(RACKS)],) for one in range(partitions))
    return Topic(f"t{number}", partitions, racks)


def _make_topics(setting: Setting) -> tuple[Topic, ...]:
    return tuple(map(_make_topic, range(len(setting.partitions)), setting.partitions))


def _grow_topic(topics: tuple[Topic, ...], number: int) -> tuple[Topic, ...]:
    at = number % len(topics)
    return (*topics[:at], _make_topic(at, topics[at].partitions + 1), *topics[at + 1 :])


def _move_topic(topics: tuple[Topic, ...], number: int) -> tuple[Topic, ...]:
    at = number % len(topics)
    topic, racks = topics[at], topics[at].racks or ()
    return (*topics[:at], Topic(topic.name, topic.partitions, racks[1:] + racks[:1]), *topics[at + 1 :])


def _create_topic(topics: tuple[Topic, ...], partitions: int) -> tuple[Topic, ...]:
    return (*topics, _make_topic(len(topics), max(1, partitions)))


def _list_partitions(topics: tuple[Topic, ...], subscriptions: Iterable[Any]) -> Iterable[Hashable]:
    # The subscription of a member, or the metadata that it sent
    wanted = {
        name
        for one in subscriptions
        for name in (match_topics(one, topics) if type(one) is Subscription else one.topics)
    }
    return (partition for topic in topics if topic.name in wanted for partition in topic)


def _make_streams(setting: Setting, assign: Assign) -> Use:
    promises = frozenset({"cooperative"} if setting.cooperative else ())
    return streams(Assignor("streams/own", assign, promises, "the given function"))


def _list_tasks(topics: tuple[Topic, ...], _subscriptions: Iterable[Any]) -> Iterable[Hashable]:
    return (
        StreamsTask(TopicPartition(f"g{number}", partition.partition), (partition,))
        for number, topic in enumerate(topics)
        for partition in topic
    )


def _grow_connector(connectors: Connectors, number: int) -> Connectors:
    at = number % len(connectors.tasks)
    tasks = tuple((name, count + (n == at)) for n, (name, count) in enumerate(connectors.tasks))
    return Connectors(connectors.offset + 1, tasks)


def _build_url(_setting: Setting, slot: int, number: int | None) -> str:
    return f"http://worker{slot}" if number is None else f"http://worker{slot}:{number}"


def _keep(cluster: Cluster, _number: int) -> Cluster:
    return cluster


USES: dict[str, Simulated] = {
    "consumer": Simulated(
        CONSUMERS, "consumer", _subscribe, _make_topics, _grow_topic, _move_topic, _create_topic, _list_partitions, knows_static=True,
    ),
    "streams": Simulated(
        (Program("the streams application", _make_streams),), "consumer",
        lambda setting, _slot, _number: Topology(
            tuple((f"g{number}", (f"t{number}",)) for number in range(len(setting.partitions)))
        ),
        _make_topics, _grow_topic, _move_topic, _create_topic, _list_tasks,
        frozenset({"subscribe", "upgrade", "racks", "unreadable", "stranger", "rolling-upgrade"}),
    ),
    "connect": Simulated(
        (Program("the worker", lambda *_: CONNECT),), None, _build_url,
        lambda setting: Connectors(0, tuple((f"c{number}", tasks) for number, tasks in enumerate(setting.partitions))),
        _grow_connector, _keep, _keep,
        lambda connectors, _: (Task(name, number) for name, count in connectors.tasks for number in range(CONNECTOR, count)),
        frozenset({"upgrade", "racks", "unreadable", "stranger", "rolling-upgrade"}),
    ),
    "single-writer": Simulated(
        (Program("the writer", lambda *_: SINGLE_WRITER),), None, _build_url, lambda _: None, _keep, _keep, _keep,
        lambda _cluster, subscriptions: WRITER if any(True for _ in subscriptions) else (),
        frozenset({"upgrade", "racks", "grow", "unreadable", "stranger", "rolling-upgrade"}),
    ),
}  # fmt: skip
"""The uses by the names that schedules and the command line use.

Consumers and Kafka Streams share topics, Connect shares connectors, and single writers share only the right to write.
"""
