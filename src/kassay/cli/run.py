"""Run a command: print its blocks in the chosen format, write them into a folder, turn errors into sentences."""

import argparse
import io
import os
import re
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from io import UnsupportedOperation
from itertools import tee
from pathlib import Path
from typing import Any, TextIO, cast

from kassay.errors import InputError, StreamError, TargetGoneError, UnwritableError
from kassay.files.output import make_folder, write_whole
from kassay.files.texts import remember_pipes
from kassay.input_size import MAX_INPUT_MB
from kassay.output import Block
from kassay.output.block import redact_block
from kassay.output.redaction import MASK, count_masked, note_environment
from kassay.output.telling import tell
from kassay.sentences import end_sentence

STREAMS = {"stdin": "standard input", "stdout": "standard output", "stderr": "standard error"}


class CheckedStream:
    """Standard output or error, whose failures are StreamErrors; argparse and others let an OSError pass unseen."""

    def __init__(self, stream: TextIO, name: str) -> None:
        """Note the stream, and what it is called."""
        self._stream, self._name = stream, name

    def write(self, text: str) -> int:
        """Write a text."""
        with self._convert_errors():
            self._stream.write(text)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts one behind the other."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Let what was written be seen."""
        with self._convert_errors():
            self._stream.flush()

    @contextmanager
    def _convert_errors(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            if self._name == "stdout":  # kassay.cli.run lets the command go on
                raise
            discard_output(self._stream)  # the reader has seen enough
        except OSError as wrong:
            discard_output(self._stream)
            raise StreamError(
                f"{STREAMS[self._name]}: cannot be written ({wrong.strerror}). Free some space, or send it elsewhere."
            ) from None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def discard_output(stream: TextIO) -> None:
    """Let what is still to be written to a stream go nowhere, also what Python writes at the very end."""
    with suppress(UnsupportedOperation):  # a stream in memory has nothing behind it
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def refuse_closed() -> None:
    """Raise StreamError if a standard stream is closed: a file that is opened next would take its place."""
    for name, called in STREAMS.items():
        if getattr(sys, name) is None:
            raise StreamError(f"{called}: is closed. Open it, or connect it with /dev/null.")


@contextmanager
def check_streams() -> Iterator[None]:
    """Check what is written to standard output and error; raises StreamError, also if the last of it cannot be written."""
    refuse_closed()
    out, err = sys.stdout, sys.stderr
    checked = [CheckedStream(out, "stdout"), CheckedStream(err, "stderr")]
    sys.stdout, sys.stderr = (cast("TextIO", each) for each in checked)
    try:
        try:
            yield
        finally:
            for each in checked:
                try:
                    each.flush()
                except BrokenPipeError:  # the reader of our output has seen enough
                    discard_output(out)
    finally:
        sys.stdout, sys.stderr = out, err


def print_stream_error(wrong: StreamError) -> None:
    """Print what is wrong with a stream on standard error, or on standard output if standard error cannot be used."""
    of_error = str(wrong).startswith(STREAMS["stderr"])
    stream = sys.stdout if of_error or sys.stderr is None else sys.stderr
    if stream is None:
        return
    try:
        print(f"kassay: {wrong}", file=stream, flush=True)
    except OSError:  # then neither can be used, and the exit status alone tells it
        discard_output(stream)


def run(args: argparse.Namespace) -> int:
    """Run the chosen command and return its exit status: 2 for wrong input, 3 for a target that is gone, with one sentence.

    If a file cannot be written, the answer is printed first; then comes the sentence, and the status is 2.
    """
    from kassay.oracles.errors import ImpossibleError, OracleError

    usual = "junit" if getattr(args, "as_", None) == "junit" else getattr(args, "usual_format", "pretty")
    format_ = args.format or usual
    if getattr(args, "max_input_mb", None) is not None:  # of the start page there are no options
        os.environ[MAX_INPUT_MB] = str(args.max_input_mb)
    note_environment()
    try:
        status = _run(args, format_)
    except (InputError, ImpossibleError) as wrong:
        copy = getattr(wrong, "copy", ())
        tell(str(wrong) if copy else end_sentence(str(wrong)), copy)
        return 2
    except (TargetGoneError, OracleError) as gone:
        tell(f"could not tell: {gone}")
        return 3
    if count_masked():
        tell(f"a password that kassay knows was in the output, and {MASK} stands in its place")
    return status


def _run(args: argparse.Namespace, format_: str) -> int:
    from kassay.output.formats import ENDINGS

    with remember_pipes():
        command = BlocksWithStatus(args.run(args))
        if args.also and args.folder is None:
            raise InputError(f"--also {args.also[0]}: is written into a folder. Name one with -o DIR")
        if "junit" in (format_, *args.also) and not args.judges:
            raise InputError(
                f"--format junit: `kassay {args.command}` judges nothing. Take another format, or `kassay check`"
            )
        names = {one: f"{args.command}.{ENDINGS[one]}" for one in (format_, *args.also)}
        refuse_overwriting(args, names.values())
        if args.folder is None:
            _print(command, format_)
        else:
            _print_and_write(command, Path(args.folder), names, format_)
        if command.unwritable is not None:
            raise command.unwritable
        return command.status


def _print(command: "BlocksWithStatus", format_: str) -> None:
    from kassay.output.formats import FORMATS

    blocks = command.blocks()
    try:
        FORMATS[format_](blocks, sys.stdout)
        sys.stdout.flush()
    except (
        BrokenPipeError
    ):  # The reader of the output has read enough; the command still runs to its exit status.
        discard_output(sys.stdout)
        deque(blocks, maxlen=0)


def _print_and_write(
    command: "BlocksWithStatus", folder: Path, names: Mapping[str, str], format_: str
) -> None:
    """Print the blocks of a command, and write them into a folder, in each format under its name."""
    from kassay.files.writing import note_own, refuse_foreign
    from kassay.output.formats import FORMATS

    try:
        make_folder(folder)
        refuse_foreign(folder, names.values())
    except UnwritableError as wrong:
        command.unwritable = wrong
    texts = {name: io.StringIO() for name in names} | {format_: TeeWriter()}
    # The first format prints the blocks as they come, the others read them again.
    for (one, text), blocks in zip(texts.items(), tee(command.blocks(), len(texts)), strict=True):
        FORMATS[one](blocks, text)
    if command.unwritable is None:
        note_own(folder, names.values())
        for one, text in texts.items():
            write_whole(folder / names[one], text.getvalue())


class BlocksWithStatus:
    """The blocks of a command and, once they are all read, the exit status it returned."""

    def __init__(self, command: Generator[Block, None, int]) -> None:
        """Note the command; nothing runs yet."""
        self._command = command
        self.status = 3
        self.unwritable: UnwritableError | None = None
        """Why the first file could not be written, if one could not."""

    def blocks(self) -> Iterator[Block]:
        """Run the command and yield its blocks, with known passwords masked; they end if a file cannot be written."""
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


class TeeWriter(io.StringIO):
    """Keeps what it passes on to standard output, without colours."""

    def isatty(self) -> bool:
        """Return True if standard output is a terminal."""
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
