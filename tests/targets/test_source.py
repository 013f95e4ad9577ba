"""Where annotations point: at the definition, the program, or the line of the settings, and never outside of the project."""

import pytest

from kassay.cli import main
from kassay.targets.source import find_source

MODULE = '''"""An assignor."""
LIMIT: int = 3


def other(group):
    return {}


class Mine:
    pass


assign = other
'''


@pytest.fixture
def project(tmp_path):
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("")
    (tmp_path / "pack" / "mine.py").write_text(MODULE)
    (tmp_path / "broken.py").write_text("def (")
    (tmp_path / "assign.sh").write_text("#!/bin/sh\n")
    (tmp_path / "kassay.toml").write_text('examples = 5\ntargets = [\n  "jar:mine.jar#com.acme.Mine",\n]\n')
    return tmp_path


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("python:pack.mine:other", ("pack/mine.py", 5)),
        ("python:pack.mine:Mine.assign", ("pack/mine.py", 9)),
        ("python:pack.mine:assign", ("pack/mine.py", 13)),
        ("python:pack.mine:LIMIT", ("pack/mine.py", 2)),
        ("python:pack.mine:absent", ("pack/mine.py", 1)),
        ("python:pack:absent", ("pack/__init__.py", 1)),
        ("python:broken:assign", ("broken.py", 1)),
        ("python:json:loads", None),
        ("exec:sh assign.sh --fast", ("assign.sh", 1)),
        ("exec:sh ../assign.sh", None),
        ("exec:sh 'assign.sh", None),
        ("client:sh assign.sh", ("assign.sh", 1)),
        ("jar:mine.jar#com.acme.Mine", ("kassay.toml", 3)),
        ("jar:mine.jar#com.acme.Other", None),
        ("consumer/range", None),
    ],
)
def test_a_source_is_a_line_of_the_project(project, spec, expected):
    assert find_source(spec, str(project), ("kassay.toml", "pyproject.toml")) == expected


def test_annotations_have_file_and_line(project, monkeypatch, capsys):
    monkeypatch.chdir(project)
    monkeypatch.syspath_prepend(str(project))
    monkeypatch.setenv("PYTHONPATH", str(project))
    asked = ["check", "python:pack.mine:other", "--promise", "complete", "--examples", "5"]
    assert main([*asked, "--format", "github"]) == 1
    assert (
        "::error file=pack/mine.py,line=5,title=python%3Apack.mine%3Aother complete broken::"
        in capsys.readouterr().out
    )
    assert main([*asked, "--format", "junit"]) == 1
    assert 'file="pack/mine.py" line="5"' in capsys.readouterr().out
