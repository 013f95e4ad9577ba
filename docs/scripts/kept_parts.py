"""Generated parts that take minutes, and a record of the inputs from which each was made.

``docs/kept-parts.json`` has a hash of the inputs and of the text of each part. If both are the same, the part stays as it is.
Equal inputs give equal text: no output of kassay depends on the machine, the time or a hash seed.
"""

import json
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from platform import python_version_tuple

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "docs" / "kept-parts.json"
FOLDERS = ("src", "reference", "properties", "oracles", "reports", "grids", "docs/scripts")
KINDS = {".py", ".json", ".toml"}
SOLVERS = ("hypothesis", "msgspec", "pulp", "highspy", "ortools", "numpy", "google-re2")
"""Packages whose releases could change which groups are generated, or which of several optima is found; all of them are required ones."""


def hash_inputs(root: Path = ROOT) -> str:
    """Return a hash of a checkout's sources and grids, Python's release and the releases of solvers and generators."""
    found = sha256(".".join(python_version_tuple()[:2]).encode())
    for package in SOLVERS:
        found.update(f"{package} {version(package)}\n".encode())
    for folder in FOLDERS:
        for file in sorted(path for path in (root / folder).rglob("*") if path.suffix in KINDS):
            content = sha256(file.read_bytes()).hexdigest()
            found.update(f"{file.relative_to(root).as_posix()} {content}\n".encode())
    return found.hexdigest()


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
