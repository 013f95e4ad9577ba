"""A subtopology as the user states it: ``orders,users:counts`` reads two topics and has a store; ``:`` alone: no store.

Settings of an application as the user states them: ``num.standby.replicas=1``; the tools do not print them.

What kafka-get-offsets prints: a line ``topic:partition:offset`` for each partition, without an offset where there is none.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kassay.errors import InputError
from kassay.kafka_tools.known import read_pairs
from kassay.kafka_tools.place import quoted, repeated
from kassay.kafka_tools.reading import is_noise
from kassay.kafka_tools.tables import lines
from kassay.model import TopicPartition
from kassay.model.tasks import INT64_MAX, Settings
from kassay.model.tasks_json import SETTINGS, read_group
from kassay.suggesting import meant


@dataclass(frozen=True, slots=True)
class Stated:
    """The names of its source topics and its changelogs; None where the statement leaves these open."""

    text: str
    sources: tuple[str, ...]
    changelogs: tuple[str, ...] | None

    def wrong(self, what: str, fix: str) -> InputError:
        """Return the error that says what is wrong with the statement."""
        return InputError(f"--subtopology {self.text!r}: {what}; {fix}")


def read_statement(text: str) -> Stated:
    """Read ``TOPIC,TOPIC:STORE,STORE``; raises InputError where it is anything else."""
    sources, colon, stores = text.partition(":")
    one = Stated(text, _names(sources), _names(stores) if colon else None)
    if not one.sources or "" in (*one.sources, *(one.changelogs or ())) or ":" in stores:
        raise one.wrong(
            "is not TOPIC,TOPIC:STORE,STORE",
            "write such as 'orders,users:counts', or 'orders:' without a store",
        )
    return one


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",")) if text.strip() else ()


def resolved(statements: Sequence[str], application: str, topics: Collection[str]) -> list[Stated]:
    """Read statements and give internal topics their whole names: store ``counts`` is ``<application.id>-counts-changelog``.

    Raises InputError where a topic is not there, or is stated twice.
    """
    found = [_resolved(read_statement(text), application, topics) for text in statements]
    for names in (
        [name for one in found for name in one.sources],
        [name for one in found for name in one.changelogs or ()],
    ):
        if twice := repeated(names):
            one = [one for one in found if twice in (*one.sources, *(one.changelogs or ()))][-1]
            raise one.wrong(f"topic {twice!r} is stated before", "name each topic in one subtopology, once")
    return found


def _resolved(one: Stated, application: str, topics: Collection[str]) -> Stated:
    def of(names: tuple[str, ...], ending: str) -> tuple[str, ...]:
        return tuple(_whole(one, name, application, ending, topics) for name in names)

    changelogs = None if one.changelogs is None else of(one.changelogs, "changelog")
    return Stated(one.text, of(one.sources, "repartition"), changelogs)


def _whole(one: Stated, name: str, application: str, ending: str, topics: Collection[str]) -> str:
    internal = f"{application}-{name}-{ending}"
    for known in (name, internal, f"{application}-{name}"):
        if known in topics:
            return known
    raise one.wrong(
        f"the listings have no topic {name!r} and no {internal!r}",
        f"name a topic or a store of the application, and give the output of kafka-topics --describe too{meant(name, topics)}",
    )


def read_settings(texts: Sequence[str]) -> Settings:
    """Read ``NAME=VALUE`` each, tags with commas between them; raises InputError naming the setting."""
    pairs = read_pairs(texts, SETTINGS, "task assignors")
    config = {name: _value(name, value) for name, value in pairs.items()}
    try:
        return read_group({"tasks": [], "clients": [], "config": config}).settings
    except InputError as wrong:
        raise InputError(f"--config: {str(wrong).removeprefix('config.')}") from None


def _value(name: str, text: str) -> str | int | list[str]:
    if name.endswith(".tags"):
        return text.split(",")
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 20 else text


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
