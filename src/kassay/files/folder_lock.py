"""Lock the folder of a file that several runs may change at the same time."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kassay.files.output import make_unwritable


@contextmanager
def lock_folder(path: Path) -> Iterator[None]:
    """Let no other kassay of this machine change a file's folder while the file is read, merged and written.

    The lock is on the folder itself, so no lock file stays behind. Raises UnwritableError if the folder cannot be locked.
    """
    folder = Path(os.path.realpath(path)).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as wrong:
        raise make_unwritable(path, wrong) from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
        except OSError as wrong:
            raise make_unwritable(path, wrong) from None
        yield
    finally:
        os.close(handle)
