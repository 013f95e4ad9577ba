"""The documentation explains every word that tables print, and its links lead somewhere."""

import re
from pathlib import Path

import pytest

from kassay.engine.verdict import OUTCOMES
from kassay.reports.sweep.rows import STATUSES

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]


def anchors(page):
    titles = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize(
    ("section", "words"), [("Verdicts", OUTCOMES), ("Sweeps", STATUSES)], ids=["outcomes", "statuses"]
)
def test_every_outcome_and_status_is_explained(section, words):
    text = (ROOT / "docs" / "glossary.md").read_text().partition(f"## {section}\n")[2].partition("\n## ")[0]
    explained = re.findall(r"^- `([^`]+)`: \S", text, re.MULTILINE)
    assert sorted(explained) == sorted(words)


def test_the_index_has_every_page():
    text = (ROOT / "docs" / "README.md").read_text()
    pages = [path.name for path in (ROOT / "docs").glob("*.md") if path.name != "README.md"]
    assert [name for name in pages if f"]({name})" not in text] == []
    assert len(text.splitlines()) <= 50


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?:|mailto:)([^)\s]*)\)", page.read_text())
    for path, _, anchor in (link.partition("#") for link in links):
        there = page.parent / path if path else page
        assert there.exists(), path
        assert not anchor or there.suffix != ".md" or anchor in anchors(there), f"{path}#{anchor}"
