"""Hashing: how Java sorts and hashes names, and so in which order its hash maps hold them."""

from functools import cache
from itertools import count

BUCKETS = 64


def utf16(name: str) -> bytes:
    """Return a key that sorts names as Java does: by UTF-16 code units."""
    return name.encode("utf-16-be", "surrogatepass")


def string_hash(name: str) -> int:
    """Return String.hashCode, as a number from 0 to 2^32-1."""
    units = utf16(name)
    code = 0
    for at in range(0, len(units), 2):
        code = (31 * code + (units[at] << 8 | units[at + 1])) & 0xFFFFFFFF
    return code


def bucket(name: str) -> int:
    """Return where in a HashMap of 64 buckets a name stands; a smaller map leaves out the upper bits."""
    code = string_hash(name)
    return (code ^ code >> 16) % BUCKETS


@cache
def against_the_order(prefix: str, rank: int) -> str:
    """Return a name that sorts by its rank, below 100,000, but stands in hash maps the further in front the higher it is."""
    names = (f"{prefix}{rank:05}-{number}" for number in count())
    return next(name for name in names if bucket(name) == (BUCKETS - 1 - rank) % BUCKETS)
