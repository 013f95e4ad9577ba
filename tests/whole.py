"""How much of a long test is done: a part by default, all of it under `nox -s whole`; and which part it is today.

A run takes the part of its seed: of numbered cases, and of what is drawn at random. The seed is the date (UTC), or KASSAY_SEED; pytest
prints it. In two weeks of days every numbered case has had its turn, and Hypothesis has drawn as many examples as `nox -s whole` does.
"""

import os
import sys
from datetime import UTC, date, datetime

WHOLE = os.environ.get("KASSAY_WHOLE") == "1"
SEED = "KASSAY_SEED"
DAYS = 14


def some(usual: int, whole: int) -> int:
    """Return how much is done of what is no matter of chance, such as sizes: `usual`, or all of it where all is asked for."""
    return whole if WHOLE else usual


def share(usual: int, whole: int) -> int:
    """Return how many of the `whole` examples are drawn in one run: at least `usual`, and so many that two weeks draw all."""
    return whole if WHOLE else max(usual, -(-whole // DAYS))


def cases(usual: int, whole: int) -> range:
    """Return the numbers below `whole` of the cases that have their turn: a run of them, another one each day."""
    if WHOLE:
        return range(whole)
    many = share(usual, whole)
    first = seed_of_the_day() % -(-whole // many) * many
    return range(first, min(first + many, whole))


def seed_of_the_day() -> int:
    """Return KASSAY_SEED, else the number of the day (UTC); ends with a sentence where that is no whole number from 0."""
    given = os.environ.get(SEED)
    if given is None:
        return datetime.now(UTC).date().toordinal() - date(2000, 1, 1).toordinal()
    if not given.isdecimal():
        sys.exit(f"{SEED}={given}: is no whole number from 0. Give one such as 9825, or none")
    return int(given)
