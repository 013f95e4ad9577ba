"""What oracles answer, whatever the family: optima by level, gaps to them, and the worst that was found."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Level:
    """One level of an answer: what the assignment found is worth, and what no assignment can go below.

    Both are in the unit of the measure of this name. They differ where the time was over before the optimum was proved.
    """

    name: str
    value: int
    least: int

    @property
    def proved(self) -> bool:
        """Whether the value is the optimum."""
        return self.value == self.least


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question: levels in order, down to the first unproved one; the assignment; why nothing is better.

    `words` say why in sentences, `certificate` is the proof as JSON; its "proved" says whether every level is proved.
    """

    question: str
    levels: tuple[Level, ...]
    assignment: Any
    words: tuple[str, ...]
    certificate: Mapping[str, Any]

    @property
    def proved(self) -> bool:
        """Whether every level is proved, by the certificate's numbers where there are any."""
        return bool(self.certificate["proved"])

    @property
    def values(self) -> dict[str, int]:
        """The optimum of each level that is proved."""
        return {level.name: level.value for level in self.levels if level.proved}


@dataclass(frozen=True, slots=True)
class Gap:
    """How far an assignment is from the optimum of one level: both values, in the unit of the measure of that name.

    The optimum is the least value among assignments that are best in all levels before this one; an assignment that is
    worse in those may be below it.
    """

    level: str
    value: int
    optimum: int

    @property
    def over(self) -> int:
        """What the assignment has more than the optimum."""
        return self.value - self.optimum


@dataclass(frozen=True, slots=True)
class Optima:
    """The proved optimum of each level of one group, found once, to hold any number of answers against.

    `least` maps a level to its optimum; `gaps` takes an answer to the group and gives a gap for each level, none where
    the answer is not complete and legal. There is no such object without a proof that separate code has checked.
    """

    least: Mapping[str, int]
    gaps: Callable[[Any], Sequence[Gap]]


@dataclass(frozen=True, slots=True)
class Worst:
    """What a search for an assignor's worst cases brought: sentences, and the worst group with value and optimum."""

    sentences: tuple[str, ...]
    group: Any = None
    gap: Gap | None = None
