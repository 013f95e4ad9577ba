"""The limit of the size of an input: a file, standard input, a jar, or what a repository sends.

>>> import os
>>> from pathlib import Path
>>> os.environ[MAX_INPUT_MB] = "1"
>>> try:
...     read_limited(Path("/dev/zero"))
... except InputError as refused:
...     print(refused)
/dev/zero: is larger than 1 MB. Give a smaller input, or a larger --max-input-mb.
>>> del os.environ[MAX_INPUT_MB]
"""

import os
import sys
from pathlib import Path
from typing import BinaryIO

from kassay.errors import InputError

MAX_INPUT_MB = "KASSAY_MAX_INPUT_MB"
"""The variable of the environment with the limit in MB. The option --max-input-mb sets it, also for the processes that kassay starts."""
DEFAULT_MB = 256
LARGEST_MB = 1_000_000


def get_limit() -> int:
    """Return the limit in bytes; raises InputError if the environment has no whole number from 1."""
    given = os.environ.get(MAX_INPUT_MB, str(DEFAULT_MB))
    number = int(given) if given.isascii() and given.isdecimal() and len(given) < 8 else 0
    if not 1 <= number <= LARGEST_MB:
        raise InputError(
            f"{MAX_INPUT_MB}: is {given[:50]!r}. Give a number of MB from 1 to {LARGEST_MB:,}, such as {DEFAULT_MB}."
        )
    return number * 2**20


def refuse_larger(name: str, size: int) -> None:
    """Raise InputError if an input of this size is larger than the limit."""
    if size > get_limit():
        raise InputError(
            f"{name}: is larger than {get_limit() // 2**20} MB. Give a smaller input, or a larger --max-input-mb."
        )


def read_limited(path: Path | None) -> bytes:
    """Read a file, or standard input if there is no path; raises InputError if it is too large, OSError if it cannot be read.

    A device without an end, such as /dev/zero, is read up to the limit.
    """
    if path is None:
        return read_stream(sys.stdin.buffer, "standard input")
    with path.open("rb") as stream:
        return read_stream(stream, str(path))


def read_stream(stream: BinaryIO, name: str) -> bytes:
    """Read a stream to its end; raises InputError if it is larger than the limit."""
    data = stream.read(get_limit() + 1)
    refuse_larger(name, len(data))
    return data
