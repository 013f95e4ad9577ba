"""The index of the documentation has every page, and all links lead somewhere."""

import json
import re
from pathlib import Path

import pytest
from findings import anchors

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]


def anchors_of(page):
    return set(anchors(re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)))


def parts(pages):
    """Return the pages in a folder beside a page of its name, or with a page of its own, which names them."""
    return {page for page in pages if {f"{Path(page).parent}.md", f"{Path(page).parent}/README.md"} & pages}


def test_the_index_has_every_page_once_with_its_question():
    text = (ROOT / "docs" / "README.md").read_text()
    rows = re.findall(r"^\| \[[^\]]+\]\((\S+)\) \| .+\? \|$", text, re.MULTILINE)
    assert len(rows) == len(set(rows)) == text.count("\n| [")
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert pages - parts(pages) <= set(rows)
    for page in parts(pages) - set(rows):
        folder = Path(page).parent
        index = ROOT / "docs" / (f"{folder}.md" if f"{folder}.md" in pages else folder / "README.md")
        assert f"{Path(page).name}" in index.read_text(), page
    assert len(text.splitlines()) <= 120


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?:|mailto:)([^)\s]*)\)", page.read_text())
    for path, _, anchor in (link.partition("#") for link in links):
        there = page.parent / path if path else page
        assert there.exists(), path
        assert not anchor or there.suffix != ".md" or anchor in anchors_of(there), f"{path}#{anchor}"


def test_the_findings_in_the_readme_are_as_large_as_it_says():
    text = (ROOT / "README.md").read_text()
    found = re.findall(r"\[(\d+) members?, (\d+) partitions?\]\((examples/findings/[^)]+)\)", text)
    assert len(found) >= 6
    for members, partitions, path in found:
        group = json.loads((ROOT / path).read_text())["group"]
        assert len(group["members"]) == int(members)
        assert sum(topic["partitions"] for topic in group["topics"]) == int(partitions)


def test_the_readme_shows_its_command_s_output_and_short_tables():
    text = (ROOT / "README.md").read_text()
    tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    assert all(len(table.splitlines()) - 2 <= 10 for table in tables)
    for part in ("compared", "assignors"):
        assert re.search(rf"<!-- generated: {part} -->\n.*\S.*\n<!-- end -->", text, re.DOTALL)
