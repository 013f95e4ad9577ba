"""The judge: what an assignor's answer to a case breaks, check by check."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kassay.conformance.case import Case, Twin
from kassay.conformance.form import Declared, Form, Value
from kassay.errors import SkippedError, TargetGoneError
from kassay.families import family
from kassay.model import AssignorError
from kassay.properties.runs import MOST_REBALANCES
from kassay.shape import Assign

ANSWERS, EXACT, AGAIN, ROUNDS = "answers", "exact", "again", "rounds"
CheckResults = dict[str, str]
"""Check -> what is wrong, "" where it is kept; only what was judged."""


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges the answers of one assignor to the cases of a family, which it is asked about in their order.

    `exact` is the release whose answers it must give, as in ``range@4.4.0``, "" where none.
    """

    form: Form
    assign: Assign
    declared: Declared
    exact: str = ""
    _first: dict[str, Any] = field(default_factory=dict)
    """The first answers to earlier cases, by id, which answers to twins are held against."""

    def judge(self, case: Case) -> CheckResults:
        """Ask about a case and say what holds; raises SkippedError where the assignor declines it, TargetGoneError where it is gone."""
        found: CheckResults = {ANSWERS: ""}
        try:
            self._judged(case, found)
        except (SkippedError, TargetGoneError):
            raise
        except AssignorError as failure:
            found[ANSWERS] = str(failure) or "it fails"
        return found

    def _judged(self, case: Case, found: CheckResults) -> None:
        answer = self._first[case.id] = self.assign(case.group)
        wanted = case.exact.get(self.exact)
        if wanted is not None:
            is_exact = is_same_answer(self.form, answer, wanted)
            found[EXACT] = "" if is_exact else f"gives {self.form.write_answer(answer)}"
        played = self._until_rest(case.group, answer, found)
        if played is None or {*case.flags} & {*self.declared.limits}:
            return
        self._values(case, played, found)
        if case.twin is not None and case.twin.aim in self.declared.aims and case.twin.case in self._first:
            found[case.twin.aim] = self._as_twin(case.twin, answer)
        for aim, law in self.form.laws.items():
            if aim in self.declared.aims and aim in case.should:
                found[aim] = str(next(law(self.assign, case.group), ""))
        if AGAIN in self.declared.aims and AGAIN in case.should:
            group, last, _ = played
            found[AGAIN] = self._again(group, last)

    def _until_rest(self, group: Any, answer: Any, found: CheckResults) -> tuple[Any, Any, int] | None:
        """Feed answers back until nothing is held back: the last group and answer, and how many there were; None where a must is broken."""
        rejoined = family(self.form.family).rejoined
        for rounds in range(1, MOST_REBALANCES + 1):
            for check, wrong in self.form.broken(group, answer, self.declared).items():
                found[check] = found.get(check) or str(wrong)  # a violation says more than its sentence
            if any(found[check] for check in self.form.musts if check in found):
                return None
            following = rejoined(group, answer) if rejoined else None
            if following is None:
                return group, answer, rounds
            group, answer = following, self.assign(following)
        found[ROUNDS] = f"is not at rest after {MOST_REBALANCES} rebalances"
        return None

    def _values(self, case: Case, played: tuple[Any, Any, int], found: CheckResults) -> None:
        _, answer, rounds = played
        measured: dict[str, Value] = {**self.form.values(case.group, answer), ROUNDS: rounds}
        traded = self._find_traded(case, measured)
        even = all(measured[aim] == case.should.get(aim) for aim in self.form.even)
        measured |= {
            aim: sum(1 for _ in count(case.group, answer)) for aim, count in self.form.zeroes.items()
        }
        for aim, least in case.should.items():
            if (
                aim == AGAIN
                or aim in self.form.laws
                or aim not in self.declared.aims
                or (aim in self.form.conditional and not even)
                or aim in traded
            ):
                continue
            value = measured[aim]
            kept = value == least if isinstance(least, list) or isinstance(value, list) else value <= least
            found[aim] = "" if kept else f"{aim} {value}, where {least} would do"

    def _find_traded(self, case: Case, measured: Mapping[str, Value]) -> frozenset[str]:
        """Return the aims that may be worse than in the case's `better`, as an aim declared before them is better than there.

        The order in which aims are declared is their rank. An aim that the case leaves out of `should`, such as `cross_rack` where fewer
        reads across racks cost moves, can be better than in `better`.
        """
        ranked = [aim for aim in self.declared.aims if aim in self.form.proved_aims]
        if not case.better or not ranked:
            return frozenset()
        known = self.form.values(case.group, case.better)
        for place, aim in enumerate(ranked):
            value, least = measured[aim], known[aim]
            if aim not in case.should and isinstance(value, int) and isinstance(least, int) and value < least:
                return frozenset(ranked[place + 1 :])
        return frozenset()

    def _as_twin(self, twin: Twin, answer: Any) -> str:
        before = self.form.renamed(self._first[twin.case], twin.topics, twin.members)
        given, then = map(self.form.write_answer, (answer, before))
        return (
            "" if is_same_answer(self.form, answer, before) else f"gives {given} and, in {twin.case}, {then}"
        )

    def _again(self, group: Any, answer: Any) -> str:
        following = self.assign(self.form.after(group, answer))
        given, then = map(self.form.write_answer, (answer, following))
        is_kept = is_same_answer(self.form, answer, following)
        return "" if is_kept else f"gives {given} and, when nothing has happened, {then}"

    def get_first_answer(self, case: Case) -> Any:
        """Return the first answer to a case that was judged, None if there is none."""
        return self._first.get(case.id)


def is_same_answer(form: Form, one: Any, other: Any) -> bool:
    """Return True if the JSON of two answers is the same. A member that is left out has nothing."""
    given, then = ({k: v for k, v in form.write_answer(each).items() if v} for each in (one, other))
    return given == then
