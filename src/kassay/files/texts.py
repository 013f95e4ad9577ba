"""Texts from files or standard input, and the JSON values in them, with errors that name file and line."""

import codecs
import re
import stat
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from kassay.errors import InputError
from kassay.input_size import read_limited
from kassay.model.json_text import RepeatedKeyError, decode_json
from kassay.output.block import one_line

_BYTE = re.compile(r" \(byte (\d+)\)$")
MEMBERS = (
    "kafka-consumer-groups.sh --bootstrap-server HOST:PORT \\",
    "    --describe --members --verbose --group GROUP > members.txt",
)
"""The command of Kafka's that lists the members of a group."""
MOST_SHOWN = 50
"""The number of characters that are shown of a line that cannot be read."""


_TAKEN: ContextVar[dict[object, bytes] | None] = ContextVar("_TAKEN", default=None)
"""Contents of what cannot be read twice, for one command; None outside of commands."""


@contextmanager
def remember_pipes() -> Iterator[None]:
    """Let standard input and pipes be read as often as a command likes."""
    token = _TAKEN.set({})
    try:
        yield
    finally:
        _TAKEN.reset(token)


def read_bytes(path: str) -> bytes:
    """Read a file, or standard input for ``-``; raises InputError where that fails.

    Standard input and pipes give the same bytes again, as often as one command reads them.
    """
    try:
        if path == "-":
            return _read_once("-", partial(read_limited, None))
        known = Path(path).stat()
        if stat.S_ISFIFO(known.st_mode):
            return _read_once((known.st_dev, known.st_ino), partial(read_limited, Path(path)))
        return read_limited(Path(path))
    except OSError as wrong:
        raise InputError(
            f"{name_file(path)}: cannot be read ({wrong.strerror}). Name a readable file, or - for standard input"
        ) from None


def _read_once(key: object, read: Callable[[], bytes]) -> bytes:
    taken = _TAKEN.get()
    if taken is None:
        return read()
    if key not in taken:
        taken[key] = read()
    return taken[key]


def read_text(path: str, accept: Callable[[str], bool] | None = None) -> str:
    """Read a text file, or standard input for ``-``; raises InputError where that fails or is not UTF-8.

    UTF-16 with its mark is what PowerShell writes, and read too. Bytes that are not UTF-8 become U+FFFD if `accept` takes such a text.
    """
    raw = read_bytes(path)
    wide = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return raw.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as wrong:
        text = raw.decode("utf-8", "replace")
        if not wide and accept is not None and accept(text):
            return text
        line = raw[: wrong.start].count(b"\n") + 1
        raise InputError(
            f"{name_file(path)}, line {line}: is not UTF-8 text. Save the file as UTF-8"
        ) from None


def name_file(path: str) -> str:
    """Name a file as messages do."""
    return "standard input" if path == "-" else path


def split_json_lines(text: str) -> list[tuple[int, str]]:
    """Return the lines of JSON lines with their numbers, none of a text that is one value."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    return lines if len(lines) > 1 and _is_json(lines[0][1]) else []


def refuse_neither(name: str, text: str) -> None:
    """Raise InputError where a text that is no listing was not meant to be JSON either, with the command that makes a listing."""
    said = find_non_json(text)
    if said:
        raise InputError(
            f"{name}: is neither a listing of kafka-consumer-groups nor JSON. {said} Make it so:", MEMBERS
        )


def find_non_json(text: str) -> str:
    """Return what stands first in a text that was not meant to be JSON; "" for any other, also for JSON with a mistake."""
    number, line = next(((n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()), (0, "{"))
    if line.lstrip().startswith(("{", "[")) or _is_json(line):
        return ""
    first = line.strip()
    short = first if len(first) <= MOST_SHOWN else f"{first[:MOST_SHOWN]} ..."
    return f"Line {number} is: {one_line(short)}."


def _is_json(line: str) -> bool:
    try:
        msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


PLAIN = {"Input data was truncated": "it ends too early. Give all of it"}
"""Message of the decoder -> a sentence with a fix."""


def decode_value(name: str, text: str, line: int) -> Any:
    """Decode the text that begins on a line of what has this name; raises InputError naming both, and what is wrong."""
    try:
        return decode_json(text)
    except RepeatedKeyError as twice:
        raise InputError(f"{name}, line {line}: {twice}" if line > 1 else f"{name}: {twice}") from None
    except RecursionError:
        raise InputError(
            f"{name}, line {line}: is nested too deeply. Give JSON as contract.md shows it"
        ) from None
    except msgspec.DecodeError as wrong:
        at = _BYTE.search(str(wrong))
        before = text.encode()[: int(at[1])].count(b"\n") if at else 0
        what = _BYTE.sub("", str(wrong)).removeprefix("JSON is malformed: ")
        raise InputError(f"{name}, line {line + before}: is not JSON: {PLAIN.get(what, what)}") from None


def decode_toml(text: str) -> dict[str, Any]:
    """Decode TOML; raises InputError saying what is wrong."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as wrong:
        raise InputError(f"is no TOML: {wrong}") from None
    except ValueError:  # of Python, for whole numbers of over 4,300 digits
        raise InputError("has a number of too many digits. Give a smaller one") from None
    except RecursionError:
        raise InputError("is nested too deeply. Write it with fewer brackets") from None


def read_toml(path: Path) -> dict[str, Any]:
    """Read a file of TOML; raises InputError naming it."""
    text = read_text(str(path))
    try:
        return decode_toml(text)
    except InputError as wrong:
        raise InputError(f"{path}: {wrong}") from None
