"""Spark's jobs by name: started, counted and cancelled, in the one way classic Spark has and the other Connect has.

Rows in an object store: counted, hashed and verified by Spark, whose connector knows the store, in its workers.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, cast

from py4j.protocol import Py4JNetworkError
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from kassay.reports.requirements import count_cores
from kassay.reports.sweep.manifest import Run, complete_waves, wave_folder
from kassay.reports.sweep.rows import spark_schema
from kassay.reports.sweep.wave_parts import Part, make_double_error, noted_parts, refuse_changed, refuse_few

GONE = (Py4JNetworkError, ConnectionError)
"""What is raised where Spark's Java machine does not answer any more."""


class Jobs(Protocol):
    """What a sweep asks of the scheduler."""

    def name(self, name: str) -> None:
        """Give the jobs of this thread a name."""

    def done(self, names: Sequence[str]) -> int:
        """Count the tasks that are done of the jobs of these names, which are under way."""

    def cancel(self) -> None:
        """Cancel all jobs."""

    def parallel(self) -> int:
        """Say how many tasks run at a time."""

    def close(self) -> None:
        """Count no more."""


def jobs(spark: SparkSession) -> Jobs:
    """Return the jobs of a session."""
    connect = type(spark).__module__.startswith("pyspark.sql.connect")
    return ConnectJobs(spark) if connect else ClassicJobs(spark)


class ClassicJobs:
    """Jobs of a session with a SparkContext: in groups, counted by its status tracker, which is asked."""

    def __init__(self, spark: SparkSession) -> None:
        self._context = spark.sparkContext

    def name(self, name: str) -> None:
        """Begin a job group."""
        self._context.setJobGroup(name, name)

    def done(self, names: Sequence[str]) -> int:
        """Ask for each job's stages."""
        tracker = self._context.statusTracker()
        done = 0
        for job in (job for name in names for job in tracker.getJobIdsForGroup(name)):
            known = tracker.getJobInfo(job)
            for stage in known.stageIds if known else ():
                info = tracker.getStageInfo(stage)
                done += info.numCompletedTasks if info else 0
        return done

    def cancel(self) -> None:
        """Cancel all jobs of the context; those of a Java machine that is gone have ended with it."""
        with suppress(*GONE):
            self._context.cancelAllJobs()

    def parallel(self) -> int:
        """Ask the context."""
        return self._context.defaultParallelism

    def close(self) -> None:
        """Nothing was registered."""


class ConnectJobs:
    """Jobs of a Connect session: tagged, and counted as the server tells."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._known: dict[str, int] = {}
        self._handler = cast("Any", self._heard)
        spark.registerProgressHandler(self._handler)

    def _heard(self, *, stages: Iterable[Any] | None, operation_id: str, done: bool, **_: Any) -> None:
        """Note the tasks of an operation; Spark breaks it off where this raises."""
        self._known[operation_id] = 0 if done else sum(s.num_completed_tasks for s in stages or ())

    def name(self, name: str) -> None:
        """Tag what this thread runs from now on, with nothing else."""
        self._spark.clearTags()
        self._spark.addTag(name.replace(" ", "-"))

    def done(self, names: Sequence[str]) -> int:  # noqa: ARG002 - the server tells of what is under way, by no name
        """Sum up what the server told of the operations under way."""
        return sum(list(self._known.values()))

    def cancel(self) -> None:
        """Interrupt all operations of the session."""
        self._spark.interruptAll()

    def parallel(self) -> int:
        """Guess: the server does not tell, so as many as cores here."""
        return count_cores()

    def close(self) -> None:
        """Listen no more."""
        self._spark.removeProgressHandler(self._handler)


def read_stored_parts(spark: "SparkSession", run: Run, place: str, wave: int) -> dict[str, Part]:
    """Return the parts of a wave that was just written.

    Raises TargetGoneError where it lacks a group for some target, InputError where it has a row twice.
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
    """Return the waves that are complete; raises InputError where a part of one is not as it was written."""
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
    """Hash all Parquet files of a place, and of folders in it, where they are read: in the workers."""
    files = spark.read.format("binaryFile").option("pathGlobFilter", "*.parquet")
    hashed = (
        files.option("recursiveFileLookup", "true")
        .load(place)
        .select("path", f.sha2("content", 256).alias("sha256"))
    )
    return {row["path"]: row["sha256"] for row in hashed.collect()}
