"""From the bytes of a listing to its lines."""

import codecs
import re
from collections.abc import Iterator

from kassay.kafka_tools.place import Place

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
