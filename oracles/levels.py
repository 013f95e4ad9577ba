"""What is said of a level, whatever the shape: what it is called, in which unit it counts, and what a report asks in it.

A shape's folder ``levels/`` has a file for each level: these words, how an answer is measured, and what it costs where.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

Counts: TypeAlias = Literal["loads", "moving", "reading", "restoring", "other"]
"""What sort of thing a level counts: loads apart, what moves, what is read across racks, what is to be restored."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What a report asks of every assignor in a level: a name for files, what is asked, and of which groups.

    These are the groups on which an answer can go wrong: those in all situations of `within` and in none of `outside`; `groups` says
    which they are. `label` is what people read instead of the name, `adjective` what follows *is most often*; "" where the name says it.
    """

    name: str
    says: str
    groups: str
    within: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    label: str = ""
    adjective: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelWords:
    """What people read of a level; see the fields for an example of each."""

    name: str
    """As questions name it: ``cross-rack``."""
    short: str
    """In a word, where levels are rows: ``racks``."""
    one: str
    """The unit of one: ``read across racks``."""
    many: str
    """The unit of several: ``reads across racks``."""
    by: str = ""
    """What the unit is narrowed to: ``by standbys``."""
    counts: Counts = "other"
    whose: str = ""
    """Of loads that are not those of everything: ``with standbys``, ``connectors``."""
    evens: int | None = None
    """Of loads: the place of the role that it evens, among the roles of an answer; None if it is no single one."""
    passing: bool = False
    """Whether it is what a rebalance costs once; all others last."""
    behind: bool = False
    """Whether it is asked for behind all others: where it costs them nothing."""
    asked: str
    """What is asked for in it: ``near``."""
    missed: str
    """What an answer is, or has, that is not at its best: ``needless reads across racks``."""
    column: str
    """A column of shares that miss it, where targets are rows: ``reads``."""
    heading: str
    """The same with room for two lines: ``needless reads`` and ``across racks``."""
    worse: str
    """What a target does that is worse in it: ``reads more across racks``."""
    each: tuple[str, str] = ("", "")
    """Of a spread: what is shared, each by itself, one and several: ``topic``, ``topics``."""
    measure: str = ""
    """The family's measure that is its value, also of what is not complete and legal; "" where none is."""
    told_as: str = ""
    """What stands before the sentences that say why it is no less, where that is not the name: ``tasks: balance``."""
    judged: Judged | None = None

    @property
    def turn(self) -> int:
        """When it decides: 0 what lasts, 1 what a rebalance costs once, 2 what is asked for behind these."""
        return 2 if self.behind else int(self.passing)

    @property
    def reason(self) -> str:
        """What the sentences begin with that say why it is no less."""
        return f"{self.told_as or self.name}: "

    @property
    def unit(self) -> tuple[str, str]:
        """The unit of one and of several, with what they are narrowed to."""
        by = f" {self.by}" if self.by else ""
        return f"{self.one}{by}", f"{self.many}{by}"

    @property
    def head(self) -> str:
        """What stands over its value: ``moves``, ``reads across racks``, ``connectors apart``."""
        if self.counts != "loads":
            return self.unit[1]
        if self.whose.startswith("with "):
            return f"{self.many} {self.whose}"
        return f"{self.whose} {self.many}".lstrip()

    def counted(self, value: int) -> str:
        """Write a value with its unit, not narrowed: ``3 moves``, or ``a spread excess of 3`` of what is no number of things."""
        if self.one == self.many and self.counts == "other":
            return f"a {self.many} of {value:,}"
        return f"{value:,} {self.one if value == 1 else self.many}"

    def beside(self, value: int, optimum: int) -> str:
        """Write a value above the optimum beside it: ``3 moves, where 1 would do``."""
        if self.counts == "loads":
            whose = f"{self.whose} " if self.whose else ""
            return f"{whose}{value:,} apart, where {optimum:,} is possible"
        return f"{self.counted(value)}, where {optimum:,} would do"


def over_time_questions(even: str, moving: str, others: Iterable[str]) -> tuple[str, ...]:
    """Return what can be asked of a sequence of rebalances: loads first, then moves, another level, or both in either order."""
    others = tuple(others)
    both = (pair for other in others for pair in ((moving, other), (other, moving)))
    return tuple(",".join((even, *asked)) for asked in (*both, (moving,), *((other,) for other in others)))


class Measured(Protocol):
    """A level of any shape, as far as answers are measured in it."""

    @property
    def words(self) -> LevelWords:
        """What people read of it."""

    @property
    def measure(self) -> Callable[[Any, Any], int]:
        """What an answer to a group is worth."""


def summed(levels: Iterable[Measured], played: Sequence[Sequence[tuple[Any, Any]]]) -> Mapping[str, int]:
    """Sum what passes, such as moves, of every round of each rebalance: what is withheld or revoked first moves then; what lasts, of the last round alone."""
    return {
        level.words.name: sum(
            level.measure(*each)
            for rounds in played
            for each in (rounds if level.words.passing else rounds[-1:])
        )
        for level in levels
    }


def plain_words(name: str) -> LevelWords:
    """Return the words of a level of which nothing but the name is known."""
    return LevelWords(
        name=name, short=name, one=f"in {name}", many=f"in {name}", asked=name, missed=f"more {name} than needed", column=name,
        heading=name, worse=f"is worse in {name}",
    )  # fmt: skip
