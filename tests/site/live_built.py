"""The built site asks no other host for anything, and each of its links leads to a place that is there; `nox -s site`."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

LOADS = {"src", "srcset", "poster", "data", "action"}
"""Attributes whose address a browser asks at once, or sends to."""
AT_ONCE = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "dns-prefetch", "manifest"}
"""What a link element asks at once."""


class Read(HTMLParser):
    """What a page loads, where its links lead, and which places it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: set[str] = set()
        self.leads: set[str] = set()
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.places |= {given[name] for name in ("id", "name") if given.get(name)}
        at_once = tag == "link" and set(given.get("rel", "").split()) & AT_ONCE
        for name in LOADS & given.keys():
            every = given[name].split(",") if name == "srcset" else [given[name]]
            self.loads |= {each.split()[0] for each in every if each.split()}
        if "href" in given:
            (self.loads if at_once or tag == "use" else self.leads).add(given["href"])


def foreign(address: str) -> bool:
    """Say whether an address leads to a host."""
    return address.startswith("//") or urlsplit(address).scheme in {"http", "https", "ws", "wss", "ftp"}


def loaded_by_styles(text: str) -> set[str]:
    return set(re.findall(r"""(?:url\(\s*|@import\s+)['"]?([^'")\s]+)""", text))


@pytest.fixture(scope="module")
def pages(site) -> dict[Path, Read]:
    return {path: Read(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}


def test_what_is_read_of_a_page():
    read = Read(
        '<link rel="stylesheet" href="//a/b.css"><img srcset="x.png, https://c/y.png 2x"><a id="k" href="https://d/">d</a>'
    )
    assert {each for each in read.loads if foreign(each)} == {"//a/b.css", "https://c/y.png"}
    assert (read.leads, read.places) == ({"https://d/"}, {"k"})
    assert loaded_by_styles("@import 'https://e/f.css'; a { background: url(g.svg) }") == {
        "https://e/f.css",
        "g.svg",
    }


def test_nothing_is_loaded_from_another_host(site, pages):
    assert len(pages) > 50
    assert [(path.name, each) for path, page in pages.items() for each in page.loads if foreign(each)] == []
    styles = [*site.rglob("*.css"), *pages, *site.rglob("*.svg")]
    assert len(styles) > len(pages)
    for path in styles:
        assert [each for each in loaded_by_styles(path.read_text(encoding="utf-8")) if foreign(each)] == [], (
            path
        )


def test_each_link_leads_to_a_place_that_is_there(pages):
    lost, followed = [], 0
    for path, page in pages.items():
        for address in page.loads | page.leads:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            followed += 1
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            file = there / "index.html" if there.is_dir() else there
            anchor = unquote(parts.fragment)
            if not file.exists() or (anchor and file in pages and "playground" not in file.parts
                                     and anchor not in pages[file].places):  # fmt: skip
                lost.append(f"{path.name}: {address}")
    assert followed > 1000
    assert lost == []


def test_the_search_knows_the_pages_without_a_server(site):
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").rstrip(")"))
    assert len(index["docnames"]) > 50
    assert {"docs/explanation/concepts", "docs/reference/commands", "README"} <= set(index["docnames"])


def test_llms_txt_has_every_page_with_its_question(site):
    text = (site / "llms.txt").read_text(encoding="utf-8")
    found = re.findall(r"^- \[.+?\]\((\S+)\): (\S.*\?)$", text, re.MULTILINE)
    assert len(found) == text.count("\n- ") > 50
    assert [page for page, _ in found if not (site / page).exists()] == []
    full = (site / "llms-full.txt").read_text(encoding="utf-8")
    assert "# Five concepts" in full
    assert "```{eval-rst}" not in full
