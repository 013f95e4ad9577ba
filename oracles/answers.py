"""The results of oracles for all families: optima by level, gaps to them as numbers and sentences, frontiers, and worst cases."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kassay.oracles.levels import LevelWords, build_plain_words

NAMED = 6
"""The most moves that a sentence lists."""
NO_COUNT = "which is proved"
"""The mark of a reason that is a proof by prices, which a reader cannot repeat by counting."""


@dataclass(frozen=True, slots=True)
class Level:
    """One level of an answer, in the unit of the measure of this name: the value that was found, and the lower bound.

    They differ if the time limit was reached before the optimum was proved.
    """

    name: str
    value: int
    least: int
    agreed: bool = False
    """True if two solvers agree that the value is the minimum, which is no proof."""

    @property
    def proved(self) -> bool:
        """True if the value is the optimum."""
        return self.value == self.least

    @property
    def record(self) -> dict[str, Any]:
        """The level as JSON."""
        row = {"level": self.name, "value": self.value, "least": self.least, "proved": self.proved}
        return row | ({"agreed": True} if self.agreed else {})


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question: an assignment, its levels in order down to the first unproved one, and the proof."""

    question: str
    levels: tuple[Level, ...]
    assignment: Any
    words: tuple[str, ...]
    """The reasons why no assignment is better, as sentences."""
    certificate: Mapping[str, Any]
    """The proof as JSON."""

    @property
    def proved(self) -> bool:
        """True if every level is proved."""
        return bool(self.certificate["proved"])

    @property
    def values(self) -> dict[str, int]:
        """The optimum of each level that is proved."""
        return {level.name: level.value for level in self.levels if level.proved}

    def record(self, assignment: Any) -> dict[str, Any]:
        """Return the answer as JSON, in the form that the checker of certificates reads; the assignment is given as JSON."""
        return {
            "question": self.question, "levels": [level.record for level in self.levels], "assignment": assignment,
            "because": list(self.words), "certificate": self.certificate,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Gap:
    """The gap of an assignment in one level: its value and the optimum, in the unit of the measure of that name.

    The optimum is the least value among assignments that are optimal in all levels before this one. An assignment that is
    worse in a level before may be below it.
    """

    level: str
    value: int
    optimum: int
    words: LevelWords | None = field(default=None, compare=False, repr=False)
    """The words for the level; None if only its name is known."""
    least: int | None = None
    """The lower bound, if `optimum` is the best known value and not proved to be the minimum."""
    agreed: bool = False
    """True if two solvers agree that the best known value is the minimum, which is no proof."""

    @property
    def unsure(self) -> bool:
        """True if no better value is known, and the lower bound is below this one."""
        return self.least is not None and self.least < self.value <= self.optimum

    @property
    def said(self) -> LevelWords:
        """The words for the level, made from its name if there are no others."""
        return self.words or build_plain_words(self.level)

    @property
    def over(self) -> int:
        """The difference between the value and the optimum."""
        return self.value - self.optimum


@dataclass(frozen=True, slots=True)
class Optima:
    """The optimum of each level of one group, proved by separate code; any number of answers can be compared with it."""

    least: Mapping[str, int]
    """Level -> optimum."""
    gaps: Callable[[Any], Sequence[Gap]]
    """Return the gap of an answer in each level; nothing if the answer is not complete and legal."""


@dataclass(frozen=True, slots=True)
class Dominated:
    """The search for an assignment that Pareto-dominates an answer: no worse in all compared levels, and better in `level`."""

    level: str
    value: int
    """The value of the answer in the level."""
    least: int
    """The value of the best dominating assignment that is known."""
    verdict: bool | None
    """True if one exists, False if it is proved that no such assignment exists, None if that is unknown."""
    better: Any = None
    """The dominating assignment."""
    question: str = ""
    """The question to which it is an optimum."""


@dataclass(frozen=True, slots=True)
class Grown:
    """The values of the worst group and the optima as it doubles in one way; `bounded` is None if there are too few sizes."""

    way: str
    bounded: bool | None
    steps: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Worst:
    """The result of a search for an assignor's worst cases: sentences, and the worst group with its gap."""

    sentences: tuple[str, ...]
    group: Any = None
    gap: Gap | None = None
    everything: str = ""
    """The size up to which all groups were enumerated, and their number."""
    smallest: str = ""
    """The size of the smallest group with a gap, "" if no group has one."""
    grown: tuple[Grown, ...] = ()
    """The growth of the worst group, for each way of doubling it."""


@dataclass(frozen=True, slots=True)
class FrontierPoint:
    """A point of a frontier: its value by level, and an assignment that has it."""

    values: Mapping[str, int]
    assignment: Any
    proof: int | None
    """The number of its proof in the frontier's `proofs`, if the point is supported."""
    proved_by: str
    """The proof otherwise: "prices" if all proofs together leave no room for a better point, or "two solvers"."""

    @property
    def supported(self) -> bool:
        """True if it is optimal for some positive weights."""
        return self.proof is not None


@dataclass(frozen=True, slots=True)
class Placed:
    """The location of an assignment relative to a frontier."""

    values: Mapping[str, int] | None
    """Its values; None if the assignment is not complete and legal."""
    on_it: bool | None
    """True if it is on the frontier, None if that is unknown."""
    better: int | None
    """The number of a point that dominates it, None if no such point is known."""
    sentence: str


@dataclass(frozen=True, slots=True)
class Bought:
    """The bounds of the last level in the best assignment with at most `moves` moves; they are equal if that is proved."""

    moves: int
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Frontier:
    """The Pareto frontier of some levels: no assignment is better in one level without being worse in another."""

    title: str
    """The assignments that are compared."""
    levels: tuple[str, ...]
    shown: tuple[str, ...]
    """The other levels that have a column."""
    points: tuple[FrontierPoint, ...]
    """The points, in ascending order of the levels."""
    proofs: tuple[Mapping[str, Any], ...]
    extreme: bool
    """True if no extreme point is missing."""
    whole: bool
    """True if no point is missing."""
    open_: str
    """The reason why a point may be missing."""
    bought: tuple[Bought, ...]
    """The marginal benefit of further moves."""
    sentences: tuple[str, ...]
    place: Callable[[Any], Placed]
    """Return the location of an assignment."""


@dataclass(frozen=True, slots=True)
class Total:
    """A sum over a sequence of rebalances: its lower bound, and the value of the best known sequence of assignments."""

    name: str
    least: int
    value: int | None
    """None if no sequence of assignments is known, because the problem is too large for more than a bound."""

    @property
    def proved(self) -> bool:
        """True if the value is the optimum."""
        return self.value == self.least


@dataclass(frozen=True, slots=True)
class OverTime:
    """The minimal sums over a sequence of rebalances, the assignment of each (none if only bounds are known), and the proof as JSON."""

    question: str
    rebalances: int
    totals: tuple[Total, ...]
    assignments: tuple[Any, ...]
    certificate: Mapping[str, Any]

    @property
    def proved(self) -> bool:
        """True if every sum is proved to be minimal."""
        return all(total.proved for total in self.totals)


PRESENT = "now"
"""The name of a group's current assignment, next to the names of targets."""


@dataclass(frozen=True, slots=True)
class Weighing:
    """The weight of each member in each answer, and the best known answer with balanced counts."""

    unit: str
    """The unit of the weights."""
    question: str
    level: Level
    best: Answer
    held: Mapping[str, Mapping[str, int]]
    """The members' weights by target; the current ones are under ``now``."""
    weights: Mapping[str, int]
    """The weight of each partition, by its name."""

    @property
    def rows(self) -> list[tuple[str, int, int]]:
        """Each target with the greatest and the least weight of a member, in ascending order of the greatest."""
        rows = [(name, max(each.values()), min(each.values())) for name, each in self.held.items() if each]
        return sorted(rows, key=lambda row: (row[0] != PRESENT, row[1]))

    @property
    def best_held(self) -> list[int]:
        """The weight of each member in the best known answer."""
        return [
            sum(self.weights[str(partition)] for partition in given)
            for given in self.best.assignment.values()
        ]

    @property
    def says(self) -> str:
        """The minimum, and whether it is proved, as a sentence."""
        level = self.level
        unit = self.unit.partition(" of ")[0]
        if level.proved or level.agreed:
            end = "proved" if level.proved else "two solvers agree, which is no proof"
            return f"With even counts, the heaviest member holds {level.value:,} {unit} at the least: {end}."
        return f"With even counts, the least that the heaviest member holds is {level.least:,} to {level.value:,} {unit}: not proved."

    @property
    def closest(self) -> list[str]:
        """The targets with the least greatest weight of a member."""
        asked = {name: heaviest for name, heaviest, _ in self.rows if name != PRESENT}
        return [name for name, heaviest in asked.items() if heaviest == min(asked.values())]

    def record(self, where: str) -> dict[str, Any]:
        """Return the comparison as JSON."""
        level = {"value": self.level.value, "least": self.level.least, "proved": self.level.proved, "agreed": self.level.agreed}  # fmt: skip
        return {"record": "weights", "where": where, "unit": self.unit, "question": self.question, "best": level, "held": self.held, "says": self.says}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Far:
    """An answer in one level: its value, the optimum, and the fewest moves to it."""

    words: LevelWords
    value: int
    optimum: int
    handed: tuple[str, ...] = ()
    """The moves, written as ``t0-0 from m1 to m0``."""
    why: str = ""
    """The reason why no less is possible."""
    loads: str = ""
    """The load of each member in a balanced answer, "" if it is no single number."""
    given: str = ""
    """The condition under which the optimum holds."""

    @property
    def says(self) -> str:
        """The optimum of this level in words, without its condition; "" if nothing is better."""
        whose = self.words.whose
        if not whose or whose.startswith("with "):
            whose = f"loads {whose}".rstrip()
        if self.value > self.optimum:
            if self.words.counts == "loads":
                return self.loads or f"{whose} are {self.value:,} apart, where {self.optimum:,} is possible"
            return self.loads or self.words.beside(self.value, self.optimum)
        uneven = self.words.counts == "loads" and self.value == self.optimum and self.handed
        return f"{whose} can be more even" if uneven else ""


def describe_gaps(levels: Iterable[Far]) -> list[str]:
    """Return a sentence on each level that is not optimal; levels that the same moves correct share one."""
    one_cause: dict[tuple[str, ...], list[Far]] = {}
    for each in levels:
        if each.says:
            one_cause.setdefault(each.handed, []).append(each)
    found = []
    for handed, fars in one_cause.items():
        given = {each.says: each.given for each in reversed(fars)}  # the first condition counts
        what = "; ".join(f"{says}{given[says]}" for says in dict.fromkeys(each.says for each in fars))
        more = [f"{len(handed) - NAMED} more"] if len(handed) > NAMED else []
        hand = f": hand {' and '.join([*handed[:NAMED], *more])}" if handed else ""
        found.append(f"{what[:1].upper()}{what[1:]}{hand}.")
        whys = dict.fromkeys(each.why for each in fars if each.why and NO_COUNT not in each.why)
        found += [f"Nothing less is possible: {why}." for why in whys]
    return found
