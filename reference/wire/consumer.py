"""The bytes of consumers in JoinGroup and SyncGroup: ConsumerProtocolSubscription and ConsumerProtocolAssignment, versions 0 to 3.

>>> from kassay.model import Member, TopicPartition
>>> from kassay.reference.wire.consumer import read_subscription, build_subscription, write_subscription
>>> joining = build_subscription(Member("m", ("u", "t"), (TopicPartition("t", 1), TopicPartition("t", 0)), generation=7, rack="a"))
>>> write_subscription(joining, version=0).hex()
'000000000002000174000175ffffffff'
>>> read_subscription(write_subscription(joining)).owned_partitions
(TopicPartitions(topic='t', partitions=(0, 1)),)

A version precedes each message. A newer one is read as the newest known, since no version takes fields away; bytes behind the message are
ignored. The rack came with version 3, although KIP-881 writes "2+": 2 was KIP-792's in the end.
Source: class ConsumerProtocol of kafka-clients 4.4.0.

Also the user data of Kafka's sticky assignors: the previous assignment of StickyAssignor, and CooperativeStickyAssignor's generation.

>>> from kassay.model import TopicPartition
>>> from kassay.reference.wire.consumer import PreviousAssignment, build_previous_assignment, read_sticky, write_sticky
>>> had = build_previous_assignment([TopicPartition("t", 0)], generation=5)
>>> read_sticky(write_sticky(had)) == had
True
>>> read_sticky(b"no such thing")
PreviousAssignment(previous_assignment=(), generation=-1)

Readers refuse nothing, as Kafka's: bytes that cannot be read count as no partitions, of generation -1. Source: kafka-clients 4.4.0.
"""

from collections.abc import Iterable
from itertools import groupby
from typing import Annotated

import msgspec

from kassay.model import Member, TopicPartition
from kassay.reference.java.hash_map import HashTable
from kassay.reference.java.strings import string_hash, string_order
from kassay.reference.wire.schema import (
    INT32,
    MOST_ELEMENTS,
    Field,
    MalformedError,
    Message,
    array,
    bytes_,
    read_version,
    string,
    structure,
)

NEWEST = 3
NO_GENERATION = -1


class TopicPartitions(msgspec.Struct, frozen=True):
    """Partitions of a topic."""

    topic: Annotated[str, string()] = ""
    partitions: Annotated[tuple[int, ...], array(INT32)] = ()


_ANY_TOPICS = array(structure(TopicPartitions))
_TOPICS = array(structure(TopicPartitions, partitions=array(INT32, most=MOST_ELEMENTS)), most=MOST_ELEMENTS)
"""Topics with partitions, bounded as by Kafka's readers."""


class Subscription(msgspec.Struct, frozen=True):
    """A member's topics, and the partitions that it owns."""

    topics: Annotated[tuple[str, ...], array(string(), most=MOST_ELEMENTS)] = ()
    user_data: Annotated[bytes | None, bytes_(null_from=0)] = None
    owned_partitions: Annotated[tuple[TopicPartitions, ...], Field(_TOPICS, since=1, ignorable=True)] = ()
    generation_id: Annotated[int, Field(INT32, since=2, ignorable=True)] = NO_GENERATION
    rack_id: Annotated[str | None, Field(string(null_from=3), since=3, ignorable=True)] = None


class Assignment(msgspec.Struct, frozen=True):
    """The partitions of a member."""

    assigned_partitions: Annotated[tuple[TopicPartitions, ...], _TOPICS] = ()
    user_data: Annotated[bytes | None, bytes_(null_from=0)] = None


SUBSCRIPTION: Message[Subscription] = Message(structure(Subscription), newest=NEWEST)
ASSIGNMENT: Message[Assignment] = Message(structure(Assignment), newest=NEWEST)


def write_subscription(value: Subscription, version: int = NEWEST) -> bytes:
    """Write a subscription behind its version; fields that the version lacks are left out. Raises InputError."""
    return version.to_bytes(2, signed=True) + SUBSCRIPTION.write(value, version)


def read_subscription(data: bytes) -> Subscription:
    """Read a subscription behind its version; raises MalformedError."""
    return SUBSCRIPTION.read(data, min(read_version(data), NEWEST), 2)


def write_assignment(value: Assignment, version: int = NEWEST) -> bytes:
    """Write an assignment behind its version. Raises InputError."""
    return version.to_bytes(2, signed=True) + ASSIGNMENT.write(value, version)


def read_assignment(data: bytes) -> Assignment:
    """Read an assignment behind its version; raises MalformedError."""
    return ASSIGNMENT.read(data, min(read_version(data), NEWEST), 2)


def build_subscription(member: Member, user_data: bytes | None = None) -> Subscription:
    """Return a member's subscription, with topics and partitions sorted as Kafka's consumer does."""
    owned = sorted(member.owned, key=lambda one: (string_order(one.topic), one.partition))
    return Subscription(
        tuple(sorted(member.topics, key=string_order)),
        user_data,
        tuple(
            TopicPartitions(topic, tuple(one.partition for one in some))
            for topic, some in groupby(owned, lambda one: one.topic)
        ),
        NO_GENERATION if member.generation is None else member.generation,
        member.rack,
    )


def build_member(id_: str, sent: Subscription, instance_id: str | None = None) -> Member:
    """Return the member of a subscription; raises ValueError if no member can own the claimed partitions.

    An empty rack is no rack, and a generation below 0 no generation.
    """
    return Member(
        id_,
        sent.topics,
        tuple(list_partitions(sent.owned_partitions)),
        None if sent.generation_id < 0 else sent.generation_id,
        instance_id,
        sent.rack_id or None,
    )


def build_assignment(partitions: Iterable[TopicPartition], user_data: bytes | None = None) -> Assignment:
    """Return a member's assignment on the wire, with topics in order of appearance, as Kafka's leader does."""
    return Assignment(group_by_topic(partitions), user_data)


def group_by_topic(partitions: Iterable[TopicPartition]) -> tuple[TopicPartitions, ...]:
    """Return each topic with its partition numbers, both in order of appearance."""
    topics: dict[str, list[int]] = {}
    for topic, number in partitions:
        topics.setdefault(topic, []).append(number)
    return tuple(TopicPartitions(topic, tuple(some)) for topic, some in topics.items())


def list_partitions(topics: Iterable[TopicPartitions]) -> list[TopicPartition]:
    """Return all partitions, in the order of the message."""
    return [TopicPartition(each.topic, number) for each in topics for number in each.partitions]


class PreviousAssignment(msgspec.Struct, frozen=True):
    """A member's partitions of an earlier generation; version 0 has no generation."""

    previous_assignment: Annotated[tuple[TopicPartitions, ...], _ANY_TOPICS] = ()
    generation: Annotated[int | None, Field(INT32, since=1)] = None


class Generation(msgspec.Struct, frozen=True):
    """The generation of a member's partitions, for consumers that cannot write it into their subscription."""

    generation: Annotated[int, INT32] = NO_GENERATION


STICKY: Message[PreviousAssignment] = Message(structure(PreviousAssignment), newest=1)
COOPERATIVE: Message[Generation] = Message(structure(Generation), newest=0)


def write_sticky(value: PreviousAssignment) -> bytes:
    """Write the partitions of an earlier generation, as version 1, or 0 without a generation. Raises InputError."""
    return STICKY.write(value, 0 if value.generation is None else 1)


def read_sticky(user_data: bytes | None) -> PreviousAssignment:
    """Read version 1, or else version 0; other user data are no partitions of generation -1, empty ones of no generation."""
    if not user_data:
        return PreviousAssignment()
    for version in (1, 0):
        try:
            return STICKY.read(user_data, version)
        except MalformedError:
            continue
    return PreviousAssignment(generation=NO_GENERATION)


def build_previous_assignment(partitions: Iterable[TopicPartition], generation: int) -> PreviousAssignment:
    """Return StickyAssignor's user data for partitions: topics in the order of a HashMap."""
    listed = list(partitions)
    found = {each.topic: each for each in group_by_topic(listed)}
    table = HashTable(string_hash, order_of=string_order)
    for topic, _ in listed:  # also one that is there already lets a full table grow
        table.compute_if_absent(topic)
    return PreviousAssignment(tuple(found[topic] for topic in table), generation)


def write_cooperative(generation: int) -> bytes:
    """Write a generation, -1 for none. Raises InputError."""
    return COOPERATIVE.write(Generation(generation), 0)


def read_cooperative(user_data: bytes | None) -> int | None:
    """Read a generation: None without user data, -1 if they hold none."""
    if user_data is None:
        return None
    try:
        return COOPERATIVE.read(user_data, 0).generation
    except MalformedError:
        return NO_GENERATION
