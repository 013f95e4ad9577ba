"""Progress of long work on standard error: bars on a terminal, else a line from time to time."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TypeAlias

from kassay.errors import StreamError
from kassay.output.telling import tell

Advance: TypeAlias = Callable[[str, int], None]
"""Called with the name of a piece of work and how much of it is done."""
EVERY_S = 10.0
"""The seconds between two lines if standard error is no terminal."""


@contextmanager
def show_progress(
    names: list[str], total: int, unit: str = "groups", every_s: float | None = None
) -> Iterator[Advance]:
    """Show a bar for each piece of work while the block runs, or one for all if the terminal has too few lines.

    `unit` is the name of what is counted. If standard error is no terminal, a line with the sum is printed every `every_s` (default: EVERY_S) seconds.
    """
    if not sys.stderr.isatty():
        with _print_lines(names, total, unit, EVERY_S if every_s is None else every_s) as advance:
            yield advance
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.table import Column

    columns = (
        TextColumn(
            "{task.description}", table_column=Column(no_wrap=True, overflow="ellipsis", max_width=40)
        ),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    console.width -= len("^C")  # what a terminal shows of Ctrl-C must not start a new line below the bars
    with Progress(*columns, console=console, transient=True) as bars:
        if len(names) < console.height:
            tasks = {name: bars.add_task(escape(name), total=total) for name in names}
            yield lambda name, done: bars.update(tasks[name], completed=min(done, total))
            return
        whole = bars.add_task(f"{len(names)} targets", total=total * len(names))
        parts = dict.fromkeys(names, 0)

        def advance(name: str, done: int) -> None:
            parts[name] = min(done, total)
            bars.update(whole, completed=sum(parts.values()))

        yield advance


@contextmanager
def _print_lines(names: list[str], total: int, unit: str, every_s: float) -> Iterator[Advance]:
    """Print from time to time how much is done, also if nothing advances."""
    began, ended = time.monotonic(), Event()
    parts = dict.fromkeys(names, 0)
    what = names[0] if len(names) == 1 else f"{len(names)} targets"

    wrong: list[StreamError] = []

    def print_lines() -> None:
        while not ended.wait(every_s):
            done, whole = sum(parts.values()), total * len(names)
            try:
                tell(f"{what}: {done:,} of {whole:,} {unit} after {time.monotonic() - began:.0f} s")
            except StreamError as error:
                wrong.append(error)
                return

    def advance(name: str, done: int) -> None:
        parts[name] = min(done, total)

    printing = Thread(target=print_lines, name="progress", daemon=True)
    printing.start()
    try:
        yield advance
    finally:
        ended.set()
        printing.join()
    if wrong:
        raise wrong[0]
