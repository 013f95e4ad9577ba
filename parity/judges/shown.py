"""Run the adapters that fixtures/TUTORIAL.md shows, each with a range assignor of its language in a folder of its own, as an adopter would.

    python parity/judges/shown.py [LANGUAGE...]

Each has to pass; with a known failure that passes, or that nothing checks, it has to fail. The assignors stand in mine/.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
MINE = Path(__file__).parent / "mine"
FIXTURES = ROOT / "fixtures"


@dataclass(frozen=True)
class Shown:
    """The heading in TUTORIAL.md, where the adapter goes, what is copied beside it, and what runs it."""

    heading: str
    file: str
    commands: Sequence[Sequence[str]]


SHOWN: Mapping[str, Shown] = {
    "go": Shown("Go", "fixtures_test.go", [["go", "test", "."]]),
    "js": Shown("JavaScript", "fixtures.test.mjs", [["node", "--test", "fixtures.test.mjs"]]),
    "java": Shown("Java", "src/test/java/FixturesTest.java", [["mvn", "-q", "test"]]),
    "rust": Shown("Rust", "tests/fixtures.rs", [["cargo", "test", "-q", "--test", "fixtures"]]),
    "python": Shown(
        "Python", "test_fixtures.py", [["pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "."]]
    ),
    "c": Shown(
        "C", "fixtures_test.c",
        [
            ["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-I", "fixtures", "fixtures_test.c", "mine.c", "-o", "fixtures_test"],
            ["./fixtures_test"],
        ],
    ),
}  # fmt: skip


def code(heading: str) -> str:
    """Return the code below a heading of TUTORIAL.md."""
    text = (FIXTURES / "TUTORIAL.md").read_text()
    (found,) = re.findall(rf"^### {heading}\n(?:(?!^#).)*?```\w+\n(.*?)```", text, re.DOTALL | re.MULTILINE)
    return found


def passes(shown: Shown, folder: Path) -> tuple[bool, str]:
    """Run the commands of an adapter; False where one fails, and what was printed."""
    said = ""
    for command in shown.commands:
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        said += ran.stdout + ran.stderr
        if ran.returncode:
            return False, said
    return True, said


def wrong(language: str, folder: Path) -> str:
    """Say what is wrong with the adapter that TUTORIAL.md shows for a language, "" where nothing is."""
    shown = SHOWN[language]
    shutil.copytree(MINE / language, folder)
    shutil.copytree(FIXTURES, folder / "fixtures", ignore=shutil.ignore_patterns("target", "proofs"))
    for name in ("kassay_fixtures.py", "consumer.json") if language == "python" else ():
        shutil.copy(FIXTURES / name, folder)
    adapter, known = folder / shown.file, folder / "known-failures.txt"
    adapter.parent.mkdir(parents=True, exist_ok=True)
    adapter.write_text(code(shown.heading))
    known.write_text("# nothing fails\n")
    fine, said = passes(shown, folder)
    if not fine:
        return f"fails: {said[-3000:]}"
    for line, word in (
        ("range consumer-0001 per_topic", "passes now"),
        ("range consumer-0001 nothing", "consumer-0001 nothing"),
    ):
        known.write_text(f"{line}\n")
        fine, said = passes(shown, folder)
        if fine or word not in said:
            return f"passes, or does not say why not, where {line!r} is a known failure"
    return ""


def main() -> int:
    """Run the adapters of all languages, or of some."""
    worst = 0
    for language in sys.argv[1:] or SHOWN:
        with tempfile.TemporaryDirectory() as name:
            says = wrong(language, Path(name) / "mine")
        print(f"{language}: {says or 'passes, and fails where it has to'}", flush=True)
        worst = max(worst, bool(says))
    return worst


if __name__ == "__main__":
    sys.exit(main())
