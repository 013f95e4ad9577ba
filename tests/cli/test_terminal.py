"""The command line as people use it: pipes, widths, help, and names that are nearly right."""

import os
import shlex
import subprocess
import sys

import pytest

from kassay.cli import parse_arguments
from kassay.families.shape import TextTable
from kassay.output.pretty import break_heads, build_table

KASSAY = f"{sys.executable} -m kassay"


@pytest.mark.parametrize(
    ("promise", "status", "more"),
    [
        ("complete", 0, ""),
        ("balanced", 1, ""),
        ("balanced", 1, "--format markdown"),
        ("balanced", 1, "--json"),
        ("balanced", 1, "-o {}/out"),
    ],
)
def test_a_reader_that_has_seen_enough_does_not_change_the_status(promise, status, more, tmp_path):
    command = f"{KASSAY} check consumer/range --promise {promise} --examples 10 {more.format(tmp_path)}"
    shell = f"set -o pipefail; {command} | true"
    ran = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (ran.returncode, ran.stderr) == (status, "")
    if "-o" in more:
        assert "Exit status 1: a promise is broken." in (tmp_path / "out" / "check.txt").read_text()


@pytest.mark.parametrize("columns", [None, "60", "250"])
def test_names_are_whole_in_a_pipe_and_columns_is_obeyed(columns):
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    environment |= {} if columns is None else {"COLUMNS": columns}
    ran = subprocess.run(
        [*shlex.split(KASSAY), "list", "--all"], capture_output=True, text=True, env=environment, check=True
    )
    for name in ("consumer/cooperative-sticky@2.8.2", "renaming_independent,", "stale_unsubscribed_owner"):
        assert name in ran.stdout
    widest = max(map(len, ran.stdout.splitlines()))
    assert widest <= 160 if columns is None else columns == "60" or 100 < widest <= 250


def test_options_may_stand_between_files():
    args = parse_arguments(["assign", "consumer/range", "a.json", "--timeout", "3", "b.json"])
    assert args.files == ["a.json", "b.json"]
    args = parse_arguments(["optimum", "--family", "consumer", "balance", "--time-limit", "2", "a.json"])
    assert (args.question, args.files) == ("balance", ["a.json"])


def test_names_of_targets_go_on_in_a_new_line_where_the_terminal_is_narrow():
    names = ["consumer/range", "consumer/cooperative-sticky", "python:mine:assign"]
    for room, shown in (
        (200, names),
        (60, ["consumer/\nrange", "consumer/\ncooperative-\nsticky", "python:\nmine:\nassign"]),
    ):
        made = build_table(TextTable(["property", *names], [["complete", "kept", "kept", "kept"]]))
        break_heads(made, room)
        assert [str(column.header) for column in made.columns] == ["property", *shown]
