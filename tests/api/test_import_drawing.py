"""The drawing of imports shows each import that does not follow from others."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def imports(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs" / "scripts")
    yield __import__("imports")
    sys.modules.pop("imports")


def test_edges_that_follow_are_left_out_and_circles_share_a_box(imports, tmp_path):
    for name, text in {
        "cli/run.py": "from kassay.engine import x\nfrom kassay.model import y",
        "engine/check.py": "from kassay.output.table import t\nfrom kassay.errors import e",
        "output/table.py": "from kassay.engine.check import z\nimport json",
        "model/group.py": "from kassay.errors import e",
        "families/shape.py": "from kassay.model.group import g",
    }.items():
        file = tmp_path / "kassay" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    package = tmp_path / "kassay"
    assert imports.read_imports(package) == {
        "cli": {"engine", "model"}, "engine": {"output"}, "output": {"engine"}, "model": set(), "shape, family": {"model"},
    }  # fmt: skip
    _, edges = imports.reduce_graph({**imports.read_imports(package), "output": {"engine", "model"}})
    assert edges == {
        "cli": {"engine · output"}, "engine · output": {"model"}, "model": set(), "shape, family": {"model"},
    }  # fmt: skip
    assert "n0 --> n2" in imports.draw_imports(package)


def test_the_drawing_of_kassay_has_every_folder(imports):
    drawn = imports.draw_imports(ROOT / "src" / "kassay")
    inside = [path for path in (ROOT / "src" / "kassay").iterdir() if path.is_dir()]
    folders = {path.name for path in inside if any(path.rglob("*.py"))}  # fixtures are data
    assert [name for name in sorted(folders) if name not in drawn] == []
