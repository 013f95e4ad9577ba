"""Where kassay itself fails it says so, with status 3 and where the traceback is; 1 would say that a promise is broken."""

import json
import re
from pathlib import Path

import pytest

from kassay import cli as bugs
from kassay.cli import main
from kassay.cli.commands import list_ as listing
from kassay.engine.differential import Course, load_course
from kassay.errors import InputError
from kassay.reports.comparison.gates import read_gaps
from kassay.reports.sweep.grid import parse_grid

SAID = re.compile(
    r"kassay: this is a bug of kassay, .*: KeyError\('no \\x1b such'\); please report it .* and (.*)\n"
)


def failing(*_):
    raise KeyError("no \x1b such")


@pytest.fixture
def failed(monkeypatch, tmp_path):
    monkeypatch.setattr(listing, "run", failing)
    monkeypatch.setattr(bugs.tempfile, "tempdir", str(tmp_path))


@pytest.mark.usefixtures("failed")
def test_a_failure_of_kassay_is_a_sentence_and_a_file(capsys):
    assert main(["list"]) == 3
    printed = capsys.readouterr()
    assert not printed.out
    file = Path(SAID.fullmatch(printed.err)[1])
    assert "in failing" in file.read_text()


@pytest.mark.usefixtures("failed")
def test_the_traceback_follows_where_no_file_can_be_written(monkeypatch, capsys):
    monkeypatch.setattr(bugs.tempfile, "tempdir", "/proc/nowhere")
    assert main(["list"]) == 3
    said, *trace = capsys.readouterr().err.splitlines()
    assert said.startswith("kassay: this is a bug of kassay")
    assert any("in failing" in line for line in trace)


def test_a_nested_grid_is_one_sentence(tmp_path, capsys):
    grid = tmp_path / "grid.toml"
    grid.write_text("targets = " + "[" * 50_000)
    assert main(["sweep", str(grid), "-o", str(tmp_path / "out")]) == 2
    assert "is nested too deeply" in capsys.readouterr().err


@pytest.mark.parametrize("family", [[], {}, 1, None])
def test_a_family_that_is_no_name_is_one_sentence(family, tmp_path, capsys):
    group = tmp_path / "group.json"
    group.write_text(json.dumps({"family": family, "topics": [], "members": []}))
    assert main(["optimum", "balance", str(group)]) == 2
    assert f"family: there is no {family!r}" in capsys.readouterr().err
    assert main(["assign", "broker/uniform", str(group)]) == 2
    assert f"family: is {family!r}, but the target's family is 'broker'" in capsys.readouterr().err


def test_numbers_of_very_many_digits_are_one_sentence(tmp_path):
    digits = "9" * 5000
    with pytest.raises(InputError, match="a number of too many digits"):
        parse_grid(f"wave = {digits}")
    with pytest.raises(InputError, match="is not LEVEL=N"):
        read_gaps([f"balance={digits}"], ["balance"])
    course = tmp_path / "course.json"
    course.write_bytes(b'{"targets": ["\xff"]}')
    with pytest.raises(InputError, match="holds no state of a comparison"):
        load_course(course, Course([], "consumer/range", 0))
