"""New names that sort as the old ones do, but stand in Java's hash maps in the opposite of their order."""

from collections.abc import Collection
from functools import cache
from itertools import count

from kassay.reference.java.hash_map import spread
from kassay.reference.java.strings import string_hash, string_order

SLOTS = 64
"""Of a table that holds up to 48 names; in a smaller one fewer bits of the same hash count."""


def new_names(names: Collection[str], prefix: str) -> dict[str, str]:
    """Return a new name for each; where Java and Python sort the names differently, the old one with a prefix."""
    ordered = sorted(names)
    if ordered != sorted(names, key=string_order):
        return {name: prefix + name for name in ordered}
    return {name: _against_the_order(prefix, rank) for rank, name in enumerate(ordered)}


@cache
def _against_the_order(prefix: str, rank: int) -> str:
    """Return a name that sorts by its rank, below 100,000, but stands in hash maps the further in front the higher it is."""
    names = (f"{prefix}{rank:05}-{number}" for number in count())
    return next(name for name in names if slot(name) == slot_of_rank(rank))


def slot(name: str) -> int:
    """Return where in a HashMap of 64 slots a name stands."""
    return spread(string_hash(name)) % SLOTS


def slot_of_rank(rank: int) -> int:
    """Return where the name of a rank is to stand."""
    return (SLOTS - 1 - rank) % SLOTS
