"""What goes between members and their leader, as the libraries take it."""

from collections.abc import Sequence
from typing import Any

from kassay.model import TopicPartition
from kassay.reference.wire import consumer

NO_GENERATION = consumer.NO_GENERATION
"""What the libraries send where a member has no generation."""


def by_topic(partitions: Sequence[TopicPartition]) -> list[tuple[str, list[int]]]:
    """Return each topic with its partition numbers, both in the order in which they first stand there."""
    return [(topic.topic, [*topic.partitions]) for topic in consumer.by_topic(partitions)]


def encoded(message: Any) -> bytes:
    """Return a message as bytes; an assignor may have encoded its own."""
    content: bytes = message if isinstance(message, bytes) else message.encode()
    return content
