"""Where something stands in a listing, and the error that names the place."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from kassay.model import INT32_MAX

_DIGITS = re.compile(r"[0-9]{1,10}", re.ASCII)
_UUID = re.compile("[A-Za-z0-9_-]{21}[AQgw]")
_TOPIC = re.compile(r"[^\s(),:;]+")


class ListingError(ValueError):
    """A listing cannot be read: one sentence with the file, the line, what is wrong and the fix."""


class Assumed(str):
    """A sentence on something that listings do not print and that is taken to be so; other sentences are on what may be wrong."""

    __slots__ = ()


class Place(NamedTuple):
    """A line of a file, counted from 1; prints as ``groups.txt:4``."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file if self.file.isprintable() else repr(self.file)}:{self.line}"

    def error(self, what: str, fix: str) -> ListingError:
        """Return the error that says what is wrong here and how to mend it."""
        return ListingError(f"{self}: {what}; {fix}")

    def number(self, field: str, text: str) -> int:
        """Return the number in `text`, 0 to 2147483647; raise ListingError naming the field otherwise."""
        if _DIGITS.fullmatch(text) and int(text) <= INT32_MAX:
            return int(text)
        raise self.error(f"{field} is {quoted(text)}", f"give a number from 0 to {INT32_MAX}")

    def uuid(self, field: str, text: str) -> str:
        """Return the Uuid in `text`, as Kafka prints it; raise ListingError naming the field otherwise."""
        if _UUID.fullmatch(text):
            return text
        raise self.error(f"{field} is {quoted(text)}", "give the Uuid as printed, 22 signs of base64")

    def topic(self, field: str, text: str) -> str:
        """Return the topic's name in `text`; raise ListingError naming the field where it cannot be one."""
        if _TOPIC.fullmatch(text) and text.isprintable():
            return text
        raise self.error(f"{field} is {quoted(text)}", "give the name of a topic")


def quoted(text: str) -> str:
    """Return the text as a short Python literal on one line."""
    return repr(text if len(text) <= 80 else text[:77] + "...")


def repeated(names: Iterable[str]) -> str | None:
    """Return the first name that stands there a second time, None where all differ."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def some(names: Iterable[object], total: int, shown: int = 5) -> str:
    """Return the first names with commas and, where there are more, how many."""
    first = [str(name) for _, name in zip(range(shown), names, strict=False)]
    more = f" and {total - len(first)} more" if total > len(first) else ""
    return ", ".join(first) + more


def plural(count: int, noun: str) -> str:
    """Return the count with its noun: ``1 member``, ``2 members``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
