"""The results of invariants, and the count of the events that exercised each.

An invariant returns None if its condition is not met, so that there is nothing to check. It returns HELD if the condition is met and the
invariant holds, else a sentence. Only what was exercised counts as kept.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

HELD = ""
"""The result of an invariant that was exercised and holds."""


def count_exercise(counts: dict[str, int], name: str) -> None:
    """Count one more event that exercised an invariant."""
    counts[name] = counts.get(name, 0) + 1


def find_violations(
    counts: dict[str, int], invariants: Iterable[Callable[..., str | None]], *about: Any
) -> Iterator[tuple[str, str]]:
    """Yield the name and the sentence of each of these invariants that is broken, and count those that were exercised."""
    for invariant in invariants:
        sentence = invariant(*about)
        if sentence is not None:
            name = invariant.__name__
            counts[name] = counts.get(name, 0) + 1
            if sentence:
                yield name, sentence
