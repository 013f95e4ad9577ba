"""Progress of long work, on standard error and on a terminal only."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Advance: TypeAlias = Callable[[str, int], None]
"""Called with the name of a piece of work and how much of it is done."""


@contextmanager
def progress(names: list[str], total: int) -> Iterator[Advance]:
    """Show a bar for each piece of work while the block runs; nothing where standard error is no terminal."""
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
        TextColumn("groups"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks = {name: bars.add_task(escape(name), total=total) for name in names}
        yield lambda name, done: bars.update(tasks[name], completed=min(done, total))
