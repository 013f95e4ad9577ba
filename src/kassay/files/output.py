"""Output files: regular files are written whole or not at all; devices, pipes and open descriptors are written through.

A symbolic link stays a link; the file that it leads to is written. The folder of a file that several runs change is locked.
"""

import errno
import fcntl
import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kassay.errors import InputError, UnwritableError
from kassay.output.redaction import redact

DESCRIPTOR = re.compile(r"/(?:dev|proc/(?P<process>\d+))/fd/(?P<number>\d+)")
"""A path that names an open descriptor of this process, such as ``/dev/fd/3``; shells pass such paths for ``>(COMMAND)``."""
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""The errors of a full disk, a used-up quota and a limit on the size of files."""
NO_TEMPORARY = "No usable temporary directory"
"""The message of Python if no folder for temporary files is writable."""
MOST_LINKS = 40
"""How many links are followed at most, as Linux does."""


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all; write through a device, a pipe or a descriptor.

    Raises UnwritableError naming the file if that fails.
    """
    data = redact(content).encode() if isinstance(content, str) else content
    try:
        handle = _open_stream(path)
        if handle is None:
            _replace(Path(os.path.realpath(path)), data)
        else:
            # The reader of a pipe may have seen enough, as with standard output.
            with suppress(BrokenPipeError), os.fdopen(handle, "wb") as out:
                out.write(data)
    except OSError as wrong:
        raise make_unwritable(path, wrong) from None


def make_unwritable(path: Path, wrong: OSError) -> UnwritableError:
    """Return the error for a file or a folder that cannot be written."""
    return UnwritableError(
        f"{path}: cannot be written ({wrong.strerror}). {_suggest_fix(wrong)} another place."
    )


def describe_full_disk(wrong: OSError) -> str:
    """Return the sentence about a disk that is full or may not be written, "" for any other error."""
    if wrong.errno not in FULL | {errno.EROFS} and NO_TEMPORARY not in str(wrong):
        return ""
    place = wrong.filename or tempfile.tempdir or "temporary files"
    return f"{place}: cannot be written ({wrong.strerror}). Free some space, or set TMPDIR to another folder."


def _suggest_fix(wrong: OSError) -> str:
    return "Free some space, or choose" if wrong.errno in FULL else "Choose"


def is_stream(path: Path) -> bool:
    """Return True if a path names a device, a pipe or an open descriptor: no file that could be read again or replaced."""
    if _find_descriptor(path) is not None:
        return True
    try:
        mode = path.stat().st_mode
    except OSError:  # there is nothing yet, or nothing that can be reached: writing it says so
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def make_folder(path: Path, option: str = "-o") -> Path:
    """Make a folder if there is none, and make sure that it can be written to.

    Raises InputError if the path can be no folder, and UnwritableError if nothing can be written into it.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=path).close()
    except (FileExistsError, NotADirectoryError) as wrong:
        raise InputError(
            f"{option} {path}: cannot be written to ({wrong.strerror}). Choose another folder."
        ) from None
    except OSError as wrong:
        raise UnwritableError(
            f"{option} {path}: cannot be written to ({wrong.strerror}). {_suggest_fix(wrong)} another folder."
        ) from None
    return path


def _open_stream(path: Path) -> int | None:
    """Open what is written through: a descriptor, a device or a pipe; None for a regular file, or if there is no file yet."""
    number = _find_descriptor(path)
    if number is not None:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # what was printed before stands before
                stream.flush()
        return os.dup(number)
    try:
        regular = stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return None
    return None if regular else os.open(path, os.O_WRONLY)


def _find_descriptor(path: Path) -> int | None:
    """Return the descriptor that a path names, also by links such as ``/dev/stdout``, or that leads to the same file."""
    place = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow the last link, too
    for _ in range(MOST_LINKS):
        place = Path(os.path.realpath(place.parent)) / place.name
        named = DESCRIPTOR.fullmatch(str(place))
        if named and named["process"] in {None, str(os.getpid())}:
            return int(named["number"])
        if not place.is_symlink():
            break
        place = place.parent / place.readlink()
    # A file into which the shell sends our output must not be replaced: what is printed later would be lost.
    return next((number for number in (1, 2) if _is_of_file(number, place)), None)


def _is_of_file(number: int, place: Path) -> bool:
    """Return True if a descriptor is of the regular file at a place."""
    try:
        known = os.fstat(number)
        return stat.S_ISREG(known.st_mode) and os.path.samestat(known, place.stat())
    except OSError:  # it is closed, or there is no such file
        return False


def _replace(place: Path, data: bytes) -> None:
    """Put a new file in the place of one, whose permissions it keeps."""
    place.parent.mkdir(parents=True, exist_ok=True)
    mode = stat.S_IMODE(place.stat().st_mode) if place.exists() else 0o644
    handle, draft = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name[:50]}.")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        Path(draft).chmod(mode)
        Path(draft).replace(place)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


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
