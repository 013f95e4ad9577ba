"""Generated parts that take minutes, and a record of the inputs from which each was made.

``docs/kept-parts.json`` has a hash of the inputs and of the text of each part. If both are the same, the part stays as it is.
Equal inputs give equal text: no output of kassay depends on the machine, the time or a hash seed.
"""

import ast
import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from platform import python_version_tuple

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "docs" / "kept-parts.json"
FOLDERS = {
    "src/kassay": "kassay", "reference": "kassay.reference", "properties": "kassay.properties",
    "oracles": "kassay.oracles", "reports": "kassay.reports",
}  # fmt: skip
"""Folder of the product -> the package that it is; a checkout links the later ones into the first."""
SCRIPTS = ("docs/scripts/generate.py", "docs/scripts/judged.py", "docs/scripts/shares.py")
"""The scripts that make the parts."""
DATA = {".json", ".toml"}
SOLVERS = ("hypothesis", "msgspec", "pulp", "highspy", "ortools", "numpy", "google-re2")
"""Packages whose releases could change which groups are generated, or which of several optima is found; all of them are required ones."""


def hash_inputs(root: Path = ROOT) -> str:
    """Return a hash of what the parts are made from.

    That is the scripts, the modules that they need, data in their folders, grids, and the releases of Python, solvers and generators.
    """
    found = sha256(".".join(python_version_tuple()[:2]).encode())
    for package in SOLVERS:
        found.update(f"{package} {version(package)}\n".encode())
    for file in find_inputs(root):
        content = sha256(file.read_bytes()).hexdigest()
        found.update(f"{file.relative_to(root).as_posix()} {content}\n".encode())
    return found.hexdigest()


def find_inputs(root: Path = ROOT) -> list[Path]:
    """Return the files of a checkout that the parts are made from, sorted."""
    scripts = [root / script for script in SCRIPTS if (root / script).exists()]
    modules = find_needed(scripts, list_modules(root))
    places = [root / "grids", *{file.parent for file in modules}]
    data = {file for place in places for file in place.glob("*") if file.suffix in DATA}
    return sorted({*scripts, *modules, *data})


def list_modules(root: Path) -> dict[str, Path]:
    """Return the file of each module of the product by its name."""
    found = {}
    for folder, package in FOLDERS.items():
        for file in (root / folder).rglob("*.py"):
            parts = file.relative_to(root / folder).with_suffix("").parts
            name = ".".join((package, *parts)).removesuffix(".__init__")
            found[name] = file
    return found


def find_needed(files: Iterable[Path], modules: Mapping[str, Path]) -> set[Path]:
    """Return the modules that files import in the end, anywhere in them, or name as text, with the packages that they are in."""
    found: set[Path] = set()
    waiting = {name for file in files for name in _list_names(file) & modules.keys()}
    while waiting:
        name = waiting.pop()
        if modules[name] not in found:
            found.add(modules[name])
            waiting |= {*_list_names(modules[name]), name.rpartition(".")[0]} & modules.keys()
    return found


def _list_names(file: Path) -> set[str]:
    """Return what a file imports, and all texts in it up to a colon: `MODULE:FUNCTION` is imported when it is asked for."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}", *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.add(node.value.partition(":")[0])
    return names


def is_fresh(name: str, inputs: str, text: str) -> bool:
    """Return True if a part with this text was made from these inputs."""
    return _read_record().get(name) == _compute_hashes(inputs, text)


def keep(name: str, inputs: str, text: str) -> None:
    """Record that a part with this text was made from these inputs."""
    kept = {**_read_record(), name: _compute_hashes(inputs, text)}
    RECORD.write_text(f"{json.dumps(kept, indent=1, sort_keys=True)}\n", encoding="utf-8")


def _read_record() -> dict[str, dict[str, str]]:
    return dict(json.loads(RECORD.read_text(encoding="utf-8"))) if RECORD.exists() else {}


def _compute_hashes(inputs: str, text: str) -> dict[str, str]:
    return {"inputs": inputs, "text": sha256(text.encode()).hexdigest()}
