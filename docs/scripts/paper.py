"""Make every figure and table of the results in one folder: ``python docs/scripts/paper.py [PART...] [--into FOLDER]``.

The folder is laid out as the checkout. A picture has its path there, and the tables of a page are in a folder with its name, as CSV, Markdown and LaTeX.
For each part, ``manifest.json`` has the command, the seed, the inputs, and the SHA-256 of each file. Equal code, inputs and packages give equal bytes.
Measured times, and what takes hours or other programs, come from stored records. Exit status 1: something differs from the checkout, or between two runs.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import distributions
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from paper_contents import PARTS, Part, find_items, hash_file
from paper_tables import write_tables

from kassay import __version__
from kassay.errors import InputError
from kassay.files.output import make_folder, write_whole
from kassay.files.writing import OWN, note_own, refuse_foreign

ROOT = Path(__file__).parents[2]
WRITTEN = ("README", "docs", "examples", "sweeps", "manifest.json")
"""The names of folders and files that are made."""
CODE = ("src", "reference", "properties", "oracles", "reports", "docs/scripts", "tests/simulation")


def make_paper(parts: Sequence[Part], into: Path) -> list[str]:
    """Make parts and the manifest in a folder, and return what differs from the checkout; raises InputError if others' files are there."""
    make_folder(into, "--into")
    refuse_foreign(into, WRITTEN, "--into")
    for name in (*WRITTEN, OWN):
        shutil.rmtree(into / name) if (into / name).is_dir() else (into / name).unlink(missing_ok=True)
    note_own(into, WRITTEN)
    items = find_items()
    made = {part.name: make_part(part, items, into) for part in parts}
    write_whole(into / "manifest.json", f"{json.dumps({**describe_code(), 'parts': made}, indent=1)}\n")
    return [name for each in made.values() for name in each["differs from the checkout"]]


def make_part(part: Part, items: Mapping[str, tuple[Path | None, str]], into: Path) -> dict[str, Any]:
    """Make one part, and return its entry of the manifest."""
    print(f"paper: {part.name}", file=sys.stderr)
    before, differ = {*list_files(into)}, list[str]()
    for item, text in part.make(into).items():
        page, shown = items[item]
        if page is None:
            write_whole(into / item, text)
        else:
            differ += [item] * (text != shown)
            write_tables(item, text, f"Made by {part.command}", into / page.with_suffix(""))
    files = [file for file in list_files(into) if file not in before]
    differ += [
        file for file in files if (ROOT / file).exists() and hash_file(ROOT / file) != hash_file(into / file)
    ]
    return {
        "command": part.command,
        "seed": part.seed,
        "stored": part.stored,
        "shows": part.shows,
        "inputs": {name: hash_file(ROOT / name) for name in part.inputs},
        "files": {name: hash_file(into / name) for name in files},
        "differs from the checkout": differ,
    }


def describe_code() -> Mapping[str, Any]:
    """Return the commit, a hash of the code as it is, and the releases of Python and of all installed packages."""
    asked = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    git = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    files = {file.resolve() for folder in CODE for file in (ROOT / folder).rglob("*.*") if file.is_file()}
    code = {str(file.relative_to(ROOT)): hash_file(file) for file in files if file.suffix != ".pyc"}
    return {
        "kassay": __version__,
        "commit": git.stdout.strip() or "no repository",
        "code": hash_file(json.dumps(code, sort_keys=True).encode()),
        "python": platform.python_version(),
        "packages": dict(sorted((one.name.lower(), one.version) for one in distributions())),
    }


def list_files(folder: Path) -> list[str]:
    """Return the names of all files in a folder, sorted."""
    return sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())


def compare_second_run(names: Sequence[str], into: Path) -> list[str]:
    """Make the same parts again, with another hash seed and elsewhere; return the files with other bytes."""
    with TemporaryDirectory() as made:
        again = Path(made) / "again"
        command = [sys.executable, __file__, *names, "--into", str(again)]
        ran = subprocess.run(command, check=False, env={**os.environ, "PYTHONHASHSEED": "1"})
        if ran.returncode not in (0, 1):
            raise SystemExit(f"paper: the second run ended with {ran.returncode}")
        first, second = ({name: hash_file(at / name) for name in list_files(at)} for at in (into, again))
        return sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))


def main() -> int:
    """Make what is asked for, and say what differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help="default: all that take no hours")
    parser.add_argument("--into", type=Path, default=ROOT / "build" / "paper", metavar="FOLDER")
    parser.add_argument("--quick", action="store_true", help="only what takes seconds, twice")
    parser.add_argument("--twice", action="store_true", help="make everything again, and compare the bytes")
    parser.add_argument(
        "--whole", action="store_true", help="also sweep the grids of a million groups (hours)"
    )
    args = parser.parse_args()
    takes = {"seconds"} if args.quick else {"seconds", "minutes"} | ({"hours"} if args.whole else set())
    if unknown := set(args.parts) - {part.name for part in PARTS}:
        parser.error(
            f"there is no part {min(unknown)!r}. Choose from {', '.join(part.name for part in PARTS)}."
        )
    parts = [part for part in PARTS if (part.name in args.parts if args.parts else part.takes in takes)]
    try:
        differ = make_paper(parts, args.into)
    except InputError as wrong:
        parser.error(str(wrong))
    names = [part.name for part in parts]
    unequal = compare_second_run(names, args.into) if args.twice or args.quick else []
    print(f"{len(parts)} parts, {len(list_files(args.into))} files: {args.into / 'manifest.json'}")
    for name in differ:
        print(f"differs from the checkout: {name}")
    for name in unequal:
        print(f"differs between two runs: {name}")
    return 1 if differ or unequal else 0


if __name__ == "__main__":
    raise SystemExit(main())
