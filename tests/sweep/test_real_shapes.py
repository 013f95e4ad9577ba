"""The shapes in grids/real.toml are those that their sources report: members, topics and partitions, in the file and in what is drawn."""

import re
import tomllib
from pathlib import Path

import pytest

from kassay.families import family
from kassay.reports.sweep.grid import read_grid
from kassay.reports.sweep.manifest import draw_timeline, start_timeline

FILE = Path(__file__).parents[2] / "grids/real.toml"
SOURCE = re.compile(
    r"# (https://github\.com/\S+/(?:issues|pull)/\d+): (\d+) members; ([^;\n]+)(?:; ([^\n]+))?\n\[\[cells\]\]\nname = \"([^\"]+)\"\n"
)
FOUND = {
    match[5]: (match[1], int(match[2]), match[3], match[4] or "")
    for match in SOURCE.finditer(FILE.read_text())
}
CELLS = {cell["name"]: cell for cell in tomllib.loads(FILE.read_text())["cells"]}


def topics(shape: str) -> list[tuple[int, int]]:
    """The least and the most partitions of each topic, as a source has them: ``24, 24, 96``, ``2 x 30``, ``30 x 1 to 12``."""
    found: list[tuple[int, int]] = []
    for part in shape.split(", "):
        many, x, size = part.rpartition(" x ")
        least, _, most = size.partition(" to ")
        found += [(int(least), int(most or least))] * (int(many) if x else 1)
    return found


def test_every_cell_has_a_source_and_is_named_after_it():
    assert FOUND.keys() == CELLS.keys()
    for name, (url, *_) in FOUND.items():
        repository, number = name.rsplit(" ", 1)
        assert url.endswith((f"/{repository}/issues/{number}", f"/{repository}/pull/{number}"))
    assert len({url for url, *_ in FOUND.values()}) == len(FOUND) >= 10


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_has_the_counts_of_its_source(name):
    _, members, shape, said = FOUND[name]
    cell, sizes = CELLS[name], topics(shape)
    assert (cell["members"], cell["topics"]) == (members, len(sizes))
    least, most = min(low for low, _ in sizes), max(high for _, high in sizes)
    assert cell["partitions"] == (f"{least}..{most}" if least < most else least)
    assert (cell.get("subscriptions") == "one") is ("each reads one topic" in said)
    assert (cell["claims"] == "scaled out") is ("scaled from" in said)


@pytest.mark.parametrize("name", [name for name in CELLS if CELLS[name]["members"] < 100])
def test_what_is_drawn_has_them_too(name):
    (cell,) = [each for each in read_grid(FILE).cells if each.name == name]
    of = family("consumer")
    group = start_timeline(of, draw_timeline(of, cell, 7))
    _, members, shape, _ = FOUND[name]
    assert len(group.members) == members
    sizes = topics(shape)
    assert len(group.topics) == len(sizes)
    for topic in group.topics:
        assert min(low for low, _ in sizes) <= topic.partitions <= max(high for _, high in sizes)
