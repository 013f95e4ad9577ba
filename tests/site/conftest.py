"""The site as docs/site/build.py makes it, or as KASSAY_SITE names it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def site() -> Path:
    given = os.environ.get("KASSAY_SITE")
    if not given:
        subprocess.run([sys.executable, "docs/site/build.py"], cwd=ROOT, check=True)
    return (ROOT / (given or "build/site/html")).resolve()
