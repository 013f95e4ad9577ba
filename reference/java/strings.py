"""How Java hashes and sorts strings, which decides results in Kafka's assignors.

Strings compare and hash by UTF-16 code units, and integers wrap at 32 bits.
Source: the documentation of java.lang.String; checked against OpenJDK 17.

How Java hashes UUIDs, which decides results in Kafka's assignors, and how it makes them of names.

Source: the documentation of java.util.UUID; checked against OpenJDK 17.
"""

import functools
import struct
from collections.abc import Sequence
from hashlib import md5
from uuid import UUID

from kassay.model import TopicPartition


def int32(number: int) -> int:
    """Wrap a number to a signed 32-bit integer."""
    return ((number + 0x80000000) & 0xFFFFFFFF) - 0x80000000


def _units(text: str) -> Sequence[int]:
    """Return the UTF-16 code units of a string."""
    if text.isascii():
        return text.encode("ascii")
    units = text.encode("utf-16-be", "surrogatepass")
    return struct.unpack(f">{len(units) // 2}H", units)


@functools.lru_cache(maxsize=1 << 16)
def string_hash(text: str) -> int:
    """Return String.hashCode."""
    value = 0
    for unit in _units(text):
        value = 31 * value + unit
    return int32(value)


def topic_partition_hash(partition: TopicPartition) -> int:
    """Return TopicPartition.hashCode."""
    return int32(31 * (31 + partition.partition) + string_hash(partition.topic))


def string_order(text: str) -> str:
    """Return the key that sorts strings as String.compareTo does.

    Python compares code points: that differs only for code points above U+FFFF, which Java splits in two.
    """
    if text.isascii() or max(text) <= "\uffff":
        return text
    return "".join(map(chr, _units(text)))


@functools.lru_cache(maxsize=1 << 16)
def uuid_hash(text: str) -> int:
    """Return UUID.hashCode of a UUID as it is written: its four words of 32 bits, each bit on that is on in one or three."""
    number = UUID(text).int
    return int32(number >> 96 ^ number >> 64 ^ number >> 32 ^ number)


def name_uuid(name: str) -> str:
    """Return UUID.nameUUIDFromBytes of a name's UTF-8 bytes, which is their MD5 digest marked as version 3."""
    return str(UUID(bytes=md5(name.encode(), usedforsecurity=False).digest(), version=3))
