"""Recordings: run cases against a checkout and write down exit status, output and written files as text.

Each case runs in a new folder that holds copies of the inputs it names, under their paths in this repository.
Both checkouts read the same inputs: the files of the repository that this module belongs to.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from recorded_set.cases import Case, find_inputs
from recorded_set.normalisation import clean_text

LIMIT = 120
"""The seconds that a command line may take."""
SEED = "1"
"""The value of KASSAY_SEED."""
IGNORED = frozenset({"__pycache__"})
"""Folders whose files are not answers."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """A checkout whose command line is run."""

    root: Path
    python: Path
    """The Python that has the dependencies of kassay."""
    hash_seed: str
    """The value of PYTHONHASHSEED; the answers must not depend on it."""
    version: str
    """The version that kassay prints."""


def open_checkout(root: Path, python: Path | None, hash_seed: str) -> Checkout:
    """Return the checkout after a test that its own source is what runs; exit with a message if it is not."""
    root = root.resolve()
    own = root / ".venv" / "bin" / "python"
    chosen = python.absolute() if python else own if own.exists() else Path(sys.executable)
    ask = "import kassay; print(kassay.__file__); print(kassay.__version__)"
    found = subprocess.run(
        [chosen, "-c", ask], env=build_environment(root), capture_output=True, text=True, check=False, cwd="/"
    )
    file, _, version = found.stdout.strip().partition("\n")
    if found.returncode or not Path(file).resolve().is_relative_to(root):
        sys.exit(
            f"{root}: {chosen} does not run the source of this checkout. Give another Python.\n{found.stderr}"
        )
    return Checkout(root, chosen, hash_seed, version)


def build_environment(root: Path) -> dict[str, str]:
    """Return the environment of every command: fixed settings and nothing of the caller but PATH."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "PYTHONPATH": str(root / "src"),
        "KASSAY_SEED": SEED,
        "COLUMNS": "80",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }


def record_case(case: Case, checkout: Checkout) -> str:
    """Return the recording of a case: for each command line exit status and output, then the written files."""
    with tempfile.TemporaryDirectory(prefix="recorded-set-") as temporary:
        place = Path(temporary).resolve()
        folder, home = place / "case", place / "home"
        for each in (folder, home, place / "bin"):
            each.mkdir()
        copy_inputs(case, folder)
        before = read_files(folder)
        environment = build_environment(checkout.root) | {
            "PATH": os.pathsep.join([str(write_launcher(place / "bin", checkout)), os.environ["PATH"]]),
            "HOME": str(home),
            "TMPDIR": str(place),
            "PYTHONHASHSEED": checkout.hash_seed,
        }
        parts = [run_line(line, folder, environment) for line in case.lines]
        parts += [
            describe_file(name, data) for name, data in read_files(folder).items() if before.get(name) != data
        ]
        return clean_text("\n".join(parts), checkout.root, checkout.python, place, checkout.version)


def copy_inputs(case: Case, folder: Path) -> None:
    """Copy each file or folder that a command line names, to the same path below the folder."""
    for word, source in find_inputs(case).items():
        target = folder / word
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        else:
            shutil.copyfile(source, target)


def write_launcher(folder: Path, checkout: Checkout) -> Path:
    """Write the programs ``kassay`` and ``python3`` of the checkout into a folder of PATH, and return the folder."""
    for name, words in (("kassay", "-m kassay "), ("python3", "")):
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec "{checkout.python}" {words}"$@"\n')
        program.chmod(0o755)
    return folder


def run_line(line: str, folder: Path, environment: dict[str, str]) -> str:
    """Run one shell line and return its exit status and output."""
    try:
        done = subprocess.run(
            ["bash", "-c", line], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=LIMIT, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"$ {line}\nno answer within {LIMIT} s\n"
    stdout, stderr = (each.decode(errors="backslashreplace") for each in (done.stdout, done.stderr))
    return f"$ {line}\nexit {done.returncode}\n--- stdout\n{stdout}\n--- stderr\n{stderr}"


def read_files(folder: Path) -> dict[str, bytes]:
    """Return the content of every file below the folder, by its path there."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and not IGNORED & set(path.parts))
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def describe_file(name: str, data: bytes) -> str:
    """Return a written file as text; of a binary file its size and the start of its SHA-256."""
    try:
        return f"--- file {name}\n{data.decode()}"
    except UnicodeDecodeError:
        return f"--- file {name}\nbinary, {len(data)} bytes, {hashlib.sha256(data).hexdigest()[:16]}"


def count_commands(cases: Iterable[Case]) -> int:
    """Return how often the cases call kassay."""
    return sum(len(case.subcommands) for case in cases)
