"""User data of Kafka's sticky assignors: what a member of StickyAssignor had, and CooperativeStickyAssignor's generation.

>>> from kassay.model import TopicPartition
>>> from kassay.reference.wire.sticky import PreviousAssignment, previous_assignment_of, read_sticky, write_sticky
>>> had = previous_assignment_of([TopicPartition("t", 0)], generation=5)
>>> read_sticky(write_sticky(had)) == had
True
>>> read_sticky(b"no such thing")
PreviousAssignment(previous_assignment=(), generation=-1)

Readers refuse nothing, as Kafka's: what cannot be read counts as nothing owned, of generation -1. Source: kafka-clients 4.4.0.
"""

from collections.abc import Iterable

import msgspec

from kassay.model import TopicPartition
from kassay.reference.java.hash_map import HashTable
from kassay.reference.java.strings import string_hash, string_order
from kassay.reference.wire.consumer import NO_GENERATION, TopicPartitions, by_topic, topics
from kassay.reference.wire.kinds import INT32, MalformedError
from kassay.reference.wire.messages import Field, Message, structure


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
