"""Open released assignors: Kafka's from Maven Central, Python clients' from the Python Package Index."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from kassay.errors import InputError
from kassay.targets import Options, Target, open_target
from kassay.targets.maven.repository import cache_folder
from kassay.targets.program import open_command

PYPI = "pypi:"


def opened(spec: str) -> Target:
    """Open a target, or ``pypi:PROJECT==VERSION#MODULE:CLASS``: a class of a release, installed into a folder of its own."""
    if not spec.startswith(PYPI):
        return open_target(spec, Options())
    requirement, _, place = spec.removeprefix(PYPI).partition("#")
    module, _, name = place.partition(":")
    folder = installed(requirement)
    code = (
        "import sys; "
        f"sys.path.insert(0, {str(folder)!r}); "
        f"sys.argv[1:] = [{module!r}, {name!r}]; "
        "from kassay.targets.conversation import main; main()"
    )
    target = open_command(spec, [sys.executable, "-c", code], Options())
    return replace(target, name=spec)


def installed(requirement: str) -> Path:
    """Install a release without its dependencies; raises InputError where that fails."""
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
            raise InputError(f"{requirement}: cannot be installed: {ran.stderr.strip()[-300:]}")
        half.rename(folder)
    return folder
