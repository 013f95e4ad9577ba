"""The jars kassay itself names, by SHA-256: what jars.sha256 lists, in the form that ``sha256sum --check`` reads.

``python publishing/pinning.py`` prints the lines for more of them.
"""

from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("jars.sha256")


@cache
def digests() -> dict[str, str]:
    """Return the SHA-256 of every pinned jar by its path in a repository."""
    lines = FILE.read_text(encoding="ascii").splitlines()
    return {path: digest for digest, _, path in (line.partition("  ") for line in lines)}


def versions(group: str, artifact: str) -> list[str]:
    """Return the pinned versions of an artifact, oldest first."""
    start = f"{group.replace('.', '/')}/{artifact}/"
    found = [path.split("/")[-2] for path in digests() if path.startswith(start)]
    return sorted(found, key=lambda version: [int(number) for number in version.split(".")])
