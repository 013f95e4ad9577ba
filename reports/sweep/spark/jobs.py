"""Spark's jobs by name: started, counted and cancelled, in the one way classic Spark has and the other Connect has."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, Protocol, cast

from py4j.protocol import Py4JNetworkError
from pyspark.sql import SparkSession

from kassay.reports.requirements import cores

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
        return cores()

    def close(self) -> None:
        """Listen no more."""
        self._spark.removeProgressHandler(self._handler)
