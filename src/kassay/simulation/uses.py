"""What groups are used for, as far as a simulation must know: who assigns, what there is to share, and how that changes."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeAlias

from msgspec import Struct

from kassay.model import Assignor, Topic, TopicPartition
from kassay.reference.consumer.roundrobin import assign as round_robin
from kassay.reference.consumer.sticky.cooperative import assign as cooperative_sticky
from kassay.reference.group.member.use import Use
from kassay.reference.group.uses.connect import CONNECT, CONNECTOR, Connectors, Task
from kassay.reference.group.uses.consumer import Strategy, Subscription, consumer
from kassay.reference.group.uses.single_writer import SINGLE_WRITER, WRITER
from kassay.reference.group.uses.streams import Task as StreamsTask
from kassay.reference.group.uses.streams import Topology, streams
from kassay.simulation.schedule import Setting

Assign: TypeAlias = Callable[[Any], Any]
Cluster: TypeAlias = Any
Change: TypeAlias = Callable[[Cluster, int], Cluster]
RACKS = ("a", "b", "c")


class Simulated(Struct, frozen=True):
    """A use under simulation."""

    of: Callable[[Setting, int, Assign], Use]
    """The use of a member, by the version of its program."""
    family: str | None
    """The family of the assignor that is put in; None where the use assigns by itself."""
    subscription: Callable[[Setting, int, int | None], Hashable]
    """What a member subscribes to, by its number; at first (None), and as it is changed by a fault's number."""
    cluster: Callable[[Setting], Cluster]
    grown: Change
    """The cluster with one more to share in the topic of a number."""
    moved: Change
    """The cluster with the topic of a number on other racks."""
    whole: Callable[[Cluster, Iterable[Any]], Iterable[Hashable]]
    """All that the members of these subscriptions have to share."""
    unfit: frozenset[str] = frozenset()
    """Faults that mean nothing here, or that the group cannot recover from."""
    knows_static: bool = False
    """Whether its members may have instance ids."""


def _consumer(setting: Setting, version: int, assign: Assign) -> Use:
    own = Strategy(name="own", assign=assign, cooperative=setting.cooperative)
    following = Strategy(
        name="next",
        assign=cooperative_sticky if setting.cooperative else round_robin,
        cooperative=setting.cooperative,
    )
    return consumer(*((own,), (following, own), (following,))[version])


def _topics(setting: Setting, number: int) -> tuple[str, ...]:
    """Return the topic of a number, or all where there is none of it."""
    every = tuple(f"t{topic}" for topic in range(len(setting.partitions)))
    return every[number : number + 1] or every


def _subscription(setting: Setting, slot: int, number: int | None) -> Subscription:
    topics = _topics(setting, len(setting.partitions) if number is None else number)
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


def _partitions(topics: tuple[Topic, ...], subscriptions: Iterable[Any]) -> Iterable[Hashable]:
    wanted = {topic for subscription in subscriptions for topic in subscription.topics}
    return (partition for topic in topics if topic.name in wanted for partition in topic)


def _streams(setting: Setting, _version: int, assign: Assign) -> Use:
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
    "consumer": Simulated(_consumer, "consumer", _subscription, _cluster, _grown, _moved, _partitions, knows_static=True),
    "streams": Simulated(
        _streams, "consumer", _topology, _cluster, _grown, _moved, _tasks, frozenset({"subscribe", "upgrade", "racks", "unreadable"})
    ),
    "connect": Simulated(
        lambda *_: CONNECT, None, _url, _connectors, _more_tasks, _same, _connect_tasks, frozenset({"upgrade", "racks", "unreadable"})
    ),
    "single-writer": Simulated(
        lambda *_: SINGLE_WRITER, None, _url, lambda _: None, _same, _same,
        lambda _cluster, subscriptions: WRITER if any(True for _ in subscriptions) else (),
        frozenset({"upgrade", "racks", "grow", "unreadable"}),
    ),
}  # fmt: skip
"""The uses by the names that schedules and the command line use."""
