"""Violations in words, the runs that they compare, and the one loop that plays rebalances until rest."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self, TypeVar

G = TypeVar("G")
A = TypeVar("A")

MOST_REBALANCES = 10
"""How many rebalances an assignor has to come to rest in; most need one or two, and who needs more than five hardly ever comes to rest."""


def until_rest(
    assign: Callable[[G], A],
    rejoined: Callable[[G, A], G | None],
    group: G,
    most: int = MOST_REBALANCES,
) -> list[tuple[G, A]]:
    """Return the rebalances, each with the group that joins and the answer, until an answer asks for no other one, or the first `most`.

    `rejoined` makes the group that joins again for what an answer asks for, None if it asks for nothing. What the assignor
    fails with passes through.
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
    """One run: its title of a few words, the group and the answer to it."""

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


def listed(items: Iterable[object] | None, between: str = ", ") -> str:
    """Write items one after the other; "nothing" where there are none, "no answer" for None."""
    return "no answer" if items is None else between.join(map(str, items)) or "nothing"


def counted(number: int, noun: str) -> str:
    """Write how many there are, as "1 partition" or "2 partitions"."""
    return f"{number} {noun}" + ("s" if number != 1 else "")


def ranges(numbers: Sequence[int]) -> Iterator[str]:
    """Yield ascending numbers as text, neighbours drawn together: "0-2", "5"."""
    start = 0
    for end in range(1, len(numbers) + 1):
        if end == len(numbers) or numbers[end] != numbers[end - 1] + 1:
            yield str(numbers[start]) if end - start == 1 else f"{numbers[start]}-{numbers[end - 1]}"
            start = end
