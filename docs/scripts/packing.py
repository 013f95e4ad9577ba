"""Bin packing with items whose sizes vary, where the number of consumers is an outcome.

Source: Landau, Andrade and Barbosa, arXiv 2206.11170; with Saurabh, arXiv 2402.06085. Their R-score is the rate of what moves, over the capacity.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

Bins: TypeAlias = dict[int, list[int]]
"""The items of each consumer, by its number."""
FITS: Mapping[str, Callable[[Iterable[tuple[int, int]]], int]] = {
    "first fit": lambda bins: min(number for number, _ in bins),
    "best fit": lambda bins: max(bins, key=lambda of: (of[1], -of[0]))[0],
    "worst fit": lambda bins: min(bins, key=lambda of: (of[1], of[0]))[0],
}
"""How a consumer is chosen of those into which something fits, given as (number, weight): the first, the fullest, the emptiest."""


def pack_items(
    weights: Sequence[int], before: Sequence[int], capacity: int, fit: str, *, modified: bool
) -> Bins:
    """Pack items into as few consumers of a capacity as a heuristic takes; `before` is where each was, -1 for nowhere.

    Decreasing: the heaviest item first. A new consumer is the old one of the item, if that is not in use yet.
    Modified: consumer by consumer, the heaviest first. Its lightest items go to open consumers as long as they fit. The heaviest of
    the others stay as long as they fit, and the rest is packed decreasing. An item above the capacity has its own consumer.
    """
    packing = _Packing(weights, before, capacity, FITS[fit])
    if not modified:
        packing.pack(range(len(weights)))
        return packing.bins
    owned: dict[int, list[int]] = {}
    for item, number in enumerate(before):
        owned.setdefault(number, []).append(item)
    left = owned.pop(-1, [])
    for number in sorted(owned, key=lambda n: (-sum(weights[i] for i in owned[n]), n)):
        left += packing.keep(number, owned[number])
    packing.pack(left)
    return packing.bins


class _Packing:
    """Consumers that are open, with what they are given and what that weighs together."""

    def __init__(
        self, weights: Sequence[int], before: Sequence[int], capacity: int, fit: Callable[[Iterable[tuple[int, int]]], int]
    ) -> None:  # fmt: skip
        self.weights, self.before, self.capacity, self.fit = weights, before, capacity, fit
        self.bins: Bins = {}
        self.loads: dict[int, int] = {}

    def pack(self, items: Iterable[int]) -> None:
        """Pack items, the heaviest first, into consumers that are open, or one more."""
        for item in self._heaviest_first(items):
            old = self.before[item]
            if not self._add_to_open(item):
                self._put(
                    item, old if old >= 0 and old not in self.loads else _find_unused(self.loads, self.before)
                )

    def keep(self, number: int, items: Sequence[int]) -> list[int]:
        """Hand a consumer's lightest items to open ones, and let it keep of the others what fits; return what is left."""
        heavy = self._heaviest_first(items)
        while heavy and self._add_to_open(heavy[-1]):
            heavy.pop()
        for at, item in enumerate(heavy):
            if number in self.loads and self.loads[number] + self.weights[item] > self.capacity:
                return heavy[at:]
            self._put(item, number)
        return []

    def _heaviest_first(self, items: Iterable[int]) -> list[int]:
        return sorted(items, key=lambda i: (-self.weights[i], i))

    def _put(self, item: int, number: int) -> None:
        self.bins.setdefault(number, []).append(item)
        self.loads[number] = self.loads.get(number, 0) + self.weights[item]

    def _add_to_open(self, item: int) -> bool:
        fitting = [(n, load) for n, load in self.loads.items() if load + self.weights[item] <= self.capacity]
        if fitting:
            self._put(item, self.fit(fitting))
        return bool(fitting)


def _find_unused(loads: Mapping[int, int], before: Sequence[int]) -> int:
    taken = {*loads, *before}
    return next(number for number in range(len(taken) + 1) if number not in taken)


def compute_r_score(weights: Sequence[int], before: Sequence[int], bins: Bins) -> int:
    """Return what the items weigh that had a consumer and now have another one; the R-score is this over the capacity."""
    return sum(
        weights[item] for number, items in bins.items() for item in items if before[item] not in (-1, number)
    )
