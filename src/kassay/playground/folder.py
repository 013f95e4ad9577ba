"""The folder of the playground: its page, and the presets with their answers."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kassay.errors import InputError
from kassay.files.output import make_folder, write_whole
from kassay.files.texts import read_text
from kassay.files.writing import note_own, refuse_foreign
from kassay.playground.bridge import answer, read

HERE = Path(__file__).parent
PAGE = ("index.html", "play.css", "worker.js", "engine.js", "state.js", "drawing.js", "hands.js")
OPTION = "--out"
"""The option of the folder on a command line."""


def list_presets() -> list[dict[str, Any]]:
    """Return the presets with their groups; of a listing the group that it shows."""
    made: list[dict[str, Any]] = json.loads((HERE / "presets.json").read_text())
    for preset in made:
        if "listing" in preset:
            preset.update(json.loads(read(json.dumps({"text": preset["listing"]}))))
    return made


def answer_request(preset: Mapping[str, Any]) -> dict[str, Any]:
    """Return a preset with the answers to its group, as the page's engine would give them."""
    asked = {"group": preset["group"], "kafka": preset.get("kafka", "")}
    return {name: value for name, value in preset.items() if name != "listing"} | {
        "answer": json.loads(answer(json.dumps(asked)))
    }


def read_given(path: str) -> dict[str, Any]:
    """Return a file's group, with its answers, as a preset of the user's own; raises InputError naming file and field."""
    name = Path(path).name if path != "-" else "standard input"
    found = json.loads(read(json.dumps({"text": read_text(path), "name": name})))
    if "error" in found:
        raise InputError(found["error"], found["copy"])
    return answer_request({"id": "yours", "name": name, "given": True, **found})


def write_page(folder: Path, more: Sequence[Mapping[str, Any]] = ()) -> None:
    """Write all but the engine into a folder: the page, and presets with their answers, `more` before kassay's own; raises InputError where it may not."""
    written = [*PAGE, "presets.js"]
    refuse_foreign(make_folder(folder, OPTION), written, OPTION)
    note_own(folder, written)
    for name in PAGE:
        write_whole(folder / name, (HERE / "page" / name).read_bytes())
    every = [*more, *map(answer_request, list_presets())]
    write_whole(folder / "presets.js", f"kassayPresets={json.dumps(every, separators=(',', ':'))}\n")
