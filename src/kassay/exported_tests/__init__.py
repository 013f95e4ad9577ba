"""Tests to take away: a finding as a test in the usual framework of a language, without kassay.

Each language is one module with `check`, which raises ObstacleError with a reason if the language cannot call a target, and `write`.
`evidence` finds what is asked and asserted, for all languages.
"""

from contextlib import ExitStack
from types import ModuleType

from kassay.engine.finding import Finding
from kassay.errors import InputError
from kassay.exported_tests import go, java, javascript, pytest_file, rust
from kassay.exported_tests.evidence import collect_evidence
from kassay.exported_tests.layout import Job
from kassay.exported_tests.rows import ObstacleError
from kassay.families import family
from kassay.targets import Options, open_target

LANGUAGES: dict[str, ModuleType] = {
    "pytest": pytest_file,
    "java": java,
    "go": go,
    "js": javascript,
    "rust": rust,
}


def find_obstacle(language: str, finding: Finding, target: str) -> str:
    """Return why a language cannot test a target without kassay; "" if it can."""
    if finding.against is not None:
        return "the finding compares two targets"
    try:
        LANGUAGES[language].check(finding, target)
    except ObstacleError as obstacle:
        return str(obstacle)
    return ""


def refuse_language(language: str, finding: Finding, target: str) -> None:
    """Raise InputError if a language cannot test a target; the error names the languages that can."""
    obstacle = find_obstacle(language, finding, target)
    if obstacle:
        fitting = [
            f"--as {each}"
            for each in LANGUAGES
            if each == "pytest" or not find_obstacle(each, finding, target)
        ]
        raise InputError(f"--as {language}: {obstacle}. Give {' or '.join(fitting)}")


def write_test(language: str, finding: Finding, target: str, how: Options) -> str:
    """Return the test of a finding; the target runs once. Raises InputError as `refuse_language` and `collect_evidence` do."""
    refuse_language(language, finding, target)
    of = family(finding.family)
    with ExitStack() as stack:
        opened = stack.enter_context(open_target(target, how))
        evidence = collect_evidence(finding, opened, of)
    written: str = LANGUAGES[language].write(Job(finding, target, of, evidence, opened.offered))
    return written


__all__ = ["LANGUAGES", "find_obstacle", "refuse_language", "write_test"]
