"""Tables of Kafka's tools and of rpk: a header line with the names of the columns, then rows.

The tools pad columns to their longest value, so a row is split where the names of the header start. A row that is not aligned
(pasted, edited, converted from tabs) is split at white space instead, tables of Markdown at ``|``, and comma-separated ones at ``,``.
"""

import csv
import re
import sys
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kassay.listings.location import Place, find_repeated, quote

_ALIASES = {
    "OWNER": "CONSUMER-ID",
    "MEMBER-ID": "CONSUMER-ID",
    "INSTANCE-ID": "GROUP-INSTANCE-ID",
    "CURRENT OFFSET": "CURRENT-OFFSET",
    "LOG END OFFSET": "LOG-END-OFFSET",
    "OFFSET-LAG": "LAG",
    "Group": "GROUP",
    "Topic": "TOPIC",
    "Pid": "PARTITION",
    "Offset": "CURRENT-OFFSET",
    "logSize": "LOG-END-OFFSET",
    "Lag": "LAG",
    "Owner": "CONSUMER-ID",
    "ASSIGNOR": "ASSIGNMENT-STRATEGY",
}
"""Column name in other releases and tools -> name in this package; Kafka before 0.9 uses small letters."""
_TOKEN = re.compile(r"COORDINATOR \(ID\)|CURRENT OFFSET|LOG END OFFSET|[^\s|,\"`*:>]+")
_COLUMN = re.compile(r"#?[A-Z][A-Z0-9_.-]+|COORDINATOR \(ID\)|CURRENT OFFSET|LOG END OFFSET")
_PIECE = re.compile(r"#?[A-Z]?[A-Z0-9_.-]*|COORDINATOR \(ID\)|CURRENT OFFSET|LOG END OFFSET|\(?I?D?\)?")
"""The name of a column, or a part of it at the edge of a terminal."""
_COLUMNS_MAX = 40
_UTF_16 = f"utf-16-{sys.byteorder[0]}e"
_WORD = re.compile(r"\S+ +\([0-9]+\)(?!\S)|\S+", re.ASCII)
"""The address and id of the coordinator are one value in the table of --state."""
_TASKS = re.compile(r"((TARGET-)?(ACTIVE|STANDBY|WARMUP): .*)?")
_LAST = {"ASSIGNMENT", "ASSIGNMENTS"}
"""Last columns whose values contain spaces: Kafka before 4.0 prints ", " between topics, kafka-streams-groups "; " between subtopologies."""
_LATE = ("ERROR", "RACK", "MESSAGE")
MAY_BE_BLANK = {*_LATE, "GROUP-INSTANCE-ID", "UPGRADED", "ASSIGNMENT-STRATEGY", "ASSIGNMENT", "ASSIGNMENTS"}
_LEFT_OUT = ("GROUP-INSTANCE-ID", "ASSIGNMENT-STRATEGY", "ASSIGNMENT", "ASSIGNMENTS", "UPGRADED")
_OWNERS = {*_LATE, "CONSUMER-ID", "HOST", "CLIENT-ID", "GROUP-INSTANCE-ID"}
"""Columns of an offsets table that are blank for a partition without owner."""
_HEADS = ("TOPIC", "CONSUMER-ID", "CLIENT-ID", "#MEMBERS", "MEMBER", "Topic")
"""A header has one of these words."""
_WIDE = re.compile(r"[ \t]*(?:\t| {2})[ \t]*")
_RULE = re.compile(r"[\s|+:=\-]*-[\s|+:=\-]*")
_DIGITS = re.compile(r"[0-9]+", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]+|-|unknown", re.ASCII)
_HELD = re.compile(r"-|.*[(:].*")
_NAMED = re.compile(r"-?$|[^\s(:]+[(:]")
_LIST = re.compile(r"-?$|[^\s(),:;]+(?:\([0-9]|:[0-9])")
_HOST = re.compile(r"/.*|-|[0-9]+(\.[0-9]+){3}(:[0-9]+)?", re.ASCII)
_MAYBE_HOST = re.compile(r"/|$|-$|[\w.:%\[\]-]+(?:/[0-9a-fA-F]*[.:].*)?$")
"""A possible host of a row: a name, an address, or both with a slash between them."""
_NUMBERS = (
    *(
        "PARTITION",
        "CURRENT-OFFSET",
        "LOG-START-OFFSET",
        "LOG-END-OFFSET",
        "LAG",
        "LEADER-EPOCH",
        "START-OFFSET",
    ),
    *("#PARTITIONS", "CURRENT-EPOCH", "TARGET-EPOCH", "MEMBER-EPOCH", "#MEMBERS", "GROUP-EPOCH"),
    *("TARGET-ASSIGNMENT-EPOCH", "ASSIGNMENT-EPOCH", "TOPOLOGY-EPOCH"),
)
_FORMS = {
    **dict.fromkeys(_NUMBERS, _NUMBER),
    "HOST": _HOST,
    **dict.fromkeys(("ASSIGNMENT", "CURRENT-ASSIGNMENT", "TARGET-ASSIGNMENT"), _HELD),
}
"""Column -> the form of its values, if they have a fixed one."""
_COLUMNS = {
    *_FORMS, *MAY_BE_BLANK, "GROUP", "TOPIC", "CONSUMER-ID", "CLIENT-ID", "COORDINATOR (ID)", "STATE", "MEMBER",
    "MEMBER-PROTOCOL", "PROCESS",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Header:
    """A header line."""

    kind: str
    """``members`` (--members), ``offsets`` (--offsets or no option), ``state`` (--state) or ``tasks`` (kafka-streams-groups --members)."""
    columns: tuple[str, ...]
    starts: tuple[int, ...]
    """The positions at which the columns start."""
    place: Place
    separator: str = ""
    """The sign between cells, "" for white space."""
    prefix: re.Pattern[str] | None = None
    """A pattern for the text before each line, such as the time in a log; None if there is none."""
    shares: bool = False
    """True if the table is about a share group."""

    @property
    def names_members(self) -> bool:
        """True if its columns name members."""
        return "CONSUMER-ID" in self.columns or "CLIENT-ID" in self.columns

    def strip_prefix(self, line: str) -> str:
        """Return a line without the prefix of the table."""
        before = None if self.prefix is None else self.prefix.match(line)
        return line if before is None else line[before.end() :]


def is_header(line: str) -> bool:
    """Return True if a line is the header of a table about groups."""
    return any(head in line for head in _HEADS) and _find_columns(line) is not None


def _find_tail(words: Sequence[re.Match[str]], form: re.Pattern[str]) -> Sequence[re.Match[str]]:
    """Return the last words with the form of a column name, from the first known name on."""
    first = len(words)
    while first and (words[first - 1][0] in _ALIASES or form.fullmatch(words[first - 1][0])):
        first -= 1
    while first < len(words) and _ALIASES.get(words[first][0], words[first][0]) not in _COLUMNS:
        first += 1
    return words[first:]


def _find_columns(line: str) -> tuple[Sequence[re.Match[str]], tuple[str, ...]] | None:
    """Return the words of a header at the end of a line, and their columns; None if there is none."""
    words = list(_TOKEN.finditer(line))
    if len(words) > 3 * _COLUMNS_MAX:
        return None
    found = _find_tail(words, _COLUMN)
    names = tuple(_ALIASES.get(word[0], word[0]) for word in found)
    if not 2 <= len(names) <= _COLUMNS_MAX or _find_kind(names) is None:
        return None
    return found, names


def list_columns(line: str) -> tuple[str, ...]:
    """Return the columns at the end of a line, even if their names are incomplete."""
    return tuple(_ALIASES.get(word[0], word[0]) for word in _find_tail(list(_TOKEN.finditer(line)), _PIECE))


def is_known(line: str) -> bool:
    """Return True if all columns in a line are known and different."""
    names = list_columns(line)
    return {*names} <= _COLUMNS and len({*names}) == len(names)


def _find_kind(names: tuple[str, ...]) -> str | None:
    there = {*names}
    members = bool(there & {"CONSUMER-ID", "CLIENT-ID"})
    if {"TOPIC", "PARTITION"} <= there:
        offsets = {"CURRENT-OFFSET", "LAG", "LOG-END-OFFSET", "START-OFFSET"}
        return "offsets" if members or there & offsets else None
    if "#MEMBERS" in there and there & {"COORDINATOR (ID)", "STATE"}:
        return "state"
    if {"MEMBER", "PROCESS"} <= there:
        return "tasks"
    if members and there & {"#PARTITIONS", "ASSIGNMENT", "CURRENT-ASSIGNMENT"}:
        return "members"
    return None


def read_header(place: Place, line: str) -> Header | None:
    """Return the header in a line, None for other lines; raise ListingError if a column occurs twice."""
    if not any(head in line for head in _HEADS):
        return None
    found = _find_columns(line)
    if found is None:
        return None
    words, names = found
    twice = find_repeated(names)
    if twice is not None:
        raise place.error(
            f"the header names the column {quote(twice)} twice", "give the header as the tool printed it"
        )
    kind = _find_kind(names)
    assert kind is not None
    start = words[0].start()
    between = [line[one.end() : other.start()] for one, other in pairwise(words)]
    separator = next((sign for sign in "|\t," if all(sign in gap for gap in between)), "")
    before = line[:start]
    if separator == "|" and "|" in before:
        before = before[: before.rfind("|")]
    # Each line has the same prefix except for numbers, such as the time in a log.
    shape = re.sub(r"(?:\\?[0-9])+", r"\\d+", re.escape(before))
    prefix = re.compile(shape) if before.strip() else None
    starts = tuple(word.start() - start for word in words)
    shares = kind == "offsets" and "START-OFFSET" in names
    return Header(kind, names, starts, place, separator, prefix, shares)


def is_rule(line: str) -> bool:
    """Return True if a line is a rule of a table, such as the line below the header in Markdown."""
    return _RULE.fullmatch(line) is not None and ("--" in line or "|" in line)


def read_row(header: Header, line: str) -> dict[str, str] | None:
    """Return the fields of a row by column, None if the line is not a row of this table."""
    line = header.strip_prefix(line)
    for values in _read_cells(header, line):
        if _check_values(header, values) and _MAYBE_HOST.match(values.get("HOST", "")):
            return values
    return None


def read_remarked_row(header: Header, line: str) -> dict[str, str] | None:
    """Return the fields of an offsets row with a remark behind it, such as ``<-- stuck``; None for other lines."""
    words = line.split()
    if header.kind != "offsets" or len(words) <= len(header.columns):
        return None
    fields = dict(zip(header.columns, words, strict=False))
    return fields if _HOST.fullmatch(fields.get("HOST", "")) and _check_values(header, fields) else None


def _check_values(header: Header, values: Mapping[str, str]) -> bool:
    if header.kind == "offsets":
        number = values["PARTITION"]
        return (number.isascii() and number.isdecimal()) or number == "-"
    if header.kind == "members":
        held = values.get("ASSIGNMENT", values.get("CURRENT-ASSIGNMENT", "-"))
        if not _NAMED.match(held):
            return False
        if "#PARTITIONS" not in values:
            return _HOST.fullmatch(values.get("HOST", "-")) is not None and _LIST.match(held) is not None
        number = values["#PARTITIONS"]
        # The assignment of a share group's member is blank if it is empty.
        return _DIGITS.fullmatch(number) is not None and (values.get("ASSIGNMENT") != "" or number == "0")
    if header.kind == "state":
        return _DIGITS.fullmatch(values["#MEMBERS"]) is not None
    tasks = _TASKS.fullmatch(values.get("ASSIGNMENTS", "")) is not None
    return tasks and values["PROCESS"] not in ("", "PROCESS")  # the header may be repeated


def can_begin_row(header: Header, line: str) -> bool:
    """Return True if a line may begin a row: its words have the form of their columns, except the last, which may be incomplete.

    Columns after one that may be blank are ignored. This check avoids most attempts to join other text with the lines below it.
    """
    if header.separator not in ("", "\t"):
        return False
    line = header.strip_prefix(line)
    words = line.split()
    if not words or (len(words) > len(header.columns) and header.columns[-1] not in _LAST):
        return False
    for name, word in zip(header.columns, words[:-1], strict=False):
        if name in MAY_BE_BLANK:
            break
        form = _FORMS.get(name)
        if form is not None and not form.fullmatch(word):
            return False
    return True


def is_owned(row: Mapping[str, str]) -> bool:
    """Return True if an offsets row has the host of an owner as tools print it, or if the table has no such column."""
    return "HOST" not in row or _HOST.fullmatch(row["HOST"]) is not None


def _read_cells(header: Header, line: str) -> Iterator[dict[str, str]]:
    """Yield the possible fields of a line by column, the most likely ones first."""
    if header.separator:
        cells = cut_cells(header.separator, line)
        if len(cells) == len(header.columns):
            yield dict(zip(header.columns, cells, strict=True))
        if header.separator != "\t":
            return
    words = line.split()
    if len(words) == len(header.starts) and all(map(line.startswith, words, header.starts)):
        yield dict(zip(header.columns, words, strict=True))
        return
    aligned = _cut_aligned(header, line)
    if aligned is not None:
        yield aligned
    yield from _cut_at_spaces(header, line)
    wide = _WIDE.split(line.strip())  # names with single spaces
    if len(wide) == len(header.columns):
        yield dict(zip(header.columns, wide, strict=True))
    if header.kind == "offsets":  # a partition without an owner, whose last columns are blank
        kept = [name for name in header.columns if name not in _OWNERS]
        if len(words) == len(kept) and kept == list(header.columns[: len(kept)]):
            yield dict.fromkeys(header.columns, "") | dict(zip(kept, words, strict=True))


def _cut_at_spaces(header: Header, line: str) -> Iterator[dict[str, str]]:
    """Yield a row split at white space: with all columns, then without one that may be blank."""
    cut = cut_words(header, header.columns, line)
    if len(cut) == len(header.columns):
        yield dict(zip(header.columns, cut, strict=True))
    for absent in (*((name,) for name in _LEFT_OUT if name in header.columns), _LATE):
        names = [name for name in header.columns if name not in absent]
        cut = cut_words(header, names, line)
        if len(cut) == len(names):
            yield dict.fromkeys(absent, "") | dict(zip(names, cut, strict=True))


def cut_words(header: Header, names: Sequence[str], line: str) -> list[str]:
    """Split a line at white space into the columns of these names."""
    if names[-1] in _LAST:
        return line.rstrip().split(None, len(names) - 1)
    return _WORD.findall(line) if header.kind == "state" else line.split()


def cut_cells(separator: str, line: str) -> list[str]:
    """Split a line at a separator, as in Markdown or comma-separated values."""
    if separator == ",":
        cells = next(csv.reader([line.strip()], skipinitialspace=True), [])
    elif separator == "|":
        bare = line.strip()
        bare = bare.removeprefix("|").removesuffix("|")
        cells = [re.sub(r"\\([_*|#.\-])", r"\1", cell.strip().strip("`*")) for cell in bare.split("|")]
    else:
        cells = line.split(separator)
    return [cell.strip() for cell in cells]


def _cut_aligned(header: Header, line: str) -> dict[str, str] | None:
    """Split a row where the columns of the header start; None if the row is not aligned."""
    ascii_only = line.isascii()
    if not ascii_only:  # Java pads by units of UTF-16
        line = "".join(map(chr, memoryview(line.encode(_UTF_16, "surrogatepass")).cast("H")))
    cells: dict[str, str] = {}
    for name, start, end in zip(header.columns, header.starts, (*header.starts[1:], len(line)), strict=True):
        if start and line[start - 1 : start] not in (" ", ""):
            return None
        cell = line[start:end]
        text = cell.strip()
        if not text:
            if name not in MAY_BE_BLANK and not (header.kind == "offsets" and name in _OWNERS):
                return None
        elif cell[0] == " ":
            return None
        cells[name] = (
            text if ascii_only else text.encode(_UTF_16, "surrogatepass").decode(_UTF_16, "surrogatepass")
        )
    # An offsets row with a member but without its host is incomplete.
    owner = [cells[name] for name in ("CONSUMER-ID", "HOST", "CLIENT-ID") if name in cells]
    return cells if header.kind != "offsets" or all(owner) or not any(owner) else None


@dataclass(frozen=True, slots=True)
class Fault:
    """A contradiction between a row and its header: the group of the row, the column and its value, None if the row ends before it."""

    group: str | None
    column: str
    value: str | None


def find_fault(header: Header, line: str, groups: Container[str], *, below: bool) -> Fault | None:
    """Return the contradiction between a row and the header, None if the line is other text.

    A line is a row if:

    - at least two values have the form of their columns, where the name of a known group counts as one,
    - at most one value (with a known group: two) has another form,
    - it has as many words as the header. Fewer are allowed `below` another row or with a known group; more are allowed with a known group
      and three values with the form of their columns.
    """
    line = header.strip_prefix(line)
    names = list(header.columns)
    words = cut_cells(header.separator, line) if header.separator else cut_words(header, names, line)
    if len(words) < 2:
        return None
    cells = dict(zip(names, words, strict=False))
    known = cells.get("GROUP") in groups
    right = sum(1 for name, value in cells.items() if name in _FORMS and _FORMS[name].fullmatch(value))
    wrong = [name for name, value in cells.items() if name in _FORMS and not _FORMS[name].fullmatch(value)]
    if len(words) > len(names) and not (known and right >= 3):
        return None
    if right == 0 or right + known < 2 or len(wrong) > 1 + known:
        return None
    group = cells.get("GROUP")
    if wrong:
        return Fault(group, wrong[0], cells[wrong[0]])
    if len(words) < len(names):
        if not below and not known:
            return None
        return Fault(group, names[len(words)], None)
    number = (
        "#PARTITIONS" if header.kind == "members" else "#MEMBERS" if header.kind == "state" else "PARTITION"
    )
    return Fault(group, number, cells.get(number, ""))
