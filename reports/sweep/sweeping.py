"""A sweep from its grid file to the summaries of its rows, with its progress on standard error.

Each wave is a Spark job, two at a time. It is complete with ``_SUCCESS`` and a list of its parts.
"""

import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Protocol, TypeAlias

import msgspec
from pyspark.sql import SparkSession
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from kassay.comparison.strategies import combine_families
from kassay.engine.promises import read_promises
from kassay.errors import InputError, TargetGoneError
from kassay.families import family
from kassay.families.family import Family
from kassay.files.output import write_whole
from kassay.oracles.errors import OracleError
from kassay.reports.sweep.folder import lock_folder, note_wave, noted_parts, refuse_lost, run_in
from kassay.reports.sweep.grid import Grid
from kassay.reports.sweep.judge_rows import open_limited
from kassay.reports.sweep.manifest import (
    Run,
    TargetSpec,
    complete_waves,
    draw_timeline,
    seed_of,
    stop_in,
    wave_rows,
)
from kassay.reports.sweep.rows import spark_schema
from kassay.reports.sweep.spark.jobs import GONE, Jobs, create_jobs, read_stored_parts
from kassay.reports.sweep.spark.session import open_session
from kassay.reports.sweep.spark.summary import summarise
from kassay.reports.sweep.spark.worker import make_evaluator
from kassay.reports.tables.table import has_fresh_summaries, read_summaries


class Shown(Protocol):
    """The progress of a sweep."""

    def beat(self, waves: list[int]) -> None:
        """Show which waves are running."""

    def wave(self, wave: int, rows: int, seconds: float, /) -> None:
        """Show that a wave is complete."""


@contextmanager
def show_status(what: str) -> Iterator[None]:
    """Show on a terminal what the process is waiting for."""
    if not sys.stderr.isatty():
        yield
        return
    with Console(stderr=True).status(what):
        yield


@contextmanager
def show_progress(
    run: Run, complete: int, tasks: int, tasks_done: Callable[[list[int]], int]
) -> Iterator[Shown]:
    """Show progress while the block runs; `tasks_done` counts the completed tasks of running waves."""
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
    """A line for each complete wave."""

    def __init__(self, run: Run, complete: int) -> None:
        """Begin after the waves that are already complete."""
        self._waves, self._done = run.waves, complete

    def beat(self, waves: list[int]) -> None:
        """Write nothing between waves."""

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
        """Count the completed tasks."""
        ended = (self._complete - self._before) * self._tasks
        self._bars.update(self._each, completed=ended + self._tasks_done(waves))

    def wave(self, _wave: int, rows: int, _seconds: float) -> None:
        """Count the wave and its rows."""
        self._complete += 1
        self._rows += rows
        elapsed = self._bars.tasks[0].elapsed or 1.0
        self._bars.update(self._all, completed=self._complete, unit=f"{self._rows / elapsed:,.0f} rows/s")


AT_A_TIME = 2
"""Running waves. Spark prefers the tasks of the older one, so that the next one only uses idle cores."""
POLL_S = 0.5
FULL = (
    "No space left on device",
    "Disk quota exceeded",
    "Read-only file system",
    "Permission denied",
    "File too large",
)
_CAUSE = re.compile(r"(?:Caused by: |: )?([\w.$]+(?:Error|Exception)\b.*)")

Beat: TypeAlias = Callable[[list[int]], None]
"""Called about twice a second with the running waves."""


def find_missing_waves(folder: Path, run: Run) -> list[int]:
    """Return the incomplete waves."""
    complete = set(complete_waves(folder, run))
    return [wave for wave in range(run.waves) if wave not in complete]


def sweep_waves(
    spark: SparkSession, named: Jobs, folder: Path, run: Run, tasks: int, beat: Beat
) -> Iterator[tuple[int, float]]:
    """Evaluate the missing waves; yields each when it is complete, with its seconds.

    Raises InputError for a problem with a target or the disk, OracleError if two oracles disagree.
    """
    waiting = iter(find_missing_waves(folder, run))
    pool = ThreadPoolExecutor(AT_A_TIME)
    running: dict[Future[float], int] = {}
    try:
        while True:
            while len(running) < AT_A_TIME and (wave := next(waiting, None)) is not None:
                running[pool.submit(_write_wave, spark, named, folder, run, wave, tasks)] = wave
            if not running:
                return
            done, _ = wait(running, timeout=POLL_S, return_when=FIRST_COMPLETED)
            beat(list(running.values()))
            for future in done:
                try:
                    seconds = future.result()
                except Exception as error:
                    raise _explain_error(error, folder) from error
                yield running.pop(future), seconds
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def job_name(run: Run, wave: int) -> str:
    """Return the name of a wave's Spark job."""
    return f"kassay {run.id} wave {wave}"


def _write_wave(spark: SparkSession, named: Jobs, folder: Path, run: Run, wave: int, tasks: int) -> float:
    start = time.monotonic()
    named.set_name(job_name(run, wave))
    rows = spark.range(0, tasks, 1, tasks).mapInArrow(make_evaluator(run, wave, tasks), spark_schema(run))
    rows.write.mode("overwrite").parquet(wave_rows(folder, run, wave))
    if run.rows:
        note_wave(folder, run, wave, read_stored_parts(spark, run, wave_rows(folder, run, wave), wave))
    else:
        refuse_lost(folder, run, wave)
        note_wave(folder, run, wave)
    return time.monotonic() - start


def _explain_error(error: Exception, folder: Path) -> Exception:
    """Convert an error of Spark to one that a user can act on, if possible."""
    if isinstance(error, InputError | TargetGoneError):
        return error
    text = str(error)
    stop = stop_in(text)
    if stop is not None and stop.kind == "disagreement":
        return DisagreementError(stop.said, stop.group)
    if stop is not None:
        return InputError(stop.said)
    for words in FULL:
        if words in text:
            return InputError(
                f"{folder}: cannot be written to ({words}). Fix that, then run the same command again."
            )
    if "No module named 'kassay'" in text:
        return InputError(
            "Spark: the Python of its workers has no kassay. Install it there, or set PYSPARK_PYTHON."
        )
    if isinstance(error, GONE):
        return SparkFailedError(
            "Spark's Java machine crashed or was killed. Complete waves are kept: run the same command again to continue."
        )
    path = folder / "error.txt"
    write_whole(path, text)
    causes = [found[1] for line in text.splitlines() if (found := _CAUSE.match(line))] or [
        type(error).__name__
    ]
    return SparkFailedError(f"Spark failed: {causes[-1]}. The full error is in {path}.")


class SparkFailedError(TargetGoneError):
    """A job failed for a reason other than the grid or the disk."""


class DisagreementError(OracleError):
    """Two oracles disagree on a group, which the error has as JSON."""

    def __init__(self, said: str, group: object) -> None:
        super().__init__(said)
        self.group = group


TASKS_A_CORE = 8
"""The tasks of a wave per core: a few seconds each, so that the last one is short."""


def sweep(
    grid: Grid,
    folder: Path,
    master: str | None = None,
    tasks: int | None = None,
    rows: str = "",
    conf: Mapping[str, str] = {},
) -> Run:
    """Sweep a grid into a folder, or resume its sweep; returns the settings of the run.

    `rows` is the address of an object store for the rows, in place of the folder; `conf` are settings for Spark.

    Raises InputError for problems that the user can fix, OracleError if two oracles disagree on a group, which
    ``disagreement.json`` then has.
    """
    targets = tuple(list_specs(grid))
    of_all = find_common_family(grid, targets)
    for cell in grid.cells:
        if cell.groups:
            draw_timeline(of_all, cell, seed_of(grid.seeds[0], cell, 0))
    with lock_folder(folder) as lock, ExitStack() as stack:
        run = run_in(folder, grid, targets, rows)
        if len(complete_waves(folder, run)) == run.waves and has_fresh_summaries(folder, run):
            return run
        with show_status("starting Spark"):
            spark = stack.enter_context(open_session(master, [lock], conf))
        named = stack.enter_context(closing(create_jobs(spark)))
        number = tasks or TASKS_A_CORE * named.count_parallel()
        _evaluate_waves(spark, named, folder, run, min(number, -(-run.groups // run.waves)))
        with show_status("summing up"):
            summarise(spark, folder, run)
    return run


def list_specs(grid: Grid) -> Iterator[TargetSpec]:
    """Open each target once, so that a wrong target is refused before anything starts."""
    for name in grid.targets:
        with open_limited(name, grid.family, grid.timeout_s, grid.memory_mb) as target:
            own = family(target.family)
            if target.family != grid.family and grid.family not in own.migrations:
                raise InputError(
                    f"targets: {name} belongs to the {target.family} family, but the grid has {grid.family} groups. "
                    "Sweep it with another grid."
                )
            promises = read_promises(target, own)
            except_in = {name: tuple(sorted(terms)) for name, terms in sorted(promises.except_in.items())}
            differs = "" if target.family == grid.family else target.family
            yield TargetSpec(
                name, tuple(sorted(promises.names)), except_in, differs, tuple(sorted(promises.limits))
            )


def find_common_family(grid: Grid, targets: Sequence[TargetSpec]) -> Family:
    """Return what the families of a grid's targets have in common; raises InputError if they do not share its measures and levels."""
    found = combine_families(dict.fromkeys([grid.family, *(spec.family or grid.family for spec in targets)]))
    levels = (*found.oracles.levels, *found.oracles.weights) if found.oracles else ()
    for key, asked, known in (("measures", grid.measures, found.measures), ("optima", grid.levels, levels)):
        for name in asked:
            if name not in known:
                raise InputError(
                    f"{key}: {name!r} is not common to the families of all targets. Leave it out."
                )
    return found


def _evaluate_waves(spark: SparkSession, named: Jobs, folder: Path, run: Run, tasks: int) -> None:
    before = len(complete_waves(folder, run))

    def tasks_done(waves: list[int]) -> int:
        return named.count_done([job_name(run, wave) for wave in waves])

    with show_progress(run, before, tasks, tasks_done) as progress:
        try:
            for wave, seconds in sweep_waves(spark, named, folder, run, tasks, progress.beat):
                rows = sum(part.rows for part in noted_parts(folder, run, wave).values())
                progress.wave(wave, rows, seconds)
        except DisagreementError as wrong:
            path = folder / "disagreement.json"
            write_whole(path, msgspec.json.format(msgspec.json.encode(wrong.group), indent=1).decode() + "\n")
            raise DisagreementError(f"{wrong}. The group is in {path}.", wrong.group) from None
        except BaseException:
            named.cancel()
            raise


def count_statuses(folder: Path, run: Run) -> dict[str, dict[str, int]]:
    """Count the rows of each target by status, over all cells; raises InputError if the summaries are damaged."""
    counts: dict[str, dict[str, int]] = {target: {} for target in run.names}
    for row in read_summaries(folder, run).statuses.to_dict("records"):
        counted = counts[row["target"]]
        counted[row["status"]] = counted.get(row["status"], 0) + int(row["rows"])
    return counts
