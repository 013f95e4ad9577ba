"""Printers that imitate Kafka's tools in the layouts of their releases, and clusters to print."""

from base64 import urlsafe_b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import md5

from hypothesis import strategies as st

from kassay.model import TopicPartition


@dataclass(frozen=True)
class Consumer:
    """A member as the coordinator knows it."""

    id: str
    host: str
    client_id: str
    held: tuple[TopicPartition, ...] = ()
    instance_id: str = ""
    epoch: int = 0


@dataclass(frozen=True)
class Cluster:
    """Topics with the replicas of each partition, and groups with their members."""

    topics: dict[str, tuple[tuple[int, ...], ...]] = field(default_factory=dict)
    groups: dict[str, tuple[Consumer, ...]] = field(default_factory=dict)


def width(text: str) -> int:
    """Java pads by UTF-16 units."""
    return len(text.encode("utf-16-le")) // 2


def columns(rows: Sequence[Sequence[str]], least: Sequence[int]) -> str:
    """Print rows with left-justified columns; the last column is not padded where its least width is 0."""
    widths = [max(least[n], *(width(row[n]) for row in rows)) if least[n] else 0 for n in range(len(rows[0]))]
    lines = (
        " ".join(cell + " " * (w - width(cell)) for cell, w in zip(row, widths, strict=True)) for row in rows
    )
    return "\n" + "\n".join(lines) + "\n"


def group_by_topic(held: Sequence[TopicPartition]) -> dict[str, list[int]]:
    """Partition numbers by topic, both sorted."""
    topics = sorted({partition.topic for partition in held})
    return {topic: sorted(p.partition for p in held if p.topic == topic) for topic in topics}


def write_old(held: Sequence[TopicPartition]) -> str:
    parts = (f"{topic}({','.join(map(str, numbers))})" for topic, numbers in group_by_topic(held).items())
    return ", ".join(parts) or "-"


def write_new(held: Sequence[TopicPartition]) -> str:
    parts = (f"{topic}:{','.join(map(str, numbers))}" for topic, numbers in group_by_topic(held).items())
    return ";".join(parts) or "-"


def members_2018(_: str, consumers: Sequence[Consumer]) -> str:
    """The first layout (KIP-175): no GROUP column."""
    head = ["CONSUMER-ID", "HOST", "CLIENT-ID", "#PARTITIONS", "ASSIGNMENT"]
    rows = [[c.id, c.host, c.client_id, str(len(c.held)), write_old(c.held)] for c in consumers]
    return columns([head, *rows], [15, 15, 15, 15, 0])


def members_2_4(name: str, consumers: Sequence[Consumer]) -> str:
    """Kafka 2.4 to 3.9: GROUP first, GROUP-INSTANCE-ID where a member is static, blank for the others."""
    static = any(c.instance_id for c in consumers)
    head = ["GROUP", "CONSUMER-ID", "GROUP-INSTANCE-ID", "HOST", "CLIENT-ID", "#PARTITIONS", "ASSIGNMENT"]
    rows = [
        [name, c.id, c.instance_id, c.host, c.client_id, str(len(c.held)), write_old(c.held)]
        for c in consumers
    ]
    keep = [n for n in range(7) if static or n != 2]
    return columns(
        [[row[n] for n in keep] for row in (head, *rows)], [[15, 15, 17, 15, 15, 15, 0][n] for n in keep]
    )


def members_4_0(name: str, consumers: Sequence[Consumer], upgraded: bool = False) -> str:
    """Kafka 4.0 (KIP-1099): epochs and target assignments, UPGRADED while a group migrates."""
    static = any(c.instance_id for c in consumers)
    head = ["GROUP", "CONSUMER-ID", "GROUP-INSTANCE-ID", "HOST", "CLIENT-ID", "#PARTITIONS"]
    head += ["CURRENT-EPOCH", "CURRENT-ASSIGNMENT", "TARGET-EPOCH", "TARGET-ASSIGNMENT", "UPGRADED"]
    rows = []
    for c in consumers:
        epoch, target = (str(c.epoch), write_new(c.held)) if c.epoch else ("-", "-")
        row = [
            name,
            c.id,
            c.instance_id,
            c.host,
            c.client_id,
            str(len(c.held)),
            epoch,
            write_new(c.held),
            epoch,
            target,
        ]
        rows.append([*row, "true"])
    keep = [n for n in range(11) if (static or n != 2) and (upgraded or n != 10)]
    least = [15, 15, 17, 15, 15, 15, 15, 20, 15, 20, 0]
    return columns([[row[n] for n in keep] for row in (head, *rows)], [least[n] for n in keep])


def migrating_4_0(name: str, consumers: Sequence[Consumer]) -> str:
    return members_4_0(name, consumers, upgraded=True)


def offsets(name: str, consumers: Sequence[Consumer]) -> str:
    """Kafka's --describe without --members: a row for each partition, one for a member without."""
    head = ["GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG", "CONSUMER-ID", "HOST"]
    rows = [
        [name, p.topic, str(p.partition), "12", "-", "-", c.id, c.host, c.client_id]
        for c in consumers
        for p in c.held
    ]
    rows += [[name, *"-----", c.id, c.host, c.client_id] for c in consumers if not c.held]
    return columns([[*head, "CLIENT-ID"], *rows], [15, 15, 10, 15, 15, 15, 15, 15, 0])


MEMBERS: list[Callable[[str, Sequence[Consumer]], str]] = [
    members_2018,
    members_2_4,
    members_4_0,
    migrating_4_0,
]
"""The layouts that print each member's partitions in one row."""


def topics_0_10(topics: dict[str, tuple[tuple[int, ...], ...]]) -> str:
    """No space after the colons, no TopicId."""
    return describe(topics, "Topic:{0}\tPartitionCount:{1}\tReplicationFactor:1\tConfigs:", "\tIsr: {2}")


def topics_3_0(topics: dict[str, tuple[tuple[int, ...], ...]]) -> str:
    head = "Topic: {0}\tTopicId: {3}\tPartitionCount: {1}\tReplicationFactor: 1\tConfigs: a=Partition: 9"
    return describe(topics, head + "\tMarkedForDeletion: true", "\tIsr: {2}\tMarkedForDeletion: true")


def topics_4_0(topics: dict[str, tuple[tuple[int, ...], ...]]) -> str:
    head = "Topic: {0}\tTopicId: {3}\tPartitionCount: {1}\tReplicationFactor: 1\tConfigs: "
    return describe(
        topics, head, "\tIsr: \tAdding Replicas: 7\tRemoving Replicas: 8\tElr: \tLastKnownElr: N/A"
    )


def pasted_4_0(topics: dict[str, tuple[tuple[int, ...], ...]]) -> str:
    """As a terminal shows it: tabs have become spaces."""
    return topics_4_0(topics).expandtabs()


def topic_id(name: str) -> str:
    """A Uuid of the topic as Kafka prints it."""
    return urlsafe_b64encode(md5(name.encode(), usedforsecurity=False).digest()).decode().rstrip("=")


def describe(topics: dict[str, tuple[tuple[int, ...], ...]], head: str, tail: str) -> str:
    lines = []
    for name, replicas in topics.items():
        lines.append(head.format(name, len(replicas), None, topic_id(name)))
        for number, brokers in enumerate(replicas):
            ids = ",".join(map(str, brokers))
            line = f"\tTopic: {name}\tPartition: {number}\tLeader: none\tReplicas: {ids}"
            lines.append(line + tail.format(name, number, ids))
    return "\n".join(lines) + "\n"


TOPICS = [topics_0_10, topics_3_0, topics_4_0, pasted_4_0]

topic_names = st.text("abcXYZ019._-", min_size=1, max_size=8).filter(lambda name: name != "-")
words = st.text("ab1/.:_#%()é😀\u4e2d", min_size=1, max_size=9)
ids = st.lists(words, min_size=1, max_size=3).map(" ".join)
"""Client ids, and so member ids, may hold anything, also spaces."""


@st.composite
def clusters(draw: st.DrawFn, ids: st.SearchStrategy[str] = ids, static: bool = True) -> Cluster:
    """Clusters with up to four topics and two groups; each partition has at most one owner in a group."""
    replicas = st.lists(st.integers(0, 5), min_size=1, max_size=3, unique=True).map(tuple)
    names = draw(st.lists(topic_names, max_size=4, unique=True))
    topics = {name: tuple(draw(st.lists(replicas, min_size=1, max_size=4))) for name in names}
    groups = {}
    for name in draw(st.lists(ids, min_size=1, max_size=2, unique=True)):
        member_ids = draw(st.lists(ids, min_size=1, max_size=4, unique=True))
        owners = {
            TopicPartition(topic, number): draw(st.sampled_from([None, *member_ids]))
            for topic, rows in topics.items()
            for number in range(len(rows))
        }
        epoch = draw(st.integers(0, 3))
        groups[name] = tuple(
            Consumer(
                id=member,
                host="/" + draw(words),
                client_id=draw(ids),
                held=tuple(sorted(p for p, owner in owners.items() if owner == member)),
                instance_id=f"static-{n}" if static and draw(st.booleans()) else "",
                epoch=epoch,
            )
            for n, member in enumerate(member_ids)
        )
    return Cluster(topics, groups)
