"""What goes over the wire between members and their leader."""

from collections.abc import Sequence
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
