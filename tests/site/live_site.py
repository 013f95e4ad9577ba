"""The site in Chromium, from its folder and from a server: nothing is asked of another host, search works, and pages fit a phone; `nox -s page`."""

import os
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, sync_playwright

CHROMIUM = os.environ.get("KASSAY_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def pages(site) -> list[Path]:
    """Each page but redirects, which leave at once, and the playground, which tests/playground looks at."""
    return [
        path
        for path in sorted(site.rglob("*.html"))
        if "playground" not in path.parts and "This page has moved" not in path.read_text(encoding="utf-8")
    ]


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder and says nothing."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module", params=["file", "http"])
def address(request, site) -> Iterator[str]:
    if request.param == "file":
        yield site.as_uri()
        return
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture(scope="module", params=["light", "dark"])
def phone(request) -> Iterator[tuple[BrowserContext, list[str]]]:
    """A phone, and all that it asks for."""
    assert CHROMIUM, "there is no chromium. Install it (apt install chromium) or name one in KASSAY_CHROMIUM"
    asked: list[str] = []
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]) as browser,
    ):
        context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme=request.param)
        context.on("request", lambda each: asked.append(each.url))
        yield context, asked


def test_pages_ask_no_other_host_and_fit(address, phone, site, pages):
    context, asked = phone
    page = context.new_page()
    asked.clear()
    wide = []
    for path in pages:
        name = path.relative_to(site).as_posix()
        page.goto(f"{address}/{name}")
        if page.evaluate("document.documentElement.scrollWidth") > 390:
            wide.append(name)
    page.close()
    assert len(asked) > 200
    assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []
    assert wide == []


def test_search_finds_pages_without_a_server_too(address, phone):
    context, _ = phone
    page = context.new_page()
    page.goto(f"{address}/search.html?q=cooperative")
    page.wait_for_selector("#search-results ul.search li a", timeout=20_000)
    found = page.eval_on_selector_all("#search-results ul.search li a", "all => all.map(a => a.href)")
    page.close()
    assert any("glossary" in each or "assignment" in each or "README" in each for each in found), found


def test_axe_finds_nothing_on_any_page(phone, pages):
    context, _ = phone
    page, found = context.new_page(), []
    for path in pages:
        page.goto(path.as_uri())
        violations = Axe().run(page).response["violations"]
        found += [
            (path.name, each["id"], [node["html"] for node in each["nodes"]][:3]) for each in violations
        ]
    page.close()
    assert len(pages) > 50
    assert found == []


def test_the_playground_of_the_site_answers(address, phone):
    context, _ = phone
    page = context.new_page()
    page.goto(f"{address}/playground/index.html")
    page.wait_for_selector("html[data-ready]", timeout=120_000)
    page.close()
