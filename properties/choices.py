"""Choices: what a generator decides by, read from bytes that Hypothesis draws or from a seed.

Hypothesis draws the bytes in one go, which is many times as fast as a draw for each choice, and makes them smaller when a
group fails: a zero is the simplest choice everywhere.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress
from random import Random
from typing import TypeVar
from zlib import crc32

T = TypeVar("T")

LENGTH = 128
"""How many bytes an ordinary group needs at most; a larger one goes on with bytes that follow from these."""
_BITS = [tuple(byte >> bit & 1 for bit in range(8)) for byte in range(256)]


@dataclass(frozen=True, slots=True)
class Choices:
    """Choices from one source: `below` gives the next number from 0 to one less than its limit."""

    below: Callable[[int], int]

    def between(self, limits: tuple[int, int]) -> int:
        """Choose a number between two limits, which are included; a zero means the least."""
        return limits[0] + self.below(limits[1] - limits[0] + 1)

    def chance(self, percent: int) -> bool:
        """Choose whether something happens that does so in this many of a hundred cases; a zero means no."""
        return self.below(256) >= 256 - (percent * 256) // 100

    def pick(self, items: Sequence[T]) -> T:
        """Choose one of the items; a zero means the first."""
        return items[self.below(len(items))]

    def weighed(self, weights: Mapping[str, int]) -> str:
        """Choose a name by its weight; a zero means the first that has any."""
        if len(weights) == 1:
            return next(iter(weights))
        at = self.below(sum(weights.values()))
        for name, weight in weights.items():
            if at < weight:
                return name
            at -= weight
        raise AssertionError(f"no weight in {weights}")

    def some(self, items: Sequence[T]) -> tuple[T, ...]:
        """Choose a selection of the items, in their order; zeros mean none."""
        bits = (_BITS[self.below(256)] for _ in range(0, len(items), 8))
        return tuple(compress(items, chain.from_iterable(bits)))

    def part(self, items: Sequence[T]) -> tuple[T, ...]:
        """Choose a selection that is neither empty nor, of several items, all of them."""
        chosen = self.some(items)
        return chosen if 0 < len(chosen) < len(items) else (self.pick(items),)

    def shuffled(self, items: Sequence[T], number: int | None = None) -> list[T]:
        """Choose an order of the items, or a number of them in some order; zeros leave them as they are."""
        left = list(items)
        number = len(left) if number is None else number
        for at in range(min(number, len(left) - 1)):
            other = at + self.below(len(left) - at)
            left[at], left[other] = left[other], left[at]
        return left[:number]


def from_seed(seed: int) -> Choices:
    """Return choices that follow from a seed, the same in all versions of Python and on every machine."""
    random = Random(seed).random
    return Choices(lambda limit: int(random() * limit))


def from_bytes(drawn: bytes) -> Choices:
    """Return choices read from bytes; behind the end, pseudo-random ones that follow from all of the bytes."""
    following = chain(drawn, _endless(crc32(drawn))).__next__

    def below(limit: int) -> int:
        number, size = following(), 256
        while size < limit:
            number, size = number << 8 | following(), size << 8
        return number * limit // size

    return Choices(below)


def _endless(state: int) -> Iterator[int]:
    """Yield bytes by the C standard's example generator."""
    while True:
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        yield state >> 16 & 0xFF
