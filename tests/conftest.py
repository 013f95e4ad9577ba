"""Tests that share what takes long to make run in one process: a session of Spark, a sweep, compiled code."""

from typing import Any

TOGETHER = {
    "tests/sweep/test_spark_sweeps.py": "spark",
    "tests/report/": "report",
    "tests/oracles/assignment/test_verification.py": "compiled",
    "tests/oracles/assignment/test_collapse.py": "compiled",
}
"""What the names of tests begin with -> what they share."""


def pytest_xdist_make_scheduler(config: Any, log: Any) -> Any:
    """Send tests that share something to one process, all others one by one; those that share come first."""
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return next((shared for place, shared in TOGETHER.items() if nodeid.startswith(place)), nodeid)

    return Together(config, log)
