"""How much of a long test is done: a part by default, all of it under `nox -s whole`; and which part it is today."""

import os
import sys
from datetime import UTC, datetime

WHOLE = os.environ.get("KASSAY_WHOLE") == "1"
SEED = "KASSAY_SEED"


def some(usual: int, whole: int) -> int:
    """Return how much is done: `usual`, or all of it where all is asked for."""
    return whole if WHOLE else usual


def seed_of_the_day() -> int:
    """Return KASSAY_SEED, else the date (UTC) as a number; ends with a sentence where that is no whole number from 0."""
    given = os.environ.get(SEED)
    if given is None:
        return int(datetime.now(UTC).strftime("%Y%m%d"))
    if not given.isdecimal():
        sys.exit(f"{SEED}={given}: is no whole number from 0; give one such as 20261123, or none")
    return int(given)
