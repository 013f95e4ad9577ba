"""Verdicts: what became of each property of a target, and how much was tried.

How grave it is that a promise is broken: what an endless rebalance, a failure, or something lost or given twice goes by.
"""

from collections.abc import Collection, Iterable, Mapping
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


ENDLESS, CRASHING, DOUBLING, LOSSY = "endless", "crashing", "doubling", "lossy"
"""What is grave, the gravest first."""
GRAVE: dict[str, str] = {
    "settling": ENDLESS,
    "settles": ENDLESS,
    "probing_ends": ENDLESS,
    "reconciles": ENDLESS,
    "crash_free": CRASHING,
    "exclusive": DOUBLING,
    "distinct": DOUBLING,
    "one_copy_per_client": DOUBLING,
    "one_copy_per_process": DOUBLING,
    "cooperative": DOUBLING,
    "revoked_first": DOUBLING,
    "complete": LOSSY,
    "subscribed": LOSSY,
    "all_run_at_rest": LOSSY,
    "given_out_after_delay": LOSSY,
}
"""Promise -> what an assignor is that breaks it; a promise that is not here is not grave."""
SAYS = {
    ENDLESS: "may never come to rest",
    CRASHING: "may fail or never answer",
    DOUBLING: "may give the same to two",
    LOSSY: "may leave something with nobody who reads or runs it",
}
"""What an assignor may do, in words."""


def graveness(promise: str) -> str | None:
    """Say what an assignor is that breaks a promise: endless, crashing, doubling or lossy; None where that is not grave."""
    return GRAVE.get(promise)


def gravest(promises: Collection[str]) -> list[str]:
    """Return the grave ones of some promises, the gravest first, by name among equals."""
    order = list(SAYS)
    return sorted(
        (name for name in promises if name in GRAVE), key=lambda name: (order.index(GRAVE[name]), name)
    )
