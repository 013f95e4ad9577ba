"""Maven coordinates: how an artifact is named, and where a repository keeps its jar."""

import re
from dataclasses import dataclass
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
