"""What consumers write into JoinGroup and SyncGroup: ConsumerProtocolSubscription and ConsumerProtocolAssignment, versions 0 to 3.

>>> from kassay.model import Member, TopicPartition
>>> from kassay.reference.wire.consumer import read_subscription, subscription_of, write_subscription
>>> joining = subscription_of(Member("m", ("u", "t"), (TopicPartition("t", 1), TopicPartition("t", 0)), generation=7, rack="a"))
>>> write_subscription(joining, version=0).hex()
'000000000002000174000175ffffffff'
>>> read_subscription(write_subscription(joining)).owned_partitions
(TopicPartitions(topic='t', partitions=(0, 1)),)

A version stands before each message. One that is newer than known is read as the newest known, for no version takes fields away; bytes
after the message are left alone. The rack came with version 3, although KIP-881 writes "2+": 2 was KIP-792's in the end.
Source: class ConsumerProtocol of kafka-clients 4.4.0.

User data of Kafka's sticky assignors: what a member of StickyAssignor had, and CooperativeStickyAssignor's generation.

>>> from kassay.model import TopicPartition
>>> from kassay.reference.wire.consumer import PreviousAssignment, previous_assignment_of, read_sticky, write_sticky
>>> had = previous_assignment_of([TopicPartition("t", 0)], generation=5)
>>> read_sticky(write_sticky(had)) == had
True
>>> read_sticky(b"no such thing")
PreviousAssignment(previous_assignment=(), generation=-1)

Readers refuse nothing, as Kafka's: what cannot be read counts as nothing owned, of generation -1. Source: kafka-clients 4.4.0.
"""

from collections.abc import Iterable
from itertools import groupby

import msgspec

from kassay.model import Member, TopicPartition
from kassay.model.partitions import INT32_MAX
from kassay.reference.java.hash_map import HashTable
from kassay.reference.java.strings import string_hash, string_order
from kassay.reference.wire.schema import (
    INT32,
    MOST_ELEMENTS,
    Field,
    MalformedError,
    Message,
    Type,
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

    topic: str = ""
    partitions: tuple[int, ...] = ()


class Subscription(msgspec.Struct, frozen=True):
    """What a member subscribes to and what it owns; `owned_partitions` from version 1 on, `generation_id` from 2, `rack_id` from 3."""

    topics: tuple[str, ...] = ()
    user_data: bytes | None = None
    owned_partitions: tuple[TopicPartitions, ...] = ()
    generation_id: int = NO_GENERATION
    rack_id: str | None = None


class Assignment(msgspec.Struct, frozen=True):
    """What a member is given."""

    assigned_partitions: tuple[TopicPartitions, ...] = ()
    user_data: bytes | None = None


def topics(most: int = INT32_MAX) -> Type:
    """Return the type of topics with partitions, of each of which readers take no more than `most`."""
    numbers = Field("partitions", array(INT32, most=most))
    return array(structure(TopicPartitions, Field("topic", string()), numbers), most=most)


SUBSCRIPTION: Message[Subscription] = Message(
    structure(
        Subscription,
        Field("topics", array(string(), most=MOST_ELEMENTS)),
        Field("user_data", bytes_(null_from=0)),
        Field("owned_partitions", topics(MOST_ELEMENTS), since=1, ignorable=True),
        Field("generation_id", INT32, since=2, ignorable=True),
        Field("rack_id", string(null_from=3), since=3, ignorable=True),
    ),
    newest=NEWEST,
)
ASSIGNMENT: Message[Assignment] = Message(
    structure(
        Assignment,
        Field("assigned_partitions", topics(MOST_ELEMENTS)),
        Field("user_data", bytes_(null_from=0)),
    ),
    newest=NEWEST,
)


def write_subscription(value: Subscription, version: int = NEWEST) -> bytes:
    """Write a subscription behind its version; what the version does not have is left out. Raises InputError."""
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


def subscription_of(member: Member, user_data: bytes | None = None) -> Subscription:
    """Return what a member sends: topics and partitions sorted, as Kafka's consumer does."""
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


def member_of(id_: str, sent: Subscription, instance_id: str | None = None) -> Member:
    """Return the member whose subscription that is; raises ValueError where it claims what no member can own.

    An empty rack is none, and a generation below 0 too.
    """
    return Member(
        id_,
        sent.topics,
        tuple(partitions_of(sent.owned_partitions)),
        None if sent.generation_id < 0 else sent.generation_id,
        instance_id,
        sent.rack_id or None,
    )


def assignment_of(partitions: Iterable[TopicPartition], user_data: bytes | None = None) -> Assignment:
    """Return what a member is sent: topics in the order in which they first stand there, as Kafka's leader does."""
    return Assignment(by_topic(partitions), user_data)


def by_topic(partitions: Iterable[TopicPartition]) -> tuple[TopicPartitions, ...]:
    """Return each topic with its partition numbers, both in the order in which they first stand there."""
    topics: dict[str, list[int]] = {}
    for topic, number in partitions:
        topics.setdefault(topic, []).append(number)
    return tuple(TopicPartitions(topic, tuple(some)) for topic, some in topics.items())


def partitions_of(topics: Iterable[TopicPartitions]) -> list[TopicPartition]:
    """Return all partitions, in the order of the message."""
    return [TopicPartition(each.topic, number) for each in topics for number in each.partitions]


class PreviousAssignment(msgspec.Struct, frozen=True):
    """What a member had, and of which generation that is: None in version 0, which cannot tell."""

    previous_assignment: tuple[TopicPartitions, ...] = ()
    generation: int | None = None


class Generation(msgspec.Struct, frozen=True):
    """The generation of what a member owns, for consumers that cannot say it in their subscription."""

    generation: int = NO_GENERATION


STICKY: Message[PreviousAssignment] = Message(
    structure(
        PreviousAssignment,
        Field("previous_assignment", topics()),
        Field("generation", INT32, since=1),
    ),
    newest=1,
)
COOPERATIVE: Message[Generation] = Message(structure(Generation, Field("generation", INT32)), newest=0)


def write_sticky(value: PreviousAssignment) -> bytes:
    """Write what a member had, as version 1, or 0 where it has no generation. Raises InputError."""
    return STICKY.write(value, 0 if value.generation is None else 1)


def read_sticky(user_data: bytes | None) -> PreviousAssignment:
    """Read version 1 or else version 0; user data that are neither tell nothing, none and empty ones not even a generation."""
    if not user_data:
        return PreviousAssignment()
    for version in (1, 0):
        try:
            return STICKY.read(user_data, version)
        except MalformedError:
            continue
    return PreviousAssignment(generation=NO_GENERATION)


def previous_assignment_of(partitions: Iterable[TopicPartition], generation: int) -> PreviousAssignment:
    """Return what StickyAssignor writes of a member's partitions: topics in the order of a HashMap."""
    listed = list(partitions)
    found = {each.topic: each for each in by_topic(listed)}
    table = HashTable(string_hash, order_of=string_order)
    for topic, _ in listed:  # also one that is there already lets a full table grow
        table.compute_if_absent(topic)
    return PreviousAssignment(tuple(found[topic] for topic in table), generation)


def write_cooperative(generation: int) -> bytes:
    """Write a generation, -1 for none. Raises InputError."""
    return COOPERATIVE.write(Generation(generation), 0)


def read_cooperative(user_data: bytes | None) -> int | None:
    """Read a generation: None where there are no user data, -1 where they hold none."""
    if user_data is None:
        return None
    try:
        return COOPERATIVE.read(user_data, 0).generation
    except MalformedError:
        return NO_GENERATION
