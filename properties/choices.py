"""A choices of bytes from which a generator reads its choices.

Hypothesis draws the choices in one go, which is many times as fast as a draw for each choice, and makes it smaller when a group
fails: a zero is the simplest choice everywhere.
"""

from collections.abc import Sequence
from typing import TypeVar
from zlib import crc32

T = TypeVar("T")

LENGTH = 128
"""How many bytes an ordinary group needs at most; a larger one goes on with bytes that follow from the choices."""


class Choices:
    """Choices read from bytes, one byte each; behind the end, pseudo-random ones that follow from the whole choices."""

    __slots__ = ("_at", "_bytes", "_state")

    def __init__(self, choices: bytes) -> None:
        self._bytes = choices
        self._at = 0
        self._state = crc32(choices)

    def byte(self) -> int:
        """Read a number from 0 to 255."""
        at = self._at
        if at < len(self._bytes):
            self._at = at + 1
            return self._bytes[at]
        self._state = (self._state * 1103515245 + 12345) & 0x7FFFFFFF  # the C standard's example generator
        return self._state >> 16 & 0xFF

    def below(self, limit: int) -> int:
        """Read a number from 0 to `limit` - 1, at most 255."""
        return self.byte() % limit

    def chance(self, percent: int) -> bool:
        """Read whether something happens that does so in so many of a hundred cases; a zero means no."""
        return self.byte() >= 256 - (percent * 256) // 100

    def pick(self, items: Sequence[T]) -> T:
        """Read one of the items; a zero means the first."""
        return items[self.byte() % len(items)]

    def some(self, items: Sequence[T]) -> tuple[T, ...]:
        """Read a selection of the items, in their order."""
        chosen: list[T] = []
        for at, item in enumerate(items):
            if at % 8 == 0:
                bits = self.byte()
            if bits >> at % 8 & 1:
                chosen.append(item)
        return tuple(chosen)

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Read an order of the items; zeros leave them as they are."""
        left = list(items)
        for at in range(len(left) - 1):
            other = at + self.byte() % (len(left) - at)
            left[at], left[other] = left[other], left[at]
        return left
