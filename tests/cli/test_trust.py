"""No file runs code: only names of kassay's assignors and registered families are taken from files."""

import json
import os

import msgspec
import pandas as pd
import pytest

from kassay.cli import main, parse_arguments
from kassay.errors import InputError
from kassay.families import family
from kassay.reports.page.groups.drawn_groups import smallest_groups
from kassay.reports.sweep.grid import parse_grid, read_grid
from kassay.reports.sweep.manifest import read_run, write_run
from reports import sweep_of_loops

FORMS = family("consumer")
MARKER = """
import pathlib
pathlib.Path({!r}).write_text("ran")

def assign(group):
    return {{member.id: [] for member in group.members}}
"""
GROUP = {"topics": [{"name": "t", "partitions": 1}], "members": [{"id": "a", "topics": ["t"]}]}
GRID = 'targets = [{}]\n[[cells]]\nname = "a"\ngroups = 1\n'


@pytest.fixture
def code(tmp_path, monkeypatch):
    """A module in the current folder that leaves a file behind when it is imported, and that file."""
    marker = tmp_path / "marker"
    (tmp_path / "theirs.py").write_text(MARKER.format(str(marker)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    return marker


def finding(path, **fields):
    known = {"kassay": "0.1.0", "target": "consumer/range", "family": "consumer", "property": "complete"}
    path.write_text(json.dumps(known | {"promised": True, "group": GROUP} | fields))
    return str(path)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"target": "python:theirs:assign"}, "target: 'python:theirs:assign' is not kassay's own code"),
        ({"target": "exec:touch marker"}, "target: 'exec:touch marker' is not kassay's own code"),
        ({"against": "exec:touch marker", "property": "equal"}, "against: 'exec:touch marker'"),
        ({"target": "kafka:4.4.0#consumer/range"}, "target: 'kafka:4.4.0#consumer/range'"),
        ({"family": "theirs:assign"}, "family: there is no family 'theirs:assign'"),
    ],
)
def test_a_finding_runs_nothing(fields, said, code, tmp_path, capsys):
    file = finding(tmp_path / "f.json", **fields)
    assert main(["explain", file]) == 2
    assert said in capsys.readouterr().err
    assert not code.exists()


def test_what_is_named_on_the_command_line_or_trusted_is_run_and_printed(code, tmp_path, capsys):
    file = finding(tmp_path / "f.json", target="python:theirs:assign")
    assert main(["explain", file, "--target", "consumer/range"]) == 0
    assert not code.exists()
    capsys.readouterr()
    assert main(["explain", file, "--trust"]) == 1
    assert "runs python:theirs:assign" in capsys.readouterr().err
    assert code.exists()


@pytest.mark.parametrize(
    ("grid", "said"),
    [
        (GRID.format('"python:theirs:assign"'), "targets: 'python:theirs:assign' is not kassay's own code"),
        (GRID.format('"consumer/*", "exec:touch marker"'), "targets: 'exec:touch marker'"),
        ('family = "theirs:assign"\n' + GRID.format('"consumer/range"'), "no family 'theirs:assign'"),
    ],
)
def test_a_grid_runs_nothing(grid, said, code, tmp_path, capsys):
    file = tmp_path / "grid.toml"
    file.write_text(grid)
    assert main(["sweep", str(file), "-o", str(tmp_path / "out")]) == 2
    assert said in capsys.readouterr().err
    assert not code.exists()
    assert not (tmp_path / "out" / "run.json").exists()


def test_targets_on_the_command_line_replace_those_of_a_grid(capsys):
    text = GRID.format('"python:theirs:assign"')
    grid = parse_grid(text, ["exec:mine", "consumer/f*"])
    assert grid.targets == ("exec:mine", "consumer/fair")
    assert grid.text.startswith(text)
    assert grid.text != text
    assert parse_grid(text, trust=True).targets == ("python:theirs:assign",)
    assert "runs python:theirs:assign" in capsys.readouterr().err


def test_the_grid_file_is_named(tmp_path):
    file = tmp_path / "grid.toml"
    file.write_text(GRID.format('"exec:x"'))
    with pytest.raises(InputError, match=r"grid\.toml: targets: 'exec:x'"):
        read_grid(file)


def test_a_report_asks_no_code_that_a_sweep_names(code, capsys):
    run = sweep_of_loops.run_of(4, ("consumer/fair",))
    theirs = msgspec.structs.replace(run.targets[0], target="python:theirs:assign")
    run = msgspec.structs.replace(run, targets=(theirs,))
    row = {
        "target": theirs.target,
        "property": "complete",
        "outcome": "BROKEN",
        "promised": True,
        "broken": 1,
        "known": 0,
    }
    row |= {"smallest": 1, "smallest_step": 0, "members": 3, "topics": 1, "partitions": 4}
    for trust in (False, True):
        (shown,) = smallest_groups(
            run, pd.DataFrame([row]), lambda *_: FORMS.shape.read_group(GROUP), trust=trust
        )
        assert code.exists() == trust
        assert ("is not kassay's own code" in shown.trouble) != trust
    assert shown.finding.messages == ("t-0 has no owner, though a subscribes to t",)
    assert "runs python:theirs:assign" in capsys.readouterr().err
    assert parse_arguments(["report", "somewhere", "--trust"]).trust


def test_a_sweep_of_a_foreign_family_is_refused(tmp_path):
    run = sweep_of_loops.run_of(4)
    write_run(tmp_path, msgspec.structs.replace(run, family="theirs:assign"))
    with pytest.raises(InputError, match="family: there is no family 'theirs:assign'"):
        read_run(tmp_path)
