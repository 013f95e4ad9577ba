"""Progress of long work, on standard error and on a terminal only."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Advance: TypeAlias = Callable[[str, int], None]
"""Called with the name of a piece of work and how much of it is done."""


@contextmanager
def show_progress(names: list[str], total: int, unit: str = "groups") -> Iterator[Advance]:
    """Show a bar for each piece of work while the block runs, or one for all where the terminal has too few lines.

    `unit` says what is counted. Nothing is shown where standard error is no terminal.
    """
    if not sys.stderr.isatty():
        yield lambda _name, _done: None
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
