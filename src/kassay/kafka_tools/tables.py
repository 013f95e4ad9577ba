"""The tables of kafka-consumer-groups, -share-groups and -streams-groups: a header line that names the columns, then rows.

The tool pads columns to their longest value, so a row is cut where the header's names start. Where a row does
not line up (pasted, edited, converted from tabs), it is cut at white space instead.

From the bytes of a listing to its lines.
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

from kassay.kafka_tools.location import Place, quoted, repeated

_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",  # PowerShell's ">"
    codecs.BOM_UTF16_BE: "utf-16-be",
}


def decode(name: str, content: bytes) -> str:
    """Return the text of a file: UTF-8, or what its byte order mark says.

    Raises ListingError naming the file, line and byte where the bytes are no text.
    """
    mark = next((mark for mark in _MARKS if content.startswith(mark)), b"")
    encoding = _MARKS.get(mark, "utf-8")
    body = content[len(mark) :]
    try:
        return body.decode(encoding)
    except UnicodeDecodeError as error:
        place = Place(name, body[: error.start].count(b"\n") + 1)
        raise place.error(
            f"byte {len(mark) + error.start} is not {encoding.upper()}", "save the file as UTF-8"
        ) from error


def lines(name: str, text: str) -> Iterator[tuple[Place, str]]:
    """Yield the lines of a file with their places; only line feed and carriage return end one.

    Raises ListingError where a character stands that no tool prints (NUL, half of a surrogate pair).
    """
    for number, line in enumerate(re.split(r"\r\n|\n|\r", text.removeprefix("\ufeff")), 1):
        place = Place(name, number)
        stray = re.search("[\x00\ud800-\udfff]", line)
        if stray:
            raise place.error(f"the line holds the character {stray[0]!r}", "save the file as UTF-8 text")
        yield place, line.rstrip()


_OPENING = {
    *("GROUP", "CONSUMER-ID", "HOST", "CLIENT-ID", "#PARTITIONS", "TOPIC", "PARTITION", "COORDINATOR"),
    *("OWNER", "STATE", "TYPE", "MEMBER", "ASSIGNMENT-STRATEGY", "START-OFFSET", "PROTOCOL"),
    "TARGET-ASSIGNMENT-EPOCH",
}
_ADVICE = "run kafka-consumer-groups --describe --members --verbose and give its output"
_COLUMNS_MAX = 40
_MAY_BE_BLANK = {"GROUP-INSTANCE-ID", "UPGRADED", "ASSIGNMENT-STRATEGY", "ASSIGNMENT", "ASSIGNMENTS"}
_WORD = re.compile(r"COORDINATOR \(ID\)|\S+ +\([0-9]+\)(?!\S)|\S+", re.ASCII)
"""The coordinator's address and id are one value of the table of --state."""
_TASKS = re.compile(r"((TARGET-)?(ACTIVE|STANDBY|WARMUP): .*)?")
_LAST = {"ASSIGNMENT", "ASSIGNMENTS"}
"""Last columns whose values hold spaces: Kafka before 4.0 prints ", " between topics, kafka-streams-groups "; " between subtopologies."""


@dataclass(frozen=True, slots=True)
class Header:
    """A header line: the kind of table, its columns and where each starts.

    `kind` is ``members`` (--members), ``offsets`` (--offsets or nothing), ``state`` (--state), ``tasks`` (--members of
    kafka-streams-groups) or ``positions`` (--offsets of kafka-share-groups and -streams-groups, which names no members).
    """

    kind: str
    columns: tuple[str, ...]
    starts: tuple[int, ...]
    place: Place

    @property
    def number(self) -> str:
        """The column that tells a row from other text: it holds a number, or tasks."""
        return _TELLING.get(self.kind, "PARTITION")


_TELLING = {"members": "#PARTITIONS", "state": "#MEMBERS", "tasks": "ASSIGNMENTS"}


def is_header(line: str) -> bool:
    """Tell whether a line is the header of a table, of whatever kind."""
    words = line.split()
    return 2 <= len(words) <= _COLUMNS_MAX and {words[0].rstrip(","), words[1].rstrip(",")} <= _OPENING


def read_header(place: Place, line: str) -> Header | None:
    """Return the header in a line, None where it is none; raise ListingError for a table without members."""
    if not is_header(line):
        return None
    words = list(_WORD.finditer(line))
    columns = tuple(word[0] for word in words)
    there = {*columns} | (
        {"CONSUMER-ID"} if "CLIENT-ID" in columns else set()
    )  # an operator's table may name clients alone
    kind = next((kind for kind, needed in _NEEDED.items() if needed <= there), None)
    if kind is None:
        advice = _ADVICE.replace("consumer", "streams") if "OFFSET-LAG" in columns else _ADVICE
        raise place.error(f"the table {quoted(' '.join(columns))} does not list a group's members", advice)
    twice = repeated(columns)
    if twice is not None:
        raise place.error(f"the header names the column {quoted(twice)} twice", _ADVICE)
    return Header(kind, columns, tuple(word.start() for word in words), place)


_NEEDED = {
    "state": {"COORDINATOR (ID)", "#MEMBERS"},
    "members": {"CONSUMER-ID", "#PARTITIONS"},
    "offsets": {"CONSUMER-ID", "TOPIC", "PARTITION"},
    "tasks": {"GROUP", "MEMBER", "PROCESS", "CLIENT-ID", "ASSIGNMENTS"},
    "positions": {"GROUP", "TOPIC", "PARTITION", "START-OFFSET"},
}
"""Kind of table -> the columns that it has."""


def read_row(header: Header, line: str) -> dict[str, str] | None:
    """Return a row's fields by column, None where the line is no row of this table."""
    for values in _readings(header, line):
        telling = values[header.number]
        if header.kind == "tasks":
            fits = _TASKS.fullmatch(telling)
        else:
            fits = re.fullmatch(r"[0-9]+" if header.kind != "offsets" else r"[0-9]+|-", telling, re.ASCII)
        # what a member of a share group holds is blank where it is nothing
        if fits and (values.get("ASSIGNMENT") != "" or telling == "0"):
            return values
    return None


def _readings(header: Header, line: str) -> Iterator[dict[str, str]]:
    cells = _aligned(header, line)
    if cells is not None:
        yield cells
    for absent in (None, "GROUP-INSTANCE-ID", "ASSIGNMENT-STRATEGY", "ASSIGNMENT", "ASSIGNMENTS"):
        columns = [name for name in header.columns if name != absent]
        words = line.split(None, len(columns) - 1) if columns[-1] in _LAST else _WORD.findall(line)
        if len(words) == len(columns):
            blank = {"GROUP-INSTANCE-ID": ""} if absent is None else {absent: ""}
            yield blank | dict(zip(columns, (word.strip() for word in words), strict=True))


def _aligned(header: Header, line: str) -> dict[str, str] | None:
    units = _units(line)
    cells: dict[str, str] = {}
    for name, start, end in zip(
        header.columns, header.starts, (*header.starts[1:], len(units) // 2), strict=True
    ):
        before, cell = units[2 * start - 2 : 2 * start], units[2 * start : 2 * end]
        if start > 0 and before not in (_SPACE, b""):
            return None
        cells[name] = cell.decode("utf-16-le", "surrogatepass").strip() if cell else ""
        if (not cells[name] and name not in _MAY_BE_BLANK) or (cells[name] and cell[:2] == _SPACE):
            return None
    return cells


_SPACE = " ".encode("utf-16-le")


def _units(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")
