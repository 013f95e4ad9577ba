"""Write files whole or not at all, and over none but our own."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from kassay.errors import InputError

OWN = ".kassay"
"""In a folder that is written into: the names in it which are kassay's, one a line."""


def write_whole(path: Path, text: str) -> None:
    """Write a text file so that no half-written one is ever seen; raises InputError where that cannot be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                out.write(text)
            Path(draft).chmod(0o644)
            Path(draft).replace(path)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise
    except OSError as wrong:
        raise InputError(
            f"{path}: cannot be written ({wrong.strerror}); choose another folder with -o"
        ) from None


def usable_folder(path: Path) -> Path:
    """Make a folder where there is none, and make sure it can be written to; raises InputError where not."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=path).close()
    except OSError as wrong:
        raise InputError(
            f"-o {path}: cannot be written to ({wrong.strerror}); choose another folder"
        ) from None
    return path


def refuse_foreign(folder: Path, names: Iterable[str]) -> None:
    """Raise InputError where a folder holds one of these names and kassay did not make it."""
    try:
        own = (folder / OWN).read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        own = []
    except OSError as wrong:
        raise InputError(
            f"{folder / OWN}: cannot be read ({wrong.strerror}); choose another folder"
        ) from None
    for name in names:
        if name not in own and os.path.lexists(folder / name):
            raise InputError(
                f"-o {folder}: {name} is there and was not made by kassay; choose another folder, or remove it"
            )


def note_own(folder: Path, names: Iterable[str]) -> None:
    """Note in a folder that these names are kassay's, just before they are written."""
    try:
        with (folder / OWN).open("a", encoding="utf-8") as out:
            out.write("".join(f"{name}\n" for name in names))
    except OSError as wrong:
        raise InputError(
            f"{folder}: cannot be written to ({wrong.strerror}); choose another folder with -o"
        ) from None
