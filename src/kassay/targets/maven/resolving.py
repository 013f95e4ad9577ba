"""Resolving coordinates with all they need at run time.

By Maven's own resolver (MIMA: 3.9 MB, 0.4 s of CPU a run once the jars are in the user's local repository), since only
that does all that Maven settings can say. Measured against it: jgo 3.2 reads no settings and lets a wrong checksum pass
with a warning; Maven itself is not on every machine; its Toolbox is 17 MB.
"""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from kassay.errors import InputError, TargetGoneError
from kassay.targets.maven.compiling import compiled, find_java
from kassay.targets.maven.coordinate import Coordinate
from kassay.targets.maven.fetching import Network, allows_http, fetched, network, with_login

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


def resolved(coordinates: Sequence[Coordinate]) -> list[Path]:
    """Return the jars of coordinates and of their runtime dependencies, from the user's local Maven repository.

    What is missing there is fetched into it and verified by the checksums of the repository. Raises InputError where there
    is no such artifact or a checksum differs, and TargetGoneError where the repository cannot be reached.
    """
    jars = [compiled([SOURCE], RESOLVER), *map(fetched, RESOLVER)]
    # Java takes the home from the system's list of users, not from HOME.
    command = find_java().command(jars, f"-Duser.home={Path.home()}", "kassay.Resolve")
    asked = _asked(coordinates, network())
    try:
        answer = subprocess.run(
            command, input=asked, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise TargetGoneError(f"{coordinates[0]}: was not fetched within {TIMEOUT_S:g} seconds") from None
    if answer.returncode:
        said = [line for line in answer.stderr.splitlines() if not line.startswith(JAVAS_OWN)]
        kind = InputError if answer.returncode == WRONG else TargetGoneError
        raise kind(said[0] if said else f"the resolver ended with exit status {answer.returncode}")
    return [Path(line) for line in answer.stdout.splitlines()]


def _asked(coordinates: Sequence[Coordinate], reached: Network) -> str:
    asked = {"coordinates": " ".join(map(str, coordinates))}
    if allows_http():
        asked["http"] = "allowed"
    if "url" in reached.chosen:
        asked["repository"] = with_login(reached)
    if "proxy" in reached.chosen and reached.proxy is not None:
        asked |= {"proxy": reached.proxy, "direct": "|".join(reached.direct)}
    return "".join(f"{key}={value}\n".replace("\\", "\\\\") for key, value in asked.items())
