"""The partitions of one member as the tool prints them, in the layout of either generation.

Kafka before 4.0: ``orders(0,1), payments(2)``; from 4.0 (KIP-1099): ``orders:0,1;payments:2``; none: ``-``.
"""

import re

from kassay.kafka_tools.place import Place, quoted
from kassay.model import TopicPartition

_OLD = re.compile(r"\s*([^\s(),:;]+)\(([^()]*)\)\s*(?:,(?=.)|$)")
_NEW = re.compile(r"\s*([^\s(),:;]+):([^:;]*)(?:;(?=.)|$)")


def read_holdings(place: Place, field: str, text: str) -> tuple[TopicPartition, ...]:
    """Return the partitions in printed order; raise ListingError where the text is cut off or odd."""
    if text == "-":
        return ()
    layout = _OLD if "(" in text else _NEW
    held: list[TopicPartition] = []
    position = 0
    while position < len(text):
        match = layout.match(text, position)
        if match is None:
            raise place.error(
                f"{field} is unreadable at {quoted(text[position:])}",
                "give the whole row on one line, as in 'orders(0,1)' or 'orders:0,1;payments:2'",
            )
        topic, numbers = place.topic(field, match[1]), match[2]
        name = f"{field} {topic}"
        held += [TopicPartition(topic, place.number(name, number.strip())) for number in numbers.split(",")]
        position = match.end()
    return tuple(held)
