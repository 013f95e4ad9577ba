"""A further family of the shape of topic partitions is a few lines, and gets every command."""

import json
import os
from pathlib import Path

import pytest

from kassay.cli import main

FOLDER = Path(__file__).parents[1] / "toy_partitions"
FAMILY = ["--family", "toy_partitions.family:TOY"]
TARGET = "python:toy_partitions.assignor:FIRST"
GRID = f"""
family = "toy_partitions.family:TOY"
targets = ["{TARGET}"]
groups = 40
[[cells]]
name = "small"
groups = 40
"""


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(FOLDER.parent), prepend=os.pathsep)


@pytest.fixture
def group(tmp_path):
    file = tmp_path / "group.json"
    topics = [{"name": "t", "partitions": 3}]
    file.write_text(
        json.dumps(
            {"topics": topics, "members": [{"id": "a", "topics": ["t"]}, {"id": "b", "topics": ["t"]}]}
        )
    )
    return str(file)


def test_the_family_has_few_lines_and_files():
    files = list(FOLDER.glob("*.py"))
    assert len(files) <= 4
    assert sum(len(file.read_text().splitlines()) for file in files) <= 25


def test_every_command_on_groups_serves_it(group, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def says(status, *command):
        assert main([*command]) == status
        return capsys.readouterr().out

    assert "Every partition of a subscribed topic has an owner" in says(0, "list", *FAMILY)
    assert json.loads(says(0, "assign", TARGET, group, *FAMILY))["a"] == [["t", 0], ["t", 1], ["t", 2]]
    assert '"value":1' in says(0, "optimum", "balance", group, *FAMILY, "--json")
    assert "optimum" in says(0, "compare", TARGET, *FAMILY, "--group", group)
    assert "optimum" in says(0, "worst", TARGET, "--measure", "balance", "--tries", "5", *FAMILY)
    said = says(1, "check", TARGET, "--examples", "60", "--json", "-o", str(tmp_path), *FAMILY)
    records = [json.loads(line) for line in said.splitlines()]
    (finding,) = (one for one in records if one["record"] == "finding" and one["outcome"] == "broken")
    assert finding["property"] == "balanced"
    assert finding["group"]["family"] == "toy"
    assert len(finding["group"]["members"]) == 2
    assert "holds 0" in says(1, "explain", finding["file"], "--trust")
