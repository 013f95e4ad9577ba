"""Ids of topics, which server-side assignors know topics by: how they hash, sort and print.

Source: org.apache.kafka.common.Uuid.
"""

import functools
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import NamedTuple
from uuid import UUID

from kassay.reference.java.strings import int32
from kassay.reference.java.uuids import name_uuid


class TopicId(NamedTuple):
    """The two halves of a Uuid as signed numbers of 64 bits; sorts as Uuid.compareTo does."""

    most: int
    least: int

    def __str__(self) -> str:
        return urlsafe_b64encode(_bytes(self.most) + _bytes(self.least)).decode().rstrip("=")

    def java_hash(self) -> int:
        """Return Uuid.hashCode: all four words of 32 bits, each bit on that is on in one or three."""
        both = self.most ^ self.least
        return int32(both >> 32 ^ both)


def _bytes(half: int) -> bytes:
    return half.to_bytes(8, signed=True)


def topic_id(name: str, own: str | None = None) -> TopicId:
    """Return the id of a topic: its own, or else that of its name."""
    return id_of_name(name) if own is None else _read(own)


@functools.lru_cache(maxsize=1 << 16)
def hash_of_id(name: str, own: str | None) -> int:
    """Return the hash of a topic's id."""
    return topic_id(name, own).java_hash()


@functools.lru_cache(maxsize=1 << 16)
def _read(printed: str) -> TopicId:
    return _of_bytes(urlsafe_b64decode(printed + "=="))


@functools.lru_cache(maxsize=1 << 16)
def id_of_name(name: str) -> TopicId:
    """Return the id that a topic without one has: the UUID that Java makes of its name."""
    return _of_bytes(UUID(name_uuid(name)).bytes)


def _of_bytes(both: bytes) -> TopicId:
    return TopicId(int.from_bytes(both[:8], signed=True), int.from_bytes(both[8:], signed=True))
