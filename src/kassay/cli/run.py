"""Run a command: print its blocks in the chosen format, write them into the folder, turn errors into sentences."""

import argparse
import io
import os
import re
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kassay.output import Block


def run(args: argparse.Namespace) -> int:
    """Run the chosen command; wrong input gives one sentence and 2, a target that is gone 3."""
    from kassay.errors import InputError, TargetGoneError
    from kassay.files.writing import note_own, refuse_foreign, usable_folder, write_whole
    from kassay.oracles.errors import ImpossibleError, OracleError
    from kassay.output import ENDINGS, FORMATS
    from kassay.output.telling import tell

    usual = "junit" if getattr(args, "as_", None) == "junit" else getattr(args, "usual_format", "pretty")
    format_ = args.format or usual
    try:
        command = Ended(args.run(args))
        _refuse_unjudged(format_, args)
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
            folder, name = usable_folder(Path(args.folder)), f"{args.command}.{ENDINGS[format_]}"
            refuse_foreign(folder, [name])
            copy = Copy()
            FORMATS[format_](command.blocks(), copy)
            note_own(folder, [name])
            write_whole(folder / name, copy.getvalue())
    except (InputError, ImpossibleError) as wrong:
        tell(str(wrong), getattr(wrong, "copy", ()))
        return 2
    except (TargetGoneError, OracleError) as gone:
        tell(f"could not tell: {gone}")
        return 3
    return command.status


def _refuse_unjudged(format_: str, args: argparse.Namespace) -> None:
    """Raise InputError where JUnit is asked of a command that judges nothing."""
    from kassay.errors import InputError

    if format_ == "junit" and not args.judges:
        raise InputError(
            f"--format junit: `kassay {args.command}` judges nothing; take another format, or `kassay check`"
        )


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
