"""A further level of partitions is a file and a line, and one of each in the checker; then every command serves it.

Both are added to a copy of kassay, as whoever follows CONTRIBUTING's recipe adds them.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jinja2", reason="pip install 'kassay[reports]'")
import kassay

TOY = Path(__file__).parents[1] / "toy_levels"
TESTS = Path(__file__).parents[1]
LEVELS, CHECKER = Path("oracles/partitions/levels"), Path("oracles/proof/levels.py")
TARGETS = ["consumer/range", "consumer/sticky"]
COUNTED = """
def unplaced(near: Near, home: str | None) -> int:
    return sum(1 for racks in near if racks) if home is None else 0
"""
SWEEP = """
from pathlib import Path
import sys
from reports.sweep_of_loops import write_sweep
write_sweep(Path(sys.argv[1]), 12)
"""
"""A small sweep without Spark; its levels are those of the family."""
GROUP = {
    "topics": [{"name": "t", "partitions": 4, "racks": [["a"], ["b"], ["a"], ["b"]]}],
    "members": [
        {"id": "m0", "topics": ["t"], "rack": "a", "owned": [["t", 1]], "generation": 1},
        {"id": "m1", "topics": ["t"], "owned": [["t", 0], ["t", 2], ["t", 3]], "generation": 1},
    ],
}


def added(file: Path, before: str, line: str) -> None:
    """Add a line to a file of the copy, before the first one that begins so."""
    text = file.read_text()
    assert before in text, (file, before)
    file.write_text(text.replace(before, f"{line}\n{before}", 1))


def copy_of_kassay(folder: Path) -> Path:
    copy = folder / "kassay"
    shutil.copytree(Path(kassay.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(TOY / "unplaced.py", copy / LEVELS)
    return copy


def with_its_line(copy: Path) -> None:
    added(
        copy / LEVELS / "__init__.py",
        "\nLEVELS:",
        "from kassay.oracles.partitions.levels.unplaced import UNPLACED",
    )
    added(copy / LEVELS / "__init__.py", "        CROSS_RACK,\n", "        UNPLACED,")


def python(folder: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join(map(str, (folder, TESTS, *os.environ.get("PYTHONPATH", "").split(os.pathsep))))
    return subprocess.run(
        [sys.executable, "-B", *arguments], input=stdin, env={**os.environ, "PYTHONPATH": paths}, text=True, cwd=folder,
        capture_output=True, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a copy of kassay that has the level, a group, its optimum as JSON, and a sweep."""
    folder = tmp_path_factory.mktemp("level")
    copy = copy_of_kassay(folder)
    with_its_line(copy)
    added(copy / CHECKER, "\nIN_RACK:", COUNTED)
    added(copy / CHECKER, '    "cross-rack": across,', '    "unplaced": unplaced,')
    (folder / "group.json").write_text(json.dumps(GROUP))
    done = python(folder, "-c", SWEEP, str(folder / "sweep"))
    assert done.returncode == 0, done.stderr
    done = python(folder, "-m", "kassay", "optimum", "balance,unplaced,moves", "group.json", "--json")
    (folder / "answer.json").write_text(done.stdout)
    return folder


@pytest.fixture(scope="module")
def told(folder):
    """What commands print, and on how many of some tiny groups counting out gives the same and not 0."""
    commands = {
        "list": ["list", "questions"],
        "check": ["check", "consumer/range", "--examples", "30", "--seed", "0"],
        "optimum": ["optimum", "balance,unplaced,moves", "group.json"],
        "verify": ["optimum", "--verify", "answer.json", "group.json"],
        "compare": ["compare", *TARGETS, "--group", "group.json", "--html", "group.html"],
        "records": ["compare", *TARGETS, "--group", "group.json", "--json"],
        "frontier": ["frontier", "group.json"],
        "worst": ["worst", "consumer/range", "--measure", "unplaced", "--tries", "1"],
        "over-time": ["over-time", "consumer/range", "--group", "group.json", "--restart", "1"],
        "gates": [
            "compare",
            "consumer/range",
            "--sweep",
            "sweep",
            "--not-worse-than",
            "consumer/sticky",
            "--max-gap",
            "unplaced=0",
        ],
        "report": ["report", "sweep", "-o", "report"],
    }
    done = python(
        folder, str(TOY / "commands.py"), "unplaced", str(folder), stdin=json.dumps([*commands.values()])
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    return dict(zip(commands, said["told"], strict=True)) | {"counted": (0, said["counted"])}


def test_the_file_of_a_level_is_short():
    assert len((TOY / "unplaced.py").read_text().splitlines()) <= 50


def test_its_optima_are_those_of_all_assignments_and_of_a_linear_program(told):
    assert told["counted"][1] > 3


@pytest.mark.parametrize(
    ("command", "status", "words"),
    [
        ("list", 0, "The fewest partitions read by members without a rack, whatever the loads become"),
        ("check", 0, "needless reads from nowhere"),
        ("optimum", 0, "2 reads from nowhere"),
        ("verify", 0, "proved: nothing is better in balance,unplaced,moves: balance 0, unplaced 2, moves 1"),
        ("compare", 0, "The page: group.html"),
        ("records", 0, '"level":"unplaced"'),
        ("frontier", 0, "reads from nowhere"),
        ("worst", 0, "than the best possible (unplaced)"),
        ("over-time", 0, "reads from nowhere"),
        ("gates", 1, "not worse: placed"),
        ("report", 0, ""),
    ],
)
def test_every_command_serves_it(told, command, status, words):
    assert told[command][0] == status, told[command][1]
    assert words in told[command][1]


def test_pages_show_it(folder, told):
    assert told["report"][0] == told["compare"][0] == 0
    assert "unplaced" in (folder / "report" / "index.html").read_text()
    assert "placed" in (folder / "group.html").read_text()
