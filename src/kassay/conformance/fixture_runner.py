"""The runner of fixtures: checks the answers of an assignor to all cases, and compares failures with the known ones."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

from kassay.conformance.fixtures import Case, Declared, Fixtures, Form, Value
from kassay.conformance.group import Chosen
from kassay.engine.judge import CRASH_FREE, judge
from kassay.engine.promises import Promises
from kassay.errors import InputError, SkippedError, TargetGoneError
from kassay.families import family
from kassay.families.shape import Assign
from kassay.files.texts import read_text
from kassay.model import AssignorError
from kassay.output.block import KNOWN_DEFECT, LIMIT
from kassay.properties.runs import MOST_REBALANCES
from kassay.reference.releases import behaviours
from kassay.targets.target import Target

ANSWERS, EXACT, AGAIN, ROUNDS = "answers", "exact", "again", "rounds"
CheckResults = dict[str, str]
"""Check -> the violation, "" if there is none; only for checks that were made."""


@dataclass(frozen=True, slots=True)
class Judge:
    """The checks of one assignor's answers to the cases of a family, in their order."""

    form: Form
    assign: Assign
    declared: Declared
    exact: str = ""
    """The class and release whose answers it must give, such as ``range@4.4.0``, or ""."""
    first: dict[str, Any] = field(default_factory=dict)
    """The first answers to earlier cases by id, for the comparison with twins."""

    def judge(self, case: Case) -> CheckResults:
        """Check the answer to a case; raise SkippedError if the assignor skips it, TargetGoneError if its process has ended."""
        found: CheckResults = {ANSWERS: ""}
        try:
            self._check(case, found)
        except (SkippedError, TargetGoneError):
            raise
        except AssignorError as failure:
            found[ANSWERS] = str(failure) or "it fails"
        return found

    def _check(self, case: Case, found: CheckResults) -> None:
        answer = self.first[case.id] = self.assign(case.group)
        wanted = case.exact.get(self.exact)
        if wanted is not None:
            is_exact = is_same_answer(self.form, answer, wanted)
            found[EXACT] = "" if is_exact else f"gives {self.form.write_answer(answer)}"
        played = self._converge(case.group, answer, found)
        if played is None or {*case.flags} & {*self.declared.limits}:
            return
        self._check_values(case, played, found)
        if case.twin is not None and case.twin.aim in self.declared.aims and case.twin.case in self.first:
            before = self.form.renamed(self.first[case.twin.case], case.twin.topics, case.twin.members)
            found[case.twin.aim] = self._compare(answer, before, f"in {case.twin.case}")
        for aim, law in self.form.laws.items():
            if aim in self.declared.aims and aim in case.should:
                found[aim] = str(next(law(self.assign, case.group), ""))
        if AGAIN in self.declared.aims and AGAIN in case.should:
            group, last, _ = played
            following = self.assign(self.form.after(group, last))
            found[AGAIN] = self._compare(last, following, "when nothing has happened")

    def _converge(self, group: Any, answer: Any, found: CheckResults) -> tuple[Any, Any, int] | None:
        """Play rebalances until the group converges.

        Return the last group and answer and the number of answers, None if a must is broken.
        """
        rejoined = family(self.form.family).rejoined
        for rounds in range(1, MOST_REBALANCES + 1):
            for check, wrong in self.form.broken(group, answer, self.declared).items():
                found[check] = found.get(check) or str(wrong)  # without the fields of the violation
            if any(found[check] for check in self.form.musts if check in found):
                return None
            following = rejoined(group, answer) if rejoined else None
            if following is None:
                return group, answer, rounds
            group, answer = following, self.assign(following)
        # The fixture runners of all languages and the stored runs have this text.
        found[ROUNDS] = f"is not at rest after {MOST_REBALANCES} rebalances"  # plain: skip
        return None

    def _check_values(self, case: Case, played: tuple[Any, Any, int], found: CheckResults) -> None:
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
        """Return the aims that may be worse than in the case's `better`, because an earlier declared aim is better.

        An aim that is not in `should` can be better than in `better`, such as `cross_rack` if fewer cross-rack reads cost moves.
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

    def _compare(self, answer: Any, other: Any, where: str) -> str:
        """Return the difference between two answers, "" if they are equal."""
        if is_same_answer(self.form, answer, other):
            return ""
        return f"gives {self.form.write_answer(answer)} and, {where}, {self.form.write_answer(other)}"


def is_same_answer(form: Form, one: Any, other: Any) -> bool:
    """Return True if the JSON of two answers is equal; a member that is left out has no items."""
    given, then = ({k: v for k, v in form.write_answer(each).items() if v} for each in (one, other))
    return given == then


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
"""Check -> the promises that it tests; other checks have the name of their promise."""


@dataclass(frozen=True, slots=True)
class KnownDefects:
    """The exceptions of a target's own promises, and the name under which cases record the answers of its Kafka class.

    A failed check is expected in one of two cases:

    - the assignor breaks a promise that the check tests, in a situation for which that promise has an exception;
    - the case records the same answer for the Kafka class with the assignor's name and release.

    If the case records another answer of that class, no failure is expected, because the assignor differs from its class.
    """

    target: Target
    promises: Promises
    form: Form
    recorded: str = ""
    """The name and release in a case's `exact`, "" if no answers of the class are recorded."""

    def find_outcomes(
        self, case: Case, failed: Sequence[str], asked: Sequence[Any], answer: Any
    ) -> dict[str, str]:
        """Return the failed checks that are expected, each with its outcome: a known defect, or a design limit.

        `asked` has the groups of the case that the assignor received. `answer` is the first answer, None if there is none.
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
        """Return the outcome of the first promise that fails in a situation of its exceptions, "" if there is none."""
        record = family(self.form.family)
        for name in TESTED.get(check, (check,)):
            exceptions = self.promises.select_exceptions(name)
            if not exceptions.terms:
                continue
            for group in asked:
                with suppress(
                    AssignorError, SkippedError
                ):  # this group cannot show the failure of the promise
                    breach = judge(record, name, group, self.target.assign, self.target, exceptions)
                    if breach and breach.met:
                        return LIMIT if name in self.promises.limits else KNOWN_DEFECT
        return ""


def find_recorded_name(target: Target, form: Form) -> str:
    """Return the name under which cases record the answers of a target's Kafka class, "" if they are not recorded."""
    name, _, release = (target.reference or target.name).partition("@")
    for behaviour in behaviours(name):
        if (release or behaviours(name)[-1].releases[-1]) in behaviour.releases:
            found = [known for known in form.exact.get(name, ()) if known in behaviour.releases]
            return f"{name.partition('/')[2]}@{found[-1]}" if found else ""
    return ""


_LINE = re.compile(r"(~?)(\S+) (\S+) (\S+)")


@dataclass(frozen=True, slots=True)
class KnownFailures:
    """The lines of a file of known failures: assignor, case and check."""

    file: str
    lines: frozenset[tuple[str, str, str]] = frozenset()
    flaky: frozenset[tuple[str, str, str]] = frozenset()
    """Lines of checks that may also pass."""

    def list_checks(self, assignor: str) -> frozenset[tuple[str, str]]:
        """Return the cases and checks of an assignor."""
        return frozenset((case, check) for name, case, check in self.lines if name == assignor)


def read_known(path: str) -> KnownFailures:
    """Read a file of known failures with remarks after #; raise InputError with file and line."""
    lines: dict[tuple[str, str, str], bool] = {}
    for number, line in enumerate(read_text(path).splitlines(), 1):
        said = " ".join(line.partition("#")[0].split())
        if not said:
            continue
        found = _LINE.fullmatch(said)
        if found is None:
            raise InputError(
                f"{path}, line {number}: is {said!r}. Write ASSIGNOR CASE CHECK, with ~ before it where it may pass, too"
            )
        name, case, check = found.group(2, 3, 4)
        if (name, case, check) in lines:
            raise InputError(f"{path}, line {number}: {said} stands twice. Delete one of them")
        lines[name, case, check] = bool(found[1])
    flaky = frozenset(line for line, may_pass in lines.items() if may_pass)
    return KnownFailures(path, frozenset(lines), flaky)


KEPT, KNOWN, FAILED, PASSES = "kept", "known failure", "fails", "passes now"
"""Outcomes of a check; the last one is for a check that is listed as a known failure."""
OUTCOMES = (KEPT, KNOWN, FAILED, PASSES, KNOWN_DEFECT, LIMIT)
"""All outcomes of a check; the last two are failures within the exceptions of the assignor's own promises."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The outcome of one check of one case, and the violation, "" if there is none."""

    case: Case | Chosen
    check: str
    outcome: str
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """The outcomes of all checks of an assignor."""

    assignor: str
    checked: tuple[Checked, ...]
    skipped: tuple[tuple[Case | Chosen, str], ...]
    """Cases that were not run, each with the reason."""
    unchecked: tuple[str, ...]
    """Lines of known failures whose check was not made."""
    strict: bool = False
    """True if a known defect fails the run."""

    def of(self, outcome: str) -> list[Checked]:
        """Return the checks with this outcome."""
        return [one for one in self.checked if one.outcome == outcome]

    @property
    def status(self) -> int:
        """The exit status: 1 if anything differs from the known failures, or `strict` and a known defect; 3 if nothing was checked."""
        if self.of(FAILED) or self.of(PASSES) or self.unchecked or (self.strict and self.of(KNOWN_DEFECT)):
            return 1
        return 0 if self.checked else 3


@dataclass(frozen=True, slots=True)
class Runner:
    """The assignor under test, its aims, and its known failures."""

    name: str
    assign: Assign
    declared: Declared
    exact: str = ""
    can: Collection[str] | None = None
    """The needs that its adapter meets, None for all."""
    known: KnownFailures = field(default_factory=lambda: KnownFailures(""))
    cases: Collection[str] = ()
    """Patterns of the ids to run, empty for all."""
    defects: KnownDefects | None = None
    """The exceptions of the assignor's own promises, None if it has no promises."""
    strict: bool = False
    """True if a known defect fails the run."""


Found: TypeAlias = Iterable[tuple[Case | Chosen, Mapping[str, str] | str, Mapping[str, str]]]
"""Each case with the violations by check, or the reason why it was not run; and the outcomes of expected failures."""


def run(fixtures: Fixtures, runner: Runner) -> Run:
    """Run an assignor on the cases in their order; raise TargetGoneError if its process has ended."""
    asked: list[Any] = []

    def assign(group: Any) -> Any:
        asked.append(group)
        return runner.assign(group)

    judge = Judge(fixtures.form, assign, runner.declared, runner.exact)

    def found() -> Iterator[tuple[Case, Mapping[str, str] | str, Mapping[str, str]]]:
        for case in fixtures.cases:
            lacking = [need for need in case.needs if runner.can is not None and need not in runner.can]
            if runner.cases and not any(fnmatchcase(case.id, pattern) for pattern in runner.cases):
                yield case, "not chosen", {}
                continue
            if lacking:
                yield case, f"needs {', '.join(lacking)}", {}
                continue
            asked.clear()
            try:
                checks = judge.judge(case)
            except SkippedError as declined:
                yield case, str(declined), {}
                continue
            failed = [check for check, wrong in checks.items() if wrong]
            excused = {}
            if failed and runner.defects is not None:
                excused = runner.defects.find_outcomes(case, failed, asked, judge.first.get(case.id))
            yield case, checks, excused

    return compare_with_known(runner.name, runner.known, found(), strict=runner.strict)


def compare_with_known(name: str, known: KnownFailures, found: Found, *, strict: bool = False) -> Run:
    """Compare the checks of each case with the known failures."""
    left = set(known.list_checks(name))
    checked: list[Checked] = []
    skipped = []
    for case, checks, excused in found:
        if isinstance(checks, str):
            skipped.append((case, checks))
            left -= {line for line in left if line[0] == case.id}
            continue
        for check, wrong in checks.items():
            line = (name, case.id, check)
            listed = line in known.lines
            if wrong:
                outcome = KNOWN if listed else excused.get(check, FAILED)
            else:
                outcome = PASSES if listed and line not in known.flaky else KEPT
            checked.append(Checked(case, check, outcome, wrong))
            left.discard((case.id, check))
    flaky = {(case, check) for of, case, check in known.flaky if of == name}
    unchecked = tuple(f"{name} {case} {check}" for case, check in sorted(left - flaky))
    return Run(name, tuple(checked), tuple(skipped), unchecked, strict)
