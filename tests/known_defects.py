"""The known defects: for each exception to a promise the smallest group found that needs it, in known_defects.json."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from kassay.assignors import ASSIGNORS
from kassay.families import family


class Defect(NamedTuple):
    """An assignor breaks a property in a situation, as a group shows in which no other exception is met."""

    assignor: str
    property: str
    term: str
    group: Any

    def __str__(self) -> str:
        return f"{self.assignor} {self.property} {self.term}"


def defects() -> list[Defect]:
    """Read them all."""
    entries: list[dict[str, Any]] = json.loads(
        (Path(__file__).parent / "reference" / "known_defects.json").read_text()
    )
    return [
        Defect(**entry | {"group": _group(ASSIGNORS[entry["assignor"]].family, entry["group"])})
        for entry in entries
    ]


def _group(name: str, data: dict[str, Any]) -> Any:
    return family(name).shape.read_group({"family": name} | data)
