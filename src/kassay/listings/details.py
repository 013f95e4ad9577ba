"""Details from options, which the listings do not print: racks of brokers and members, and settings.

A rack table has one of three layouts:

- a JSON object ``{"1": "a"}``;
- lines ``1 a`` or ``1,a``, for members with a header of several columns such as ``CONSUMER-ID CLIENT-ID RACK``;
- for brokers, the output of kafka-broker-api-versions with lines such as ``host:9092 (id: 1 rack: a)``.

A rack ``-`` or ``null`` means no rack.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from kassay.errors import InputError
from kassay.listings.location import ListingError, Place, find_repeated, list_some, quote
from kassay.listings.texts import STRAY, iterate_lines
from kassay.model import TopicPartition
from kassay.sentences import format_count, suggest_name

MEMBERS = ("MEMBER", "MEMBER-ID", "MEMBER.ID", "CONSUMER-ID", "CLIENT", "CLIENT-ID", "CLIENT.ID", "HOST")
"""Columns that identify members."""
_WORDS = re.compile(r"\s*,\s*|\s+")
_THREAD = re.compile(r"(.+)-StreamThread-[0-9]+-consumer", re.DOTALL)
_API_VERSIONS = re.compile(r"^\S+ \(id: (\d+) rack: (\S+?)(?: isFenced: \w+)?\)", re.ASCII)


Subscriptions: TypeAlias = Literal["all", "held", "listed"]
"""The assumed subscriptions of members, which the tool does not print.

- ``all``: every topic of which a member of the group owns a partition;
- ``held``: only the topics of which the member itself owns a partition;
- ``listed``: every topic of the topics listing except Kafka's own, and every topic of ``all``.
"""


@dataclass(frozen=True, slots=True)
class ListedDetails:
    """Details from options, which the listings do not print; see :func:`kassay.listings.read_listings`."""

    broker_racks: Mapping[int, str | None] | None = None
    member_racks: Mapping[str, str | None] | None = None
    subscriptions: Subscriptions = "all"
    stateful: Sequence[str] | None = None
    """The subtopologies of a streams group that have state."""
    config: Sequence[str] = ()
    """Settings ``NAME=VALUE``."""
    workers: Sequence[str] = ()
    """Connect workers, also those that run nothing."""
    only: str | None = None
    """The name of the group that the options are about, None if there is only one."""
    earlier: Sequence[tuple[str, str]] = ()
    """(name, text) pairs of listings from `seconds` earlier, so that weights are the records written since."""
    seconds: int = 0
    subtopologies: Sequence[str] = ()
    """As in :class:`kassay.listings.applications.Details`; so is `end_offsets`."""
    end_offsets: Mapping[TopicPartition, int] | None = None
    as_consumers: bool = False
    """True to read threads of Kafka Streams as consumers."""


NOTHING_STATED = ListedDetails()


def read_broker_racks(name: str, text: str) -> dict[int, str | None]:
    """Read a table of broker ids and racks, None for no rack; raise ListingError with the `name` of the file."""
    racks: dict[int, str | None] = {}
    entries = _read_api_versions(name, text) if "(id: " in text else _read_entries(name, text, {"BROKER"})
    for place, broker, rack in entries:
        number = place.number("BROKER", broker)
        if racks.setdefault(number, rack) != rack:
            what = f"broker {number} has rack {racks[number]!r} and {rack!r}"
            raise place.error(what, "give each broker one rack")
    return racks


def _read_api_versions(name: str, text: str) -> Iterator[tuple[Place, str, str | None]]:
    for place, line in iterate_lines(name, text):
        match = _API_VERSIONS.match(line)
        if match:
            yield place, match[1], _read_rack(match[2])
        elif "(id: " in line:
            what = f"{quote(line)} does not tell a broker's id and rack"
            raise place.error(what, "give the line as kafka-broker-api-versions prints it")


def read_member_racks(name: str, text: str) -> dict[str, str | None]:
    """Read a table of member ids, client ids or hosts and racks, None for no rack; raise ListingError with the `name`."""
    racks: dict[str, str | None] = {}
    for place, member, rack in _read_entries(name, text, MEMBERS):
        if racks.setdefault(member, rack) != rack:
            what = f"member {quote(member)} has rack {racks[member]!r} and {rack!r}"
            raise place.error(what, "give each member one rack")
    return racks


def read_thread(client_id: str) -> str | None:
    """Return the client.id of the application if a consumer's client id is a thread of Kafka Streams, else None."""
    thread = _THREAD.fullmatch(client_id)
    return None if thread is None else thread[1]


def describe_missing_racks(noun: str, names: Sequence[str]) -> str:
    """Return the warning on members or clients without a rack in the table of racks."""
    return f"the table of member racks has none for {format_count(len(names), noun)} ({list_some(map(quote, names), len(names))})"


def _read_entries(name: str, text: str, whose: Collection[str]) -> Iterator[tuple[Place, str, str | None]]:
    """Yield the names in a rack table with their racks; a header may have columns of `whose` before RACK."""
    if text.lstrip().startswith("{"):
        yield from _read_object(name, text)
        return
    columns = 1
    for place, line in iterate_lines(name, text):
        # The rack is the last word, because a member id may contain spaces.
        cells = [cell.strip() for cell in (line.rsplit(",", 1) if "," in line else line.rsplit(None, 1))]
        if not line or cells[0].startswith("#"):
            continue
        named = [word.upper() for word in _WORDS.split(line)]
        if named[-1] == "RACK" and len(named) > 1 and {*named[:-1]} <= {*whose}:
            columns = len(named) - 1
            continue
        if len(cells) != 2 or not all(cells):
            what = f"{quote(line)} is not a {min(whose, key=len).lower()} and a rack"
            raise place.error(what, "give two words a line, as in '1 a'")
        names = [cells[0]] if columns == 1 else _WORDS.split(cells[0])
        if len(names) != columns:
            raise place.error(
                f"{quote(line)} does not have the {columns + 1} columns of the header", "give each"
            )
        yield from ((place, each, _read_rack(cells[1])) for each in names if each != "-")


def _read_object(name: str, text: str) -> Iterator[tuple[Place, str, str | None]]:
    advice = 'Give an object of names and racks, as in {"1": "a", "2": null}'
    try:
        pairs = json.loads(text, object_pairs_hook=lambda pairs: pairs)
    except json.JSONDecodeError as error:
        raise Place(name, error.lineno).error(f"not JSON ({error.msg})", advice) from error
    except (RecursionError, ValueError) as error:
        raise ListingError(f"{name}: not JSON ({error}). {advice}") from error
    for key, value in pairs:
        if value is not None and not isinstance(value, str):
            raise ListingError(f"{name}: the rack of {quote(key)} is no string. {advice}")
        if not key or value == "" or STRAY.search(f"{key}{value}"):
            raise ListingError(f"{name}: {quote(key)}: {quote(str(value))} is empty or no text. {advice}")
        yield Place(name, 1), key, value
    if (twice := find_repeated(key for key, _ in pairs)) is not None:
        raise ListingError(f"{name}: the key {quote(twice)} stands twice in an object. Give it once")


def _read_rack(text: str) -> str | None:
    return None if text in ("-", "null") else text


def read_pairs(texts: Sequence[str], known: Collection[str], who: str) -> dict[str, str]:
    """Return settings ``NAME=VALUE`` by name; raise InputError with the setting if it is unknown or repeated."""
    pairs = [text.partition("=") for text in texts]
    for name, equals, value in pairs:
        if not equals or not value:
            raise InputError(
                f"--config {name}{equals}: has no value. Give NAME=VALUE, such as {next(iter(known))}=1"
            )
        if name not in known:
            raise InputError(
                f"--config {name}: {who} read no such setting. Known are {', '.join(known)}{suggest_name(name, known)}"
            )
    if twice := find_repeated(name for name, _, _ in pairs):
        raise InputError(f"--config {twice}: stands twice. Give it once.")
    return {name: value for name, _, value in pairs}


def parse_whole_number(name: str, text: str, most: int) -> int:
    """Return the number of a setting, 0 to `most`; raise InputError with the setting otherwise."""
    if text.isascii() and text.isdigit() and len(text) < 20 and int(text) <= most:
        return int(text)
    raise InputError(f"--config {name}: is {text!r}. Give a number from 0 to {most}")
