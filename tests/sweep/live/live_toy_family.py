"""A further family of the shape of topic partitions, in a few lines, gets a sweep and a page with a picture."""

import json
import os
from pathlib import Path

from kassay.cli import main

TARGETS = ["python:toy_partitions.assignor:FIRST", "python:toy_partitions.assignor:assign"]
GRID = f"""
family = "toy_partitions.family:TOY"
targets = {json.dumps(TARGETS)}

[[cells]]
name = "small"
groups = 40
"""


def test_a_toy_family_is_swept_and_has_a_page_with_a_picture(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]), prepend=os.pathsep)
    grid, folder = tmp_path / "grid.toml", tmp_path / "sweep"
    grid.write_text(GRID)
    assert main(["sweep", str(grid), "-o", str(folder)]) == 2
    assert "there is no family" in capsys.readouterr().err
    assert main(["sweep", str(grid), "-o", str(folder), "--trust"]) == 0
    assert json.loads((folder / "run.json").read_text())["family"] == "toy_partitions.family:TOY"
    assert main(["report", str(folder), "--trust"]) == 0
    assert main(["compare", "--sweep", str(folder), "--trust", *TARGETS]) == 0
    page = next(tmp_path.rglob("index.html")).read_text()
    assert "balanced" in page
    assert '<rect class="new"' in page
    assert "<svg" in page
