"""A run of the fixtures: one assignor's answers to all cases, held against what is known to fail."""

from collections.abc import Collection
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from kassay.conformance.case import Case, Fixtures
from kassay.conformance.form import Declared
from kassay.conformance.judge import Judge
from kassay.conformance.known import KnownFailures
from kassay.errors import SkippedError
from kassay.shape import Assign

KEPT, KNOWN, FAILED, PASSES = "kept", "known failure", "fails", "passes now"
"""What becomes of a check; the last is that of one which is listed as a known failure."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of one check of one case, and what is wrong, "" where nothing is."""

    case: Case
    check: str
    outcome: str
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """What became of all checks; cases that were `skipped`, each with the reason; lines of known failures that were never checked."""

    assignor: str
    checked: tuple[Checked, ...]
    skipped: tuple[tuple[Case, str], ...]
    unchecked: tuple[str, ...]

    def of(self, outcome: str) -> list[Checked]:
        """Return the checks with this outcome."""
        return [one for one in self.checked if one.outcome == outcome]

    @property
    def status(self) -> int:
        """The exit status: 1 where anything is not as it is known, 3 where nothing was checked."""
        if self.of(FAILED) or self.of(PASSES) or self.unchecked:
            return 1
        return 0 if self.checked else 3


@dataclass(frozen=True, slots=True)
class Runner:
    """Who is asked, and how: what the call of the assignor can say (`can`), what it aims at, what is known to fail."""

    name: str
    assign: Assign
    declared: Declared
    exact: str = ""
    can: Collection[str] | None = None
    """The needs that its call meets, None where all."""
    known: KnownFailures = field(default_factory=lambda: KnownFailures(""))
    cases: Collection[str] = ()
    """Patterns of the ids to take, none for all."""


def run(fixtures: Fixtures, runner: Runner) -> Run:
    """Ask an assignor about the cases, in their order; raises TargetGoneError where it is gone."""
    judge = Judge(fixtures.form, runner.assign, runner.declared, runner.exact)
    left = set(runner.known.of(runner.name))
    checked: list[Checked] = []
    skipped = []
    for case in fixtures.cases:
        why = _not_asked(case, runner)
        found = {}
        if not why:
            try:
                found = judge.judge(case)
            except SkippedError as declined:
                why = str(declined)
        if why:
            skipped.append((case, why))
            left -= {line for line in left if line[0] == case.id}
        for check, wrong in found.items():
            checked.append(Checked(case, check, _outcome(case.id, check, wrong, runner), wrong))
            left.discard((case.id, check))
    flaky = {(case, check) for name, case, check in runner.known.flaky if name == runner.name}
    unchecked = tuple(f"{runner.name} {case} {check}" for case, check in sorted(left - flaky))
    return Run(runner.name, tuple(checked), tuple(skipped), unchecked)


def _not_asked(case: Case, runner: Runner) -> str:
    """Say why a case is left out, "" where it is not."""
    if runner.cases and not any(fnmatchcase(case.id, pattern) for pattern in runner.cases):
        return "not chosen"
    lacking = [need for need in case.needs if runner.can is not None and need not in runner.can]
    return f"needs {', '.join(lacking)}" if lacking else ""


def _outcome(case: str, check: str, wrong: str, runner: Runner) -> str:
    line = (runner.name, case, check)
    listed = line in runner.known.lines
    if wrong:
        return KNOWN if listed else FAILED
    return PASSES if listed and line not in runner.known.flaky else KEPT
