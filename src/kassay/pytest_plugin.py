"""For other projects' tests, by pytest's entry point: the fixture `kassay_check`, which fails a test where an assignor breaks a promise.

::

    def test_my_assignor(kassay_check):
        kassay_check(my_assignor, promises_of="consumer/sticky")
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from kassay.api.check import Candidate, Report

EXAMPLES = 300
"""Groups that a test generates where neither it nor the project's settings say how many."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add which profile of the project's settings holds."""
    parser.getgroup("kassay").addoption(
        "--kassay-profile", metavar="NAME", help="profile of the settings in kassay.toml or pyproject.toml: ci, deep or your own"
    )  # fmt: skip


@pytest.fixture
def kassay_check(request: pytest.FixtureRequest) -> "Callable[..., Report]":
    """Return a function that takes an assignor and the options of kassay.check, and fails the test if a promise is broken or was not checked.

    Options that are not given come from the settings of the project. Known defects fail only with `strict`. It returns the report.
    """
    profile: str | None = request.config.getoption("--kassay-profile")
    start = Path(request.config.rootpath)

    def kassay_check(assignor: "Candidate", *, strict: bool | None = None, **options: Any) -> "Report":
        from kassay.api.check import check
        from kassay.engine.plan import parse_exceptions
        from kassay.engine.verdict import is_failure
        from kassay.files.settings import read_settings
        from kassay.output.block import ERRORED, SKIPPED
        from kassay.testing import describe_findings, find_command

        found = read_settings(start, profile)
        own: dict[str, Any] = {
            "examples": EXAMPLES if found.examples is None else found.examples, "family": found.family,
            "seed": found.seeds[0] if found.seeds else None, "timed": found.timed,
            "except_in": parse_exceptions(found.except_ or []),
        }  # fmt: skip
        if not {"promises", "promises_of"} & options.keys():
            own |= {
                "promises": found.promises,
                "promises_of": found.promises_of,
                "like_kafka": found.like_kafka,
            }
        if options.get("groups"):
            own["examples"] = None
        report = check(
            assignor, **{**{name: value for name, value in own.items() if value is not None}, **options}
        )
        strictly = bool(found.strict) if strict is None else strict
        bad = [one for one in report.verdicts if is_failure(one.outcome, strict=strictly)]
        untold = [one for one in report.verdicts if one.outcome in {SKIPPED, ERRORED}]
        named = {(one.property, one.outcome) for one in bad}
        failing = (one for one in report.findings if (one.property, one.outcome) in named)
        said = describe_findings(failing, find_command(assignor))
        said += [f"{one.property} could not be checked: {one.message}" for one in untold]
        if bad or untold or not report.verdicts:
            pytest.fail("\n\n".join(said) or f"{report}", pytrace=False)
        return report

    return kassay_check
