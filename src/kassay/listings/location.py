"""Places in a listing, errors that name them, and the state of a group as --state prints it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from kassay.model import INT32_MAX
from kassay.model.partitions import INT64_MAX
from kassay.reference import ASSIGNORS
from kassay.sentences import format_count

_DIGITS = re.compile(r"[0-9]{1,10}", re.ASCII)
_UUID = re.compile("[A-Za-z0-9_-]{21}[AQgw]")
_TOPIC = re.compile(r"[^\s(),:;]+")


LEADERS_ORDER = "members in the order in which a live leader receives them; --order as-given: as listed"
"""The sentence on a group whose members were reordered."""


class ListingError(ValueError):
    """A listing cannot be read; the message has the file, the line, the problem and the fix."""


class UnlistedPartitionsError(ListingError):
    """A listing does not print which partitions members own; the message has the fix."""


class Assumed(str):
    """A sentence on an assumption about a fact that the listings do not print, unlike a sentence on a contradiction."""

    __slots__ = ()


class Place(NamedTuple):
    """A line of a file, counted from 1; prints as ``groups.txt:4``. Line 0 is a cluster, which prints as its address."""

    file: str
    line: int

    def __str__(self) -> str:
        file = self.file if self.file.isprintable() else repr(self.file)
        return f"{file}:{self.line}" if self.line else file

    def error(self, what: str, fix: str) -> ListingError:
        """Return the error with this place, the problem and the fix."""
        return ListingError(f"{self}: {what}. {fix[:1].upper()}{fix[1:]}.")

    def build_unlisted_error(self, what: str, fix: str) -> UnlistedPartitionsError:
        """Return the error about a missing table, with the command that prints it."""
        return UnlistedPartitionsError(str(self.error(what, fix)))

    def number(self, field: str, text: str) -> int:
        """Return the number in `text`, 0 to 2147483647; raise ListingError with the field otherwise."""
        if _DIGITS.fullmatch(text) and int(text) <= INT32_MAX:
            return int(text)
        raise self.error(f"{field} is {quote(text)}", f"give a number from 0 to {INT32_MAX}")

    def offset(self, field: str, text: str) -> int:
        """Return the 64-bit offset or lag in `text`; raise ListingError with the field otherwise."""
        if text.isascii() and text.isdecimal() and len(text) < 20 and int(text) <= INT64_MAX:
            return int(text)
        raise self.error(
            f"{field} is {quote(text)}",
            f"give a whole number from 0 to {INT64_MAX}, or '-' where it is not known",
        )

    def uuid(self, field: str, text: str) -> str:
        """Return the Uuid in `text`, as Kafka prints it; raise ListingError with the field otherwise."""
        if _UUID.fullmatch(text):
            return text
        raise self.error(f"{field} is {quote(text)}", "give the Uuid as printed, 22 signs of base64")

    def topic(self, field: str, text: str) -> str:
        """Return the topic name in `text`; raise ListingError with the field if it cannot be one."""
        if _TOPIC.fullmatch(text) and text.isprintable():
            return text
        raise self.error(f"{field} is {quote(text)}", "give the name of a topic")


def quote(text: str) -> str:
    """Return the text as a short Python literal on one line."""
    return repr(text if len(text) <= 80 else text[:77] + "...")


def find_repeated(names: Iterable[str]) -> str | None:
    """Return the first name that occurs twice, None if all differ."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def list_some(names: Iterable[object], total: int, shown: int = 5) -> str:
    """Return the first names with commas and, if there are more, their number."""
    first = [str(name) for _, name in zip(range(shown), names, strict=False)]
    more = f" and {total - len(first)} more" if total > len(first) else ""
    return ", ".join(first) + more


_TARGET_EPOCHS = ("TARGET-ASSIGNMENT-EPOCH", "ASSIGNMENT-EPOCH")
"""The column in kafka-consumer-groups and kafka-streams-groups, and in kafka-share-groups."""


@dataclass(frozen=True, slots=True)
class State:
    """A row of the table; a value that is not printed is None."""

    place: Place
    name: str
    """The name of the state, such as Stable."""
    members: int
    assignor: str | None = None
    epoch: int | None = None
    target_epoch: int | None = None
    family: str | None = None
    """The family of its assignors."""
    unlisted: bool = False
    """True if the tool counts members that it does not list."""
    lag: int | None = None
    """The sum that the tool itself prints."""

    @property
    def behind(self) -> bool:
        """True if the coordinator has not assigned the last changes yet, so a printed target assignment is outdated."""
        return self.epoch is not None and self.target_epoch is not None and self.epoch != self.target_epoch

    def find_assignor(self, family: str) -> str:
        """Return the full name of the assignor that the group uses, "" if it is not printed or unknown to kassay."""
        name = f"{family}/{self.assignor}" if self.assignor else ""
        return name if name in ASSIGNORS else ""

    def describe_caveats(self, members: int) -> Iterator[str]:
        """Yield the caveats that follow from the state of a group with this number of listed members."""
        state = find_state_name(self.name)
        if state not in {"Stable", "Empty", ""}:
            yield f"{self.place}: The group is {state}. Members may soon own something else."
        if self.behind:
            yield (
                f"{self.place}: GROUP-EPOCH is {self.epoch}, but the target assignment is of epoch {self.target_epoch}. "
                "The coordinator has not assigned later changes yet."
            )
        if self.members != members:
            yield (
                f"{self.place}: #MEMBERS is {self.members}, but {format_count(members, 'member')} "
                f"{'is' if members == 1 else 'are'} listed. Take both listings at the same time."
            )


_STATES = {
    name.lower(): name
    for name in (
        *("Stable", "Empty", "Dead", "PreparingRebalance", "CompletingRebalance", "Assigning", "Reconciling"),
        "NotReady",
    )
} | {"awaitingsync": "CompletingRebalance", "rebalancing": "PreparingRebalance"}
"""The states by their names in small letters; awaitingsync is the name before Kafka 1.0."""


def find_state_name(text: str) -> str:
    """Return Kafka's own name of a state in any spelling, "" for an unknown one."""
    return _STATES.get(re.sub("[^a-z]", "", text.lower()), "")


def read_state(place: Place, row: Mapping[str, str]) -> State:
    """Read a row; raise ListingError if a number is wrong."""
    target = next((name for name in _TARGET_EPOCHS if name in row), None)
    assignor = row.get("ASSIGNMENT-STRATEGY", "")
    epoch, target_epoch = (
        None if name is None or row.get(name, "-") == "-" else place.number(name, row[name])
        for name in ("GROUP-EPOCH", target)
    )
    if "ASSIGNMENT-STRATEGY" in row:
        family = None if epoch is None else "broker"
    else:
        family = "share" if target == "ASSIGNMENT-EPOCH" else None
    return State(
        place,
        row.get("STATE", "-"),
        place.number("#MEMBERS", row["#MEMBERS"]),
        None if assignor in {"", "-"} else assignor,
        epoch,
        target_epoch,
        family,
    )
