"""A Spark session, quiet and with what a sweep needs: on this machine, by spark-submit, on a cluster or over Connect."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kassay.errors import InputError
from kassay.reports.requirements import cores, require_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextmanager
def session(
    master: str | None = None, held: Sequence[int] = (), conf: Mapping[str, str] = {}
) -> Iterator["SparkSession"]:
    """Open a session and stop it in the end; one that is active already, as in a notebook, is taken and left open.

    `master` is a Spark master, or ``sc://HOST`` for Spark Connect; without one it is what spark-submit or SPARK_REMOTE
    say, or else all cores of this machine; `conf` are settings of Spark's. A Java machine that is started has the open files `held`. Raises InputError where Spark or Java is missing or does not start.
    """
    require_spark()
    active = _active() if master is None else None
    if active is not None:
        yield active
        return
    scratch = Path(tempfile.mkdtemp(prefix="kassay-spark-"))
    try:
        if (
            "PYSPARK_GATEWAY_PORT" in os.environ
            or "SPARK_REMOTE" in os.environ
            or (master or "").startswith("sc://")
        ):
            with _given(master, conf) as spark:
                yield spark
        else:
            from kassay.reports.sweep.spark.classic import classic_session

            # a task that fails is tried three times; plain local[N] tries it once
            with classic_session(master or f"local[{cores()},3]", scratch, held, conf) as spark:
                yield spark
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _active() -> "SparkSession | None":
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession()


@contextmanager
def _given(master: str | None, conf: Mapping[str, str]) -> Iterator["SparkSession"]:
    """Open the session that spark-submit or a Connect server has ready."""
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    builder = SparkSession.builder
    for key, value in conf.items():
        builder = builder.config(key, value)
    if (master or os.environ.get("SPARK_REMOTE", "")).startswith(
        "local"
    ):  # a server started here, with our Python
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        spark = (builder.remote(master) if master and master.startswith("sc://") else builder).getOrCreate()
        spark.conf.set("spark.sql.parquet.compression.codec", "zstd")
    except (PySparkException, ImportError, OSError) as wrong:
        said = " ".join(str(wrong).split())
        raise InputError(f"Spark does not start: {said}") from None
    try:
        yield spark
    finally:
        spark.stop()
