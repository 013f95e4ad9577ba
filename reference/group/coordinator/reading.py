"""Whether Kafka's coordinator can read the metadata of a member of type "consumer", of which it reads the topics alone.

They are read as a subscription of version 0, with which all versions begin, whatever version stands before it. What ends where a
number should stand is passed over, and the other members are not read any more; what announces more than there is, or less than
nothing, is an error of another kind, which Kafka before 4.4.0 did not expect.

>>> reading(bytes.fromhex("0001" "00000001" "0001" "74" "ffffffff"))
'read'
>>> reading(bytes.fromhex("0001" "0000")), reading(bytes.fromhex("0001" "ffffffff"))
('passed over', 'stops')

Source: ClassicGroup.computeSubscribedTopics of kafka-group-coordinator 3.9.2, 4.1.2 and 4.3.1, on 27 kinds of bytes.
"""

from typing import Literal, TypeAlias

from kassay.reference.group.messages import UNREADABLE, Metadata

READ: Literal["read"] = "read"
PASSED_OVER: Literal["passed over"] = "passed over"
STOPS: Literal["stops"] = "stops"
Reading: TypeAlias = Literal["read", "passed over", "stops"]


def reading(metadata: Metadata) -> Reading:
    """Return how a member's metadata are read; those that are no bytes are, but for UNREADABLE."""
    if metadata == UNREADABLE:
        return STOPS
    return _read(metadata) if isinstance(metadata, bytes) else READ


def _read(data: bytes) -> Reading:
    at = 0

    def number(size: int) -> int | None:
        nonlocal at
        taken = data[at : at + size]
        at += size
        return int.from_bytes(taken, signed=True) if len(taken) == size else None

    version, topics = number(2), number(4)
    if version is None or version < 0 or topics is None:
        return PASSED_OVER
    if not 0 <= topics <= len(data) - at:
        return STOPS
    for _ in range(topics):
        length = number(2)
        if length is None:
            return PASSED_OVER
        if not 0 <= length <= len(data) - at:
            return STOPS
        at += length
    length = number(4)
    if length is None:
        return PASSED_OVER
    return STOPS if length > len(data) - at else READ
