"""What laws and invariants say of a violation: a sentence, what it concerns and how much of that, and the runs it compares."""

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

MOVES, LOADS, READS, SPREAD = "moves", "unevenness", "reads across racks", "copies too close"
REST, DIFFERENCES = "rounds to rest", "differences"
"""What is counted together, wherever it happens: then two assignors' violations compare by their number."""


class Violation(str):
    """A sentence about a violation that says what it concerns and how much, so that it can be held beside another assignor's.

    `of` is the partition, task or member that it concerns, or one of the words above; the sentence itself if nothing is said.
    """

    __slots__ = ("amount", "of")
    of: Hashable
    amount: int | Fraction

    def __new__(cls, sentence: str, of: Hashable = None, amount: int | Fraction = 1) -> Self:
        """Make it of the sentence, what it concerns and how much of that."""
        made = super().__new__(cls, sentence)
        made.of = sentence if of is None else of
        made.amount = amount
        return made


def extent(sentences: Iterable[str]) -> Counter[Hashable]:
    """Return what violations concern, with how much of each; a plain sentence concerns itself alone."""
    found: Counter[Hashable] = Counter()
    for said in sentences:
        found[getattr(said, "of", said)] += getattr(said, "amount", 1)
    return found


@dataclass(frozen=True, slots=True)
class Run:
    """One run: what is said of it in a few words, the group and the answer to it."""

    title: str
    group: Any
    assignment: Any


class TwoRuns(Violation):
    """A violation between two runs, which it carries so that they can be shown."""

    __slots__ = ("runs",)
    runs: tuple[Run, Run]

    def __new__(
        cls, sentence: str, before: Run, after: Run, of: Hashable = None, amount: int | Fraction = 1
    ) -> Self:
        """Make it of the sentence, the runs, what it concerns and how much of that."""
        made = super().__new__(cls, sentence, of, amount)
        made.runs = (before, after)
        return made
