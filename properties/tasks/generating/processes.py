"""Processes: the clients of generated applications before they have run anything: ids, threads, tags."""

from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

from kassay.model.tasks import MOST_TAGS
from kassay.properties.choices import Choices, from_seed
from kassay.properties.settings import Settings

SIGN = 1 << 63
"""The bit that makes half of a UUID a negative number in Java."""
VALUES = 3
"""How many values a tag has at most."""
UNKNOWN_TAG = "nobody"
"""A tag that no client has."""
Tags = tuple[tuple[str, str], ...]


def client_ids(choices: Choices, kind: str, number: int) -> list[str]:
    """Choose the clients' ids: plain ones in ascending order, or of a kind whose orders differ."""
    make = IDS.get(kind, _plain)
    return [str(UUID(int=make(choices, at))) for at in range(number)]


def threads(choices: Choices, settings: Settings, clients: int) -> list[int]:
    """Choose how many threads each client has: all equal, or mixed."""
    if settings.kind(choices, "thread_counts") == "equal":
        return [settings.number(choices, "threads")] * clients
    return [settings.number(choices, "threads") for _ in range(clients)]


def tags(choices: Choices, settings: Settings, clients: int) -> tuple[list[Tags], tuple[str, ...]]:
    """Choose the tags of each client, and which tags the application asks for."""
    kind = settings.kind(choices, "tagged")
    keys = [f"k{at}" for at in range(0 if kind == "nobody" else settings.number(choices, "tags"))]
    values = 1 + choices.below(VALUES) if keys else 0
    tagged = [
        tuple(
            (key, f"v{choices.below(values)}")
            for key in (choices.some(keys) if kind == "some" and keys else keys)
        )
        for _ in range(clients)
    ]
    asked = choices.some(keys) if keys and settings.kind(choices, "asked tags") == "some" else tuple(keys)
    if len(asked) < MOST_TAGS and settings.odd(choices, "unknown tag"):
        asked += (UNKNOWN_TAG,)
    return tagged, asked


def _plain(_: Choices, at: int) -> int:
    return at + 1


def _random(choices: Choices, at: int) -> int:
    """A UUID of version 4, as clients make theirs."""
    words = from_seed(choices.below(1 << 16) << 16 | at)
    drawn = UUID(int=sum(words.below(1 << 32) << shift for shift in (0, 32, 64, 96)))
    return UUID(bytes=drawn.bytes, version=4).int


def _negative(choices: Choices, at: int) -> int:
    """A UUID of which Java takes the first half, the second one, both or neither for a negative number."""
    high, low = choices.pick(((0, 0), (SIGN, 0), (0, SIGN), (SIGN, SIGN)))
    return high << 64 | low | at + 1


def _colliding(choices: Choices, at: int) -> int:
    """A UUID with the hash code of others, or one that falls into the same bucket of a hash map."""
    bucket = choices.below(2) * at << 10
    return (at + 1) << 64 | (at + 1) ^ bucket


IDS: Mapping[str, Callable[[Choices, int], int]] = {
    "plain": _plain,
    "random": _random,
    "negative": _negative,
    "colliding": _colliding,
}
"""Kind of names -> the number of a client's UUID; of other kinds it is plain."""


def consumer_ids(names: Sequence[str], threads: Sequence[int]) -> list[Sequence[str]]:
    """Divide the names of consumers among clients, one for each thread."""
    starts = [sum(threads[:at]) for at in range(len(threads))]
    return [names[start : start + number] for start, number in zip(starts, threads, strict=True)]
