"""Releases of clients: numbers with dots, of which the first ones count."""

import re

from kassay.errors import InputError

_NUMBERS = re.compile(r"v?(\d+(?:\.\d+)*)")


def parse_release(release: str) -> tuple[int, ...]:
    """Return the numbers of a release, such as (3, 0, 12); raise InputError if it does not begin with one."""
    found = _NUMBERS.match(release)
    if not found:
        raise InputError(f"--release: {release!r} is not a release of a client. Write it as 3.9 or 2.12.0.")
    numbers = [int(number) for number in found[1].split(".")]
    while len(numbers) > 1 and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def is_before(release: str, other: str) -> bool:
    """Return True if both releases are known and the first one is older."""
    return bool(release and other) and parse_release(release) < parse_release(other)


def has_reached(release: str, since: str) -> bool:
    """Return True if a release is known to be as new as another one; "" as the other one is reached by all."""
    return not since or (bool(release) and not is_before(release, since))
