"""A run of the fixtures: an assignor's answers to all cases, or a coordinator's, held against what is known to fail."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from kassay.conformance.case import Case, Fixtures
from kassay.conformance.form import Declared
from kassay.conformance.group import Chosen
from kassay.conformance.judge import Judge
from kassay.conformance.known import KnownFailures
from kassay.errors import SkippedError
from kassay.shape import Assign

KEPT, KNOWN, FAILED, PASSES = "kept", "known failure", "fails", "passes now"
"""What becomes of a check; the last is that of one which is listed as a known failure."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of one check of one case, and what is wrong, "" where nothing is."""

    case: Case | Chosen
    check: str
    outcome: str
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """What became of all checks; cases that were `skipped`, each with the reason; lines of known failures that were never checked."""

    assignor: str
    checked: tuple[Checked, ...]
    skipped: tuple[tuple[Case | Chosen, str], ...]
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

    def found() -> Iterator[tuple[Case, Mapping[str, str] | str]]:
        for case in fixtures.cases:
            why = _not_asked(case, runner)
            try:
                yield case, why or judge.judge(case)
            except SkippedError as declined:
                yield case, str(declined)

    return held(runner.name, runner.known, found())


def held(
    name: str, known: KnownFailures, found: Iterable[tuple[Case | Chosen, Mapping[str, str] | str]]
) -> Run:
    """Hold what was found of each case against what is known to fail: what is wrong by check, or why it was not asked."""
    left = set(known.of(name))
    checked: list[Checked] = []
    skipped = []
    for case, checks in found:
        if isinstance(checks, str):
            skipped.append((case, checks))
            left -= {line for line in left if line[0] == case.id}
            continue
        for check, wrong in checks.items():
            checked.append(Checked(case, check, _outcome((name, case.id, check), wrong, known), wrong))
            left.discard((case.id, check))
    flaky = {(case, check) for of, case, check in known.flaky if of == name}
    unchecked = tuple(f"{name} {case} {check}" for case, check in sorted(left - flaky))
    return Run(name, tuple(checked), tuple(skipped), unchecked)


def _not_asked(case: Case, runner: Runner) -> str:
    """Say why a case is left out, "" where it is not."""
    if runner.cases and not any(fnmatchcase(case.id, pattern) for pattern in runner.cases):
        return "not chosen"
    lacking = [need for need in case.needs if runner.can is not None and need not in runner.can]
    return f"needs {', '.join(lacking)}" if lacking else ""


def _outcome(line: tuple[str, str, str], wrong: str, known: KnownFailures) -> str:
    listed = line in known.lines
    if wrong:
        return KNOWN if listed else FAILED
    return PASSES if listed and line not in known.flaky else KEPT
