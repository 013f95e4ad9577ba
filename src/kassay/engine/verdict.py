"""Verdicts of a check: what became of each property of a target, how much was tried, and how far answers are from the optimum."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from kassay.oracles.answers import Gap
from kassay.oracles.levels import LevelWords, plain_words

KEPT, BROKEN, KNOWN_DEFECT, LIMIT = "kept", "broken", "known defect", "limit"
NOT_PROMISED, SKIPPED, ERRORED = "not promised", "skipped", "errored"
BASELINE, PASSES = "in the baseline", "passes now"
"""Of a promise that is broken as a baseline says, and of one that it says is broken and is not."""
OUTCOMES = (KEPT, BROKEN, KNOWN_DEFECT, LIMIT, NOT_PROMISED, SKIPPED, ERRORED, BASELINE, PASSES)


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
    """Say whether an outcome fails a check; a known defect does only if `strict`."""
    return outcome in {BROKEN, PASSES} or (strict and outcome == KNOWN_DEFECT)


def exit_status(verdicts: Iterable[Verdict], *, strict: bool = False) -> int:
    """Give the exit status: 1 where a promise is broken or one of the baseline passes, else 3 where one could not be judged, else 0.

    A known defect gives 1 only if `strict`, a limit never. Where nothing is promised, nothing could be judged.
    """
    outcomes = {verdict.outcome for verdict in verdicts}
    if any(fails(outcome, strict=strict) for outcome in outcomes):
        return 1
    return 3 if outcomes & {SKIPPED, ERRORED} or not outcomes & {KEPT, KNOWN_DEFECT, LIMIT, BASELINE} else 0


@dataclass(frozen=True, slots=True)
class Distance:
    """How far a target was from the optimum of one level, over the groups to which its answer was right.

    Where an answer only waits for what members have not handed over yet, the one counts on which the group comes to rest.
    `compared` groups were compared, `above` were worse than the optimum, by `excess` in all; `worst` is the value and
    the optimum of the worst of them. An answer that is worse in balance may need fewer moves; it is not above then.
    `groups` are those whose optimum was asked for, also those without such an answer; 0 where only those compared are known. `tried` are all
    groups judged: where they are more, a sample was measured. Of `unproved` no
    optimum was proved, last because of `unproved_why`: they cost this figure, and no verdict. To `wrong` there is no right answer, or none
    at rest; the rest, neither compared nor unproved nor wrong, have an answer that asks for another rebalance yet, as those with warm-ups.
    Where the optimum is an interval, `unsure` groups are not among the compared: nothing better is known, and no proof that there is none. Of `agreed` of them
    two solvers say that there is none. The optimum beside the value of the worst is then the best that is known.
    """

    target: str
    level: str
    compared: int = 0
    above: int = 0
    excess: int = 0
    worst: tuple[int, int] = (0, 0)
    groups: int = 0
    unproved: int = 0
    unproved_why: str = ""
    tried: int = 0
    wrong: int = 0
    unsure: int = 0
    agreed: int = 0
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
