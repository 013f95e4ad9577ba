"""The answers of oracles, whatever the family: optima by level, gaps to them, frontiers, and the worst that was found; and gaps in sentences."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kassay.oracles.levels import LevelWords, plain_words

NAMED = 6
"""How many things a sentence hands over at most."""
NO_COUNT = "which is proved"
"""A reason that says so is a proof, and no count that a reader could do again."""


@dataclass(frozen=True, slots=True)
class Level:
    """One level of an answer: what the assignment found is worth, and what no assignment can go below.

    Both are in the unit of the measure of this name. They differ where the time was over before the optimum was proved.
    """

    name: str
    value: int
    least: int
    agreed: bool = False
    """Whether two solvers say that nothing is below the value, which is no proof."""

    @property
    def proved(self) -> bool:
        """Whether the value is the optimum."""
        return self.value == self.least

    @property
    def record(self) -> dict[str, Any]:
        """The level as JSON."""
        of = {"level": self.name, "value": self.value, "least": self.least, "proved": self.proved}
        return of | ({"agreed": True} if self.agreed else {})


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

    def record(self, assignment: Any) -> dict[str, Any]:
        """Return the answer as JSON, as its certificate is checked; the assignment is as its shape writes it."""
        return {
            "question": self.question, "levels": [level.record for level in self.levels], "assignment": assignment,
            "because": list(self.words), "certificate": self.certificate,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Gap:
    """How far an assignment is from the optimum of one level: both values, in the unit of the measure of that name.

    The optimum is the least value among assignments that are best in all levels before this one; an assignment that is
    worse in those may be below it.
    """

    level: str
    value: int
    optimum: int
    words: LevelWords | None = field(default=None, compare=False, repr=False)
    """What people read of the level; None if nothing but its name is known."""
    least: int | None = None
    """If the optimum is the best that is known, and need not be the least there is: what nothing goes below."""
    agreed: bool = False
    """Whether two solvers say that nothing is below the best that is known, which is no proof."""

    @property
    def unsure(self) -> bool:
        """Whether neither something better is known, nor that there is none."""
        return self.least is not None and self.least < self.value <= self.optimum

    @property
    def said(self) -> LevelWords:
        """What people read of the level, its name at least."""
        return self.words or plain_words(self.level)

    @property
    def over(self) -> int:
        """What the assignment has more than the optimum."""
        return self.value - self.optimum


@dataclass(frozen=True, slots=True)
class Optima:
    """The proved optimum of each level of one group, found once, to hold any number of answers against.

    `least` maps a level to its optimum; `gaps` takes an answer to the group and gives a gap for each level, none if
    the answer is not complete and legal. There is no such object without a proof that separate code has checked.
    """

    least: Mapping[str, int]
    gaps: Callable[[Any], Sequence[Gap]]


@dataclass(frozen=True, slots=True)
class Dominated:
    """Whether another assignment is no worse than an answer in all levels that answers are compared in, and better in one more.

    `value` is what the answer has in that level, `least` what the best such assignment that is known has, which is `better` and answers
    `question`. `verdict` is true where there is one, false where it is proved that there is none, and None if that is not known.
    """

    level: str
    value: int
    least: int
    verdict: bool | None
    better: Any = None
    question: str = ""


@dataclass(frozen=True, slots=True)
class Grown:
    """How the worst group fares as it doubles in one way: value and optimum at each size; `bounded` is None if there are too few."""

    way: str
    bounded: bool | None
    steps: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Worst:
    """What a search for an assignor's worst cases brought: sentences, and the worst group with value and optimum.

    `everything` says up to which size everything was tried and how many groups that were, `smallest` which size the smallest
    group has on which anything is worse than the optimum, "" where there is none; `grown` how the worst group grows.
    """

    sentences: tuple[str, ...]
    group: Any = None
    gap: Gap | None = None
    everything: str = ""
    smallest: str = ""
    grown: tuple[Grown, ...] = ()


@dataclass(frozen=True, slots=True)
class FrontierPoint:
    """A point of a frontier: its value by level, what proves it, and an assignment that has it.

    It is supported where it is optimal for some positive weights: `proof` is then the number of a proof in the
    frontier's `proofs`. Otherwise `proof` is None, and `proved_by` is "prices", all proofs together, which leave no room for
    anything better, or "two solvers".
    """

    values: Mapping[str, int]
    assignment: Any
    proof: int | None
    proved_by: str

    @property
    def supported(self) -> bool:
        """Whether it is optimal for some positive weights."""
        return self.proof is not None


@dataclass(frozen=True, slots=True)
class Placed:
    """Where an assignment lies: its values, whether on the frontier (None: could not tell), a point that is better, in words.

    `values` is None if the assignment is not complete and legal, `better` is the number of a point that is nowhere
    worse and better somewhere, None if none is known.
    """

    values: Mapping[str, int] | None
    on_it: bool | None
    better: int | None
    sentence: str


@dataclass(frozen=True, slots=True)
class Bought:
    """With at most so many moves, what the last level is at least and at most in the best assignment; equal where proved."""

    moves: int
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Frontier:
    """Assignments of which none is better in one level without being worse in another, ascending by the levels.

    `title` says among which assignments, `levels` what is compared, `shown` what else is worth a column. `extreme` says whether no
    extreme point is missing, `whole` whether no point is, and `open_` why one may be. `bought` is what further moves
    gain, `sentences` that in words; `proofs` are JSON. `place` takes an assignment.
    """

    title: str
    levels: tuple[str, ...]
    shown: tuple[str, ...]
    points: tuple[FrontierPoint, ...]
    proofs: tuple[Mapping[str, Any], ...]
    extreme: bool
    whole: bool
    open_: str
    bought: tuple[Bought, ...]
    sentences: tuple[str, ...]
    place: Callable[[Any], Placed]


@dataclass(frozen=True, slots=True)
class Total:
    """A sum over a sequence of rebalances: what no sequence of assignments goes below, and what the best one known has.

    `value` is None if none is known, as the sequence is too large for more than a bound.
    """

    name: str
    least: int
    value: int | None

    @property
    def proved(self) -> bool:
        """Whether the value is the optimum."""
        return self.value == self.least


@dataclass(frozen=True, slots=True)
class OverTime:
    """The least sums over a sequence of rebalances; the assignment of each, none if only bounds are known; the proof as JSON."""

    question: str
    rebalances: int
    totals: tuple[Total, ...]
    assignments: tuple[Any, ...]
    certificate: Mapping[str, Any]

    @property
    def proved(self) -> bool:
        """Whether every sum is proved to be the least."""
        return all(total.proved for total in self.totals)


PRESENT = "now"
"""The name of the assignment that a group has, beside those of targets."""


@dataclass(frozen=True, slots=True)
class Weighing:
    """What each member weighs in each answer, and the best that is known at even counts.

    `held` are the members' weights by target, what the group has now under ``now``; `unit` is that of the weights.
    """

    unit: str
    question: str
    level: Level
    best: Answer
    held: Mapping[str, Mapping[str, int]]
    weights: Mapping[str, int]
    """What each partition weighs, by its name."""

    @property
    def rows(self) -> list[tuple[str, int, int]]:
        """Each target with the weight of its heaviest and its lightest member, the lightest of the heaviest first."""
        rows = [(name, max(each.values()), min(each.values())) for name, each in self.held.items() if each]
        return sorted(rows, key=lambda row: (row[0] != PRESENT, row[1]))

    @property
    def best_held(self) -> list[int]:
        """What the members weigh in the best answer that is known."""
        return [
            sum(self.weights[str(partition)] for partition in given)
            for given in self.best.assignment.values()
        ]

    @property
    def says(self) -> str:
        """Say what is the least, and whether that is proved."""
        level = self.level
        unit = self.unit.partition(" of ")[0]
        if level.proved or level.agreed:
            end = "proved" if level.proved else "two solvers agree, which is no proof"
            return f"With even counts, the heaviest member holds {level.value:,} {unit} at the least: {end}."
        return f"With even counts, the least that the heaviest member holds is {level.least:,} to {level.value:,} {unit}: not proved."

    @property
    def closest(self) -> list[str]:
        """The targets whose heaviest member holds least, of those that were asked."""
        asked = {name: heaviest for name, heaviest, _ in self.rows if name != PRESENT}
        return [name for name, heaviest in asked.items() if heaviest == min(asked.values())]

    def record(self, where: str) -> dict[str, Any]:
        """Make the JSON of it."""
        level = {"value": self.level.value, "least": self.level.least, "proved": self.level.proved, "agreed": self.level.agreed}  # fmt: skip
        return {"record": "weights", "where": where, "unit": self.unit, "question": self.question, "best": level, "held": self.held, "says": self.says}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Far:
    """An answer in one level: its value, the optimum, the fewest things to hand over for it, and why nothing less is possible.

    `handed` are written as ``t0-0 from m1 to m0``; `loads` say what an even answer gives everybody, "" where that is no single number, and `given` under which condition the optimum holds.
    """

    words: LevelWords
    value: int
    optimum: int
    handed: tuple[str, ...] = ()
    why: str = ""
    loads: str = ""
    given: str = ""

    @property
    def says(self) -> str:
        """What would do in this level, without its condition; "" if nothing would do better."""
        whose = self.words.whose
        if not whose or whose.startswith("with "):
            whose = f"loads {whose}".rstrip()
        if self.value > self.optimum:
            if self.words.counts == "loads":
                return self.loads or f"{whose} are {self.value:,} apart, where {self.optimum:,} is possible"
            return self.loads or self.words.beside(self.value, self.optimum)
        uneven = self.words.counts == "loads" and self.value == self.optimum and self.handed
        return f"{whose} can be more even" if uneven else ""


def sentences(levels: Iterable[Far]) -> list[str]:
    """Say of each level that is not at its best what would do; levels that the same handing over puts right are one sentence."""
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
