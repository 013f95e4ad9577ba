"""Spark jobs by name, counted and cancelled by classic Spark and by Spark Connect; and rows in an object store.

Spark's workers count, hash and verify rows in an object store, since Spark has the connector.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, cast

from py4j.protocol import Py4JNetworkError
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from kassay.reports.requirements import count_cores
from kassay.reports.sweep.folder import Part, make_double_error, noted_parts, refuse_changed, refuse_few
from kassay.reports.sweep.manifest import Run, complete_waves, wave_folder
from kassay.reports.sweep.rows import spark_schema

GONE = (Py4JNetworkError, ConnectionError)
"""The errors that mean that Spark's Java machine has ended."""


class Jobs(Protocol):
    """The scheduler's jobs, as a sweep uses them."""

    def set_name(self, name: str) -> None:
        """Set the name of the jobs of this thread."""

    def count_done(self, names: Sequence[str]) -> int:
        """Count the completed tasks of running jobs with these names."""

    def cancel(self) -> None:
        """Cancel all jobs."""

    def count_parallel(self) -> int:
        """Return how many tasks run at a time."""

    def close(self) -> None:
        """Stop counting."""


def create_jobs(spark: SparkSession) -> Jobs:
    """Return the jobs of a session."""
    connect = type(spark).__module__.startswith("pyspark.sql.connect")
    return ConnectJobs(spark) if connect else ClassicJobs(spark)


class ClassicJobs:
    """Jobs of a session with a SparkContext: job groups, counted by its status tracker."""

    def __init__(self, spark: SparkSession) -> None:
        self._context = spark.sparkContext

    def set_name(self, name: str) -> None:
        """Begin a job group."""
        self._context.setJobGroup(name, name)

    def count_done(self, names: Sequence[str]) -> int:
        """Count the completed tasks of each job's stages."""
        tracker = self._context.statusTracker()
        done = 0
        for job in (job for name in names for job in tracker.getJobIdsForGroup(name)):
            known = tracker.getJobInfo(job)
            for stage in known.stageIds if known else ():
                info = tracker.getStageInfo(stage)
                done += info.numCompletedTasks if info else 0
        return done

    def cancel(self) -> None:
        """Cancel all jobs of the context; if the Java machine is gone, they have ended with it."""
        with suppress(*GONE):
            self._context.cancelAllJobs()

    def count_parallel(self) -> int:
        """Return the context's default parallelism."""
        return self._context.defaultParallelism

    def close(self) -> None:
        """Do nothing: nothing was registered."""


class ConnectJobs:
    """Jobs of a Connect session: tagged, and counted by the server's progress messages."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._known: dict[str, int] = {}
        self._handler = cast("Any", self._note_progress)
        spark.registerProgressHandler(self._handler)

    def _note_progress(
        self, *, stages: Iterable[Any] | None, operation_id: str, done: bool, **_: Any
    ) -> None:
        """Note the completed tasks of an operation; must not raise, since Spark would stop the operation."""
        self._known[operation_id] = 0 if done else sum(s.num_completed_tasks for s in stages or ())

    def set_name(self, name: str) -> None:
        """Replace the tag of this thread's jobs."""
        self._spark.clearTags()
        self._spark.addTag(name.replace(" ", "-"))

    def count_done(self, names: Sequence[str]) -> int:  # noqa: ARG002 - the server reports running operations without names
        """Sum up the progress of running operations."""
        return sum(list(self._known.values()))

    def cancel(self) -> None:
        """Interrupt all operations of the session."""
        self._spark.interruptAll()

    def count_parallel(self) -> int:
        """Guess the number of cores here, since the server does not report it."""
        return count_cores()

    def close(self) -> None:
        """Remove the progress handler."""
        self._spark.removeProgressHandler(self._handler)


def read_stored_parts(spark: "SparkSession", run: Run, place: str, wave: int) -> dict[str, Part]:
    """Return the parts of a wave that was just written.

    Raises TargetGoneError if a target lacks a group, InputError if a row is there twice.
    """
    rows = spark.read.schema(spark_schema(run)).parquet(place)
    each = rows.groupBy("id", "step", "target").agg(f.count(f.lit(1)).alias("count_all"))
    for row in each.where("count_all > 1").limit(1).collect():
        raise make_double_error(place, row.asDict())
    counted = rows.groupBy(f.col("_metadata.file_name").alias("name")).agg(
        f.count(f.lit(1)).alias("rows"), f.count_if(f.col("step") == 0).alias("first")
    )
    counts = {row["name"]: (row["rows"], row["first"]) for row in counted.collect()}
    refuse_few(place, run, wave, sum(first for _, first in counts.values()))
    names = {path.rpartition("/")[2]: sha256 for path, sha256 in _hash_files(spark, place).items()}
    return {name: Part(counts.get(name, (0, 0))[0], sha256) for name, sha256 in names.items()}


def verify_stored(spark: "SparkSession", folder: Path, run: Run) -> list[int]:
    """Return the complete waves; raises InputError if a part was changed."""
    waves = complete_waves(folder, run)
    base = f"{run.rows}/run={run.id}"
    found: dict[str, dict[str, str]] = {}
    for path, sha256 in _hash_files(spark, base).items():
        *_, of_wave, part = path.split("/")
        found.setdefault(of_wave, {})[part] = sha256
    for wave in waves:
        place = wave_folder(folder, run, wave)
        refuse_changed(
            f"{base}/{place.name}", place, noted_parts(folder, run, wave), found.get(place.name, {})
        )
    return waves


def _hash_files(spark: "SparkSession", place: str) -> dict[str, str]:
    """Return path and SHA-256 of all Parquet files in a folder and its subfolders, hashed by the workers."""
    files = spark.read.format("binaryFile").option("pathGlobFilter", "*.parquet")
    hashed = (
        files.option("recursiveFileLookup", "true")
        .load(place)
        .select("path", f.sha2("content", 256).alias("sha256"))
    )
    return {row["path"]: row["sha256"] for row in hashed.collect()}
