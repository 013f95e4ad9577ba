"""Maven coordinates: how an artifact is named, and where a repository keeps its jar.

The jars kassay itself names, by SHA-256: what jars.sha256 lists, in the form that ``sha256sum --check`` reads.

``python publishing/pinning.py`` prints the lines for more of them.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

from kassay.errors import InputError

_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")


@dataclass(frozen=True, slots=True)
class Coordinate:
    """An artifact of one version; prints as ``group:artifact:version``."""

    group: str
    artifact: str
    version: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``GROUP:ARTIFACT:VERSION``; raises InputError where it is none."""
        parts = text.split(":")
        if len(parts) != 3 or not all(_PART.fullmatch(part) for part in parts):
            raise InputError(
                f"{text!r} is no coordinate; write GROUP:ARTIFACT:VERSION, as in org.apache.kafka:kafka-clients:4.4.0"
            )
        return cls(*parts)

    def __str__(self) -> str:
        return f"{self.group}:{self.artifact}:{self.version}"

    @property
    def path(self) -> str:
        """Where repositories of Maven's layout keep the jar."""
        return f"{self.group.replace('.', '/')}/{self.artifact}/{self.version}/{self.artifact}-{self.version}.jar"


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
