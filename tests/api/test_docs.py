"""The index of the documentation has every page, links work, old addresses lead to a page, and pages have the agreed form."""

import json
import re
from pathlib import Path
from runpy import run_path

import pytest
from findings import name_anchors
from index import DOCS, FIRST, REPOSITORY, list_pages

ROOT = Path(__file__).parents[2]
MOVED = run_path(str(ROOT / "docs" / "site" / "tree.py"))["MOVED"]

BELOW = sorted(DOCS.rglob("*.md"))
PAGES = [
    *ROOT.glob("*.md"),
    *BELOW,
    *(ROOT / path for path in REPOSITORY if path.count("/") == 1 and path != "docs/README.md"),
]
WRITTEN = re.compile(r"<!-- (?:generated|measured): [^>]* -->\n.*?<!-- end -->", re.DOTALL)
MOST_PAGES, MOST_LINES, MOST_WORDS, MOST_WORDS_OF_A_TITLE = 47, 200, 60, 6


def anchors_of(page):
    return set(name_anchors(re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)))


def name_of(page):
    return page.relative_to(ROOT).as_posix()


def test_the_index_has_every_page_once():
    rows = re.findall(
        r"^\| \[[^\]]+\]\((\S+)\) \| \*\*.+\?\*\* .+ \|$", (DOCS / "README.md").read_text(), re.MULTILINE
    )
    assert rows == [
        *(path.relative_to(DOCS).as_posix() for path in list_pages()),
        *(f"../{path}" for path in REPOSITORY),
    ]
    assert {*list_pages(), DOCS / "README.md"} == {*BELOW}
    assert len(BELOW) <= MOST_PAGES


@pytest.mark.parametrize("page", BELOW, ids=name_of)
def test_a_page_begins_with_its_question_and_the_answer(page):
    first = FIRST.match(page.read_text())
    assert first, "write a title, an empty line, and the question in bold with its answer"
    assert len(first["text"].split()) <= MOST_WORDS
    assert len(first["title"].split()) <= MOST_WORDS_OF_A_TITLE


@pytest.mark.parametrize("page", BELOW, ids=name_of)
def test_people_write_no_long_pages(page):
    assert len(WRITTEN.sub("", page.read_text()).splitlines()) <= MOST_LINES, (
        "this page answers two questions"
    )


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?:|mailto:)([^)\s]*)\)", page.read_text())
    for path, _, anchor in (link.partition("#") for link in links):
        there = page.parent / path if path else page
        assert there.exists(), path
        assert not anchor or there.suffix != ".md" or anchor in anchors_of(there), f"{path}#{anchor}"


def test_a_fact_has_one_owner():
    """Issues, settings and exit statuses are on few written pages; all other pages link to them."""
    found: dict[str, set[str]] = {}
    for page in BELOW:
        text = re.sub(r"```.*?```", "", WRITTEN.sub("", page.read_text()), flags=re.DOTALL)
        facts = re.findall(r"\bKAFKA-\d+|`[a-z]+(?:\.[a-z_]+){2,}`", text)
        facts += (
            ["exit statuses"] if {"| 0 ", "| 1 ", "| 2 "} <= {line[:4] for line in text.splitlines()} else []
        )
        for fact in facts:
            found.setdefault(fact, set()).add(name_of(page))
    found.pop("`group.instance.id`")  # a term of Kafka's that explains static members
    assert "exit statuses" in found
    several = {fact: pages for fact, pages in found.items() if len(pages) > 2}
    assert not several, "keep the fact on one page, and link to it"


def test_each_old_address_leads_to_a_page():
    assert len(MOVED) > 80
    for old, new in MOVED.items():
        assert (ROOT / new).exists(), f"{old}: {new} does not exist"
        assert not (ROOT / old).exists(), f"{old} exists: take it out of MOVED in docs/site/tree.py"


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
    assert all(len(table.splitlines()) - 2 <= 16 for table in tables)
    for part in ("compared", "assignors"):
        assert re.search(rf"<!-- generated: {part} -->\n.*\S.*\n<!-- end -->", text, re.DOTALL)
