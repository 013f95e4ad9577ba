"""How much of a long test is done: a part by default, all of it under `nox -s whole`."""

import os

WHOLE = os.environ.get("KASSAY_WHOLE") == "1"


def some(usual: int, whole: int) -> int:
    """Return how much is done: `usual`, or all of it where all is asked for."""
    return whole if WHOLE else usual
