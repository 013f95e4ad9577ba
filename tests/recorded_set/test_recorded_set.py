"""The recorded set names every family and every subcommand, its scripts report a changed answer, and a few commands run."""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from recorded_set.cases import Case, parse_cases, read_cases, select_cases
from recorded_set.compare import describe_difference, open_side, record_pair
from recorded_set.normalisation import clean_text
from recorded_set.recording import count_commands, open_checkout, record_case

ROOT = Path(__file__).parents[2]
CASES = read_cases()
SAMPLE = ("fixtures/list/card/share/simple", "groups/optimum/mixed/moves", "wrong/file/cut.json")
"""Cases that run in every test run: one that lists, one that proves, one that fails."""


def ask_kassay(*words):
    done = subprocess.run(
        [sys.executable, "-m", "kassay", *words],
        capture_output=True,
        text=True,
        check=False,
        env={"COLUMNS": "80"},
    )
    return done.stdout


def find_subcommands(*words):
    """Return what the help of a command lists as its subcommands."""
    listed = ask_kassay(*words, "--help").partition("\n  COMMAND\n" if not words else "\n  ACTION\n")[2]
    return set(re.findall(r"^    ([a-z][a-z-]*)", listed, re.MULTILINE))


def test_the_names_are_unique_and_there_are_hundreds_of_commands():
    assert [name for name, times in Counter(case.name for case in CASES).items() if times > 1] == []
    assert 400 <= count_commands(CASES) <= 600
    assert [case.name for case in CASES if not case.subcommands] == []


def test_every_subcommand_is_in_the_set():
    commands, actions = find_subcommands(), find_subcommands("fixtures")
    assert {"check", "what-if", "fixtures"} < commands
    assert {"write", "run"} < actions
    recorded = {name for case in CASES for name in case.subcommands}
    assert commands - recorded == set()
    assert {f"fixtures {action}" for action in actions} - recorded == set()


@pytest.mark.parametrize("command", ["check", "assign", "compare", "over-time", "what-if", "fixtures verify"])
def test_every_family_is_in_the_set(command):
    records = [json.loads(line) for line in ask_kassay("list", "--json").splitlines()]
    families = {record["family"] for record in records if "family" in record}
    assert {"consumer", "streams-group"} < families
    lines = [line for case in CASES for line in case.lines if f"kassay {command} " in line]
    assert [family for family in sorted(families) if not any(family in line for line in lines)] == []


def test_a_case_stands_for_each_combination_of_its_values():
    table = {
        "name": "{a}/{b}",
        "each": {"a": ["1", "x/*"], "b": ["2"]},
        "run": "kassay list {a}\n\nkassay list {b}\n",
    }
    first, second = parse_cases({"case": [table]}, "theme")
    assert first == Case("theme/1/2", ("kassay list 1", "kassay list 2"))
    assert second.name == "theme/x/-/2"
    with pytest.raises(ValueError, match="unknown keys"):
        list(parse_cases({"case": [{"name": "a", "run": "", "ran": ""}]}, "theme"))


@pytest.mark.parametrize("name", SAMPLE)
def test_a_share_of_the_set_gives_the_same_answers_with_another_hash_seed(name):
    (case,) = select_cases(CASES, [name])
    first, second = (
        record_case(case, open_checkout(ROOT, Path(sys.executable), seed)) for seed in ("1", "2")
    )
    assert first == second
    assert first.startswith(f"$ {case.lines[0]}\nexit ")
    assert str(ROOT) not in first


def test_a_changed_answer_is_reported_with_its_command(tmp_path):
    case = Case("a/b", ("kassay list",))
    folders = [tmp_path / "one", tmp_path / "other"]
    for folder, loads in zip(folders, ("1", "2"), strict=True):
        (folder / "a").mkdir(parents=True)
        (folder / "a" / "b.txt").write_text(f"$ kassay list\nexit 0\n--- stdout\nload {loads}\n")
    before, after = (open_side(folder, None, "1")(case) for folder in folders)
    assert list(describe_difference(before, after, 60))[-3:] == [" --- stdout", "-load 1", "+load 2"]
    assert any(line.endswith("$ kassay list") for line in describe_difference(before, after, 60))
    assert open_side(folders[0], None, "1")(Case("a/new", ())) == "(no recording)\n"


def test_a_case_that_differs_is_run_once_more():
    def answer(*texts):
        left = iter(texts)
        return lambda _: next(left)

    case = Case("a", ())
    assert record_pair(case, answer("late", "done"), answer("done", "done")) == ("done", "done", True)
    assert record_pair(case, answer("1", "1"), answer("2", "2")) == ("1", "2", True)
    assert record_pair(case, answer("1"), answer("1")) == ("1", "1", False)


def test_folders_versions_and_dates_are_normalised():
    place = Path("/tmp/x")
    text = f"{place}/case/a {ROOT}/src 1.2.3 at 2026-01-02T03:04:05Z, kafka 1.2.34"
    done = clean_text(text, ROOT, Path("/usr/bin/python3"), place, "1.2.3")
    assert done == "<folder>/a <checkout>/src <version> at <date>, kafka 1.2.34"
