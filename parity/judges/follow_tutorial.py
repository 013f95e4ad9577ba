"""Follow fixtures/TUTORIAL.md as a stranger, in each language: ``python parity/judges/follow_tutorial.py [LANGUAGE...]``.

In an empty folder with a copy of fixtures/ the files of the page are written and its commands run: the first run fails what the page's assignor breaks, and
nothing else; with these lines as known failures the second one is green. Status 1 where it is otherwise.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "fixtures" / "TUTORIAL.md").read_text()
FILE = re.compile(r"^`([\w.-]+)`:\n\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMANDS = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
BROKEN = ("0001", "0038", "0039", "0087", "0088", "0127")
"""The cases in which a range that rounds up is less even than it can be."""


def languages() -> dict[str, str]:
    """Return the parts of the page that have commands, by language."""
    parts = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
    return {part.partition("\n")[0]: part for part in parts if COMMANDS.search(part)}


def follow(part: str, folder: Path) -> tuple[int, int]:
    """Do what a part says, with nothing known and with what is broken known: the status of both runs."""
    shutil.copytree(
        ROOT / "fixtures", folder / "kafka-fixtures", ignore=shutil.ignore_patterns("proofs", "target")
    )
    for name, text in FILE.findall(part):
        (folder / name).write_text(text)
    (commands,) = COMMANDS.findall(part)
    lines = "".join(f"range consumer-{number} per_topic\n" for number in BROKEN)
    statuses = []
    for known in ("", lines):
        (folder / "known-failures.txt").write_text(known)
        ended = subprocess.run(
            ["bash", "-e", "-c", commands], cwd=folder, capture_output=True, text=True, check=False
        )
        said = ended.stdout + ended.stderr
        missing = [number for number in BROKEN if f"consumer-{number}" not in said and not known]
        if missing or (known and ended.returncode):
            print(said[-3000:])
        statuses.append(2 if missing else ended.returncode)
    return statuses[0], statuses[1]


def main() -> int:
    """Run from the command line."""
    every = languages()
    good = True
    for name in sys.argv[1:] or every:
        with tempfile.TemporaryDirectory() as folder:
            first, second = follow(every[name], Path(folder))
        kept = first not in (0, 2) and second == 0
        print(f"{name}: {len(BROKEN)} checks fail, and once they are known the build is green" if kept else f"{name}: ends with {first}, then with {second}")  # fmt: skip
        good = good and kept
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
