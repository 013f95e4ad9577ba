"""Verdicts of a check: the outcome of each property, the number of groups, and the distance of answers from the optimum."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from kassay.oracles.answers import Gap
from kassay.oracles.levels import LevelWords, build_plain_words
from kassay.output.block import (
    BASELINE,
    BROKEN,
    ERRORED,
    KEPT,
    KNOWN_DEFECT,
    LIMIT,
    PASSES,
    SKIPPED,
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one property of a target."""

    target: str
    property: str
    outcome: str
    """One of OUTCOMES."""
    message: str = ""
    except_in: tuple[str, ...] = ()
    """The situations in which a breach is a known defect or a limit."""
    judged: int = 0
    """The number of groups on which the property was checked."""
    breaches: int = 0
    """The number of these groups with a breach of this outcome. A property that is not promised may have breaches too."""
    reduced: int = 0
    """The number of groups with a known defect whose minimised group breaks the promise outside the exceptions."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """The coverage of one dimension of groups, such as the number of members."""

    least: int
    """The number from which a group is large."""
    groups: int = 0
    """The number of large groups."""
    most: int = 0
    """The greatest number of any group."""

    def with_value(self, value: int) -> "Dimension":
        """Count one more group."""
        return Dimension(self.least, self.groups + (value >= self.least), max(self.most, value))


@dataclass(frozen=True, slots=True)
class Tally:
    """The numbers of groups of a check."""

    target: str
    groups: int
    declined: dict[str, int]
    """Reason -> the number of groups that the target declined."""
    situations: dict[str, int]
    """Situation -> the number of groups in it."""
    sampled: int | None = None
    """The number of generated groups on which laws of several runs were checked, None if all."""
    again: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Name of each group on which the target failed before -> promise -> outcome."""
    dimensions: Mapping[str, Dimension] = field(default_factory=dict)
    """Dimension -> its coverage by all groups that were checked."""
    rebalances: int | None = None
    """The number of rebalances that were played on long-lived instances; None if they were not asked for, or the target runs in this process."""
    unplayed: str = ""
    """The reason why the comparison of instances ended early, "" if it did not."""


def is_failure(outcome: str, *, strict: bool) -> bool:
    """Return True if an outcome fails a check; a known defect does only if `strict`."""
    return outcome in {BROKEN, PASSES} or (strict and outcome == KNOWN_DEFECT)


def exit_status(verdicts: Iterable[Verdict], *, strict: bool = False) -> int:
    """Return the exit status: 1 if a promise is broken or one of the baseline passes, else 3 if one could not be checked, else 0.

    A known defect gives 1 only if `strict`, a limit never. If nothing is promised, nothing could be checked.
    """
    outcomes = {verdict.outcome for verdict in verdicts}
    if any(is_failure(outcome, strict=strict) for outcome in outcomes):
        return 1
    return 3 if outcomes & {SKIPPED, ERRORED} or not outcomes & {KEPT, KNOWN_DEFECT, LIMIT, BASELINE} else 0


@dataclass(frozen=True, slots=True)
class Distance:
    """The distance of a target from the optimum of one level, over the groups with a correct answer; settled answers count.

    An answer that is less balanced may need fewer moves; it is not above the optimum then. Groups that are not compared, unproved or wrong
    have an answer that asks for another rebalance, such as one with warm-ups.
    """

    target: str
    level: str
    compared: int = 0
    above: int = 0
    """The number of compared groups with a value above the optimum, by `excess` in all."""
    excess: int = 0
    worst: tuple[int, int] = (0, 0)
    """The value and the optimum (or the best known value) of the worst group."""
    groups: int = 0
    """The groups whose optimum was asked for; 0 if only the compared ones are known."""
    unproved: int = 0
    """The groups without a proved optimum; they cost this figure, and no verdict."""
    unproved_why: str = ""
    tried: int = 0
    """All groups that were checked; if they are more than `groups`, a sample was measured."""
    wrong: int = 0
    """The groups without a correct answer, or that do not converge."""
    unsure: int = 0
    """The groups whose optimum is an interval: no better answer is known, but it is not proved optimal. They are not compared."""
    agreed: int = 0
    """The unsure groups for which two solvers find no better answer."""
    words: LevelWords | None = field(default=None, compare=False, repr=False)

    @property
    def said(self) -> LevelWords:
        """The words for the level, its name at least."""
        return self.words or build_plain_words(self.level)

    def as_json(self) -> dict[str, Any]:
        """Return the numbers with target and level, as a record."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name != "words"}

    @property
    def sampled(self) -> bool:
        """True if only a sample of the groups was measured."""
        return self.groups < self.tried

    def with_gap(self, gap: Gap) -> "Distance":
        """Count one more group."""
        if gap.unsure:
            return replace(self, unsure=self.unsure + 1, agreed=self.agreed + gap.agreed)
        over = max(0, gap.value - gap.optimum)
        worst = (gap.value, gap.optimum) if over > self.worst[0] - self.worst[1] else self.worst
        return replace(
            self,
            compared=self.compared + 1,
            above=self.above + (over > 0),
            excess=self.excess + over,
            worst=worst,
        )

    def without_answer(self) -> "Distance":
        """Count a group without a correct answer."""
        return replace(self, wrong=self.wrong + 1)

    def without_optimum(self, why: str) -> "Distance":
        """Count a group without a proved optimum."""
        return replace(self, unproved=self.unproved + 1, unproved_why=why)
