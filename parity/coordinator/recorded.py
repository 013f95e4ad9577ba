"""Recorded sequences: a JSON line for each, with what was asked and what Kafka's coordinator did, of the group only what changed.

The first line of a file names the release. A step is `[asked, seen]`; in `seen`, a timer or member that is gone is null.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

FOLDER = Path(__file__).with_name("recorded")
FIELDS = ("type", "protocol", "leader")
"""What of a group may be null."""
BEGIN: dict[str, Any] = {"timers": {}, "group": None}


def path(release: str) -> Path:
    """Return the file of a release."""
    return FOLDER / f"{release}.jsonl"


def written(release: str, sequences: list[dict[str, Any]]) -> str:
    """Return the text of a file."""
    lines = [{"kafka": release, "sequences": len(sequences)}, *sequences]
    return "".join(json.dumps(line, separators=(",", ":"), sort_keys=True) + "\n" for line in lines)


@cache
def read(release: str) -> list[dict[str, Any]]:
    """Return the sequences of a file."""
    return [msgspec.json.decode(line) for line in path(release).read_bytes().splitlines()[1:]]


def ran(sequence: dict[str, Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return what was asked in each step, and all that was seen after it."""
    seen, steps = BEGIN, []
    for asked, told in sequence["steps"]:
        seen = {"replies": told.get("replies", []), "written": told.get("written", [])} | {
            part: _patched(seen[part], told[part]) if part in told else seen[part] for part in BEGIN
        }
        steps.append((asked, seen))
    return steps


def _patched(before: dict[str, Any] | None, told: dict[str, Any] | None) -> dict[str, Any] | None:
    if before is None or told is None:
        return told
    after = dict(before)
    for key, value in told.items():
        if value is None and key not in FIELDS:
            del after[key]
        elif isinstance(before.get(key), dict) and isinstance(value, dict):
            after[key] = _patched(before[key], value)
        else:
            after[key] = value
    return after


def changes(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Return what is seen after a step, without what was so before it."""
    told = {part: after[part] for part in ("replies", "written") if after[part]}
    return told | _changed({part: before[part] for part in BEGIN}, {part: after[part] for part in BEGIN})


def _changed(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {key: None for key in before if key not in after}
    for key, value in after.items():
        old = before.get(key)
        if key not in before or old != value:
            nested = isinstance(old, dict) and isinstance(value, dict)
            found[key] = _changed(old or {}, value) if nested else value
    return found
