"""What is held against what, and on which groups."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from kassay.comparison.differential import CHUNK, Source, generated
from kassay.family import Family
from kassay.reference.releases import behaviours
from kassay.shape import Assign
from kassay.targets.java.opening import KAFKA

sys.path.insert(0, str(Path(__file__).parents[1] / "kafka"))
import random_timelines


@dataclass(frozen=True)
class Held:
    """A reference, and the classes it is held against: those of the first and the last release that behave so."""

    reference: str
    classes: tuple[str, ...]

    @property
    def file_name(self) -> str:
        """A file name of its own."""
        return self.reference.partition("/")[2]


def _held(name: str) -> Sequence[Held]:
    return [
        Held(
            f"{name}@{behaviour.releases[-1]}",
            tuple(
                dict.fromkeys(
                    f"kafka:{release}#{name}" for release in (behaviour.releases[0], behaviour.releases[-1])
                )
            ),
        )
        for behaviour in reversed(behaviours(name))
    ]


HELD: Sequence[Held] = sorted(
    (held for name in KAFKA for held in _held(name)),
    key=lambda held: [-int(part) for part in held.reference.partition("@")[2].split(".")],
)
"""Every behaviour of every assignor, newest first."""


def one_identity_hash() -> None:
    """Let Java machines started from now on give all objects one identity hash.

    Java orders partitions by it where nine or more share a slot and a hash in a table; otherwise it differs each time.
    """
    os.environ["JAVA_TOOL_OPTIONS"] = "-XX:+UnlockExperimentalVMOptions -XX:hashCode=2"


def hostile(seed: int) -> Source:
    """Take random groups, hostile ones and such as an assignor may have led to."""

    def chunk(_family: Family, _assign: Assign, number: int) -> list[Any]:
        return list(islice(random_timelines.stream(seed + (number << 64)), CHUNK))

    return chunk


SOURCES = {"hostile": hostile, "generated": generated}
