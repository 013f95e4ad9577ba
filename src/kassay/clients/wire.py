"""What goes over the wire between members and their leader."""

from collections.abc import Iterable, Sequence
from struct import pack
from typing import Any

from kassay.model import TopicPartition

NO_GENERATION = -1
"""What the libraries send where a member has no generation."""


def by_topic(partitions: Sequence[TopicPartition]) -> list[tuple[str, list[int]]]:
    """Return each topic with its partition numbers, both in the order in which they first stand there."""
    topics: dict[str, list[int]] = {}
    for topic, number in partitions:
        topics.setdefault(topic, []).append(number)
    return list(topics.items())


def encoded(message: Any) -> bytes:
    """Return a message as bytes; an assignor may have encoded its own."""
    content: bytes = message if isinstance(message, bytes) else message.encode()
    return content


def subscription(topics: Sequence[str], user_data: bytes) -> bytes:
    """Write what a member subscribes to: version 0 of ConsumerProtocolSubscription, which every client reads."""
    return _message(map(_string, topics), len(topics), user_data)


def assignment(partitions: Sequence[TopicPartition], user_data: bytes) -> bytes:
    """Write what a member is given: version 0 of ConsumerProtocolAssignment."""
    topics = by_topic(partitions)
    of_topics = (_string(topic) + pack(f">i{len(some)}i", len(some), *some) for topic, some in topics)
    return _message(of_topics, len(topics), user_data)


def _message(entries: Iterable[bytes], count: int, user_data: bytes) -> bytes:
    return b"".join((pack(">hi", 0, count), *entries, pack(">i", len(user_data)), user_data))


def _string(text: str) -> bytes:
    return pack(">h", len(text.encode())) + text.encode()
