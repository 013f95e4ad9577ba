"""Choices of a generator, read from bytes or from a seed, and the settings by which it chooses."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress
from random import Random
from typing import TypeVar
from zlib import crc32

T = TypeVar("T")

LENGTH = 128
"""The number of bytes for an ordinary group. A larger group continues with bytes computed from these."""
BITS = (7, 8, 15, 16, 31)
"""The sizes of integers without their sign. A number may be stored in too small a one. Kafka has 31 bits."""


def list_edges(bits: int) -> tuple[int, ...]:
    """Return the numbers around the limit of integers of some bits: the last ones, the first that does not fit, and the next."""
    limit = 1 << bits
    return (limit - 1,) if bits == max(BITS) else (limit - 1, limit, limit + 1)


EDGES = tuple(edge for bits in BITS for edge in list_edges(bits))
DIGITS = (10, 100, 1_000, 10_000)
"""The first numbers of two to five digits. As text, they come before the number below them."""
COUNTS = {"of one byte": EDGES[:5], "of two bytes": (257, 300, 512, 600)}
"""Kind of counts of partitions or tasks in large groups -> the numbers: around the limits of a byte, and above them."""
_BITS = [tuple(byte >> bit & 1 for bit in range(8)) for byte in range(256)]


@dataclass(frozen=True, slots=True)
class Choices:
    """Choices from one source: `below` returns the next number, from 0 to one less than its limit."""

    below: Callable[[int], int]

    def pick_between(self, limits: tuple[int, int]) -> int:
        """Choose a number between two limits, which are included; a zero means the least."""
        return limits[0] + self.below(limits[1] - limits[0] + 1)

    def chance(self, percent: int) -> bool:
        """Return True with this probability in percent; a zero means no."""
        return self.below(256) >= 256 - (percent * 256) // 100

    def pick(self, items: Sequence[T]) -> T:
        """Choose one of the items; a zero means the first."""
        return items[self.below(len(items))]

    def pick_weighted(self, weights: Mapping[str, int]) -> str:
        """Choose a name by its weight; a zero means the first name with a weight."""
        if len(weights) == 1:
            return next(iter(weights))
        at = self.below(sum(weights.values()))
        for name, weight in weights.items():
            if at < weight:
                return name
            at -= weight
        raise AssertionError(f"no weight in {weights}")

    def some(self, items: Sequence[T]) -> tuple[T, ...]:
        """Choose a subset of the items, in their order; zeros mean the empty one."""
        bits = (_BITS[self.below(256)] for _ in range(0, len(items), 8))
        return tuple(compress(items, chain.from_iterable(bits)))

    def part(self, items: Sequence[T]) -> tuple[T, ...]:
        """Choose a subset that is neither empty nor, of several items, all of them."""
        chosen = self.some(items)
        return chosen if 0 < len(chosen) < len(items) else (self.pick(items),)

    def pick_order(self, items: Sequence[T], number: int | None = None) -> list[T]:
        """Choose an order of the items, or a number of items in some order; zeros keep the order."""
        left = list(items)
        number = len(left) if number is None else number
        for at in range(min(number, len(left) - 1)):
            other = at + self.below(len(left) - at)
            left[at], left[other] = left[other], left[at]
        return left[:number]


def from_seed(seed: int) -> Choices:
    """Return choices computed from a seed, the same in all versions of Python and on every machine."""
    random = Random(seed).random
    return Choices(lambda limit: int(random() * limit))


def from_bytes(drawn: bytes) -> Choices:
    """Return choices read from bytes; behind the end, pseudo-random choices computed from all bytes."""
    following = chain(drawn, _generate_bytes(crc32(drawn))).__next__

    def below(limit: int) -> int:
        number, size = following(), 256
        while size < limit:
            number, size = number << 8 | following(), size << 8
        return number * limit // size

    return Choices(below)


def _generate_bytes(state: int) -> Iterator[int]:
    """Yield bytes by the C standard's example generator."""
    while True:
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        yield state >> 16 & 0xFF


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a generator of groups.

    `numbers` are limits, both included. `kinds` are weights. `oddities` are percentages of groups.
    """

    numbers: Mapping[str, tuple[int, int]]
    kinds: Mapping[str, Mapping[str, int]]
    oddities: Mapping[str, int]

    def number(self, choices: Choices, name: str) -> int:
        """Choose a number between its limits."""
        return choices.pick_between(self.numbers[name])

    def kind(self, choices: Choices, name: str) -> str:
        """Choose a kind by its weight."""
        return choices.pick_weighted(self.kinds[name])

    def has_oddity(self, choices: Choices, name: str) -> bool:
        """Return True if an oddity is to happen."""
        return name in self.oddities and choices.chance(self.oddities[name])


def weights(
    kinds: Mapping[str, Sequence[str]], mixes: Mapping[str, Mapping[str, int]]
) -> dict[str, dict[str, int]]:
    """Return the weights of all kinds in one order, for any order of the mixes.

    Without a mix, only the first kind has a weight.
    """
    return {
        name: {kind: mixes[name][kind] for kind in known if kind in mixes[name]}
        if name in mixes
        else {known[0]: 1}
        for name, known in kinds.items()
    }


def build_draw(
    timeline: Callable[[Choices, Settings], T],
    usual: Mapping[str, tuple[int, int]],
    plain: Mapping[str, Mapping[str, int]],
    kinds: Mapping[str, Sequence[str]],
    anything: Callable[..., Settings],
) -> Callable[[Mapping[str, tuple[int, int]], Mapping[str, Mapping[str, int]], int], T]:
    """Return a function that draws a group and its changes by limits, weights and a seed.

    Equal arguments in any order give equal groups. `usual` and `plain` are the default limits and weights. If the kind
    of `shape` is `anything`, that function chooses all settings but `churn`.
    """

    def draw(numbers: Mapping[str, tuple[int, int]], mixes: Mapping[str, Mapping[str, int]], seed: int) -> T:
        choices = from_seed(seed)
        limits, weighed = {**usual, **numbers}, weights(kinds, mixes)
        if choices.pick_weighted(weighed["shape"]) == "anything":
            return timeline(choices, anything(choices, churn=limits["churn"]))
        return timeline(choices, Settings(limits, {**plain, **weighed}, {}))

    return draw
