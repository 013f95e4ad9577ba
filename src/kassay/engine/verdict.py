"""Verdicts of a check: what became of each property of a target, how much was tried, and how far answers are from the optimum."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from kassay.oracles.answers import Gap
from kassay.oracles.levels import LevelWords, plain_words
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
    """What became of one property of a target; `outcome` is one of OUTCOMES.

    It rests on `judged` groups, of which `breaches` break the property in the way the outcome says: a broken promise
    outside the situations `except_in`, a known defect or a limit inside. What is not promised may have a breach too. Where a promise is
    broken on none of the groups as they came, but on one of `reduced` groups with its known defect once that was made smaller, these
    are counted there.
    """

    target: str
    property: str
    outcome: str
    message: str = ""
    except_in: tuple[str, ...] = ()
    judged: int = 0
    breaches: int = 0
    reduced: int = 0


@dataclass(frozen=True, slots=True)
class Tally:
    """How much was tried: groups judged, groups the target declined by reason, and groups in each situation.

    Laws of several runs were judged on `sampled` of the groups that were generated, where that is a sample, else None. `again` says
    of each group on which it failed before, by what that is called, what became of the promises that were judged on it.
    """

    target: str
    groups: int
    declined: dict[str, int]
    situations: dict[str, int]
    sampled: int | None = None
    again: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def fails(outcome: str, *, strict: bool) -> bool:
    """Return True if an outcome fails a check; a known defect does only if `strict`."""
    return outcome in {BROKEN, PASSES} or (strict and outcome == KNOWN_DEFECT)


def exit_status(verdicts: Iterable[Verdict], *, strict: bool = False) -> int:
    """Return the exit status: 1 if a promise is broken or one of the baseline passes, else 3 if one could not be checked, else 0.

    A known defect gives 1 only if `strict`, a limit never. Where nothing is promised, nothing could be judged.
    """
    outcomes = {verdict.outcome for verdict in verdicts}
    if any(fails(outcome, strict=strict) for outcome in outcomes):
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
    """The groups whose optimum is an interval: no better answer is known, and no proof that there is none. They are not compared."""
    agreed: int = 0
    """The unsure groups for which two solvers find no better answer."""
    words: LevelWords | None = field(default=None, compare=False, repr=False)

    @property
    def said(self) -> LevelWords:
        """What people read of the level, its name at least."""
        return self.words or plain_words(self.level)

    def as_json(self) -> dict[str, Any]:
        """Return the numbers, and what they are of, as a record."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name != "words"}

    @property
    def sampled(self) -> bool:
        """Whether only a sample of the groups was measured."""
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
        """Count a group to which there is no right answer."""
        return replace(self, wrong=self.wrong + 1)

    def without_optimum(self, why: str) -> "Distance":
        """Count a group of which no optimum was proved."""
        return replace(self, unproved=self.unproved + 1, unproved_why=why)
