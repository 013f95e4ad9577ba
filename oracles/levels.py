"""The words for a level, for all shapes: its name, its unit, and the criterion of a report.

The ``levels.py`` of a shape has a record for each level: these words, the measure of an answer, and the costs.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

Counts: TypeAlias = Literal["loads", "moving", "reading", "restoring", "other"]
"""The things that a level counts: differences of loads, moves, reads across racks, or restored tasks."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A criterion of a report: the groups on which an answer can miss the optimum of a level, and the words for it."""

    name: str
    """The name for files."""
    says: str
    """The criterion in words."""
    groups: str
    """A description of these groups."""
    within: tuple[str, ...] = ()
    """The situations that a group must be in."""
    outside: tuple[str, ...] = ()
    """The situations that a group must not be in."""
    label: str = ""
    """The name for readers, "" if it is the same."""
    adjective: str = ""
    """The words after *is most often*, "" if they are the name."""
    noun: str = ""
    """The criterion as a noun phrase, "" if it is the label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelWords:
    """The words for a level; each field has an example."""

    name: str
    """The name in questions: ``cross-rack``."""
    short: str
    """One word for a table whose rows are levels: ``racks``."""
    one: str
    """The unit of one: ``read across racks``."""
    many: str
    """The unit of several: ``reads across racks``."""
    by: str = ""
    """The restriction of the unit: ``by standbys``."""
    counts: Counts = "other"
    whose: str = ""
    """The kind of loads, if not all loads count: ``with standbys``, ``connectors``."""
    evens: int | None = None
    """The position, among the roles of an answer, of the one role whose loads it balances."""
    passing: bool = False
    """True for a transition cost, paid once in a rebalance; other levels describe the assignment."""
    behind: bool = False
    """True if it is optimized after all others, only as far as it costs them nothing."""
    asked: str
    """The aim: ``near``."""
    missed: str
    """The fault of an answer that is not optimal: ``needless reads across racks``."""
    column: str
    """The heading of a column with the percentages that miss the optimum: ``reads``."""
    heading: str
    """The same on two lines: ``needless reads`` and ``across racks``."""
    worse: str
    """A clause for a target that is worse in it: ``reads more across racks``."""
    each: tuple[str, str] = ("", "")
    """The singular and plural of the things that a spread level distributes: ``topic``, ``topics``."""
    measure: str = ""
    """The family's measure with the same value, which also takes illegal answers; "" if there is no such measure."""
    told_as: str = ""
    """The prefix of its reasons, if it is not the name: ``tasks: balance``."""
    judged: Judged | None = None

    def describe_alone(self, least: str) -> str:
        """Return the sentence on the question with only this level; `least` is what its optimum is."""
        return f"{least}." if self.counts == "loads" else f"{least}, for any loads."

    @property
    def turn(self) -> int:
        """The rank in comparisons: 0 for levels of the assignment, 1 for transition costs, 2 for levels behind these."""
        return 2 if self.behind else int(self.passing)

    @property
    def reason(self) -> str:
        """The prefix of the sentences on why it is no less."""
        return f"{self.told_as or self.name}: "

    @property
    def unit(self) -> tuple[str, str]:
        """The singular and plural of the unit, with its restriction."""
        by = f" {self.by}" if self.by else ""
        return f"{self.one}{by}", f"{self.many}{by}"

    @property
    def head(self) -> str:
        """The heading above its value: ``moves``, ``reads across racks``, ``connectors apart``."""
        if self.counts != "loads":
            return self.unit[1]
        if self.whose.startswith("with "):
            return f"{self.many} {self.whose}"
        return f"{self.whose} {self.many}".lstrip()

    def counted(self, value: int) -> str:
        """Return a value with its unit: ``3 moves``, or ``a spread excess of 3`` if it does not count things."""
        if self.one == self.many and self.counts == "other":
            return f"a {self.many} of {value:,}"
        return f"{value:,} {self.one if value == 1 else self.many}"

    def beside(self, value: int, optimum: int) -> str:
        """Return a value and the optimum: ``3 moves, where 1 would do``."""
        if self.counts == "loads":
            whose = f"{self.whose} " if self.whose else ""
            return f"{whose}{value:,} apart, where {optimum:,} is possible"
        return f"{self.counted(value)}, where {optimum:,} would do"


def list_over_time_questions(even: str, moving: str, others: Iterable[str]) -> tuple[str, ...]:
    """Return the questions about a sequence of rebalances: loads first, then moves, another level, or both in either order."""
    others = tuple(others)
    both = (pair for other in others for pair in ((moving, other), (other, moving)))
    return tuple(",".join((even, *asked)) for asked in (*both, (moving,), *((other,) for other in others)))


class Measured(Protocol):
    """A level of any shape that measures answers."""

    @property
    def words(self) -> LevelWords:
        """The words for it."""

    @property
    def measure(self) -> Callable[[Any, Any], int]:
        """Return the value of an answer to a group."""


def sum_levels(levels: Iterable[Measured], played: Sequence[Sequence[tuple[Any, Any]]]) -> Mapping[str, int]:
    """Return the sums over rebalances: of all their rounds for transition costs, of the last round for other levels.

    A partition that is revoked first moves in a later round, so the moves of all rounds count.
    """
    return {
        level.words.name: sum(
            level.measure(*each)
            for rounds in played
            for each in (rounds if level.words.passing else rounds[-1:])
        )
        for level in levels
    }


def build_plain_words(name: str) -> LevelWords:
    """Return the words for a level of which only the name is known."""
    return LevelWords(
        name=name, short=name, one=f"in {name}", many=f"in {name}", asked=name, missed=f"more {name} than needed", column=name,
        heading=name, worse=f"is worse in {name}",
    )  # fmt: skip
