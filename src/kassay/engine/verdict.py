"""Verdicts: what became of each property of a target, and how much was tried."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

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
