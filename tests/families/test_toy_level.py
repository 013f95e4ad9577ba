"""A further level is a record and a line, and a line in the checker; then every command serves it, whatever the shape.

A level of each shape is added to a copy of kassay, as whoever follows CONTRIBUTING's recipe adds them.
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
PROOF = Path("oracles/proof")
ADDED = {
    "oracles/partitions/levels.py": ("unplaced", "        CROSS_RACK,\n"),
    "oracles/tasks/levels.py": ("anew", "        MOVES,\n"),
    "oracles/workers/levels.py": ("connector_moves", "        MOVES,\n"),
}
"""The file of the levels of a shape -> the module with the new record, and the line that it is added before."""
UNPLACED = """
def unplaced(near: Near, home: str | None) -> int:
    return sum(1 for racks in near if racks) if home is None else 0
"""
ANEW = """
def anew(facts: Facts) -> Costs:
    had = [ran | kept for ran, kept, _ in facts.claims]
    return Costs(loss=[int(bool(own)) for own in had], gains=[dict.fromkeys(own, (1, 0)) for own in had])
"""
"""How the checker counts them; that of workers is one of partitions, which it counts already."""
COUNTED = {
    "groups.py": ("\nIN_RACK:", UNPLACED, '    "cross-rack": count_across,\n', '    "unplaced": unplaced,\n'),
    "applications.py": ("\nREADS:", ANEW, '    "moves": count_moves,\n', '    "anew": anew,\n'),
    "workers.py": ("\nKINDS", "", '    "moves": (', '    "connector-moves": ("moves", ("connectors",)),\n'),
}
"""A file of the checker -> the function that counts a level, behind which place it stands, and its line, with that before which it stands."""
A, B = (f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2))
TASKS = [f"0_{n}" for n in range(4)]
GROUPS = {
    "consumer": {
        "topics": [{"name": "t", "partitions": 4, "racks": [["a"], ["b"], ["a"], ["b"]]}],
        "members": [
            {"id": "m0", "topics": ["t"], "rack": "a", "owned": [["t", 1]], "generation": 1},
            {"id": "m1", "topics": ["t"], "owned": [["t", 0], ["t", 2], ["t", 3]], "generation": 1},
        ],
    },
    "streams": {
        "family": "streams",
        "tasks": [{"id": task} for task in TASKS],
        "clients": [{"id": A, "threads": 1, "active": TASKS}, {"id": B, "threads": 1}],
    },
    "connect": {
        "family": "connect",
        "connectors": [{"name": f"c{n}", "tasks": 1} for n in range(4)],
        "workers": [
            {
                "id": "w0",
                "connectors": [f"c{n}" for n in range(4)],
                "tasks": [[f"c{n}", 0] for n in range(4)],
            },
            {"id": "w1"},
        ],
    },
}
GRID = """
family = "{of}"
targets = ["{target}"]
sample = {{ laws = 0, rounds = 0, programs = 2 }}
[[cells]]
name = "all"
groups = 4
"""
LEVELS = {
    "consumer": ("unplaced", "balance,unplaced,moves", "consumer/range"),
    "streams": ("anew", "balance,anew,moves", "streams/sticky"),
    "connect": ("connector-moves", "balance,moves", "connect/eager"),
}
"""Family -> its shape's new level, a question in which that is told, and a target."""


def added(file: Path, before: str, line: str) -> None:
    """Add a line to a file of the copy, before the first one that begins so."""
    text = file.read_text()
    assert before in text, (file, before)
    file.write_text(text.replace(before, f"{line}{before}", 1))


def copy_of_kassay(folder: Path) -> Path:
    """Copy the package with what Python compiled of it."""
    copy = folder / "kassay"
    shutil.copytree(Path(kassay.__file__).parent, copy)
    return copy


def with_their_lines(copy: Path) -> None:
    for file, (module, before) in ADDED.items():
        added(copy / file, "\nLEVELS:", f"\n{(TOY / f'{module}.py').read_text()}")
        added(copy / file, before, f"        {module.upper()},\n")


def commands(of: str) -> dict[str, tuple[list[str], str | None]]:
    """Return what is asked of a family, with the file that is printed to where another command reads it."""
    level, question, target = LEVELS[of]
    group, happens = f"{of}.json", ["--group", f"{of}.json", "--restart", "1"]
    over_time = ["--question", question] if of == "consumer" else []
    asked: dict[str, tuple[list[str], str | None]] = {
        "list": (["list", "questions"], None),
        "check": (["check", target, "--examples", "10", "--seed", "0"], None),
        "optimum": (["optimum", question, group], None),
        "optimum --json": (["optimum", question, group, "--json"], f"{of}-answer.json"),
        "optimum --verify": (["optimum", "--verify", f"{of}-answer.json", group], None),
        "compare": (["compare", target, "--group", group, "--html", f"{of}.html"], None),
        "compare --json": (["compare", target, "--group", group, "--json"], None),
        "compare --sweep": (["compare", target, "--sweep", f"{of}-sweep", "--max-gap", f"{level}=0"], None),
        "over-time": (["over-time", target, *happens], None),
        "over-time --json": (["over-time", target, *happens, "--json", *over_time], f"{of}-times.json"),
        "over-time --verify": (["over-time", "--verify", f"{of}-times.json", *happens], None),
    }
    if of != "connect":
        asked |= {
            "frontier": (["frontier", group], None),
            "frontier --json": (["frontier", group, "--json"], f"{of}-frontier.json"),
            "frontier --verify": (["frontier", "--verify", f"{of}-frontier.json", group], None),
            "worst": (["worst", target, "--measure", level, "--tries", "1"], None),
        }
    return asked


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("level")


@pytest.fixture(scope="module")
def told(folder):
    """What commands print, and on how many of some tiny groups counting out gives the same and not 0, by family."""
    copy = copy_of_kassay(folder)
    with_their_lines(copy)
    for name, (behind, function, before, line) in COUNTED.items():
        added(copy / PROOF / name, before, line)
        if function:
            added(copy / PROOF / name, behind, function)
    asked = {
        of: {
            "level": level,
            "group": GROUPS[of],
            "grid": GRID.format(of=of, target=target),
            "commands": commands(of),
        }
        for of, (level, _, target) in LEVELS.items()
    }
    asked["consumer"]["commands"]["report"] = (["report", "consumer-sweep", "-o", "report"], None)
    paths = os.pathsep.join(map(str, (folder, TESTS, *os.environ.get("PYTHONPATH", "").split(os.pathsep))))
    done = subprocess.run(
        [sys.executable, "-B", str(TOY / "commands.py"), str(folder)], input=json.dumps(asked), env={**os.environ, "PYTHONPATH": paths}, text=True, cwd=folder,
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_record_of_a_level_is_short():
    for module, _ in ADDED.values():
        assert len((TOY / f"{module}.py").read_text().splitlines()) <= 50


@pytest.mark.parametrize("of", LEVELS)
def test_its_optima_are_those_of_all_assignments_and_of_an_integer_program(told, of):
    assert told[of]["counted"] >= 3


SAID = {
    ("consumer", "list"): "The fewest partitions read by members without a rack, for any loads",
    ("consumer", "check"): "unplaced",
    ("consumer", "optimum"): "2 reads from nowhere",
    (
        "consumer",
        "optimum --verify",
    ): "proved: nothing is better in balance,unplaced,moves: balance 0, unplaced 2, moves 1",
    ("consumer", "compare --json"): '"level":"unplaced"',
    ("consumer", "compare --sweep"): "--max-gap unplaced=0",
    ("consumer", "frontier"): "reads from nowhere",
    (
        "consumer",
        "frontier --verify",
    ): "at any loads: 4 of 4 points are proved by prices; no extreme point is missing",
    ("consumer", "worst"): "above the optimum (unplaced)",
    ("consumer", "over-time"): "reads from nowhere",
    (
        "consumer",
        "over-time --verify",
    ): "proved: no sequence has less in balance,unplaced,moves: unplaced 8, moves 3",
    ("consumer", "report"): "Page:",
    ("streams", "list"): "The fewest tasks begun anew, for any loads",
    ("streams", "check"): "anew",
    ("streams", "optimum"): "2 tasks begun anew",
    ("streams", "optimum --verify"): "balance 0, total-balance 0, anew 2, moves 2",
    ("streams", "compare --json"): '"level":"anew"',
    ("streams", "compare --sweep"): "--max-gap anew=0",
    ("streams", "frontier"): "tasks begun anew",
    ("streams", "frontier --json"): '"levels":["moves","anew"]',
    (
        "streams",
        "frontier --verify",
    ): "at any loads: 3 of 3 points are proved by prices; no extreme point is missing",
    ("streams", "worst"): "above the optimum (anew)",
    ("streams", "over-time"): "tasks begun anew",
    ("connect", "check"): "connector moves",
    ("connect", "optimum"): "2 connectors moved and 4 moves",
    ("connect", "optimum --verify"): "proved: connectors: nothing is better in balance,moves",
    ("connect", "compare --json"): '"level":"connector-moves"',
    ("connect", "compare --sweep"): "--max-gap connector-moves=0",
    ("connect", "over-time"): "connectors moved",
    ("connect", "over-time --verify"): "proved: connectors: no sequence has less",
}
"""Family, command -> what it says, at exit status 0."""


@pytest.mark.parametrize(("of", "command"), SAID, ids=lambda one: one.replace(" ", ""))
def test_every_command_serves_it(told, of, command):
    status, text = told[of][command]
    assert (status, SAID[of, command] in text) == (0, True), text


def test_pages_show_it(folder, told):
    for of in LEVELS:
        assert told[of]["compare"][0] == 0, told[of]["compare"][1]
        assert f'title="{LEVELS[of][0]}"' in (folder / f"{of}.html").read_text()
    assert told["consumer"]["report"][0] == 0
    assert "unplaced" in (folder / "report" / "index.html").read_text()
