"""Texts from files or standard input, and the JSON values in them, with errors that name file and line."""

import codecs
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import msgspec

from kassay.errors import InputError
from kassay.model.json_text import RepeatedKeyError, decoded
from kassay.output.block import one_line

_BYTE = re.compile(r" \(byte (\d+)\)$")
MEMBERS = (
    "kafka-consumer-groups.sh --bootstrap-server HOST:PORT \\",
    "    --describe --members --verbose --group GROUP > members.txt",
)
"""The command of Kafka's that lists the members of a group."""
MOST_SHOWN = 50
"""How many characters of a line are shown that cannot be read."""


_READ_ONCE: dict[str, tuple[object, bytes]] = {}
"""What was read of standard input and of pipes, which give what is in them once; with the stream that standard input was."""


def read_bytes(path: str) -> bytes:
    """Read a file, or standard input for ``-``; raises InputError where that fails.

    What is no regular file gives the same bytes again, as often as it is read in this process.
    """
    stream = sys.stdin if path == "-" else None
    if path in _READ_ONCE and _READ_ONCE[path][0] is stream:
        return _READ_ONCE[path][1]
    try:
        content = Path(path).read_bytes() if stream is None else stream.buffer.read()
        once = stream is not None or not Path(path).is_file()
    except OSError as wrong:
        raise InputError(
            f"{shown(path)}: cannot be read ({wrong.strerror}); name a readable file, or - for standard input"
        ) from None
    if once:
        _READ_ONCE[path] = stream, content
    return content


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


def json_lines(text: str) -> list[tuple[int, str]]:
    """Return the lines of JSON lines with their numbers, none of a text that is one value."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    return lines if len(lines) > 1 and _is_json(lines[0][1]) else []


def refuse_neither(name: str, text: str) -> None:
    """Raise InputError where a text that is no listing was not meant to be JSON either, with the command that makes a listing."""
    said = no_json(text)
    if said:
        raise InputError(
            f"{name} is neither a listing of kafka-consumer-groups nor JSON. {said} Make it so:", MEMBERS
        )


def no_json(text: str) -> str:
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


PLAIN = {"Input data was truncated": "it ends too early; give all of it"}
"""What the decoder says, and what people say."""


def json_value(name: str, text: str, line: int) -> Any:
    """Decode the text that begins on a line of what has this name; raises InputError naming both, and what is wrong."""
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
        raise InputError(f"{name}, line {line + before} is not JSON: {PLAIN.get(what, what)}") from None


def toml_of(text: str) -> dict[str, Any]:
    """Decode TOML; raises InputError saying what is wrong."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as wrong:
        raise InputError(f"is no TOML: {wrong}") from None
    except ValueError:  # of Python, for whole numbers of over 4,300 digits
        raise InputError("has a number of too many digits; give a smaller one") from None
    except RecursionError:
        raise InputError("is nested too deeply; write it with fewer brackets") from None


def read_toml(path: Path) -> dict[str, Any]:
    """Read a file of TOML; raises InputError naming it."""
    text = read_text(str(path))
    try:
        return toml_of(text)
    except InputError as wrong:
        raise InputError(f"{path}: {wrong}") from None
