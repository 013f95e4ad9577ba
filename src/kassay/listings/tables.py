"""The tables of kafka-consumer-groups, -share-groups and -streams-groups and of rpk: a header line that names the columns, then rows.

The tools pad columns to their longest value, so a row is cut where the header's names start. Where a row does
not line up (pasted, edited, converted from tabs), it is cut at white space instead. Tables of Markdown and of commas are cut at these.

Rows that contradict the header of their table, told from text that is no row.
"""

import csv
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kassay.listings.location import Place, quoted, repeated

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
"""Name of a column in other releases and tools -> its name here; Kafka before 0.9 has small letters."""
_COLUMNS = {
    *("GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-START-OFFSET", "LOG-END-OFFSET", "LAG"),
    *("LEADER-EPOCH", "CONSUMER-ID", "HOST", "CLIENT-ID", "GROUP-INSTANCE-ID", "#PARTITIONS", "ASSIGNMENT"),
    *("CURRENT-EPOCH", "CURRENT-ASSIGNMENT", "TARGET-EPOCH", "TARGET-ASSIGNMENT", "UPGRADED", "MEMBER-EPOCH"),
    *("START-OFFSET", "COORDINATOR (ID)", "ASSIGNMENT-STRATEGY", "STATE", "#MEMBERS", "GROUP-EPOCH"),
    *(
        "TARGET-ASSIGNMENT-EPOCH",
        "ASSIGNMENT-EPOCH",
        "TOPOLOGY-EPOCH",
        "MEMBER",
        "MEMBER-PROTOCOL",
        "PROCESS",
    ),
    *("ASSIGNMENTS", "ERROR", "RACK", "MESSAGE"),
}
_TOKEN = re.compile(r"COORDINATOR \(ID\)|CURRENT OFFSET|LOG END OFFSET|[^\s|,\"`*:>]+")
_COLUMN = re.compile(r"#?[A-Z][A-Z0-9_.-]+|COORDINATOR \(ID\)|CURRENT OFFSET|LOG END OFFSET")
_PIECE = re.compile(r"#?[A-Z]?[A-Z0-9_.-]*|COORDINATOR \(ID\)|CURRENT OFFSET|LOG END OFFSET|\(?I?D?\)?")
"""A name of a column, or what a terminal has cut of one."""
_COLUMNS_MAX = 40
_WORD = re.compile(r"\S+ +\([0-9]+\)(?!\S)|\S+", re.ASCII)
"""The coordinator's address and id are one value of the table of --state."""
_TASKS = re.compile(r"((TARGET-)?(ACTIVE|STANDBY|WARMUP): .*)?")
_LAST = {"ASSIGNMENT", "ASSIGNMENTS"}
"""Last columns whose values hold spaces: Kafka before 4.0 prints ", " between topics, kafka-streams-groups "; " between subtopologies."""
MAY_BE_BLANK = {
    "GROUP-INSTANCE-ID",
    "UPGRADED",
    "ASSIGNMENT-STRATEGY",
    "ASSIGNMENT",
    "ASSIGNMENTS",
    "ERROR",
    "RACK",
    "MESSAGE",
}
_LEFT_OUT = ("GROUP-INSTANCE-ID", "ASSIGNMENT-STRATEGY", "ASSIGNMENT", "ASSIGNMENTS", "UPGRADED")
_OWNERS = {"CONSUMER-ID", "HOST", "CLIENT-ID", "GROUP-INSTANCE-ID", "ERROR", "RACK", "MESSAGE"}
"""Columns of a table of offsets that tools leave blank for a partition without owner."""
_HEADS = ("TOPIC", "CONSUMER-ID", "CLIENT-ID", "#MEMBERS", "MEMBER", "Topic")
_WIDE = re.compile(r"[ \t]*(?:\t| {2})[ \t]*")
_RULE = re.compile(r"[\s|+:=\-]*-[\s|+:=\-]*")
_DIGITS = re.compile(r"[0-9]+", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]+|-|unknown", re.ASCII)
_HELD = re.compile(r"-|.*[(:].*")
_NAMED = re.compile(r"-?$|[^\s(:]+[(:]")
_LIST = re.compile(r"-?$|[^\s(),:;]+(?:\([0-9]|:[0-9])")
_HOST = re.compile(r"/.*|-|[0-9]+(\.[0-9]+){3}(:[0-9]+)?", re.ASCII)
_MAYBE_HOST = re.compile(r"/|$|-$|[\w.:%\[\]-]+(?:/[0-9a-fA-F]*[.:].*)?$")
"""The least that tells a row from other text by its host: a name, an address, or both with a slash before the address."""
NUMBERS = {
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
}
FORMS = dict.fromkeys(NUMBERS, _NUMBER) | {
    "HOST": _HOST,
    "ASSIGNMENT": _HELD,
    "CURRENT-ASSIGNMENT": _HELD,
    "TARGET-ASSIGNMENT": _HELD,
}
"""Column -> what its values look like, where they look like anything."""


@dataclass(frozen=True, slots=True)
class Header:
    """A header line: the kind of table, its columns and where each starts.

    `kind` is ``members`` (--members), ``offsets`` (--offsets or nothing), ``state`` (--state) or ``tasks`` (--members of
    kafka-streams-groups). `separator` stands between cells, "" where white space does; `prefix` matches what stands before
    each line, as a log's time, None if nothing does.
    """

    kind: str
    columns: tuple[str, ...]
    starts: tuple[int, ...]
    place: Place
    separator: str = ""
    prefix: re.Pattern[str] | None = None
    shares: bool = False

    @property
    def names_members(self) -> bool:
        """True if its columns name members."""
        return "CONSUMER-ID" in self.columns or "CLIENT-ID" in self.columns


def is_header(line: str) -> bool:
    """Check whether a line is the header of a table that tells of groups."""
    return any(head in line for head in _HEADS) and _find_columns(line) is not None


def _find_columns(line: str) -> tuple[list[re.Match[str]], tuple[str, ...]] | None:
    """Return the words of a header at the end of a line, and what they name; None if there is none."""
    words = list(_TOKEN.finditer(line))
    if len(words) < 2 or len(words) > 3 * _COLUMNS_MAX:
        return None
    first = len(words)
    while first and (_ALIASES.get(words[first - 1][0]) or _COLUMN.fullmatch(words[first - 1][0])):
        first -= 1
    while first < len(words) and _get_name(words[first][0]) not in _COLUMNS:
        first += 1
    found = words[first:]
    names = tuple(_get_name(word[0]) for word in found)
    if not 2 <= len(names) <= _COLUMNS_MAX or _find_kind(names) is None:
        return None
    return found, names


def list_columns(line: str) -> tuple[str, ...]:
    """Return the names of columns at the end of a line, also if they are cut off."""
    words = [word[0] for word in _TOKEN.finditer(line)]
    first = len(words)
    while first and (words[first - 1] in _ALIASES or _PIECE.fullmatch(words[first - 1])):
        first -= 1
    while first < len(words) and _get_name(words[first]) not in _COLUMNS:
        first += 1
    return tuple(_get_name(word) for word in words[first:])


def is_known(line: str) -> bool:
    """Check whether all columns that a line names are known, and differ."""
    names = list_columns(line)
    return {*names} <= _COLUMNS and len({*names}) == len(names)


def _get_name(word: str) -> str:
    return _ALIASES.get(word, word)


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
    """Return the header in a line, None for other lines; raise ListingError where a column stands twice."""
    if not any(head in line for head in _HEADS):
        return None
    found = _find_columns(line)
    if found is None:
        return None
    words, names = found
    twice = repeated(names)
    if twice is not None:
        raise place.error(
            f"the header names the column {quoted(twice)} twice", "give the header as the tool printed it"
        )
    kind = _find_kind(names)
    assert kind is not None
    start = words[0].start()
    separator = _find_separator(line, words)
    before = line[:start]
    if separator == "|" and "|" in before:
        before = before[: before.rfind("|")]
    prefix = re.compile(_make_shape(before)) if before.strip() else None
    return Header(
        kind,
        names,
        tuple(word.start() - start for word in words),
        place,
        separator,
        prefix,
        kind == "offsets" and "START-OFFSET" in names,
    )


def _find_separator(line: str, words: list[re.Match[str]]) -> str:
    """Return what stands between the columns of a header, "" for white space."""
    between = [line[one.end() : other.start()] for one, other in pairwise(words)]
    for sign in ("|", "\t", ","):
        if all(sign in gap for gap in between):
            return sign
    return ""


def _make_shape(prefix: str) -> str:
    """Return a pattern of what stands before each line: the same but for numbers, as in the time of a log's line."""
    return re.sub(r"(?:\\?[0-9])+", r"\\d+", re.escape(prefix))


def is_rule(line: str) -> bool:
    """Check whether a line is a rule of a table, as below the header in Markdown."""
    return _RULE.fullmatch(line) is not None and ("--" in line or "|" in line)


def read_row(header: Header, line: str) -> dict[str, str] | None:
    """Return a row's fields by column, None if the line is no row of this table."""
    if header.prefix is not None:
        before = header.prefix.match(line)
        if before is not None:
            line = line[before.end() :]
    for values in _read_cells(header, line):
        if _check_values(header, values) and _MAYBE_HOST.match(values.get("HOST", "")):
            return values
    return None


def read_remarked_row(header: Header, line: str) -> dict[str, str] | None:
    """Return the fields of a row of offsets behind which someone wrote a remark, such as ``<-- stuck``; None of any other line."""
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
        # what a member of a share group holds is blank where it is nothing
        return _DIGITS.fullmatch(number) is not None and (values.get("ASSIGNMENT") != "" or number == "0")
    if header.kind == "state":
        return _DIGITS.fullmatch(values["#MEMBERS"]) is not None
    tasks = _TASKS.fullmatch(values.get("ASSIGNMENTS", "")) is not None
    return tasks and values["PROCESS"] not in ("", "PROCESS")  # else it is a header again


def may_begin(header: Header, line: str) -> bool:
    """Check whether a line may be the beginning of a row: its words have the form of their columns, but for the last, which may be cut.

    Columns behind one that may be blank are not looked at. It keeps most lines of other text from being tried with those below.
    """
    if header.separator not in ("", "\t"):
        return False
    if header.prefix is not None and (before := header.prefix.match(line)):
        line = line[before.end() :]
    words = line.split()
    if not words or (len(words) > len(header.columns) and header.columns[-1] not in _LAST):
        return False
    for name, word in zip(header.columns, words[:-1], strict=False):
        if name in MAY_BE_BLANK:
            break
        form = FORMS.get(name)
        if form is not None and not form.fullmatch(word):
            return False
    return True


def is_owned(row: Mapping[str, str]) -> bool:
    """Check whether a row of offsets names the host of an owner as tools print it, where it has a column for it."""
    return "HOST" not in row or _HOST.fullmatch(row["HOST"]) is not None


def _read_cells(header: Header, line: str) -> Iterator[dict[str, str]]:
    """Yield what a line may say by columns, the likeliest first."""
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
    wide = _WIDE.split(line.strip())  # names with blanks in them
    if len(wide) == len(header.columns):
        yield dict(zip(header.columns, wide, strict=True))
    if header.kind == "offsets":
        yield from _read_unowned(header, words)


def _cut_at_spaces(header: Header, line: str) -> Iterator[dict[str, str]]:
    """Yield a row cut at white space: with all columns, then without one that may be blank."""
    cut = cut_words(header, header.columns, line)
    if len(cut) == len(header.columns):
        yield dict(zip(header.columns, cut, strict=True))
    for absent in (*((name,) for name in _LEFT_OUT if name in header.columns), ("ERROR", "RACK", "MESSAGE")):
        names = [name for name in header.columns if name not in absent]
        cut = cut_words(header, names, line)
        if len(cut) == len(names):
            yield dict.fromkeys(absent, "") | dict(zip(names, cut, strict=True))


def _read_unowned(header: Header, words: list[str]) -> Iterator[dict[str, str]]:
    """Yield a row of a partition without an owner, whose last columns are blank."""
    kept = [name for name in header.columns if name not in _OWNERS]
    if len(words) == len(kept) and kept == list(header.columns[: len(kept)]):
        yield dict.fromkeys(header.columns, "") | dict(zip(kept, words, strict=True))


def cut_words(header: Header, names: Sequence[str], line: str) -> list[str]:
    """Cut a line at white space, as columns of these names."""
    if names[-1] in _LAST:
        return line.rstrip().split(None, len(names) - 1)
    return _WORD.findall(line) if header.kind == "state" else line.split()


def cut_cells(separator: str, line: str) -> list[str]:
    """Cut a line at a sign, as in a table of Markdown or of commas."""
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
    starts = header.starts
    if not line.isascii():
        return _cut_units(header, line)
    cells: dict[str, str] = {}
    for name, start, end in zip(header.columns, starts, (*starts[1:], len(line)), strict=True):
        if start and line[start - 1 : start] not in (" ", ""):
            return None
        cell = line[start:end] if end > start else ""
        text = cell.strip()
        if not text:
            if name not in MAY_BE_BLANK and not (header.kind == "offsets" and name in _OWNERS):
                return None
        elif cell[0] == " ":
            return None
        cells[name] = text
    return _refuse_cut(header, cells)


def _cut_units(header: Header, line: str) -> dict[str, str] | None:
    """Cut a row where Java does, which counts in units of UTF-16."""
    units = line.encode("utf-16-le", "surrogatepass")
    cells: dict[str, str] = {}
    for name, start, end in zip(
        header.columns, header.starts, (*header.starts[1:], len(units) // 2), strict=True
    ):
        before, cell = units[2 * start - 2 : 2 * start], units[2 * start : 2 * end]
        if start > 0 and before not in (_SPACE, b""):
            return None
        cells[name] = cell.decode("utf-16-le", "surrogatepass").strip() if cell else ""
        blank = name in MAY_BE_BLANK or (header.kind == "offsets" and name in _OWNERS)
        if (not cells[name] and not blank) or (cells[name] and cell[:2] == _SPACE):
            return None
    return _refuse_cut(header, cells)


_SPACE = " ".encode("utf-16-le")


def _refuse_cut(header: Header, cells: dict[str, str]) -> dict[str, str] | None:
    """Return the cells, None of a row of offsets that names a member and ends before its host."""
    if header.kind != "offsets":
        return cells
    owner = [cells[name] for name in ("CONSUMER-ID", "HOST", "CLIENT-ID") if name in cells]
    return cells if all(owner) or not any(owner) else None


@dataclass(frozen=True, slots=True)
class Fault:
    """A contradiction between a row and its header: the group of the row, the column and its value, None if the row ends before it."""

    group: str | None
    column: str
    value: str | None


def fault_of(header: Header, line: str, groups: Container[str], *, below: bool) -> Fault | None:
    """Find how a row contradicts the header, None if the line is other text.

    A row has two or more values of the form that its columns have, and at most one of another form. The name of a known group counts
    as such a value. A line with fewer words is a row only right `below` another row, or if it names a known group. A line with more
    words is a row only if it names a known group and three values have the form of their columns.
    """
    if header.prefix is not None and (before := header.prefix.match(line)):
        line = line[before.end() :]
    names = list(header.columns)
    words = cut_cells(header.separator, line) if header.separator else cut_words(header, names, line)
    if len(words) < 2:
        return None
    cells = dict(zip(names, words, strict=False))
    known = cells.get("GROUP") in groups
    right = sum(1 for name, value in cells.items() if name in FORMS and FORMS[name].fullmatch(value))
    wrong = [name for name, value in cells.items() if name in FORMS and not FORMS[name].fullmatch(value)]
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
