"""Both pages in a real Chromium: light, dark, on a phone, by the keyboard, without a script and in print; `nox -s page`.

KASSAY_PAGE names a report to look at instead. The browser is Debian's (`apt install chromium`), or the one that KASSAY_CHROMIUM
names; screenshots go to the folder that KASSAY_SCREENSHOTS names.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

from kassay.families import family
from kassay.files.output import write_whole
from kassay.model import Group, Member, Topic
from kassay.properties.partitions.rounds import apply_assignment
from kassay.reference import ASSIGNORS

CHROMIUM = os.environ.get("KASSAY_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
SIZES = {"light": (1280, 900), "dark": (1280, 900), "phone": (390, 844), "phone-dark": (390, 844)}
GIVEN = Path(__file__).parents[2] / "examples" / "groups" / "kminion-104.members.txt"
DRAWN = ("report", "group", "topics", "loads")
"""A sweep's page; a group's that is drawn by partition, by topic, by load."""
PAGES = (*DRAWN, "over-time", "scoreboard")
"""Those, one of a sequence of rebalances, and the scoreboard of released clients."""
OPEN = "for (const one of document.querySelectorAll('details')) one.open = true"
CONTRASTS = (Path(__file__).parent / "contrasts.js").read_text(encoding="utf-8")
"""Words in pictures that stand out too little, and lines and marks; axe does not look into pictures."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert CHROMIUM, "there is no chromium. Install it (apt install chromium) or name one in KASSAY_CHROMIUM"
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]) as opened,
    ):
        yield opened


@pytest.fixture(scope="module")
def addresses(request, tmp_path_factory) -> dict[str, str]:
    given = os.environ.get("KASSAY_PAGE")
    report = Path(given).resolve() if given else request.getfixturevalue("page")
    folder = tmp_path_factory.mktemp("group")
    files = {"group": GIVEN, "topics": folder / "topics.json", "loads": folder / "loads.json"}
    grown(files["topics"], 8, 5)
    grown(files["loads"], 40, 12)
    known = {"report": report.as_uri()}
    for name, file in files.items():
        html = folder / f"{name}.html"
        command = ["compare", "consumer/*", "--group", str(file), "--html", str(html)]
        made(command, {0, 3})  # 3: an answer asks for another rebalance, so it is not compared
        known[name] = html.as_uri()
    html = folder / "over-time.html"
    made(["over-time", "--group", str(GIVEN), "--restart", "5", "--html", str(html)], {0})
    board = folder / "scoreboard.html"
    made(["scoreboard", "--html", str(board)], {0})
    return known | {"over-time": html.as_uri(), "scoreboard": board.as_uri()}


def made(command: list[str], ends: set[int]) -> None:
    """Run a command that writes a page, and see that it ends as it must."""
    done = subprocess.run([sys.executable, "-m", "kassay", *command], check=False, capture_output=True)
    assert done.returncode in ends, done.stderr


def grown(path: Path, members: int, topics: int) -> None:
    """Write a group that runs already, which one more member joins; one member reads less than the others."""
    each = [Topic(f"orders.of-the-long-name.{n}", 12, ((("a", "b")[n % 2],),) * 12) for n in range(topics)]
    names = tuple(topic.name for topic in each)
    joined = [
        Member(f"consumer-of-orders-{n:04}", names if n else names[1:], rack="ab"[n % 2])
        for n in range(members)
    ]
    before = Group(tuple(each), tuple(joined[:-1]))
    ran = apply_assignment(before, ASSIGNORS["consumer/range"].assign(before)).members
    group = replace(before, members=(*ran, joined[-1]))
    write_whole(path, json.dumps(family("consumer").write_group(group)))


def shown(browser: Browser, address: str, look: str = "light", **more) -> tuple[Page, list[str]]:
    """Open the page and note whatever it asks of the network and complains of."""
    width, height = SIZES[look]
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme="dark" if "dark" in look else "light",
        device_scale_factor=2 if "phone" in look else 1, **more,
    )  # fmt: skip
    page, trouble = context.new_page(), []
    page.on("request", lambda asked: asked.url == address or trouble.append(asked.url))
    page.on("console", lambda said: trouble.append(said.text))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.goto(address)
    return page, trouble


@pytest.mark.parametrize("which", PAGES)
@pytest.mark.parametrize("look", SIZES)
def test_a_page_stands_alone_and_fits(browser, addresses, which, look):
    page, trouble = shown(browser, addresses[which], look)
    for opened in (False, True):
        if opened:
            page.evaluate(OPEN)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= SIZES[look][0], f"{width - SIZES[look][0]} px stick out"
        out = page.evaluate(
            """() => [...document.querySelectorAll("body *")].filter((one) => !one.closest(".scroll, .many, pre, svg, .skip") &&
            one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 80))"""
        )
        assert out == []
        if folder := os.environ.get("KASSAY_SCREENSHOTS"):
            name = f"{which}-{look}{'-open' * opened}.png"
            page.screenshot(path=Path(folder) / name, full_page=True)
    assert trouble == []


@pytest.mark.parametrize("which", PAGES)
@pytest.mark.parametrize("look", SIZES)
def test_axe_finds_nothing_and_pictures_stand_out(browser, addresses, which, look):
    page, _ = shown(browser, addresses[which], look)
    page.evaluate(OPEN)
    found = Axe().run(page)
    assert not found.violations_count, found.generate_report()
    assert page.evaluate(CONTRASTS) == []


@pytest.mark.parametrize("which", DRAWN)
def test_words_in_a_group_s_pictures_are_not_small_on_a_phone(browser, addresses, which):
    page, _ = shown(browser, addresses[which], "phone")
    page.evaluate(OPEN)
    sizes = page.evaluate(
        """() => [...document.querySelectorAll("svg.panel text")].filter((one) => one.checkVisibility()).map((one) =>
        parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().a)"""
    )
    assert min(sizes) >= 9


def test_each_red_cell_of_the_scoreboard_leads_to_what_broke(browser, addresses):
    page, _ = shown(browser, addresses["scoreboard"], reduced_motion="reduce")
    links = page.locator(".board td.bad a").all()
    assert len(links) == page.locator(".board td.bad").count() > 20
    drawn = page.locator("#newest td.bad a").count()
    assert 20 < drawn < len(links)  # the others, of runs over the wire, lead to what was said
    for number in (0, drawn - 1, drawn, len(links) - 1):
        links[number].focus()
        page.keyboard.press("Enter")
        place = page.locator(f'[id="{page.evaluate("location.hash.slice(1)")}"]')
        assert 0 <= place.bounding_box()["y"] < SIZES["light"][1]
        if number < drawn:
            assert place.locator("figure svg").count() == 2
            assert place.locator("ul li").count() > 0
        else:
            assert ": " in place.inner_text()


def test_the_keyboard_reaches_everything(browser, addresses):
    page, _ = shown(browser, addresses["report"])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.locator(".skip").bounding_box()["height"] > 20
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#main"
    checked = page.locator("#levels input:checked")
    checked.focus()
    before = page.locator(".level:visible h3").inner_text()
    page.keyboard.press("ArrowRight")
    assert page.locator(".level:visible").count() == 1
    assert page.locator(".level:visible h3").inner_text() != before
    focused = "getComputedStyle(document.activeElement.nextElementSibling).outlineStyle"
    assert page.evaluate(focused) == "solid"
    fold = page.locator("#more > details").first
    fold.locator("> summary").focus()
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    assert fold.get_attribute("open") is not None
    page.keyboard.press("Enter")
    assert fold.get_attribute("open") is None


@pytest.mark.parametrize("which", PAGES)
@pytest.mark.parametrize("clipboard", [True, False])
def test_buttons_copy(browser, addresses, which, clipboard):
    page, trouble = shown(browser, addresses[which], permissions=["clipboard-read", "clipboard-write"])
    if not clipboard:  # as where a page may not use it
        page.evaluate(
            """() => { navigator.clipboard.writeText = () => Promise.reject(new Error());
            document.execCommand = (what) => { window.copied = what + document.activeElement.value; }; }"""
        )
    page.evaluate(OPEN)
    for button in page.locator("[data-copy]").all():
        text = page.locator(f"#{button.get_attribute('data-copy')}").evaluate("(one) => one.textContent")
        button.focus()
        page.keyboard.press("Enter")
        page.wait_for_function("(one) => one.textContent === 'Copied'", arg=button.element_handle())
        got = page.evaluate("navigator.clipboard.readText()" if clipboard else "window.copied")
        assert got == (text if clipboard else f"copy{text}")
    assert page.locator("textarea").count() == 0
    assert trouble == []


def test_a_series_is_highlighted_in_every_plot(browser, addresses):
    page, _ = shown(browser, addresses["report"])
    button = page.locator("[data-series]").nth(1)
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    own = button.get_attribute("data-series")
    others = page.locator(f"figure g.dim:not(.target-{own})")
    assert others.count() > 3
    assert page.locator(f"figure g.target-{own}.dim").count() == 0
    page.keyboard.press("Enter")
    assert page.locator(".dim").count() == 0


def column(page: Page, table: str, n: int) -> list[str]:
    return page.locator(f"#table-{table} tbody tr:not([hidden]) > :nth-child({n})").all_inner_texts()


def test_tables_are_sorted_by_a_key(browser, addresses):
    page, _ = shown(browser, addresses["report"])
    page.evaluate(OPEN)
    names = page.locator("#table-gaps thead th").all_inner_texts()
    at = next(n for n, name in enumerate(names, 1) if name.strip(" ▲▼") == "greatest")
    head = page.locator(f"#table-gaps thead th:nth-child({at})")
    rising = sorted(int(text.replace(",", "")) for text in column(page, "gaps", at))
    head.locator("button").focus()
    for direction, expected in (("ascending", rising), ("descending", rising[::-1])):
        page.keyboard.press("Enter")
        assert head.get_attribute("aria-sort") == direction
        assert [int(text.replace(",", "")) for text in column(page, "gaps", at)] == expected
    page.locator("#table-gaps thead th:nth-child(1) button").click()
    assert column(page, "gaps", 1) == sorted(column(page, "gaps", 1))


def test_tables_are_filtered_by_words(browser, addresses):
    page, _ = shown(browser, addresses["report"], "phone")
    page.evaluate(OPEN)
    total = len(column(page, "gaps", 1))
    page.locator("#table-gaps input").focus()
    page.keyboard.type("moves Range")
    left = page.locator("#table-gaps tbody tr:not([hidden])").all_inner_texts()
    assert 0 < len(left) < total
    assert all("moves" in row and "range" in row for row in left)
    assert page.locator("#table-gaps output").inner_text() == f"{len(left)} of {total}"
    page.locator("#table-gaps input").fill("")
    assert len(column(page, "gaps", 1)) == total


def test_a_broken_cell_opens_its_smallest_group(browser, addresses):
    page, _ = shown(browser, addresses["report"])
    page.locator("#promises > summary").click()
    link = page.locator("#table-properties td a").first
    link.focus()
    page.keyboard.press("Enter")
    group = page.locator(link.get_attribute("href"))
    page.wait_for_function("(one) => one.open", arg=group.element_handle())
    assert page.locator("#smallest").get_attribute("open") is not None
    assert group.locator("svg.panel, .files a").first.is_visible()
    assert page.locator("#smallest svg.panel").count() > 0
    page.reload()
    assert group.get_attribute("open") is not None


def test_the_report_reads_without_scripts(browser, addresses):
    page, _ = shown(browser, addresses["report"], java_script_enabled=False)
    assert page.locator(".matrix td").first.is_visible()
    assert page.locator("#picture h2").is_visible()
    assert page.locator(".level:visible").count() == 1
    before = page.locator(".level:visible svg").first.get_attribute("aria-label")
    page.locator("#levels label").first.click()
    page.locator("#levels input:checked").press("ArrowRight")
    page.locator("#levels label").last.click()
    after = page.locator(".level:visible svg").first.get_attribute("aria-label")
    assert page.locator(".level:visible").count() == 1
    assert after
    assert before
    assert page.locator("#levels input").last.is_checked()
    page.locator("#gaps > summary").click()
    assert page.locator("#table-gaps tbody tr").first.is_visible()
    assert page.locator("[data-copy]:visible, .filter:visible").count() == 0


def test_the_group_reads_without_scripts(browser, addresses):
    page, _ = shown(browser, addresses["group"], java_script_enabled=False)
    page.locator("#picture summary").click()
    assert page.locator("svg.panel").first.is_visible()
    page.locator("#measures summary").click()
    assert page.locator("#measures td").first.is_visible()
    assert page.locator("[data-copy]:visible").count() == 0


def test_print_shows_everything(browser, addresses):
    page, _ = shown(browser, addresses["report"], "dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(20, 23, 28)"
    page.set_viewport_size({"width": 718, "height": 1040})  # A4 less its margins
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    levels = page.locator(".level")
    assert levels.count() == page.locator(".level:visible").count() > 1
    assert page.locator("nav:visible, [data-copy]:visible, .filter:visible, .switch:visible").count() == 0
    heads = page.locator("table.sorted thead th").all()
    assert heads
    assert all(head.inner_text().strip() for head in heads)
    cut = page.evaluate(
        """() => [...document.querySelectorAll(".long, .many, .series")].filter((one) =>
        one.scrollHeight > one.clientHeight + 2 && getComputedStyle(one).overflowY !== "visible").length"""
    )
    assert cut == 0
    wide = page.evaluate(
        """() => [...document.querySelectorAll("table, figure, svg")].filter((one) => one.checkVisibility() &&
        one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 80))"""
    )
    assert wide == []
    assert page.locator("figure").first.evaluate("(one) => getComputedStyle(one).breakInside") == "avoid"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details[open]").count() == 0
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_nothing_moves_for_who_wants_no_motion(browser, addresses):
    for wanted, behaviour in (("reduce", "auto"), ("no-preference", "smooth")):
        page, _ = shown(browser, addresses["report"], reduced_motion=wanted)
        assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == behaviour
