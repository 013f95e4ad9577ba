"""The adapter as `nox -s parity -- go` builds it; where there is none, the session was not run."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
PROGRAM = Path(__file__).parents[2] / "adapters" / "go" / "franz-go"


@pytest.fixture(scope="session")
def franz_go() -> str:
    assert PROGRAM.exists(), "run `nox -s parity -- go`, which builds it"
    return f"exec:{PROGRAM}"
