"""Violations, the runs that they compare, and the loop that plays rebalances until they converge."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self, TypeVar

G = TypeVar("G")
A = TypeVar("A")

MOST_REBALANCES = 10
"""The number of rebalances within which an assignor must converge. Most need one or two; one that needs more than five hardly
ever converges.
"""


def run_until_converged(
    assign: Callable[[G], A],
    rejoined: Callable[[G, A], G | None],
    group: G,
    most: int = MOST_REBALANCES,
) -> list[tuple[G, A]]:
    """Return the rebalances, as groups with answers, until an answer needs no other rebalance, or the first `most`.

    `rejoined` returns the group of the rebalance that an answer needs, None if it needs none. Errors of the assignor pass
    through.
    """
    played: list[tuple[G, A]] = []
    joining: G | None = group
    while joining is not None and len(played) < most:
        answer = assign(joining)
        played.append((joining, answer))
        joining = rejoined(joining, answer)
    return played


MOVES, LOADS, READS, SPREAD = "moves", "unevenness", "reads across racks", "copies too close"
REST, DIFFERENCES = "rounds to rest", "differences"
"""Subjects whose violations are counted together, so that two assignors are compared by the number of violations."""


class Violation(str):
    """A sentence about a violation with its subject and amount, to compare it with violations of another assignor.

    `of` is the partition, task or member, or one of the subjects above; the sentence itself by default.
    """

    __slots__ = ("amount", "of")
    of: Hashable
    amount: int | Fraction

    def __new__(cls, sentence: str, of: Hashable = None, amount: int | Fraction = 1) -> Self:
        """Build a violation of a sentence, a subject and an amount."""
        made = super().__new__(cls, sentence)
        made.of = sentence if of is None else of
        made.amount = amount
        return made


def extent(sentences: Iterable[str]) -> Counter[Hashable]:
    """Return the amount of violations of each subject; a plain sentence is its own subject."""
    found: Counter[Hashable] = Counter()
    for said in sentences:
        found[getattr(said, "of", said)] += getattr(said, "amount", 1)
    return found


@dataclass(frozen=True, slots=True)
class Run:
    """One run: its title of a few words, the group and the answer to it."""

    title: str
    group: Any
    assignment: Any


class TwoRuns(Violation):
    """A violation between two runs, with these runs for display."""

    __slots__ = ("runs",)
    runs: tuple[Run, Run]

    def __new__(
        cls, sentence: str, before: Run, after: Run, of: Hashable = None, amount: int | Fraction = 1
    ) -> Self:
        """Build a violation of a sentence, two runs, a subject and an amount."""
        made = super().__new__(cls, sentence, of, amount)
        made.runs = (before, after)
        return made


def format_items(items: Iterable[object] | None, between: str = ", ") -> str:
    """Join the items as text; "nothing" if there are no items, "no answer" for None."""
    return "no answer" if items is None else between.join(map(str, items)) or "nothing"


def format_count(number: int, noun: str) -> str:
    """Return a number with its noun, as "1 partition" or "2 partitions"."""
    return f"{number} {noun}" + ("s" if number != 1 else "")


def ranges(numbers: Sequence[int]) -> Iterator[str]:
    """Yield ascending numbers as text, with neighbours as ranges: "0-2", "5"."""
    start = 0
    for end in range(1, len(numbers) + 1):
        if end == len(numbers) or numbers[end] != numbers[end - 1] + 1:
            yield str(numbers[start]) if end - start == 1 else f"{numbers[start]}-{numbers[end - 1]}"
            start = end
