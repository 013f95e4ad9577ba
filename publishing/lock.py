"""Pin all dependencies by hash: ``pip install uv && python publishing/lock.py`` writes publishing/locks; ``--check`` says which lock is stale.

Each lock holds for every Python and platform. Its first line has a digest of the requirements that it was made of, by which a
test finds without a network that pyproject.toml has changed since.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PYTHON = "3.11"
"""The oldest Python that kassay runs on."""
EVERY = ("--all-extras",)
LOCKS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "all": (EVERY, ("pyproject.toml", "publishing/tools.in", "publishing/build.in")),
    "run": ((), ("pyproject.toml",)),
    "reports": (("reports", "wire", "java"), ("pyproject.toml",)),
    "build": ((), ("publishing/build.in",)),
}
"""Name of a lock -> the extras of pyproject.toml that it has, and the files of requirements that it is made of.

The first lock has everything; the others have parts of it, in the same versions.
"""
DIGEST = "# made by publishing/lock.py of requirements with the digest "


def path_of(name: str) -> Path:
    """Return the file of a lock."""
    return ROOT / "publishing" / "locks" / f"{name}.txt"


def compute_digest(name: str, root: Path = ROOT) -> str:
    """Return the digest of all requirements that a lock is made of."""
    extras, files = LOCKS[name]
    stated: list[Any] = [PYTHON]
    for file in files:
        text = (root / file).read_text(encoding="utf-8")
        if file.endswith(".toml"):
            project = tomllib.loads(text)["project"]
            optional = project["optional-dependencies"]
            chosen = {
                extra: optional[extra]
                for extra in (optional if extras == EVERY else _expand(extras, optional))
            }
            stated.append([project["requires-python"], project["dependencies"], chosen])
        else:
            stated.append([line for line in text.splitlines() if line and not line.startswith("#")])
    return hashlib.sha256(json.dumps(stated, sort_keys=True).encode()).hexdigest()


def _expand(extras: tuple[str, ...], optional: Mapping[str, list[str]]) -> list[str]:
    """Return some extras and those that they include, such as pages of reports."""
    found = dict.fromkeys(extras)
    for extra in extras:
        for line in optional[extra]:
            if line.startswith("kassay["):
                found |= dict.fromkeys(_expand(tuple(line[len("kassay[") : -1].split(",")), optional))
    return list(found)


def find_stale(root: Path = ROOT) -> list[str]:
    """Return the names of the locks that were made of other requirements than stand there now."""
    stale = []
    for name in LOCKS:
        lock = root / path_of(name).relative_to(ROOT)
        first = lock.read_text(encoding="utf-8").partition("\n")[0] if lock.exists() else ""
        if first != DIGEST + compute_digest(name, root):
            stale.append(name)
    return stale


def write_lock(name: str, *, upgrade: bool) -> None:
    """Make a lock, with the versions that it has already if they still fit."""
    extras, files = LOCKS[name]
    chosen = EVERY if extras == EVERY else tuple(word for extra in extras for word in ("--extra", extra))
    lock = path_of(name)
    lock.parent.mkdir(exist_ok=True)
    within = [] if name == "all" else ["--constraint", str(path_of("all").relative_to(ROOT))]
    command = [
        "uv", "pip", "compile", "-q", "--universal", "--python-version", PYTHON, "--generate-hashes", "--no-header", "--no-annotate",
        *chosen, *within, *["--upgrade"] * upgrade, *files, "-o", str(lock.relative_to(ROOT)),
    ]  # fmt: skip
    subprocess.run(command, cwd=ROOT, check=True)
    lock.write_text(f"{DIGEST}{compute_digest(name)}\n{lock.read_text(encoding='utf-8')}", encoding="utf-8")


def main() -> int:
    """Write the locks, or say with ``--check`` which are stale: 1 if one is."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"lock to write: {', '.join(LOCKS)}; default: all"
    )
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions that fit")
    parser.add_argument(
        "--check", action="store_true", help="write nothing, and name the locks that are stale"
    )
    options = parser.parse_args()
    if options.check:
        stale = find_stale()
        for name in stale:
            print(
                f"{path_of(name).relative_to(ROOT)}: is stale. Run: pip install uv && python publishing/lock.py {name}"
            )
        return int(bool(stale))
    unknown = [name for name in options.names if name not in LOCKS]
    if unknown:
        parser.error(f"there is no lock {unknown[0]}; use {', '.join(LOCKS)}")
    for name in options.names or LOCKS:
        write_lock(name, upgrade=options.upgrade)
    return 0


if __name__ == "__main__":
    sys.exit(main())
