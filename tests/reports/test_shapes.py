"""Reports and sweeps know no shape: only the folder of its picture does, and a shape without one gets a page too."""

import ast
from pathlib import Path

import pytest

pytest.importorskip("jinja2", reason="pip install 'kassay[reports]'")

from reports.sweep_of_loops import group_of
from reports.test_page import Reader
from toy_shape import HOSTS, Fleet

import kassay
from kassay.families import FAMILIES, family
from kassay.playground.link import ADDRESS, read_state
from kassay.reports.page.groups.drawn_groups import show_breach, smallest_groups
from kassay.reports.shapes import find_picture
from kassay.reports.shapes.layout import build_text_picture
from kassay.reports.tables.properties import compute_properties

REPORTS = Path(kassay.__file__).parent / "reports"
FILES = sorted(path for path in REPORTS.rglob("*.py") if REPORTS / "shapes" not in path.parents)
KNOWN = [family(name) for name in FAMILIES]
WORDS = {
    word
    for each in KNOWN
    for word in (*each.shape.sizes, *(each.oracles.levels if each.oracles else ()), *each.timeline_measures)
} - {"tasks"}  # Spark has tasks too
FOREIGN = ("kassay.properties.", "kassay.families.shapes.", "kassay.families.", "kassay.oracles.")
GENERAL = {
    "kassay.families.words",
    "kassay.properties.runs",
    "kassay.oracles.answers",
    "kassay.oracles.errors",
    "kassay.oracles.levels",
    "kassay.families.assignors",
    "kassay.families.convergence",
    "kassay.families.names",
    "kassay.families.family",
    "kassay.families.shape",
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(REPORTS)))
def test_only_pictures_know_a_shape(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            module, names = str(node.module), {alias.name for alias in node.names}
            assert not module.startswith(FOREIGN) or module in GENERAL, module
            assert module != "kassay.model" or names <= {"AssignorError"}, names
        elif isinstance(node, ast.Constant):
            assert node.value not in WORDS, node.lineno


def test_a_shape_without_a_picture_is_a_table_of_text():
    picture = find_picture(HOSTS)
    html = picture.html("<i>evenly</i>", Fleet(2, 3, 0), ((2, 0), (1, 0)))
    words = [word for word in Reader(html).words if word.strip()]
    assert words == [
        "host",
        "<i>evenly</i>",
        "host 0",
        "2 services, 0 databases",
        "host 1",
        "1 services, 0 databases",
    ]
    assert picture.shows({"hosts": 60, "things": 60})
    assert not picture.shows({"hosts": 61, "things": 1})


def test_a_breach_is_shown_without_a_picture_too(summaries, tmp_path, monkeypatch):
    monkeypatch.setenv(ADDRESS, "https://example.org/play/")
    shape = family(summaries.run.family).shape
    frame = compute_properties(summaries)
    (one,) = smallest_groups(summaries.run, frame[frame["broken"] > 0].head(1), group_of)
    for picture in (find_picture(shape), build_text_picture(shape)):
        found = show_breach(one, picture, tmp_path, drawn=True)
        assert found.pictures
        assert not found.trouble
        state = read_state(found.play.removeprefix("https://example.org/play/#"))
        assert shape.read_group(state["group"]) == one.group
        for _, html in found.pictures:
            assert one.group.members[0].id in {word.strip() for word in Reader(html).words}
