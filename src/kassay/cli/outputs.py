"""Output files of a command line, which must not be its input files."""

import argparse
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

OUTPUTS = {"html": "--html", "plot": "--plot", "badge": "--badge", "write_baseline": "--write-baseline"}
"""Argument that names a file to be written -> its option."""
UPDATED = {"write_baseline": "baseline"}
"""Argument that names an output file -> the argument of the input that it may be: it is read, and written anew."""
OF_FOLDERS = ("folder", "out", "fixtures")
"""Arguments that name folders of files that kassay writes."""


def refuse_overwriting(args: argparse.Namespace, names: Iterable[str]) -> None:
    """Raise InputError if an output file is also an input file, or another output file.

    `names`: the names of the files that are written into the folder of -o.
    """
    from kassay.errors import InputError

    inputs = [(name, path) for name, path in _iterate_inputs(args) if name not in {*OUTPUTS, *OF_FOLDERS}]
    written: list[tuple[str, Path]] = []
    for name, option, path in _iterate_outputs(args, names):
        for other, given in inputs:
            if UPDATED.get(name) != other and _is_same_file(path, given):
                raise InputError(f"{option}: {path} is an input of this command. Choose another file.")
        for before, known in written:
            if os.path.realpath(path) == os.path.realpath(known) or _is_same_file(path, known):
                raise InputError(f"{option}: {path} is written by {before}, too. Choose another file.")
        written.append((option, path))


def _iterate_outputs(args: argparse.Namespace, names: Iterable[str]) -> Iterator[tuple[str, str, Path]]:
    """Yield each file that is to be written: the argument, its option as it is given, and the path."""
    for name, option in OUTPUTS.items():
        path = getattr(args, name, None)
        if path is not None:
            yield name, f"{option} {path}", Path(path)
    if args.folder is not None:
        for each in names:
            yield "folder", f"-o {args.folder}", Path(args.folder, each)


def _iterate_inputs(args: argparse.Namespace) -> Iterator[tuple[str, Path]]:
    """Yield what arguments may name: files as they are, and the jar of a target."""
    for name, value in vars(args).items():
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and text:
                yield (
                    name,
                    Path(text.removeprefix("jar:").partition("#")[0] if text.startswith("jar:") else text),
                )


def _is_same_file(one: Path, other: Path) -> bool:
    """Return True if two paths lead to one regular file."""
    try:
        return one.is_file() and other.is_file() and one.samefile(other)
    except (OSError, ValueError):  # the name of no file, such as one with a zero byte
        return False
