"""Recorded sequences of Kafka's members: a gzipped JSON file for each release, by seed, with what was asked and what was seen in each step."""

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

from beside_kafka import ENDED, drawn, plain

from kassay.protocol.simulation.standalone_member import StandaloneMember

FOLDER = Path(__file__).with_name("recorded")
RELEASES = ("3.9.2", "4.1.2", "4.4.0")
"""Releases whose own member ours is held against."""
SEED = "recorded"


def path(release: str) -> Path:
    """Return the file of a release."""
    return FOLDER / f"{release}.json.gz"


def keep(release: str, sequences: dict[str, Any]) -> None:
    """Write what Kafka's member did in each step of sequences, by their seeds."""
    FOLDER.mkdir(exist_ok=True)
    text = json.dumps(
        {
            seed: {"settings": drawn(seed, 0)[0], "steps": [step for step in steps if step != ENDED]}
            for seed, steps in sequences.items()
        },
        separators=(",", ":"),
    )
    path(release).write_bytes(gzip.compress(text.encode(), 9, mtime=0))


@cache
def read(release: str) -> dict[str, Any]:
    """Return the sequences of a release."""
    found: dict[str, Any] = json.loads(gzip.decompress(path(release).read_bytes()))
    return found


def differs(sequence: dict[str, Any], step: Any = None) -> list[Any] | None:
    """Return the first step in which our member, or one with another step, does something else: what was asked, ours and Kafka's."""
    alone = StandaloneMember(sequence["settings"], step)
    for asked, kafka in sequence["steps"]:
        if asked["do"] == "answer" and asked["kind"] not in alone.list_open_kinds():
            return [asked, "nothing of the kind is open", kafka]
        ours = plain(alone.take(asked), asked)
        if ours != kafka:
            return [asked, ours, kafka]
    return None
