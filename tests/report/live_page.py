"""The page in a real Chromium: light, dark and on a phone; `nox -s page`. KASSAY_PAGE names a page to look at instead.

The browser is Debian's (`apt install chromium`), or the one that KASSAY_CHROMIUM names; screenshots go to the folder that
KASSAY_SCREENSHOTS names.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = os.environ.get("KASSAY_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
SIZES = {"light": (1280, 900), "dark": (1280, 900), "phone": (390, 844), "phone-dark": (390, 844)}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert CHROMIUM, "there is no chromium; install it (apt install chromium) or name one in KASSAY_CHROMIUM"
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]) as opened,
    ):
        yield opened


@pytest.fixture(scope="module")
def address(request) -> str:
    given = os.environ.get("KASSAY_PAGE")
    return Path(given).resolve().as_uri() if given else request.getfixturevalue("page").as_uri()


def shown(browser: Browser, address: str, look: str) -> tuple[Page, list[str]]:
    """Open the page and note whatever it asks of the network and complains of."""
    width, height = SIZES[look]
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme="dark" if "dark" in look else "light",
        device_scale_factor=2 if "phone" in look else 1,
    )  # fmt: skip
    page, trouble = context.new_page(), []
    page.on("request", lambda asked: asked.url == address or trouble.append(asked.url))
    page.on("console", lambda said: trouble.append(said.text))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.goto(address)
    return page, trouble


@pytest.mark.parametrize("look", SIZES)
def test_the_page_stands_alone_and_fits(browser, address, look):
    page, trouble = shown(browser, address, look)
    assert trouble == []
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= SIZES[look][0], f"{width - SIZES[look][0]} px stick out"
    out = page.evaluate(
        """() => [...document.querySelectorAll("body *")].filter((one) => !one.closest(".scroll, nav, pre") &&
        one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 80))"""
    )
    assert out == []
    if folder := os.environ.get("KASSAY_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{look}.png", full_page=True)
        page.evaluate("for (const one of document.querySelectorAll('#smallest details')) one.open = true")
        page.locator("#smallest").screenshot(path=Path(folder) / f"{look}-smallest.png")


def contrast(page: Page, selector: str) -> float:
    """Return the contrast of an element's text with what is behind it (WCAG 2)."""
    return page.evaluate(
        """(selector) => {
          const light = (colour) => {
            const [r, g, b] = colour.match(/[\\d.]+/g).map((c) => c / 255)
              .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const one = document.querySelector(selector);
          let behind = one;
          while (getComputedStyle(behind).backgroundColor === "rgba(0, 0, 0, 0)") behind = behind.parentElement;
          const style = getComputedStyle(one);
          const colour = one instanceof SVGElement ? style.fill : style.color;
          const [a, b] = [light(colour), light(getComputedStyle(behind).backgroundColor)].sort((x, y) => y - x);
          return (a + 0.05) / (b + 0.05);
        }""",
        selector,
    )


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize(
    "selector", ["h1", "td.kept", "td.no a", "td.none", ".caption", "nav a", "figure svg text"]
)
def test_text_stands_out(browser, address, look, selector):
    page, _ = shown(browser, address, look)
    assert contrast(page, selector) >= 4.5


def column(page: Page, table: str, n: int) -> list[str]:
    return page.locator(f"#table-{table} tbody tr:not([hidden]) > :nth-child({n})").all_inner_texts()


def test_tables_are_sorted_by_a_click(browser, address):
    page, _ = shown(browser, address, "light")
    names = page.locator("#table-gaps thead th").all_inner_texts()
    at = next(n for n, name in enumerate(names, 1) if name.strip(" ▲▼") == "greatest")
    head = page.locator(f"#table-gaps thead th:nth-child({at})")
    rising = sorted(int(text.replace(",", "")) for text in column(page, "gaps", at))
    for direction, expected in (("ascending", rising), ("descending", rising[::-1])):
        head.locator("button").click()
        assert head.get_attribute("aria-sort") == direction
        assert [int(text.replace(",", "")) for text in column(page, "gaps", at)] == expected
    page.locator("#table-gaps thead th:nth-child(1) button").focus()
    page.keyboard.press("Enter")
    assert column(page, "gaps", 1) == sorted(column(page, "gaps", 1))


def test_tables_are_filtered_by_words(browser, address):
    page, _ = shown(browser, address, "phone")
    field = page.locator("#table-gaps input")
    total = len(column(page, "gaps", 1))
    field.fill("moves Range")
    left = page.locator("#table-gaps tbody tr:not([hidden])").all_inner_texts()
    assert 0 < len(left) < total
    assert all("moves" in row and "range" in row for row in left)
    assert page.locator("#table-gaps output").inner_text() == f"{len(left)} of {total}"
    field.fill("")
    assert len(column(page, "gaps", 1)) == total


def test_a_broken_cell_opens_its_smallest_group(browser, address):
    page, _ = shown(browser, address, "light")
    link = page.locator("#table-properties td a").first
    link.click()
    group = page.locator(link.get_attribute("href"))
    assert group.get_attribute("open") is not None
    assert group.locator("summary").is_visible()
    assert group.locator("table.held").count() >= 1
    page.reload()
    assert page.locator(link.get_attribute("href")).get_attribute("open") is not None


def test_the_page_reads_without_scripts(browser, address):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert page.locator("#table-verdicts tbody tr").count() > 0
    assert page.locator("figure svg").first.is_visible()
