"""The command lines of README and docs at 80 columns: nothing is wider but lines to copy, and no word is there that is out.

A command that is done stands in DONE; to add one, add its name. Long ones run with KASSAY_WHOLE=1 alone.
"""

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from said import WIDTH, too_wide, words_that_are_out
from whole import WHOLE

from kassay.cli import main
from kassay.families import family

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
DONE = {
    "compare",
    "list",
    "import",
    "optimum",
    "frontier",
    "worst",
    "over-time",
    "explain",
    "simulate",
    "check",
    "assign",
    "what-if",
    "scoreboard",
}
"""The commands that say what they have to say at 80 columns."""
LINE = re.compile(r"^kassay [a-z][^\n\\]*(?:\\\n[^\n\\]*)*|`(kassay [a-z][^`]*)`", re.MULTILINE)
PLACEHOLDER = re.compile(r"\b(FILE|TARGET|QUESTION|M|NAME|HOST|GRID|DIR|ANSWERS|STEPS)\b|\.\.\.|DIFFERENT")
FOREIGN = re.compile(
    r"\b(jar|maven|kafka|exec|python|client|coordinator):|--(bootstrap-server|coordinator|client) "
)
"""Targets and clusters that are not there."""
ALONE = {"list", "check", "worst", "simulate", "scoreboard"}
"""Commands that read no file."""
LONG = re.compile(
    r"kassay worst|for-ever|endless|kassay check$|kassay check .*\*|kassay simulate(?!.*--scenario)|kassay compare [^-]*$"
)
"""Commands that take seconds."""


def commands():
    """Return the command lines that can be run as they stand, once each."""
    found = {}
    for page in PAGES:
        for match in LINE.finditer(page.read_text()):
            line = re.sub(r"\s+", " ", (match[1] or match[0]).replace("\\\n", " ")).partition(" #")[0]
            line = re.sub(r"\s+\(seed .*| > \S+$", "", line).strip()
            name = line.split()[1]
            whole = (
                name in ALONE
                or re.search(r"\.(json|jsonl|txt)\b", line)
                or re.search(r"^kassay compare \w+/\S+ \w+/", line)
            )
            if name in DONE and whole and not PLACEHOLDER.search(line) and not FOREIGN.search(line):
                found[line] = None
    return [line for line in found if WHOLE or not LONG.search(line)]


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A folder with what the pages' commands read."""
    folder = tmp_path_factory.mktemp("docs")
    for name in ("examples", "tests", "grids"):
        (folder / name).symlink_to(ROOT / name)
    listings = ROOT / "tests" / "listings" / "kafka-4.3"
    for path in listings.iterdir():
        (folder / path.name).symlink_to(path)
    for name, given in {
        "group.json": {
            "name": "order-svc",
            "topics": [{"name": "orders", "partitions": 6}, {"name": "users", "partitions": 6}],
            "members": [
                {
                    "id": f"order-svc-{n}-{ID}",
                    "topics": ["orders", "users"],
                    "owned": [[t, p] for t in ("orders", "users") for p in own],
                }
                for n, own in enumerate([(0, 1), (2, 3), (4,), (5,)])
            ],
        },
    }.items():
        (folder / name).write_text(json.dumps(given))
    for name in ("g.json", "groups.jsonl"):
        (folder / name).symlink_to(folder / "group.json")
    return folder


ID = "4f1c9f0e-1111-2222-3333-abcdefabcdef"


def runnable(words):
    """Replay a finding with what Kafka takes where nothing is set, for its own code may need Java; leave out what cannot be run here."""
    if words[0] == "explain":
        finding = json.loads(Path(words[1]).read_text())
        return ["explain", words[1], "--target", family(finding["family"]).default]
    if (
        words[0] == "check" and not WHOLE
    ):  # what is said of some groups has the words and the width of what is said of many
        return [*words, "--examples", "10"]
    if words[0] == "compare":  # what a page shows is one group, and the listing of several families has three
        instead = {"members.txt": "examples/groups/kminion-104.members.txt"} if "--html" in words else {}
        instead |= (
            {"group.json": "examples/broker/standby-moves.json"} if "streams-group/sticky" in words else {}
        )
        return [instead.get(word, word) for word in words]
    return words


def readable(words):
    """Say whether what a command reads is there: other pages make it, or nobody does."""
    files = [word for word in words[1:] if re.search(r"\.(json|jsonl|txt)$", word)]
    return all(Path(file).exists() for file in files)


def test_there_are_command_lines_of_each_kind():
    assert {line.split()[1] for line in commands()} >= DONE - {"worst"}
    assert len(commands()) > 20


@pytest.mark.parametrize("line", commands())
def test_a_command_line_is_no_wider_than_the_terminal_and_says_what_people_know(
    line, here, monkeypatch, capsys
):
    monkeypatch.chdir(here)
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    words = shlex.split(line)[1:]
    if not readable(words) or "--verify" in words:
        pytest.skip("what it reads is made by other commands")
    words = runnable(words)
    try:
        assert main(words) in {0, 1, 3}
    except SystemExit as ended:  # --help and what only a page shows
        pytest.fail(f"{line}: {ended.code}")
    printed = capsys.readouterr()
    machine = "--json" in words or words[0] in {"import", "assign"}
    lines = [*([] if machine else printed.out.splitlines()), *printed.err.splitlines()]
    assert too_wide(lines) == []
    defines = words[0] == "list" and len(words) > 1  # the words are what is defined
    assert defines or words_that_are_out(lines) == []


INSTALLED = {"commands.md", "findings.md"}
"""Pages for people who have kassay. There pip adds the packages of an extra to the installed one."""


def test_lines_for_pip_work_in_a_clone():
    """kassay is on no package index, so a page installs the folder that it stands in, with extras that there are."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = set()
    for page in PAGES:
        for line in re.findall(r"pip install [^`\n]*", page.read_text()):
            assert "kassay[" not in line or page.name in INSTALLED, f"{page}: {line}"
            named |= {one for some in re.findall(r"[.y]\[([\w,]+)\]", line) for one in some.split(",")}
    assert len(named) > 4
    assert named <= {*extras}
