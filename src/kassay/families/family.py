"""A family of assignors: its properties, measures, situations, oracles and settings.

The engine (targets, check, findings, compare, the command line) knows families only through this record. So a new
family is one record and one line in :mod:`kassay.families`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from kassay.families.shape import Assign, Json, Shape
from kassay.model import Assignor
from kassay.oracles.answers import Answer, Dominated, Frontier, Gap, Optima, OverTime, Weighing, Worst
from kassay.oracles.levels import LevelWords, build_plain_words

Invariant: TypeAlias = Callable[[Any, Any], Iterator[str]]
Law: TypeAlias = Callable[[Assign, Any], Iterator[str]]


@dataclass(frozen=True, slots=True)
class Where:
    """The groups in all situations of `within` and in no situation of `outside`; `says` describes them in words."""

    within: Sequence[str] = ()
    outside: Sequence[str] = ()
    says: str = "all groups"


@dataclass(frozen=True, slots=True)
class Question:
    """A criterion of a report for every assignor. Its name is an adjective: safe, even.

    An answer meets it if it is complete and legal, keeps the invariants of `keeps` and, with a `level`, has the optimal value of that level.
    """

    name: str
    says: str
    """The criterion in words."""
    level: str = ""
    of: Where = Where()
    """The groups on which an answer can fail; the share refers to these."""
    keeps: Sequence[str] = ()
    label: str = ""
    """The name for people, if it differs from the name in files and JSON."""
    adjective: str = ""
    """The adjective for an assignor that meets it, if it is not the name."""
    noun: str = ""
    """The criterion as a noun phrase, if it is not the name for people."""
    joins: bool = False
    """True if an answer must meet all other criteria that apply to its group."""

    @property
    def shown(self) -> str:
        """The head of a column."""
        return self.label or self.name

    @property
    def said(self) -> str:
        """The word that follows *is most often* in a sentence."""
        return self.adjective or self.name

    @property
    def criterion(self) -> str:
        """The noun phrase for it in a sentence."""
        return self.noun or self.shown

    @property
    def of_legality(self) -> bool:
        """True if it requires a complete and legal answer, and nothing more."""
        return not (self.level or self.keeps or self.joins)


def make_question(words: LevelWords) -> Question:
    """Return the criterion of a report for a level; raises ValueError if the words of the level do not describe one."""
    judged = words.judged
    if judged is None:
        raise ValueError(f"level {words.name}: its words say nothing of what a report asks. Give `judged`")
    where = Where(judged.within, judged.outside, judged.groups)
    return Question(
        judged.name, judged.says, words.name, where, label=judged.label, adjective=judged.adjective,
        noun=judged.noun,
    )  # fmt: skip


SAFE = Question("safe", "nothing lost, given twice or to the wrong member", label="right")
"""The question that can be asked of every family."""
TOGETHER = Question(
    "together",
    "all other criteria that apply, on the same group",
    label="all",
    noun="all criteria",
    joins=True,
)
"""An assignor that meets each criterion on other groups, and never two on one, does not meet it."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """The traffic across racks: the value of `level` out of all of `size`, over the groups of `of`."""

    level: str
    size: str
    of: Where = Where()


@dataclass(frozen=True, slots=True)
class Probing:
    """The rebalances after a provisional answer.

    `joined` returns the group that joins the next rebalance, after members have restored what the answer gives them; None if the answer
    asks for no rebalance. `most` bounds the number of rebalances of a group.
    """

    joined: Callable[[Any, Any], Any]
    most: Callable[[Any], int]


@dataclass(frozen=True, slots=True)
class Aspect:
    """Something that changes with the family: a measure, or a level if `level`, on some of the groups; `says` names both in words."""

    says: str
    value: str
    of: Where = Where()
    level: bool = False


@dataclass(frozen=True, slots=True)
class Migration:
    """The migration of groups from another family of the same shape to this one."""

    refuses: Callable[[Any], Iterable[str]]
    """Yields a sentence, with field and fix, for each reason why these assignors cannot take a group of the other family."""
    question: str = ""
    """The question of a report for operators who migrate."""
    aspects: Sequence[Aspect] = ()
    """The values that the report shows for it."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The configuration that gives a group one of Kafka's assignors."""

    lines: tuple[str, ...]
    """The lines to copy into the configuration of `on`. Empty if Kafka takes the assignor without a setting."""
    on: str
    """The place of the setting, such as all members."""
    default: bool = False
    """True if Kafka takes this assignor when nothing is set."""
    note: str = ""
    """The caveats for the operator."""
    cooperative: bool = False
    """True if members keep working on the partitions that they keep while the group rebalances."""
    how: str = "one rolling restart"
    """The steps that a running group needs to get there."""


@dataclass(frozen=True, slots=True)
class Tunable:
    """A setting of a group or an application that its assignor reads."""

    on: str
    """The place of the setting."""
    default: Json
    """Its value if nothing is set."""
    trade: str = ""
    """The gain and the cost that no measure counts; "" if measures decide which value is better."""


SETTABLE, INSIDE, STUDY = "settable", "inside Kafka", "study"
"""The availability of an assignor to an operator: it can be set, Kafka uses it without a setting, or no broker has it."""


Rounds: TypeAlias = Sequence[tuple[Any, Any]]
"""The rounds of a rebalance: each group and the answer to it; the last answer withholds nothing."""


@dataclass(frozen=True, slots=True)
class Sequences:
    """Sequences of rebalances: the totals of an assignor, and the smallest possible totals."""

    kinds: Mapping[str, Callable[[Any, int], Any]]
    """Kind of events -> the function from a group and a number of events to a timeline."""
    questions: Sequence[str]
    rounds: Callable[[Assign, Any], Iterator[Rounds]]
    """Plays a timeline with an assignor."""
    totals: Callable[[Sequence[Rounds]], Mapping[str, int]]
    """Returns level -> the total over all rounds."""
    uneven: Callable[[Any, Any], bool]
    """Returns True if an answer is less balanced than possible."""
    optimum: Callable[[str, Any, float | None], OverTime]
    """Takes a question, a timeline and seconds or None."""
    members: Callable[[Any], Sequence[str]]
    """Returns the members at the start, in the order of their events."""
    assumed: Mapping[str, str] = field(default_factory=dict)
    """Kind -> the assumptions that need not hold, in sentences, and what changes them."""


class Verify(Protocol):
    """Verifies the output of `kassay optimum --json`, `kassay frontier --json` or `kassay over-time --json` for a group.

    `events` are the kind and number of events of an answer over time. Returns True if all is proved, False if something is
    refuted, None if something has no certificate, with a sentence on it. Raises InputError naming a field of a malformed answer.
    """

    def __call__(
        self, group: Any, answer: Json, events: tuple[str, int] | None = None
    ) -> tuple[bool | None, str]:
        """Check an answer."""


@dataclass(frozen=True, slots=True)
class Oracles:
    """The exact optima of a family, and the gaps of assignments to them.

    All functions raise kassay.oracles.errors.OracleError if there is no proved answer.
    """

    questions: Mapping[str, str]
    levels: Sequence[str]
    optimum: Callable[[str, Any, float | None], Answer]
    """Takes a question, a group and seconds or None."""
    optima: Callable[[Any], Optima]
    """Returns the optima of a group, with which answers are compared."""
    explain: Callable[[Any, Any], Sequence[str]]
    """Returns sentences on what is not optimal in an answer, and what would be better."""
    worst_questions: Mapping[str, str]
    """Measure that a worst case is searched for -> the question whose last level it is."""
    worst: Callable[[Assign, str, int, int], Worst]
    """Searches with an assign function, a question, a seed and a number of tries."""
    programmed: Callable[[Any], Mapping[str, int]]
    """The optimum of each level of a group by a linear program, far slower than `optima`, to confirm them."""
    verify: Verify
    compared: str = ""
    """The quantities that are compared in each level, in one sentence."""
    words: Mapping[str, LevelWords] = field(default_factory=dict)
    """Level -> its words, for all levels of the shape, also levels that are not compared."""
    frontiers: Callable[[Any, float | None], Sequence[Frontier]] | None = None
    """Finds the frontiers of a group within a number of seconds, or None for no limit; None if the family has no frontiers."""
    over_time: Sequences | None = None
    """Whole sequences of rebalances, None if they are not answered."""
    contract: str = ""
    """A further rule for assignments, as a question names it before its levels, such as ``shared,``."""
    every: int = 1
    """A check measures each n-th generated group, and all given groups."""
    quick: Callable[[Any], bool] = field(default=lambda _group: True)
    """Returns True if the optima of a group are found at once; other groups are measured only if they are given."""
    dominance: Callable[[Any], Callable[[Any], Dominated | None]] | None = None
    """Finds for each answer to a group whether another answer is better at the same price; None if no further level is asked."""
    weighing: Callable[[Any, Mapping[str, Any]], Weighing] | None = None
    """Compares answers, by the names of their targets, by weight; None if nothing has a weight."""
    weights: tuple[str, ...] = ()
    """The levels of weights that answers are also compared in, in an interval, if partitions of the group have weights."""
    weight_gaps: Callable[[Any, tuple[str, ...]], Callable[[Any], Sequence[Gap]]] | None = None
    """Returns the function from a correct answer to its gaps in some of these levels."""

    def gaps(self, group: Any, answer: Any) -> Sequence[Gap]:
        """Return the gap of an answer in each of `levels`; none if it is not complete and legal."""
        return self.optima(group).gaps(answer)

    def measured(self, group: Any, levels: Sequence[str]) -> Optima:
        """Return the optima of a group, with the bounds of the levels of weights among `levels`."""
        proved, weights = self.optima(group), tuple(level for level in self.weights if level in levels)
        if self.weight_gaps is None or not weights:
            return proved
        more = self.weight_gaps(group, weights)

        def gaps(answer: Any) -> Sequence[Gap]:
            found = proved.gaps(answer)
            return (*found, *more(answer)) if found else found

        return Optima(proved.least, gaps)

    @property
    def measures(self) -> dict[str, str]:
        """Level -> the family's measure that is its value, also of what is not complete and legal."""
        return {name: of.measure for name, of in self.words.items() if of.measure}


@dataclass(frozen=True, slots=True)
class Family:
    """Everything the engine needs to know of one family. The tables map a name to the function of that name."""

    name: str
    shape: Shape
    invariants: Mapping[str, Invariant]
    laws: Mapping[str, Law]
    measures: Mapping[str, Callable[[Any, Any], int]]
    situations: Mapping[str, Callable[[Any], bool]]
    expected: frozenset[str]
    """The properties demanded of an assignor that promises nothing itself."""
    run_measures: Mapping[str, Callable[[Assign, Any], int]] = field(default_factory=dict)
    legal: frozenset[str] = frozenset()
    """The invariants that an answer breaks if something is unassigned, assigned twice, or assigned to a wrong member."""
    oracles: Oracles | None = None
    rejoined: Callable[[Any, Any], Any] | None = None
    """The group that joins again for what an answer withholds at first, None if it withholds nothing; itself None if no answer ever does."""
    withheld: frozenset[str] = frozenset()
    """The invariants of `legal` that an answer breaks by withholding what members have not handed over yet."""
    provisional: Callable[[Any], bool] = field(default=lambda _answer: False)
    """Returns True if an answer holds only until another rebalance, which it asks for; then it is not shown as a better one."""
    probing: Probing | None = None
    """The rebalances after a provisional answer; None if the family has no provisional answers."""
    warnings: Callable[[Any], Iterable[str]] = field(default=lambda _: ())
    """Yields a sentence for each contradiction in a legal group."""
    leader_order: Callable[[Any], Any] | None = None
    """The group in the order in which a live leader's assignor receives it, where its listed order is lost on the way."""
    growing: Mapping[str, Callable[[Assign, int], Any]] = field(default_factory=dict)
    """Quantity that grows -> the group for an assignor and a size, to measure how time grows as the size doubles."""
    timeline_measures: Sequence[str] = ()
    """The measures worth seeing over a timeline, such as moves."""
    crossing: Crossing | None = None
    """The traffic across racks, if it has a price."""
    questions: Sequence[Question] = ()
    """The questions of a report about every assignor, in the order of its columns; by default safety, and the best in each level."""
    share: Callable[[Any], int] = field(default=lambda _group: 1000)
    """Returns how many of a thousand groups like this one are checked against laws of several runs, in a check that samples."""
    telling: Where = Where()
    """The groups that show best how an assignor behaves; a report draws one of them."""
    settable: Mapping[str, Setting] = field(default_factory=dict)
    """The assignors of Kafka's that can be set in a configuration, by full name in the order in which they are shown, and how."""
    inside: Sequence[str] = ()
    """The assignors that Kafka has inside, which cannot be set; all others of the family are studies."""
    by_name: Sequence[str] = ()
    """The studies of another question than the rest of the family, such as every partition twice. Patterns do not match them together with others."""
    tunable: Mapping[str, Tunable] = field(default_factory=dict)
    """The settings that a group's JSON may have under `config`, by Kafka's names."""
    adapt: Callable[[Any], Assignor | None] = field(default=lambda _: None)
    """Returns an assignor for a class of a client library, with its promises; None for any other class."""
    migrations: Mapping[str, Migration] = field(default_factory=dict)
    """Family -> how the assignors of this family take its groups."""
    leads_on: Callable[[Any, Any, Any], bool] = field(default=lambda _group, _answer, _following: True)
    """Returns True if the instance that gave an answer to a group also answers the following group.

    By default a coordinator runs the assignor, and keeps its instance.
    """
    refused: Callable[[Any], str | None] = field(default=lambda _group: None)
    """Returns why a group cannot be answered, in a sentence that names field and fix; None if it can.

    For several families that are asked together, this includes what only one of them supports (kassay.comparison.strategies).
    """

    def write_group(self, group: Any) -> dict[str, Json]:
        """Return the JSON of a group, with its family."""
        return {"family": self.name, **self.shape.write_group(group)}

    def level(self, name: str) -> LevelWords:
        """Return the words of a level; for a level that the family does not know, its name."""
        return (self.oracles.words.get(name) if self.oracles else None) or build_plain_words(name)

    def classify_target(self, target: str) -> str:
        """Return the availability of an assignor of kassay's, also of a release: settable, inside Kafka or a study."""
        name = target.partition("@")[0]
        return SETTABLE if name in self.settable else INSIDE if name in self.inside else STUDY

    @property
    def default(self) -> str:
        """The name of the assignor that Kafka takes if nothing is set, the first of several families; "" if there is none."""
        return next((name for name, setting in self.settable.items() if setting.default), "")

    @property
    def properties(self) -> Mapping[str, Invariant | Law]:
        """Invariants, then laws, by name."""
        return {**self.invariants, **self.laws}
