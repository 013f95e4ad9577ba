"""Run a command: print its blocks in the chosen format, write them into the folder, turn errors into sentences.

Output files of a command line, which must not be its input files.
"""

import argparse
import io
import os
import re
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from kassay.files.standard_io import discard_output

if TYPE_CHECKING:
    from kassay.errors import UnwritableError
    from kassay.output import Block


def run(args: argparse.Namespace) -> int:
    """Run the chosen command; wrong input gives one sentence and 2, a target that is gone 3.

    If a file cannot be written, the answer is printed first; then comes the sentence, and the status is 2.
    """
    from kassay.errors import InputError, TargetGoneError
    from kassay.files.texts import MAX_INPUT_MB
    from kassay.oracles.errors import ImpossibleError, OracleError
    from kassay.output.redaction import MASK, count_masked, note_environment
    from kassay.output.telling import tell

    usual = "junit" if getattr(args, "as_", None) == "junit" else getattr(args, "usual_format", "pretty")
    format_ = args.format or usual
    if getattr(args, "max_input_mb", None) is not None:  # of the start page there are no options
        os.environ[MAX_INPUT_MB] = str(args.max_input_mb)
    note_environment()
    try:
        status = _run(args, format_)
    except (InputError, ImpossibleError) as wrong:
        tell(str(wrong), getattr(wrong, "copy", ()))
        return 2
    except (TargetGoneError, OracleError) as gone:
        tell(f"could not tell: {gone}")
        return 3
    if count_masked():
        tell(f"a password that kassay knows was in the output, and {MASK} stands in its place")
    return status


def _run(args: argparse.Namespace, format_: str) -> int:
    from kassay.files.texts import remember_pipes
    from kassay.output.formats import ENDINGS

    with remember_pipes():
        command = Ended(args.run(args))
        _refuse_unjudged([format_, *args.also], args)
        names = {one: f"{args.command}.{ENDINGS[one]}" for one in (format_, *args.also)}
        refuse_overwriting(args, names.values())
        if args.folder is None:
            _print(command, format_)
        else:
            _print_and_write(command, Path(args.folder), names, format_)
        if command.unwritable is not None:
            raise command.unwritable
        return command.status


def _print(command: "Ended", format_: str) -> None:
    from kassay.output.formats import FORMATS

    blocks = command.blocks()
    try:
        FORMATS[format_](blocks, sys.stdout)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has seen enough; the status is that of the whole
        discard_output(sys.stdout)
        deque(blocks, maxlen=0)


def _print_and_write(command: "Ended", folder: Path, names: Mapping[str, str], format_: str) -> None:
    """Print what a command says, and write it into a folder, in each format under its name."""
    from kassay.errors import UnwritableError
    from kassay.files.output import usable_folder, write_whole
    from kassay.files.writing import note_own, refuse_foreign
    from kassay.output.formats import FORMATS

    try:
        usable_folder(folder)
        refuse_foreign(folder, names.values())
    except UnwritableError as wrong:
        command.unwritable = wrong
    kept, texts = Kept(command.blocks()), {name: io.StringIO() for name in names}
    texts[format_] = Copy()
    for one, text in texts.items():
        FORMATS[one](kept, text)
    if command.unwritable is None:
        note_own(folder, names.values())
        for one, text in texts.items():
            write_whole(folder / names[one], text.getvalue())


def _refuse_unjudged(formats: Sequence[str], args: argparse.Namespace) -> None:
    """Raise InputError where JUnit is asked of a command that judges nothing, or another format has no folder."""
    from kassay.errors import InputError

    if args.also and args.folder is None:
        raise InputError(f"--also {args.also[0]}: is written into a folder; name one with -o DIR")
    if "junit" in formats and not args.judges:
        raise InputError(
            f"--format junit: `kassay {args.command}` judges nothing; take another format, or `kassay check`"
        )


class Kept:
    """Blocks that are made once, while they are first read, and can be read again."""

    def __init__(self, blocks: "Iterator[Block]") -> None:
        """Note where they come from."""
        self._blocks = blocks
        self._made: list[Block] = []

    def __iter__(self) -> "Iterator[Block]":
        """Yield those that are there, then those that come."""
        yield from self._made
        for block in self._blocks:
            self._made.append(block)
            yield block


class Ended:
    """The blocks of a command and, once they are all read, the exit status it returned."""

    def __init__(self, command: "Generator[Block, None, int]") -> None:
        """Note the command; nothing runs yet."""
        self._command = command
        self.status = 3
        self.unwritable: UnwritableError | None = None
        """Why the first file could not be written, if one could not."""

    def blocks(self) -> "Iterator[Block]":
        """Run the command and yield its blocks without the passwords that are known by then; they end where a file cannot be written."""
        from kassay.errors import UnwritableError
        from kassay.output.block import redact_block

        try:
            with closing(self._command):
                while True:
                    try:
                        block = next(self._command)
                    except StopIteration as ended:
                        self.status = ended.value
                        return
                    yield redact_block(block)
        except UnwritableError as wrong:
            self.unwritable = self.unwritable or wrong


COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class Copy(io.StringIO):
    """Keeps what it passes on to standard output, without colours."""

    def isatty(self) -> bool:
        """Tell whether what is printed is seen on a terminal, whose width and colours then count."""
        return sys.stdout.isatty()

    def write(self, text: str) -> int:
        """Print the text and keep it."""
        self._print(lambda: sys.stdout.write(text))
        return super().write(COLOURS.sub("", text))

    def flush(self) -> None:
        """Let what was printed be seen."""
        self._print(sys.stdout.flush)

    def _print(self, act: Callable[[], object]) -> None:
        try:
            act()
        except BrokenPipeError:  # the reader has seen enough; the copy is to be whole
            discard_output(sys.stdout)


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
