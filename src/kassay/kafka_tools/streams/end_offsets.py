"""What kafka-get-offsets prints: a line ``topic:partition:offset`` for each partition, without an offset where there is none."""

from kassay.kafka_tools.place import quoted
from kassay.kafka_tools.reading import is_noise
from kassay.kafka_tools.text import lines
from kassay.model import TopicPartition
from kassay.model.tasks import INT64_MAX


def read_end_offsets(name: str, text: str) -> dict[TopicPartition, int]:
    """Return the log-end offsets that are there; `name` stands in the ListingError that another line raises."""
    offsets: dict[TopicPartition, int] = {}
    for place, line in lines(name, text):
        if not line or is_noise(line):
            continue
        words = line.split(":")
        if len(words) != 3 or (words[2] and not (words[2].isascii() and words[2].isdigit())):
            raise place.error(
                f"{quoted(line)} is not topic:partition:offset", "give what kafka-get-offsets prints"
            )
        partition = TopicPartition(place.topic("topic", words[0]), place.number("partition", words[1]))
        if not words[2]:
            continue
        if len(words[2]) > 19 or int(words[2]) > INT64_MAX:
            raise place.error(f"offset is {quoted(words[2])}", f"give a number from 0 to {INT64_MAX}")
        if offsets.setdefault(partition, int(words[2])) != int(words[2]):
            raise place.error(
                f"{partition} has offset {offsets[partition]} and {words[2]}",
                "give each partition one offset",
            )
    return offsets
