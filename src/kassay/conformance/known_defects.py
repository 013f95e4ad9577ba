"""Known defects in a run of the fixtures: failures of an assignor that it is known to have in the situation of a case.

A check is excused in either of two ways:

- the assignor breaks a promise that the check tests, in a situation for which that promise has an exception;
- the case records this very answer of the Kafka class of the assignor's name and release.

If the case records another answer of that class, nothing is excused: the assignor is no longer like its class.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from kassay.conformance.case import Case
from kassay.conformance.form import Form
from kassay.conformance.judge import AGAIN, ANSWERS, ROUNDS, is_same_answer
from kassay.engine.judge import CRASH_FREE, judge
from kassay.engine.promises import Promises
from kassay.engine.verdict import KNOWN_DEFECT, LIMIT
from kassay.errors import SkippedError
from kassay.families import family
from kassay.model import AssignorError
from kassay.reference.releases import behaviours
from kassay.targets.target import Target

TESTED: Mapping[str, Sequence[str]] = {
    ANSWERS: (CRASH_FREE,),
    AGAIN: ("stable", "settling", "settles"),
    ROUNDS: ("two_rounds", "settling", "settles"),
    "left_out": ("every_member", "every_client", "every_worker"),
    "loads": ("balanced", "total_balanced"),
    "active_loads": ("active_balanced",),
    "per_topic": ("topic_balanced",),
    "apart": ("co_located",),
    "moves": ("moves_optimal", "moves_bounded", "newest_generation_wins", "stable"),
    "cross_rack": ("near_before_far", "rack_aware_no_more_reads", "rack_aware_no_more_traffic"),
    "joined": ("joined_evenly",),
    "names": ("renaming_independent",),
    "static": ("static_identity",),
    "repeat": ("deterministic",),
    "idle": ("busy",),
    "order": (
        "member_order_independent",
        "topic_order_independent",
        "claim_order_independent",
        "client_order_independent",
        "task_order_independent",
    ),
}
"""Check -> the promises that it tests; every other check has the name of its promise."""


@dataclass(frozen=True, slots=True)
class KnownDefects:
    """The exceptions of a target's own promises, and the name under which cases record the answers of its Kafka class."""

    target: Target
    promises: Promises
    form: Form
    recorded: str = ""
    """The name and release in a case's `exact`, "" if no answers of the class are recorded."""

    def find_outcomes(
        self, case: Case, failed: Sequence[str], asked: Sequence[Any], answer: Any
    ) -> dict[str, str]:
        """Return the failed checks that are excused, each with its outcome: a known defect, or a limit.

        `asked` are the groups that the assignor was asked about in the case, and `answer` is the first answer, None if there is none.
        """
        wanted = case.exact.get(self.recorded)
        is_as_recorded = (
            wanted is not None and answer is not None and is_same_answer(self.form, answer, wanted)
        )
        if wanted is not None and not is_as_recorded:
            return {}
        found = {check: self._find_exception(check, asked) for check in failed}
        if is_as_recorded:
            found = {check: outcome or KNOWN_DEFECT for check, outcome in found.items()}
        return {check: outcome for check, outcome in found.items() if outcome}

    def _find_exception(self, check: str, asked: Sequence[Any]) -> str:
        """Return the outcome of the first promise that is broken in a situation of its exceptions, "" if there is none."""
        record = family(self.form.family)
        for name in TESTED.get(check, (check,)):
            exceptions = self.promises.exceptions(name)
            if not exceptions.terms:
                continue
            for group in asked:
                with suppress(AssignorError, SkippedError):  # this group says nothing about the promise
                    breach = judge(record, name, group, self.target.assign, self.target, exceptions)
                    if breach and breach.met:
                        return LIMIT if name in self.promises.limits else KNOWN_DEFECT
        return ""


def find_recorded_name(target: Target, form: Form) -> str:
    """Return the name under which cases record the answers of a target's Kafka class, "" if they do not record them."""
    name, _, release = (target.reference or target.name).partition("@")
    for behaviour in behaviours(name):
        if (release or behaviours(name)[-1].releases[-1]) in behaviour.releases:
            found = [known for known in form.exact.get(name, ()) if known in behaviour.releases]
            return f"{name.partition('/')[2]}@{found[-1]}" if found else ""
    return ""
