"""The waves of a run: one Spark job each, two at a time, complete with ``_SUCCESS`` and a note of their parts."""

import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TypeAlias

from pyspark.sql import SparkSession

from kassay.errors import InputError, TargetGoneError
from kassay.files.writing import write_whole
from kassay.oracles.failures import OracleError
from kassay.reports.sweep.abort import stop_in
from kassay.reports.sweep.manifest import Run, complete_waves, wave_folder
from kassay.reports.sweep.rows import spark_schema
from kassay.reports.sweep.spark.jobs import GONE, Jobs
from kassay.reports.sweep.spark.worker import judging
from kassay.reports.sweep.wave_parts import note_wave, refuse_lost

AT_A_TIME = 2
"""Waves under way. Spark gives the older one's tasks precedence, so that the next one only fills what it leaves idle."""
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
"""Called about twice a second, with the waves that are under way."""


def missing_waves(folder: Path, run: Run) -> list[int]:
    """Return the waves that are not complete."""
    complete = set(complete_waves(folder, run))
    return [wave for wave in range(run.waves) if wave not in complete]


def sweep_waves(
    spark: SparkSession, named: Jobs, folder: Path, run: Run, tasks: int, beat: Beat
) -> Iterator[tuple[int, float]]:
    """Judge the waves that are missing; yields each as it is complete, with its seconds.

    Raises InputError where a target or the disk is not as it should be, OracleError where two oracles disagree.
    """
    waiting = iter(missing_waves(folder, run))
    pool = ThreadPoolExecutor(AT_A_TIME)
    running: dict[Future[float], int] = {}
    try:
        while True:
            while len(running) < AT_A_TIME and (wave := next(waiting, None)) is not None:
                running[pool.submit(_written, spark, named, folder, run, wave, tasks)] = wave
            if not running:
                return
            done, _ = wait(running, timeout=POLL_S, return_when=FIRST_COMPLETED)
            beat(list(running.values()))
            for future in done:
                try:
                    seconds = future.result()
                except Exception as error:
                    raise _sentence(error, folder) from error
                yield running.pop(future), seconds
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def job_name(run: Run, wave: int) -> str:
    """Return the name by which Spark knows a wave's job."""
    return f"kassay {run.id} wave {wave}"


def _written(spark: SparkSession, named: Jobs, folder: Path, run: Run, wave: int, tasks: int) -> float:
    start = time.monotonic()
    named.name(job_name(run, wave))
    rows = spark.range(0, tasks, 1, tasks).mapInArrow(judging(run, wave, tasks), spark_schema(run))
    rows.write.mode("overwrite").parquet(str(wave_folder(folder, run, wave)))
    refuse_lost(folder, run, wave)
    note_wave(folder, run, wave)
    return time.monotonic() - start


def _sentence(error: Exception, folder: Path) -> Exception:
    """Turn what Spark raises into what a user can act on, where it is that."""
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
                f"{folder}: cannot be written to ({words}); mend that, then run the same command again"
            )
    if "No module named 'kassay'" in text:
        return InputError(
            "the Python of Spark's workers has no kassay; install it there, or set PYSPARK_PYTHON"
        )
    if isinstance(error, GONE):
        return SparkFailedError(
            "Spark's Java machine is gone: it was killed, or died; complete waves are kept, run the same command again to go on"
        )
    path = folder / "error.txt"
    write_whole(path, text)
    causes = [found[1] for line in text.splitlines() if (found := _CAUSE.match(line))] or [
        type(error).__name__
    ]
    return SparkFailedError(f"Spark failed: {causes[-1]}; all it said is in {path}")


class SparkFailedError(TargetGoneError):
    """A job failed for a reason that is neither the grid's nor the disk's."""


class DisagreementError(OracleError):
    """Two oracles disagree on a group, which is kept with it, as JSON."""

    def __init__(self, said: str, group: object) -> None:
        super().__init__(said)
        self.group = group
