"""Rest: the rebalances that answers ask for, one after the other, until an answer asks for no other one; the one loop of all shapes.

What laws and invariants say of a violation: a sentence, what it concerns and how much of that, and the runs it compares.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
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

    `rejoined` makes the group that joins again for what an answer asks for, None where it asks for nothing. What the assignor
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
