"""Put the playground into a folder: page and presets, and the engine, of the npm package pyodide and the wheel of msgspec for it (needs Node.js).

`python -m kassay.playground.assemble PYODIDE_FOLDER MSGSPEC_WHEEL FOLDER`. Each part of the engine becomes a script that hands over base64 of
it: scripts load from file:// too, where fetch, modules and workers do not.
"""

import base64
import gzip
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from kassay.errors import InputError
from kassay.playground.folder import HERE, list_presets, write_page

PARTS = ("pyodide.asm.wasm", "pyodide.asm.mjs", "pyodide.mjs")
ABSENT = (
    "numpy",
    "ortools",
    "highspy",
    "pulp",
    "hypothesis",
    "rich",
    "junitparser",
    "numba",
    "scipy",
    "pandas",
    "re2",
)
"""Packages that kassay needs elsewhere and a browser does not have."""
MODULES = f"""
import json, sys
sys.modules |= dict.fromkeys({ABSENT!r})
from kassay.playground.bridge import QUESTIONS
for question, text in json.load(sys.stdin):
    QUESTIONS[question](text)
known = {{name: module.__file__ for name, module in sys.modules.items() if name.partition(".")[0] == "kassay"}}
print(json.dumps(known))
"""


def questions() -> list[tuple[str, str]]:
    """Return what is asked while the engine is made, so that all that answers need is in it."""
    texts = ["neither", "{}", '{"topics": 1, "members": []}']
    asked = []
    for preset in list_presets():
        texts.append(preset.get("listing") or json.dumps(preset["group"]))
        group = {"group": preset["group"], "kafka": preset.get("kafka", "")}
        asked += [
            ("answer", json.dumps(group)),
            ("answer", json.dumps(group | {"late": ["best", "sticky"]})),
            ("roll", json.dumps(group)),
        ]
    return asked + [("read", json.dumps({"text": text})) for text in texts]


def sources(asked: list[tuple[str, str]]) -> dict[str, Path]:
    """Return the files of kassay that these questions need, by their place in the package; tells also that they need nothing that a browser lacks."""
    done = subprocess.run(
        [sys.executable, "-c", MODULES], input=json.dumps(asked), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"the bridge needs what a browser does not have:\n{done.stderr}")
    known: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    files = {name.replace(".", "/"): Path(file) for name, file in known.items()}
    found = {
        f"{at}/{file.name}" if file.name == "__init__.py" else f"{at}.py": file for at, file in files.items()
    }
    return found | {"kassay/engine/known_defects.json": HERE.parent / "engine" / "known_defects.json"}


def assemble(pyodide: Path, msgspec: Path, folder: Path) -> None:
    """Write page, presets and engine into a folder."""
    write_page(folder)
    engine = folder / "engine"
    engine.mkdir(parents=True, exist_ok=True)
    for old in engine.iterdir():
        old.unlink()
    asked = questions()
    with TemporaryDirectory() as name:
        made = Path(name)
        with zipfile.ZipFile(made / "source.zip", "w") as zipped:
            for place, file in sorted(sources(asked).items()):
                zipped.writestr(zipfile.ZipInfo(place), file.read_bytes())
        (made / "asked.json").write_text(json.dumps(asked))
        arguments = [pyodide, msgspec, made / "source.zip", made / "asked.json", made]
        subprocess.run(["node", HERE / "engine.mjs", *arguments], check=True)  # noqa: S607 - whichever Node.js there is
        parts = {part: pyodide / part for part in PARTS} | {"msgspec.whl": msgspec}
        parts |= {part: made / part for part in ("stdlib.zip", "kassay.zip", "snapshot.bin")}
        for part, file in parts.items():
            packed = base64.b64encode(gzip.compress(file.read_bytes(), 9, mtime=0)).decode()
            (engine / f"{part}.js").write_text(f'kassayPart("{part}","{packed}")\n')
    info = json.loads((pyodide / "pyodide-lock.json").read_text())["info"]
    known = {"scripts": [f"engine/{part}.js" for part in parts], "lock": {"info": info, "packages": {}}}
    (engine / "parts.js").write_text(f"kassayEngine={json.dumps(known)}\n")
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    print(f"{folder}: {size / 1e6:.1f} MB. Open {folder / 'index.html'}")


if __name__ == "__main__":
    try:
        assemble(*map(Path, sys.argv[1:4]))
    except InputError as wrong:
        raise SystemExit(f"assemble: {wrong}") from None
