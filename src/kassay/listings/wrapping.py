"""Headers and rows that a terminal or a mail has wrapped."""

import re
from collections.abc import Iterator, Sequence

from kassay.listings.location import Place
from kassay.listings.tables import (
    MAY_BE_BLANK,
    Header,
    is_header,
    is_known,
    is_owned,
    list_columns,
    may_begin,
    read_header,
    read_row,
)

_PIECES_MAX = 8
_HELD = ("ASSIGNMENT", "CURRENT-ASSIGNMENT", "TARGET-ASSIGNMENT")
_OLD = r"[^\s(),:;]+\(\s*[0-9]+(?:\s*,\s*[0-9]+)*\s*\)"
_NEW = r"[^\s(),:;]+:[0-9]+(?:\s*,\s*[0-9]+)*"
_WHOLE = re.compile(rf"-?|{_OLD}(?:\s*,\s*{_OLD})*|{_NEW}(?:\s*[;,]\s*{_NEW})*", re.ASCII)
_LISTED = re.compile(r"(?:[(:,]\s*)[0-9]+(?=\s*[,);]|$)", re.ASCII)


def find_header(place: Place, lines: Sequence[str], position: int) -> tuple[Header, int] | None:
    """Return the header that begins on a line and how many lines it takes, None if none does; raises ListingError as read_header does."""
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
    """Return what lines may have been before a piece was cut off: at a width, at a blank, or within a word."""
    tail = piece.rstrip("\r\n")
    found: list[str] = []
    for draft in drafts:
        last = len(draft) % width if width else 0
        padded = draft + " " * (width - last) if last else draft
        if not tail.strip():  # columns that are blank here; blanks at the ends of lines may be lost
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
    """Return the row that begins on a line and its number of lines, None for other text; `pieces` is the number of lines of the header.

    Without `joins` a line is a row by itself or no row.
    """
    line = lines[position].rstrip()
    row = read_row(header, line)
    if row is not None and pieces == 1:
        if header.kind == "members":
            is_done = _is_whole(row)
        else:
            is_done = header.kind != "offsets" or not header.names_members or _is_full(header, row)
        if is_done:  # nothing of the row can stand on the next line
            return row, 1
    if row is None and not (joins and may_begin(header, line)):
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
    """Check whether what a row lists ends where a list may end, and is as long as the row says."""
    if any(not _WHOLE.fullmatch(row[name]) for name in _HELD if name in row):
        return False
    told = row.get("#PARTITIONS")
    held = row.get("ASSIGNMENT", row.get("CURRENT-ASSIGNMENT"))
    return told is None or held is None or len(_LISTED.findall(held)) == int(told)


def _find_wrapped(
    header: Header, lines: Sequence[str], position: int, pieces: int
) -> Iterator[tuple[dict[str, str], int]]:
    """Yield the rows that a line makes with those below it, the shortest first."""
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
        drafts = [one for one in drafts if may_begin(header, one)]
        whole = [row for row in rows if _is_whole(row) and is_owned(row)]
        full = [row for row in whole if _is_full(header, row)]
        if full or (whole and header.kind != "offsets"):
            yield (full or whole)[0], count
