"""Standard streams that are closed or full: every command prints one sentence and ends with exit status 2."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import UnsupportedOperation
from typing import Any, TextIO, cast

from kassay.errors import StreamError

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
