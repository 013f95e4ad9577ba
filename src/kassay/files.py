"""Write files whole or not at all."""

import os
import tempfile
from pathlib import Path

from kassay.errors import InputError


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
