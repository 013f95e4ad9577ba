"""How far a sweep is: bars on a terminal, a line for each wave elsewhere; always on standard error."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from kassay.reports.sweep.manifest import Run


class Shown(Protocol):
    """What a sweep tells of itself."""

    def beat(self, waves: list[int]) -> None:
        """Say which waves are under way."""

    def wave(self, wave: int, rows: int, seconds: float, /) -> None:
        """Say that a wave is complete."""


@contextmanager
def busy(what: str) -> Iterator[None]:
    """Say on a terminal what takes a while."""
    if not sys.stderr.isatty():
        yield
        return
    with Console(stderr=True).status(what):
        yield


@contextmanager
def shown(run: Run, complete: int, tasks: int, tasks_done: Callable[[list[int]], int]) -> Iterator[Shown]:
    """Show progress while the block runs; `tasks_done` counts the tasks that are done of waves under way."""
    if not sys.stderr.isatty():
        yield Lines(run, complete)
        return
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[unit]}"),
        TimeElapsedColumn(), TimeRemainingColumn(elapsed_when_finished=True),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        yield Bars(bars, run, complete, tasks, tasks_done)


class Lines:
    """A line for each wave that is complete."""

    def __init__(self, run: Run, complete: int) -> None:
        """Begin after the waves that are complete already."""
        self._waves, self._done = run.waves, complete

    def beat(self, waves: list[int]) -> None:
        """Say nothing between waves."""

    def wave(self, wave: int, rows: int, seconds: float) -> None:
        """Write one line."""
        self._done += 1
        print(
            f"kassay: wave {wave} complete, {self._done} of {self._waves}: {rows:,} rows in {seconds:.0f} s",
            file=sys.stderr,
            flush=True,
        )


class Bars:
    """A bar of waves and one of tasks, with the time left and the rows a second."""

    def __init__(
        self, bars: Progress, run: Run, complete: int, tasks: int, tasks_done: Callable[[list[int]], int]
    ) -> None:
        """Add the bars."""
        self._bars, self._tasks, self._tasks_done = bars, tasks, tasks_done
        self._complete, self._rows, self._before = complete, 0, complete
        self._all = bars.add_task("waves", total=run.waves, completed=complete, unit="")
        self._each = bars.add_task("tasks", total=(run.waves - complete) * tasks, unit="")

    def beat(self, waves: list[int]) -> None:
        """Count the tasks that are done."""
        ended = (self._complete - self._before) * self._tasks
        self._bars.update(self._each, completed=ended + self._tasks_done(waves))

    def wave(self, _wave: int, rows: int, _seconds: float) -> None:
        """Count the wave and its rows."""
        self._complete += 1
        self._rows += rows
        elapsed = self._bars.tasks[0].elapsed or 1.0
        self._bars.update(self._all, completed=self._complete, unit=f"{self._rows / elapsed:,.0f} rows/s")
