"""How Java hashes UUIDs, which decides results in Kafka's assignors.

Source: the documentation of java.util.UUID; checked against OpenJDK 17.
"""

import functools
from uuid import UUID

from kassay.reference.java.strings import int32


@functools.lru_cache(maxsize=1 << 16)
def uuid_hash(text: str) -> int:
    """Return UUID.hashCode of a UUID as it is written: its four words of 32 bits, each bit on that is on in one or three."""
    number = UUID(text).int
    return int32(number >> 96 ^ number >> 64 ^ number >> 32 ^ number)
