r"""A topology as ``TopologyDescription.toString()`` prints it: its subtopologies as statements of what they read and keep.

>>> text = "Topologies:\n   Sub-topology: 0\n    Source: s (topics: [orders])\n      --> p\n    Processor: p (stores: [counts])\n      --> none\n      <-- s\n"
>>> statements("t", text, "shop", {"orders": 4, "shop-counts-changelog": 4})
(['orders:counts'], [])

A subtopology as the user states it: ``orders,users:counts`` reads two topics and has a store; ``:`` alone: no store.

Settings of an application as the user states them: ``num.standby.replicas=1``; the tools do not print them.

What kafka-get-offsets prints: a line ``topic:partition:offset`` for each partition, without an offset where there is none.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from kassay.errors import InputError
from kassay.listings.details import read_pairs
from kassay.listings.location import quoted, repeated, some
from kassay.listings.texts import is_noise, lines
from kassay.model import TopicPartition
from kassay.model.partitions import INT64_MAX
from kassay.model.tasks import Settings
from kassay.model.tasks_json import SETTINGS, read_group
from kassay.suggesting import meant

TITLE = "Topologies:"
_TITLE = re.compile(r"\s*(Topologies|Sub-topologies): *")
_SUBTOPOLOGY = re.compile(r"Sub-topology: ([0-9]{1,9})( for global store \(will not generate tasks\))?")
_SOURCE = re.compile(r"Source: .+ \(topics: (.*)\)")
_PROCESSOR = re.compile(r"Processor: .+ \(stores: \[(.*)\]\)")
_OTHER = re.compile(r"Sink: .+ \(.*\)|(-->|<--)( .*)?")
_PART = re.compile(
    rf"\s*(?:{_SUBTOPOLOGY.pattern}|{_SOURCE.pattern}|{_PROCESSOR.pattern}|{_OTHER.pattern})\s*|\s*"
)
"""A line of a topology behind its title."""
_ADVICE = "give what Topology.describe() prints, whole"


@dataclass(slots=True)
class _Read:
    """A subtopology as printed."""

    id: int
    global_: bool
    topics: list[str] = field(default_factory=list)
    stores: list[str] = field(default_factory=list)


def is_described(text: str) -> bool:
    """Tell whether a text is what ``TopologyDescription.toString()`` prints, whether or not it can be read."""
    return text.lstrip("\ufeff \t\r\n").startswith(TITLE)


def read_parts(name: str, text: str) -> list[tuple[list[str], list[str]]]:
    """Return the topics and stores of each subtopology that makes tasks, by the topology's own names; raises ListingError as :func:`statements`."""
    return [(one.topics, one.stores) for one in _read(name, text) if not one.global_]


def statements(
    name: str, text: str, application: str, topics: Collection[str]
) -> tuple[list[str], list[str]]:
    """Return what ``--subtopology`` would state of each subtopology, in Kafka's order, and what is assumed.

    Stores without a changelog among the topics are left out, as are global stores, which make no tasks. Raises ListingError.
    """
    read = _read(name, text)
    own = [one for one in read if not one.global_ and one.topics]
    known = {store: f"{application}-{store}-changelog" in topics for one in own for store in one.stores}
    warnings = []
    if missing := [store for store, there in known.items() if not there]:
        warnings.append(
            f"{name}: the listings have no changelog of {some(missing, len(missing))}, as where a source topic serves as one or nothing "
            "is logged: these stores are taken to keep nothing; --subtopology TOPIC:STORE states it otherwise"
        )
    if before := [one.id for one in read if one.global_ and own and one.id < own[-1].id]:
        warnings.append(
            f"{name}: subtopology {', '.join(map(str, before))} is a global store: those after it are numbered lower here than Kafka does"
        )
    told = (",".join(store for store in one.stores if known[store]) for one in own)
    return [f"{','.join(one.topics)}:{stores}" for one, stores in zip(own, told, strict=True)], warnings


def _read(name: str, text: str) -> list[_Read]:
    found: list[_Read] = []
    for place, whole in lines(name, text):
        line = whole.strip()
        if not line or _TITLE.fullmatch(line) or _OTHER.fullmatch(line):
            continue
        begins, source, processor = (each.fullmatch(line) for each in (_SUBTOPOLOGY, _SOURCE, _PROCESSOR))
        if begins:
            found.append(_Read(int(begins[1]), begins[2] is not None))
        elif found and source:
            if not re.fullmatch(r"\[.*\]", source[1]):
                what = f"{quoted(line)} reads a pattern, whose topics are not told"
                raise place.error(
                    what, "state them with --subtopology TOPIC,TOPIC:STORE,STORE in place of this file"
                )
            found[-1].topics += _names(source[1][1:-1])
        elif found and processor:
            found[-1].stores += [store for store in _names(processor[1]) if store not in found[-1].stores]
        else:
            raise place.error(f"{quoted(line)} is no line of a topology", _ADVICE)
    return found


def _names(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]


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
    one = Stated(text, _names_stated(sources), _names_stated(stores) if colon else None)
    if not one.sources or "" in (*one.sources, *(one.changelogs or ())) or ":" in stores:
        raise one.wrong(
            "is not TOPIC,TOPIC:STORE,STORE",
            "write such as 'orders,users:counts', or 'orders:' without a store",
        )
    return one


def _names_stated(text: str) -> tuple[str, ...]:
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


_BLOCK_TITLE = re.compile(r"\s*(?:Topologies|Topology|Sub-topologies):\s*")
_LINE = re.compile(
    r"\s*(?:Sub-topology: [0-9]+.*|(?:Source|Processor|Sink): .+ \(.*\)|(?:-->|<--)(?: .*)?)\s*"
)
_STRANGE_MAX = 3
"""At most this number of other lines counts as part of a description, which is then refused."""


def topology_end(lines: Sequence[str], position: int) -> int:
    """Return how many lines the description that begins on a line takes, 0 if none does."""
    if _BLOCK_TITLE.fullmatch(lines[position]) is None:
        return 0
    last = position
    for number in range(position + 1, len(lines)):
        if _LINE.fullmatch(lines[number]):
            last = number
        elif not lines[number].strip() or number - last > _STRANGE_MAX:
            following = next((line for line in lines[number:] if line.strip()), "")
            if not _LINE.fullmatch(following):
                break
    return last - position + 1 if last > position else 0
