"""Read JSON, JSON lines and listings of groups from files or standard input, with errors that name file and line."""

import codecs
import re
import sys
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from kassay.errors import InputError
from kassay.families import FAMILIES, family
from kassay.family import Family
from kassay.files.beside import BESIDE, told_beside, without
from kassay.kafka_tools.listed import is_listed, read_listed
from kassay.kafka_tools.listing import CONSUMERS
from kassay.model.json_text import RepeatedKeyError, decoded
from kassay.output.block import one_line

LONG = 10**6
"""Texts of more characters are tried as one group at once, which takes half the time and memory."""
_BYTE = re.compile(r" \(byte (\d+)\)$")


@dataclass(frozen=True, slots=True)
class Read:
    """A value that was read and where it stood (``groups.jsonl, line 3``), with a sentence for each thing assumed or at odds.

    `listed` is the family of the group that Kafka's tools listed, "" of what was not listed; the value need not state it. `file` is
    what was read, as a command line names it. Of a group, `family` is that which it states or is listed as, `in_use` the assignor that
    it is listed to use, "" where neither is said, and `wanted` the assignment that its coordinator wants it to have, None where that is
    not listed.
    """

    where: str
    value: Any
    warnings: tuple[str, ...] = ()
    listed: str = ""
    file: str = ""
    family: str = ""
    in_use: str = ""
    wanted: Any = None


def read_bytes(path: str) -> bytes:
    """Read a file, or standard input for ``-``; raises InputError where that fails."""
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as wrong:
        raise InputError(
            f"{shown(path)}: cannot be read ({wrong.strerror}); name a readable file, or - for standard input"
        ) from None


def read_text(path: str) -> str:
    """Read a text file, or standard input for ``-``; raises InputError where that fails or is not UTF-8.

    UTF-16 with its mark is what PowerShell writes, and read too.
    """
    raw = read_bytes(path)
    wide = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return raw.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as wrong:
        line = raw[: wrong.start].count(b"\n") + 1
        raise InputError(f"{shown(path)}, line {line}: is not UTF-8 text; save the file as UTF-8") from None


def shown(path: str) -> str:
    """Name a file as messages do."""
    return "standard input" if path == "-" else path


def read_json(path: str) -> list[Read]:
    """Read one JSON value, or one on each line; raises InputError naming file and line, also where nothing is in it."""
    text = read_text(path)
    said = _no_json(text)
    if said:
        raise InputError(f"{shown(path)} is not JSON. {said} Give a file that kassay has written.")
    return _in(path, text)


def _in(path: str, text: str) -> list[Read]:
    values = list(_values(shown(path), text, path))
    if not values:
        raise InputError(f"{shown(path)}: is empty; give JSON, or one JSON value a line")
    return values


def _values(name: str, text: str, file: str) -> Iterator[Read]:
    lines = _json_lines(text)
    if text.strip() and not lines:  # one value, over several lines perhaps
        yield Read(name, _decoded(name, text, 1), file=file)
    for number, line in lines:
        yield _line(name, number, line, file)


def _json_lines(text: str) -> list[tuple[int, str]]:
    """Return the lines of JSON lines with their numbers, none of a text that is one value."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    return lines if len(lines) > 1 and _is_json(lines[0][1]) else []


def _line(name: str, number: int, line: str, file: str) -> Read:
    return Read(f"{name}, line {number}", _decoded(name, line, number), file=file)


MEMBERS = (
    "kafka-consumer-groups.sh --bootstrap-server HOST:PORT \\",
    "    --describe --members --verbose --group GROUP > members.txt",
)
"""The command of Kafka's that lists the members of a group."""
MOST_SHOWN = 50
"""How many characters of a line are shown that cannot be read."""


def refuse_neither(name: str, text: str) -> None:
    """Raise InputError where a text that is no listing was not meant to be JSON either, with the command that makes a listing."""
    said = _no_json(text)
    if said:
        raise InputError(
            f"{name} is neither a listing of kafka-consumer-groups nor JSON. {said} Make it so:", MEMBERS
        )


def _no_json(text: str) -> str:
    """Say what stands first in a text that nobody meant to be JSON; "" of any other, also of one that is JSON but for a mistake."""
    number, line = next(((n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()), (0, "{"))
    if line.lstrip().startswith(("{", "[")) or _is_json(line):
        return ""
    first = line.strip()
    return (
        f"Line {number} is: {one_line(first if len(first) <= MOST_SHOWN else f'{first[:MOST_SHOWN]} ...')}."
    )


def _is_json(line: str) -> bool:
    try:
        msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _decoded(name: str, text: str, line: int) -> Any:
    try:
        return decoded(text)
    except RepeatedKeyError as twice:
        raise InputError(f"{name}, line {line}: {twice}" if line > 1 else f"{name}: {twice}") from None
    except RecursionError:
        raise InputError(
            f"{name}, line {line}: is nested too deeply; give JSON as contract.md shows it"
        ) from None
    except msgspec.DecodeError as wrong:
        at = _BYTE.search(str(wrong))
        before = text.encode()[: int(at[1])].count(b"\n") if at else 0
        what = _BYTE.sub("", str(wrong)).removeprefix("JSON is malformed: ")
        raise InputError(f"{name}, line {line + before}: is no JSON: {what}; correct it") from None


def read_stated(paths: Iterable[str], *, leader: bool = True) -> list[Read]:
    """Read groups of any family, as JSON values, from files of JSON, JSON lines or listings of Kafka's tools.

    Those of a listing are in the order of a live leader, or as listed; groups of consumers among them state no family, so that
    assignors of leaders and of coordinators can be asked about them. Raises InputError naming file and line.
    """
    return [
        read for path in paths for read in _stated(path, read_text(path), leader=leader, leave_out=CONSUMERS)
    ]


def _stated(
    path: str,
    text: str,
    *,
    leader: bool = True,
    asked: str | None = None,
    leave_out: Collection[str] = (),
) -> list[Read]:
    """Read what a file states; a listing's groups are of the family that is asked about, where that may be.

    Where none is asked about, groups of consumers are all of one family, so that they can be answered together.
    """
    if not is_listed(text):
        refuse_neither(shown(path), text)
        return _in(path, text)
    listed = read_listed([(shown(path), text)], leader=leader, of_family=asked)
    if asked is None and {one.family for one in listed} >= CONSUMERS:
        listed = read_listed([(shown(path), text)], leader=leader, of_family="consumer")
    found = []
    for one in listed:
        family = {} if one.family in leave_out else {"family": one.family}
        beside = {BESIDE: one.beside} if one.beside else {}
        value = {"name": one.name, **family, **one.record, **beside}
        found.append(Read(shown(path), value, one.warnings, one.family, path))
    return found


def read_groups(paths: Iterable[str], family: Family, *, leader: bool = True) -> list[Read]:
    """Read groups of one family as :func:`read_stated` does; raises InputError naming file, line and field."""
    return [group for path in paths for group in _groups(path, read_text(path), family, leader=leader)]


def groups_or_refusals(paths: Iterable[str], family: Family) -> list[Read | InputError]:
    """Read groups of one family as :func:`read_groups` does, with what is wrong in place of a line that is refused among others.

    Raises InputError where a whole file is refused.
    """
    found: list[Read | InputError] = []
    for path in paths:
        text = read_text(path)
        lines = [] if is_listed(text) else _json_lines(text)
        for number, line in lines:
            try:
                found.append(_made(_line(shown(path), number, line, path), family))
            except InputError as wrong:
                found.append(wrong)
        found += [] if lines else _groups(path, text, family, leader=True)
    return found


def _groups(path: str, text: str, family: Family, *, leader: bool) -> list[Read]:
    return _at_once(path, text, family) or [
        _made(read, family) for read in _stated(path, text, leader=leader, asked=family.name)
    ]


def _made(read: Read, family: Family) -> Read:
    stated = read.listed or (read.value.get("family", "") if isinstance(read.value, dict) else "")
    group = group_of(read, family)
    warnings = (*read.warnings, *family.warnings(group))
    in_use, wanted = told_beside(read.where, read.value, family)
    return Read(named(read), group, warnings, read.listed, read.file, stated, in_use, wanted)


def _at_once(path: str, text: str, family: Family) -> list[Read]:
    """Return the only group of a long text; nothing where it is short, or anything but one group of this family."""
    found = family.shape.decode_group(text) if len(text) > LONG else None
    if found is None or found[0] not in {None, family.name} or family.refused(found[2]) is not None:
        return []
    said = tuple(family.warnings(found[2]))
    return [Read(found[1] or shown(path), found[2], said, file=path, family=found[0] or "")]


def groups_of_any_family(paths: Iterable[str], name: str | None) -> tuple[Family, list[Read]]:
    """Read groups of the family of this name or, without one, of the family that they state, or else the first one known.

    Raises InputError naming file, line and field, also where they are of several families.
    """
    if name is not None:
        chosen = family(name)
        return chosen, read_groups(paths, chosen)
    texts = [(path, read_text(path)) for path in paths]
    first = family(next(iter(FAMILIES)))
    if len(texts) == 1 and (group := _at_once(*texts[0], first)):
        return first, group
    reads = [read for path, text in texts for read in _stated(path, text)]
    stated: set[str] = set()
    for read in reads:
        if isinstance(read.value, dict) and "family" in read.value:
            family_name = read.value["family"]
            if not isinstance(family_name, str) or family_name not in FAMILIES:
                known = ", ".join(FAMILIES)
                raise InputError(f"{read.where}: family: there is no {family_name!r}; known are {known}")
            stated.add(family_name)
    if len(stated) > 1:
        raise InputError(
            f"groups of several families ({', '.join(sorted(stated))}); give those of one at a time"
        )
    chosen = family(next(iter(stated), next(iter(FAMILIES))))
    return chosen, [_made(read, chosen) for read in reads]


def named(read: Read) -> str:
    """Name a group by its own name where it has one, else by where it stands."""
    name = read.value.get("name") if isinstance(read.value, dict) else None
    return name if isinstance(name, str) and name else read.where


def group_of(read: Read, family: Family) -> Any:
    """Make a group of what was read, also of another family where this one's assignors answer it.

    Raises InputError naming file, line and field.
    """
    stated = read.value.get("family", family.name) if isinstance(read.value, dict) else family.name
    other = f"{read.where}: family: is {read.listed or stated!r}, but the target's family is {family.name!r}; use one of them for both"
    if stated != family.name and stated not in list(family.migrations):  # what is stated may be of any type
        raise InputError(other)
    try:
        group = family.shape.read_group(without(read.value))
    except InputError as wrong:
        listed = read.listed not in {"", family.name}
        raise InputError(other if listed else f"{read.where}: {wrong}") from None
    if stated != family.name:
        for said in family.migrations[stated].refuses(group):
            raise InputError(f"{read.where}: {said}, or ask {stated} assignors")
    why = family.refused(group)
    if why is not None:
        raise InputError(f"{read.where}: {why}")
    return group
