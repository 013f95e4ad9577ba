"""Tests that share what takes long to make run in one process: a session of Spark, a sweep."""

import gc
import os
import sys
from typing import Any

from hypothesis import settings
from whole import WHOLE, some

if not WHOLE:
    os.environ.setdefault("NUMBA_DISABLE_JIT", "1")  # compiling takes longer than what little is then run

os.environ.pop("COLUMNS", None)  # sentences are not to be broken where this terminal ends
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or each command that a test starts compiles all it imports
sys.dont_write_bytecode = False

settings.register_profile("tests", derandomize=not WHOLE, deadline=None, max_examples=some(40, 100))
settings.load_profile("tests")  # the same is tried each time, but the whole is drawn anew

gc.set_threshold(100_000, 50, 100)  # a tenth of the time went into looking for garbage among what stays

TOGETHER = {
    "tests/sweep/test_spark_sweeps.py": "spark",
    "tests/report/": "report",
    "tests/reference/test_recorded_answers.py": "recorded groups",
}
"""What the names of tests begin with -> what they share."""


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
