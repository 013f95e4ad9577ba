"""The text of a listing: lines without the marks of mail and terminals, wrapped lines joined, and JSON values."""

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from kassay.listings.location import ListingError, Place, find_repeated, quote
from kassay.listings.tables import (
    MAY_BE_BLANK,
    Header,
    can_begin_row,
    is_header,
    is_known,
    is_owned,
    list_columns,
    read_header,
    read_row,
)

_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",  # PowerShell's ">"
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_ENDS = re.compile(r"\r\n|\n|\r")
STRAY = re.compile("[\x00\ud800-\udfff]")
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
"""Escape sequences for the colours and titles of a terminal (ECMA-48)."""
_QUOTE = re.compile(r"\s*>(?:[>\s]*>)?[ \t]?")
_TAG = re.compile(r"</?(?:pre|code|samp|tt|p|div|span|br)\b[^<>]*>", re.IGNORECASE)
"""HTML tags around a listing in the source of a web page."""
_MARK = re.compile(r"\s*(?:(?:[\w./\\-]+:)?[0-9]+[:.)]|[-=~]*>+|[-*+!\u2022\u00bb\u2192\u27a1]+)\s*(?=\S)")
"""Marks of people and tools before a line: an arrow, a sign of a list or of `diff`, the line number."""
_WIDE = str.maketrans(
    {"\xa0": " ", "\u2007": " ", "\u202f": " ", "\u200b": None, "\u2502": "|", "\u2503": "|"}
)
"""Spaces and rules of web pages and terminals -> plain ones."""


def decode(name: str, content: bytes) -> str:
    """Return the text of a file in UTF-8 or in the encoding of its byte order mark.

    Raises ListingError with file, line and byte if the bytes are not text.
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


def iterate_lines(name: str, text: str) -> Iterator[tuple[Place, str]]:
    """Yield the lines of a file with their places; only line feed and carriage return end a line.

    Raises ListingError at a character that no tool prints (NUL, half of a surrogate pair).
    """
    for number, line in enumerate(_ENDS.split(text.removeprefix("\ufeff")), 1):
        place = Place(name, number)
        if (stray := find_stray(place, line)) is not None:
            raise stray
        yield place, line.rstrip()


def is_clean(text: str) -> bool:
    """Return True if a text has no characters that no tool prints, and no bytes that were not UTF-8."""
    return "\0" not in text and (text.isascii() or ("\ufffd" not in text and STRAY.search(text) is None))


def find_unclean(place: Place, row: str) -> ListingError | None:
    """Return the error about the characters of a row, None if they are fine."""
    if "\ufffd" in row and not STRAY.search(row):
        return place.error("the row holds bytes that are not UTF-8", "save the file as UTF-8")
    return find_stray(place, row)


def find_stray(place: Place, line: str) -> ListingError | None:
    """Return the error about a character in a line that no tool prints, None if there is none."""
    stray = STRAY.search(line)
    if stray is None:
        return None
    return place.error(f"the line holds the character {stray[0]!r}", "save the file as UTF-8 text")


def strip_marks(text: str) -> str:
    """Return a text without colours and marks of quoted mail, with the same lines."""
    text = text.removeprefix("\ufeff")
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    if not text.isascii():
        text = text.translate(_WIDE)
    if "<" in text:
        text = _TAG.sub("", text)
    if ">" not in text:
        return text
    marks = ((line, _QUOTE.match(line) if ">" in line else None) for line in _ENDS.split(text))
    return "\n".join(line[mark.end() :] if mark else line for line, mark in marks)


def strip_mark(line: str) -> str:
    """Return a line without the mark or number before it, and without the same mark after it."""
    mark = _MARK.match(line)
    return line if mark is None else line[mark.end() :].removesuffix(mark[0].strip()).rstrip()


def split_lines(text: str) -> list[str]:
    """Return the lines of a plain text with their trailing spaces, which are needed to join wrapped lines."""
    return _ENDS.split(text) if "\r" in text else text.split("\n")


_NOTICE = re.compile(
    r"(?:(Consumer|Share|Streams) group|[Gg]roup) [`'\u2018\u2019\"\u201c](.+?)[`'\u2018\u2019\"\u201d] "
    r"(has no active members|is rebalancing|has no offset information|does not exist|is dead|is empty)"
)
_STATES = {
    "has no active members": "Empty",
    "is empty": "Empty",
    "is rebalancing": "PreparingRebalance",
    "does not exist": "Dead",
    "is dead": "Dead",
}
_FAILURE = re.compile(r"\s*(?:Error: |Error while executing |Exception in thread )")
_COMMAND = re.compile(
    r"kafka-(?:(?:consumer|share|streams)-groups|topics)(?:\.sh|\.bat)?\s.*--|\brpk\s+group\s+describe\s|\bcurl\s.*(?:/connectors|https?:)"
    r"|kafka\.(?:admin\.ConsumerGroupCommand|tools\.ConsumerOffsetChecker)\s"
)
_NAMED = re.compile(r"--group(?:\s+|=)(?:'([^']+)'|\"([^\"]+)\"|([^\s'\"\\]+))")
_SUMMARY = re.compile(
    r"\s*(GROUP|COORDINATOR(?:-NODE|-PARTITION)?|STATE|BALANCER|MEMBERS|TOTAL-LAG|ERROR)(?:[ \t]{2,}|\t)\s*(\S.*?)?\s*"
    r"|\s*(GROUP|COORDINATOR(?:-NODE|-PARTITION)?|STATE|BALANCER|MEMBERS|TOTAL-LAG|ERROR)(?: (\S+))?\s*"
)


@dataclass(frozen=True, slots=True)
class Notice:
    """A statement of a tool about a group."""

    kind: str
    """The kind of group as printed, such as Share, or ""."""
    group: str
    state: str
    """The state that it implies, or ""."""
    sentence: str


def read_notice(line: str) -> Notice | None:
    """Return the statement in a line about a group, None if there is none."""
    if "group" not in line and "Group" not in line:
        return None
    found = _NOTICE.search(line)
    if found is None:
        return None
    kind, name, what = found[1] or "", found[2], found[3]
    who = f"{kind} group" if kind else "Group"
    return Notice(kind, name, _STATES.get(what, ""), f"{who} {quote(name)} {what}.")


def is_failure(line: str) -> bool:
    """Return True if a line is an error of the tool."""
    return _FAILURE.match(line) is not None


def is_command(line: str) -> bool:
    """Return True if a line is a command that prints such tables, at a prompt or in a script."""
    return _COMMAND.search(line) is not None


def find_command_group(line: str) -> str | None:
    """Return the group in a command, None if there is none or more than one."""
    names = [one[1] or one[2] or one[3] for one in _NAMED.finditer(line)]
    return names[0] if len(names) == 1 else None


def read_summary(line: str) -> tuple[str, str] | None:
    """Return the key and value of a line that rpk prints above a group's partitions, None for other lines."""
    found = _SUMMARY.fullmatch(line)
    if found is None:
        return None
    key, value = found[1] or found[3], found[2] or found[4] or ""
    if key == "GROUP" and (not value or " " in value):
        return None
    return key, value


_NOISE = re.compile(
    r"""\s*(?: Note:\s | (?i:warning):\s | SLF4J: | log4j: | Picked\ up\s | OpenJDK\s | Java\ HotSpot
          | \[\d{4}-\d\d-\d\d[ ] | ``` )""",
    re.VERBOSE,
)


def is_noise(line: str) -> bool:
    """Return True if a line is a log message of the tool, or the command at a prompt."""
    return bool(_NOISE.match(line)) or is_command(line)


_BEGINS = re.compile(r"^[ \t>]*(?=[{\[])", re.MULTILINE)
_NEXT = re.compile(r"[\s,]*(?=[{\[])")


class Found(NamedTuple):
    """A JSON value, the line on which it begins, and the line on which it ends."""

    line: int
    end: int
    value: Any


class _TwiceError(ValueError):
    """A key stands twice in an object."""


def _make_object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    twice = find_repeated(key for key, _ in pairs)
    if twice is not None:
        raise _TwiceError(f"the key {quote(twice)} stands twice in an object")
    return dict(pairs)


def find_json(name: str, text: str) -> Iterator[Found]:
    r"""Yield the objects and lists that begin at a line or right after another one; skip other text.

    Raises ListingError if a value is incomplete, is nested too deeply, or has a key twice.

    >>> [(one.line, one.value) for one in find_json("t", '$ curl x\n{"a": 1}{"b": 2}\n$ curl y\n[3]')]
    [(2, {'a': 1}), (2, {'b': 2}), (4, [3])]
    """
    decoder = json.JSONDecoder(object_pairs_hook=_make_object)
    position, line, counted = 0, 1, 0
    while True:
        begins = _BEGINS.search(text, position)
        if begins is None:
            return
        position = begins.end()
        while True:
            line += text.count("\n", counted, position)
            counted = position
            try:
                value, end = decoder.raw_decode(text, position)
            except json.JSONDecodeError as wrong:
                if wrong.pos >= len(text.rstrip()):
                    raise Place(name, line).error(
                        "the JSON that begins here is cut off", "give the whole output"
                    ) from None
                position += 1
                break
            except _TwiceError as wrong:
                raise Place(name, line).error(str(wrong), "give the output as it was printed") from None
            except (RecursionError, ValueError) as wrong:
                raise Place(name, line).error(
                    f"not JSON ({wrong})", "give the output as it was printed"
                ) from None
            yield Found(line, line + text.count("\n", position, end), value)
            position = end
            following = _NEXT.match(text, position)
            if following is None:
                break
            position = following.end()


_PIECES_MAX = 8
_HELD = ("ASSIGNMENT", "CURRENT-ASSIGNMENT", "TARGET-ASSIGNMENT")
_OLD = r"[^\s(),:;]+\(\s*[0-9]+(?:\s*,\s*[0-9]+)*\s*\)"
_NEW = r"[^\s(),:;]+:[0-9]+(?:\s*,\s*[0-9]+)*"
_WHOLE = re.compile(rf"-?|{_OLD}(?:\s*,\s*{_OLD})*|{_NEW}(?:\s*[;,]\s*{_NEW})*", re.ASCII)
_LISTED = re.compile(r"(?:[(:,]\s*)[0-9]+(?=\s*[,);]|$)", re.ASCII)


def find_header(place: Place, lines: Sequence[str], position: int) -> tuple[Header, int] | None:
    """Return the header that begins at a line and its number of lines, None if none begins; raise ListingError as read_header does."""
    line = lines[position]
    whole = read_header(place, line) if is_header(line) else None
    found = None if whole is None else (whole, 1)
    if not list_columns(line):
        return found
    drafts = [line]
    for count in range(2, _PIECES_MAX + 1):
        if position + count > len(lines):
            break
        piece = lines[position + count - 1]
        if not piece.strip():
            if count > 2 and not lines[position + count - 2].strip():
                break
            drafts = _join_lines(drafts, piece, len(line))
            continue
        if piece.strip() == line.strip():
            break
        drafts = [one for one in _join_lines(drafts, piece, len(lines[position])) if list_columns(one)]
        better = [one for one in drafts if is_header(one) and is_known(one)]
        begins_row = not list_columns(f"GROUP TOPIC {piece}") and not piece.strip().isupper()
        if better and not begins_row:
            header = read_header(place, better[0])
            more = found is None or len(header.columns if header else ()) > len(found[0].columns)
            if header is not None and (more or (count == 2 and not is_known(line))):
                found = (header, count)
        if not drafts:
            break
    return found


def _join_lines(drafts: Sequence[str], piece: str, width: int) -> list[str]:
    """Return the possible lines before `piece` was wrapped: at a width, at a space, or within a word."""
    tail = piece.rstrip("\r\n")
    found: list[str] = []
    for draft in drafts:
        last = len(draft) % width if width else 0
        padded = draft + " " * (width - last) if last else draft
        if not tail.strip():  # blank columns, whose trailing spaces may be lost
            found += [draft + tail, padded + " " * width]
            continue
        for one in (
            draft + tail,
            padded + tail,
            f"{draft} {tail.lstrip()}",
            f"{draft.rstrip()}{tail.lstrip()}",
        ):
            if one not in found:
                found.append(one)
    return found[:32]


def find_row(
    header: Header, lines: Sequence[str], position: int, pieces: int, *, joins: bool = True
) -> tuple[dict[str, str], int] | None:
    """Return the row that begins at a line and its number of lines, None for other text.

    `pieces` is the number of lines of the header. Without `joins` a row has only one line.
    """
    line = lines[position].rstrip()
    row = read_row(header, line)
    if row is not None and pieces == 1:
        if header.kind == "members":
            is_done = _is_whole(row)
        else:
            is_done = header.kind != "offsets" or not header.names_members or _is_full(header, row)
        if is_done:  # the row cannot continue on the next line
            return row, 1
    if row is None and not (joins and can_begin_row(header, line)):
        return None
    best = (row, 1) if row is not None and _is_full(header, row) else None
    for found in _find_wrapped(header, lines, position, pieces):
        if best is None or found[1] >= pieces:
            best = found
        if found[1] >= pieces and len(lines[position + found[1] - 1]) < len(lines[position]):
            break
    if best is not None:
        return best
    return None if row is None else (row, 1)


def _is_full(header: Header, row: dict[str, str]) -> bool:
    return "" not in row.values() or all(row.get(name) or name in MAY_BE_BLANK for name in header.columns)


def _is_whole(row: dict[str, str]) -> bool:
    """Return True if the lists in a row end where a list may end, and have the printed length."""
    if any(not _WHOLE.fullmatch(row[name]) for name in _HELD if name in row):
        return False
    told = row.get("#PARTITIONS")
    held = row.get("ASSIGNMENT", row.get("CURRENT-ASSIGNMENT"))
    return told is None or held is None or len(_LISTED.findall(held)) == int(told)


def _find_wrapped(
    header: Header, lines: Sequence[str], position: int, pieces: int
) -> Iterator[tuple[dict[str, str], int]]:
    """Yield the possible rows of a line joined with the lines below it, the shortest first."""
    drafts = [lines[position].rstrip("\r\n")]
    width = len(lines[position])
    for count in range(2, _PIECES_MAX + 1):
        if position + count > len(lines):
            return
        piece = lines[position + count - 1]
        if is_header(piece) or read_row(header, piece.rstrip()) is not None:
            return
        if not piece.strip() and count > pieces:
            return
        drafts = _join_lines(drafts, piece, width)
        rows = [row for row in (read_row(header, one.rstrip()) for one in drafts) if row is not None]
        drafts = [one for one in drafts if can_begin_row(header, one)]
        whole = [row for row in rows if _is_whole(row) and is_owned(row)]
        full = [row for row in whole if _is_full(header, row)]
        if full or (whole and header.kind != "offsets"):
            yield (full or whole)[0], count
