"""The uses of simulated groups: who assigns, what members share, and how that changes."""

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
    topics_of,
)
from kassay.reference.group.uses.streams import Task as StreamsTask
from kassay.reference.group.uses.streams import Topology, streams

Assign: TypeAlias = Callable[[Any], Any]
Cluster: TypeAlias = Any
Change: TypeAlias = Callable[[Cluster, int], Cluster]
RACKS = ("a", "b", "c")


class Program(Struct, frozen=True):
    """The program of a member's process: a use, and how its members differ from others."""

    says: str
    use: Callable[[Setting, Assign], Use]
    subscribes: Callable[[Any], Any] = lambda subscription: subscription
    """Changes the subscription that members begin with."""
    careful: bool = False
    """True if its leader assigns again in the same generation only if nothing moves from one member to another."""


class Simulated(Struct, frozen=True):
    """A use under simulation."""

    programs: tuple[Program, ...]
    """The first program is that of all members at the beginning; an upgrade goes over the second to the third."""
    family: str | None
    """The family of the assignor; None if the use assigns by itself."""
    subscription: Callable[[Setting, int, int | None], Hashable]
    """The subscription of a member, by its number: at first (None), and by the number of a fault."""
    cluster: Callable[[Setting], Cluster]
    grown: Change
    """The cluster with one more to share in the topic of a number."""
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


def _next(own: Strategy) -> Strategy:
    assign = cooperative_sticky if own.cooperative else round_robin
    return Strategy(name="next", assign=assign, cooperative=own.cooperative)


def _without_rack(subscription: Subscription) -> Subscription:
    return replace(subscription, rack=None)


COOPERATIVE = Strategy(name="cooperative", assign=cooperative_sticky, cooperative=True)
CONSUMERS = (
    _run_strategies("supports the strategy that is put in", lambda own: (own,)),
    _run_strategies("supports another beside it, which it prefers", lambda own: (_next(own), own)),
    _run_strategies("supports the other one alone", lambda own: (_next(own),)),
    _run_strategies("has metadata of the oldest version", lambda own: (replace(own, version=0),)),
    _run_strategies(
        "has metadata of the oldest version and, preferred and under another name, of the newest",
        lambda own: (replace(own, name="newest"), replace(own, version=0)),
    ),
    _run_strategies("supports a cooperative strategy beside its own, which it prefers", lambda own: (COOPERATIVE, own)),
    _run_strategies("supports the cooperative one alone", lambda _: (COOPERATIVE,)),
    _run_strategies("has no rack", lambda own: (own,), subscribes=_without_rack),
    _run_strategies(
        "subscribes to all topics by a regular expression", lambda own: (own,),
        subscribes=lambda wants: replace(wants, topics=(), pattern="t[0-9]+"),
    ),
    _run_strategies(
        "has no rack, and leads with care: it synchronises again in a generation only where nothing moves from one member to another",
        lambda own: (own,), careful=True, subscribes=_without_rack,
    ),
)  # fmt: skip
"""Programs of consumers, by the numbers that schedules give them."""


# Consumers and Kafka Streams share topics, Connect shares connectors, single writers share nothing but the right to write


def _subscription(setting: Setting, slot: int, number: int | None) -> Subscription:
    every = tuple(f"t{topic}" for topic in range(len(setting.partitions)))
    topics = every if number is None else every[number : number + 1] or every
    return Subscription(topics=topics, rack=RACKS[slot % len(RACKS)])


def _cluster(setting: Setting) -> tuple[Topic, ...]:
    return tuple(_topic(number, partitions) for number, partitions in enumerate(setting.partitions))


def _topic(number: int, partitions: int) -> Topic:
    racks = tuple((RACKS[(number + one) % len(RACKS)],) for one in range(partitions))
    return Topic(f"t{number}", partitions, racks)


def _grown(topics: tuple[Topic, ...], number: int) -> tuple[Topic, ...]:
    at = number % len(topics)
    return (*topics[:at], _topic(at, topics[at].partitions + 1), *topics[at + 1 :])


def _moved(topics: tuple[Topic, ...], number: int) -> tuple[Topic, ...]:
    at = number % len(topics)
    topic, racks = topics[at], topics[at].racks or ()
    return (*topics[:at], Topic(topic.name, topic.partitions, racks[1:] + racks[:1]), *topics[at + 1 :])


def _created(topics: tuple[Topic, ...], partitions: int) -> tuple[Topic, ...]:
    return (*topics, _topic(len(topics), max(1, partitions)))


def _partitions(topics: tuple[Topic, ...], subscriptions: Iterable[Any]) -> Iterable[Hashable]:
    # What a member wants is a subscription, or the metadata that it sent.
    wanted = {
        name
        for one in subscriptions
        for name in (topics_of(one, topics) if type(one) is Subscription else one.topics)
    }
    return (partition for topic in topics if topic.name in wanted for partition in topic)


def _streams(setting: Setting, assign: Assign) -> Use:
    promises = frozenset({"cooperative"} if setting.cooperative else ())
    return streams(Assignor("streams/own", assign, promises, "the function that is put in"))


def _topology(setting: Setting, _slot: int, _number: int | None) -> Topology:
    return Topology(tuple((f"g{number}", (f"t{number}",)) for number in range(len(setting.partitions))))


def _tasks(topics: tuple[Topic, ...], _subscriptions: Iterable[Any]) -> Iterable[Hashable]:
    return (
        StreamsTask(TopicPartition(f"g{number}", partition.partition), (partition,))
        for number, topic in enumerate(topics)
        for partition in topic
    )


def _connectors(setting: Setting) -> Connectors:
    return Connectors(0, tuple((f"c{number}", tasks) for number, tasks in enumerate(setting.partitions)))


def _more_tasks(connectors: Connectors, number: int) -> Connectors:
    at = number % len(connectors.tasks)
    tasks = tuple((name, count + (n == at)) for n, (name, count) in enumerate(connectors.tasks))
    return Connectors(connectors.offset + 1, tasks)


def _connect_tasks(connectors: Connectors, _subscriptions: Iterable[Any]) -> Iterable[Hashable]:
    return (Task(name, number) for name, count in connectors.tasks for number in range(CONNECTOR, count))


def _url(_setting: Setting, slot: int, number: int | None) -> str:
    return f"http://worker{slot}" if number is None else f"http://worker{slot}:{number}"


def _same(cluster: Cluster, _number: int) -> Cluster:
    return cluster


USES: dict[str, Simulated] = {
    "consumer": Simulated(
        CONSUMERS, "consumer", _subscription, _cluster, _grown, _moved, _created, _partitions, knows_static=True
    ),
    "streams": Simulated(
        (Program("the streams application", _streams),), "consumer", _topology, _cluster, _grown, _moved, _created, _tasks,
        frozenset({"subscribe", "upgrade", "racks", "unreadable"}),
    ),
    "connect": Simulated(
        (Program("the worker", lambda *_: CONNECT),), None, _url, _connectors, _more_tasks, _same, _same, _connect_tasks,
        frozenset({"upgrade", "racks", "unreadable"}),
    ),
    "single-writer": Simulated(
        (Program("the writer", lambda *_: SINGLE_WRITER),), None, _url, lambda _: None, _same, _same, _same,
        lambda _cluster, subscriptions: WRITER if any(True for _ in subscriptions) else (),
        frozenset({"upgrade", "racks", "grow", "unreadable"}),
    ),
}  # fmt: skip
"""The uses by the names that schedules and the command line use."""
