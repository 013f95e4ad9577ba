"""How Java hashes UUIDs, which decides results in Kafka's assignors, and how it makes them of names.

Source: the documentation of java.util.UUID; checked against OpenJDK 17.
"""

import functools
from hashlib import md5
from uuid import UUID

from kassay.reference.java.strings import int32


@functools.lru_cache(maxsize=1 << 16)
def uuid_hash(text: str) -> int:
    """Return UUID.hashCode of a UUID as it is written: its four words of 32 bits, each bit on that is on in one or three."""
    number = UUID(text).int
    return int32(number >> 96 ^ number >> 64 ^ number >> 32 ^ number)


def name_uuid(name: str) -> str:
    """Return UUID.nameUUIDFromBytes of a name's UTF-8 bytes, which is their MD5 digest marked as version 3."""
    return str(UUID(bytes=md5(name.encode(), usedforsecurity=False).digest(), version=3))
