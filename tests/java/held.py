"""What is held against what, and on which groups."""

import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from kassay.differential import CHUNK, Source, generated
from kassay.family import Assign, Family

sys.path.insert(0, str(Path(__file__).parents[1] / "kafka"))
import random_groups

PAIRS: Sequence[tuple[str, str]] = [
    (f"kafka:{version}#{name}", name)
    for name, oldest in (
        ("consumer/range", "3.5.0"),
        ("consumer/roundrobin", "2.4.0"),
        ("consumer/sticky", "3.7.1"),
        ("consumer/cooperative-sticky", "3.7.1"),
    )
    for version in ("4.4.0", oldest)
]
"""Each reference with the newest release and the oldest that behaves alike."""


def hostile(seed: int) -> Source:
    """Take random groups that are as hostile as names and claims can be."""

    def chunk(_family: Family, _assign: Assign, number: int) -> list[Any]:
        return list(islice(random_groups.groups(seed + (number << 64)), CHUNK))

    return chunk


SOURCES = {"generated": generated, "hostile": hostile}
