"""Run a command: print its blocks in the chosen format, write them into the folder, turn errors into sentences."""

import argparse
import io
import os
import re
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kassay.output import Block


def run(args: argparse.Namespace) -> int:
    """Run the chosen command; wrong input gives one sentence and 2, a target that is gone 3."""
    from kassay.errors import InputError, TargetGoneError
    from kassay.files.writing import note_own, refuse_foreign, usable_folder, write_whole
    from kassay.oracles.errors import ImpossibleError, OracleError
    from kassay.output.formats import ENDINGS, FORMATS
    from kassay.output.telling import tell

    usual = "junit" if getattr(args, "as_", None) == "junit" else getattr(args, "usual_format", "pretty")
    format_ = args.format or usual
    try:
        command = Ended(args.run(args))
        _refuse_unjudged([format_, *args.also], args)
        if args.folder is None:
            blocks = command.blocks()
            try:
                FORMATS[format_](blocks, sys.stdout)
                sys.stdout.flush()
            except (
                BrokenPipeError
            ):  # the reader of our output has seen enough; the status is that of the whole
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                deque(blocks, maxlen=0)
        else:
            folder = usable_folder(Path(args.folder))
            names = {one: f"{args.command}.{ENDINGS[one]}" for one in (format_, *args.also)}
            refuse_foreign(folder, names.values())
            kept, texts = Kept(command.blocks()), {name: io.StringIO() for name in names}
            texts[format_] = Copy()
            for one, text in texts.items():
                FORMATS[one](kept, text)
            note_own(folder, names.values())
            for one, text in texts.items():
                write_whole(folder / names[one], text.getvalue())
    except (InputError, ImpossibleError) as wrong:
        tell(str(wrong), getattr(wrong, "copy", ()))
        return 2
    except (TargetGoneError, OracleError) as gone:
        tell(f"could not tell: {gone}")
        return 3
    return command.status


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

    def blocks(self) -> "Iterator[Block]":
        """Run the command and yield its blocks."""
        self.status = yield from self._command


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
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
