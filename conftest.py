"""Tests that share what takes long to make run in one process: a session of Spark, a sweep, a copy of kassay."""

import gc
import os
import sys
from typing import Any
from zlib import crc32

import pytest
from hypothesis import HealthCheck, core, settings
from hypothesis.internal.conjecture import providers
from whole import SEED, WHOLE, seed_of_the_day, share

from kassay.cli import progress
from kassay.output.redaction import forget_secrets

if not WHOLE:
    os.environ.setdefault("NUMBA_DISABLE_JIT", "1")  # compiling takes longer than what little is then run

os.environ["KASSAY_REPLAY"] = "0"  # no test rests on what failed in another one
progress.EVERY_S = 3600.0  # what a test reads on standard error does not depend on the speed of the machine
os.environ.pop("COLUMNS", None)  # sentences are not to be broken where this terminal ends
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or each command that a test starts compiles all it imports
sys.dont_write_bytecode = False

settings.register_profile(
    "tests",
    derandomize=False,  # what is drawn rests on the seed alone; Hypothesis leaves it aside where it sees CI=true
    database=None,
    deadline=None,
    max_examples=share(40, 100),
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],  # no test rests on how fast the machine is
)
settings.load_profile("tests")

gc.set_threshold(100_000, 50, 100)  # a tenth of the time went into looking for garbage among what stays

NAMED = "KASSAY_TESTS_ARE_NAMED"
"""The variable of the environment by which a run tells its processes that the tests to run were named."""

TOGETHER = {
    "tests/sweep/test_spark_sweeps.py": "spark",
    "tests/reports/": "report",
    "tests/families/test_toy_level.py": "toy level",
    "parity/classes/test_recorded_answers.py": "recorded groups",
}
"""What the names of tests begin with -> what they share."""

PARTS = {
    "tests/properties/test_minimise.py": 7,
    "tests/oracles/test_exhausting.py": 4,
    "tests/api/": 3,
    "tests/cli/": 3,
    "tests/conformance/": 3,
    "tests/engine/": 3,
    "tests/fuzzing/": 3,
    "tests/optimal/": 3,
    "tests/families/": 3,
    "tests/listings/": 3,
    "tests/oracles/": 3,
    "tests/over_the_wire/": 3,
    "tests/properties/tasks/": 3,
    "tests/reference/": 3,
    "tests/reports/": 3,
    "tests/simulation/": 3,
    "tests/sweep/": 3,
    "parity/": 3,
}
"""What the names of tests begin with -> into how many parts they are cut; the first that fits. A run of all tests takes one, another one each day;
`nox -s whole` all, and so does `pytest PATH`."""


def pytest_configure(config: Any) -> None:
    """Give all processes of a run the same seed, and tell them whether it is one of all tests or of some that are named."""
    if not hasattr(config, "workerinput"):
        named = config.args_source is config.ArgsSource.ARGS
        os.environ[NAMED] = str(int(named))
    os.environ.setdefault(SEED, str(seed_of_the_day()))
    core.global_force_seed = seed_of_the_day()  # as --hypothesis-seed does
    providers.is_local_module_file = lambda _: (
        False
    )  # numbers in code are not drawn: which is loaded by then is chance


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Leave out what is not in the part of the day."""
    if WHOLE or os.environ[NAMED] == "1":
        return
    day = seed_of_the_day()
    chosen: list[Any] = []
    out: list[Any] = []
    for item in items:
        n = next((n for name, n in PARTS.items() if item.nodeid.startswith(name)), 1)
        (out if (crc32(item.nodeid.encode()) + day) % n else chosen).append(item)
    config.hook.pytest_deselected(items=out)
    items[:] = chosen


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say what was run, so that it can be run again."""
    run = "everything" if WHOLE else "the part"
    terminalreporter.write_line(
        f"This was {run} of {SEED}={seed_of_the_day()}; `nox -s whole` runs everything."
    )


def pytest_collection_finish() -> None:
    """Never look for garbage among what is loaded already."""
    gc.collect()
    gc.freeze()


def pytest_xdist_make_scheduler(config: Any, log: Any) -> Any:
    """Send tests that share something to one process, all others one by one; those that share come first."""
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return next((shared for place, shared in TOGETHER.items() if nodeid.startswith(place)), nodeid)

    return Together(config, log)


@pytest.fixture(autouse=True)
def no_secrets_of_other_tests():
    """Let no password that another test has planted be masked in this one."""
    yield
    forget_secrets()
