"""Released assignors: of Kafka, from Maven Central, and of Python clients, from the Python Package Index."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from bug_records import Exhibit

from kassay.errors import InputError
from kassay.targets import Options, Target, open_target
from kassay.targets.java.releases import KAFKA
from kassay.targets.maven.repository import cache_folder
from kassay.targets.program import open_command

PYPI = "pypi:"


def open_release(spec: str) -> Target:
    """Open a target. ``pypi:PROJECT==VERSION#MODULE:CLASS`` is a class of a release, which is installed into its own folder."""
    if not spec.startswith(PYPI):
        return open_target(spec, Options())
    requirement, _, place = spec.removeprefix(PYPI).partition("#")
    module, _, name = place.partition(":")
    folder = fetch_release(requirement)
    code = (
        "import sys; "
        f"sys.path.insert(0, {str(folder)!r}); "
        f"sys.argv[1:] = [{module!r}, {name!r}]; "
        "from kassay.targets.conversation import main; main()"
    )
    target = open_command(spec, [sys.executable, "-c", code], Options())
    return replace(target, name=spec)


def fetch_release(requirement: str) -> Path:
    """Install a release without its dependencies; raises InputError if pip fails."""
    folder = cache_folder() / "pypi" / requirement
    if not folder.exists():
        half = folder.with_name(f"{folder.name}.half")
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--target",
            str(half),
            requirement,
        ]
        index = {**os.environ, "PIP_NO_INDEX": ""}  # old releases are in no lock
        ran = subprocess.run(command, capture_output=True, text=True, check=False, env=index)
        if ran.returncode:
            raise InputError(
                f"{requirement}: cannot be installed: {ran.stderr.strip()[-300:]}. Check the network"
            )
        half.rename(folder)
    return folder


def list_releases(exhibit: Exhibit) -> dict[str, str]:
    """Return the targets of an exhibit's assignor by version, oldest first; for a Python client only its two releases."""
    if exhibit.affected.startswith(PYPI):
        specs = (exhibit.affected, exhibit.fixed)
        return {spec.partition("==")[2].partition("#")[0]: spec for spec in specs}
    name = exhibit.affected.partition("#")[2]
    return {version: f"kafka:{version}#{name}" for version in KAFKA[name].versions()}
