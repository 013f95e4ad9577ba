"""The built playground in Chromium and Firefox, from file:// and from a server: `nox -s playground`.

KASSAY_PLAYGROUND_FOLDER is its folder, whose engine is there. The browsers are Debian's (`apt install chromium firefox-esr`), or those that KASSAY_CHROMIUM and
KASSAY_FIREFOX name; KASSAY_SCREEN_READER is the module of @guidepup/virtual-screen-reader, which reads as the ARIA specifications say; screenshots go to the folder that KASSAY_SCREENSHOTS names. Firefox is driven by Mozilla's Marionette, which needs no geckodriver.
"""

import base64
import functools
import gc
import http.server
import json
import os
import re
import shutil
import threading
import time
import warnings
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, sync_playwright

from kassay.playground.folder import list_presets
from kassay.playground.link import fragment, read_state

FOLDER = Path(os.environ["KASSAY_PLAYGROUND_FOLDER"])
CHROMIUM = os.environ.get("KASSAY_CHROMIUM") or shutil.which("chromium")
FIREFOX = os.environ.get("KASSAY_FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")
READER = Path(os.environ["KASSAY_SCREEN_READER"])
SIZES = {
    "wide": (1400, 1000, "light"),
    "wide-dark": (1400, 1000, "dark"),
    "phone": (390, 844, "light"),
    "phone-dark": (390, 844, "dark"),
}
SHOWN = (
    "joins",
    "joins/range",
    "range/cooperative-sticky",
    "kminion/range",
    "forever/sticky",
    "again/sticky",
    "museum/sticky",
)
SAYS = "document.getElementById('says').innerText"
READY = "document.documentElement.dataset.ready"
PRESETS = {preset["id"]: preset for preset in list_presets()}


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server that tells nothing."""

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def places():
    handler = functools.partial(Quiet, directory=FOLDER)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield {
            "file": (FOLDER / "index.html").resolve().as_uri(),
            "server": f"http://127.0.0.1:{server.server_port}/index.html",
        }
        server.shutdown()


@pytest.fixture(scope="module")
def browser():
    assert CHROMIUM, "there is no chromium. Install it (apt install chromium) or name one in KASSAY_CHROMIUM"
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]) as opened,
    ):
        yield opened


@pytest.fixture(scope="module")
def ready(browser, places):
    """One page whose engine runs; each test opens a state of it by its link."""
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.goto(places["file"])
    page.wait_for_function(READY, timeout=120_000)
    yield page
    page.close()


def opened(page: Page, name: str) -> Page:
    page.evaluate("name => { past.length = 0; location.hash = name; return open(); }", name)
    page.wait_for_function("answer && !engine.jobs.size")
    return page


def kept(name: str, picture: bytes) -> None:
    if folder := os.environ.get("KASSAY_SCREENSHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / f"{name.replace('/', '-')}.png").write_bytes(picture)


@pytest.mark.parametrize("place", ["file", "server"])
def test_it_starts_without_any_foreign_request(browser, places, place):
    page = browser.new_page()
    trouble, asked = [], []
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("console", lambda said: trouble.append(said.text) if said.type == "error" else None)
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{places[place]}#joins")
    assert page.locator("#says").inner_text() == "One of two members has nothing. Even is 5."
    page.wait_for_function(READY, timeout=120_000)
    print(
        f"{place}: presets after {page.evaluate('document.documentElement.dataset.first')} ms, engine {page.evaluate(READY)} ms"
    )
    own = places[place].rpartition("/")[0]
    assert [url for url in asked if not url.startswith((own, "blob:", "data:"))] == []
    assert trouble == []
    page.close()


@pytest.mark.parametrize("size", SIZES)
def test_every_state_is_legible_and_reads_aloud(browser, places, size):
    width, height, scheme = SIZES[size]
    page = browser.new_page(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )
    for shown in (*SHOWN, "roll", "member", "topic", "owner", "pasting"):
        page.goto("about:blank")
        page.goto(f"{places['file']}#{shown if shown in SHOWN else 'joins'}")
        page.wait_for_function("answer")
        if shown == "roll":
            page.locator("#roll").click()
            page.wait_for_function("roll", timeout=120_000)
            page.evaluate("step(3)")
        elif shown not in SHOWN:
            page.locator(
                {"member": ".name", "topic": "button.t", "owner": ".tile", "pasting": "#paste"}[shown]
            ).first.click()
            assert page.locator(f"dialog#{shown}[open]").count() == 1
        kept(f"{shown}-{size}", page.screenshot(full_page=shown in SHOWN))
        assert page.evaluate("document.documentElement.scrollWidth") <= width, shown
        found = Axe().run(page)
        assert found.violations_count == 0, (shown, found.generate_report())
    page.close()


def test_a_member_joins_by_the_keyboard_and_undo_takes_it_back(ready):
    page = opened(ready, "joins")
    page.locator("#says").click()
    page.keyboard.press("m")
    page.wait_for_function("group.members.length === 3 && !engine.jobs.size")
    assert page.locator("#says").inner_text() == "Two of three members have nothing. Even is 3 or 4."
    page.keyboard.press("z")
    page.wait_for_function("!engine.jobs.size")
    assert page.locator("#says").inner_text() == "One of two members has nothing. Even is 5."


def test_a_partition_is_given_by_the_keyboard_and_by_dragging(ready):
    page = opened(ready, "joins")
    page.locator(".tile").first.focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("orders-1, app-1")
    page.keyboard.press("Enter")
    page.locator("#owner").get_by_label("app-0").check()
    page.keyboard.press("Enter")
    page.wait_for_function("!engine.jobs.size")
    assert page.evaluate("memberOf('app-0').owned") == [["orders", 1]]
    page.locator('.tile[aria-label^="pay-0"]').drag_to(page.locator('li[data-m="app-0"]'))
    page.wait_for_function("memberOf('app-0').owned.length === 2 && !engine.jobs.size")
    page.locator('.tile[aria-label^="pay-0"]').focus()
    page.keyboard.press("Delete")
    page.wait_for_function("memberOf('app-0').owned.length === 1 && !engine.jobs.size")
    assert page.locator("li.nobody .tile").count() == 1


def test_names_and_racks_are_edited(ready):
    page = opened(ready, "joins")
    page.locator('[data-member="app-0"]').click()
    page.locator("#member [name=id]").fill("app-1")
    page.locator("#member .go").click()
    assert "another member app-1" in page.locator("#member [role=alert]").inner_text()
    page.locator("#member [name=id]").fill("shop")
    page.locator("#member [name=rack]").fill("c")
    page.locator("#member [name=instance]").fill("i0")
    page.locator("#member .go").click()
    page.locator('[data-topic="pay"]').click()
    page.locator("#topic [name=name]").fill("paid")
    page.locator("#topic [name=partitions]").fill("2")
    page.locator("#topic [name=racks]").fill("a b, c")
    page.locator("#topic .go").click()
    page.wait_for_function("!engine.jobs.size && topicOf('paid')")
    shop = page.evaluate("memberOf('shop')")
    assert (shop["rack"], shop["instance_id"], shop["topics"]) == ("c", "i0", ["orders", "paid"])
    assert page.evaluate("topicOf('paid')") == {"name": "paid", "partitions": 2, "racks": [["a", "b"], ["c"]]}
    assert ["paid", 2] in page.evaluate("memberOf('app-1').owned")
    assert "holds what does not exist" in page.locator("#says").inner_text()


def test_a_link_holds_every_state(browser, ready, places):
    page = opened(ready, "joins")
    page.locator("#join").click()
    page.wait_for_function("!engine.jobs.size")
    page.locator("#tab-best").click()
    page.locator("#roll").click()
    page.wait_for_function("roll && !engine.jobs.size")
    page.evaluate("step(4)")
    page.wait_for_timeout(400)
    link = page.evaluate("location.hash")
    state = read_state(link)
    assert (state["view"], state["roll"]["at"], len(state["group"]["members"])) == ("best", 4, 3)
    other = browser.new_page()
    other.goto(places["file"] + link)
    other.wait_for_function("roll && roll.at === 4", timeout=120_000)
    assert other.evaluate("[group, view, roll.name]") == page.evaluate("[group, view, roll.name]")
    assert other.locator("#rwhat").inner_text() == page.locator("#rwhat").inner_text()
    other.goto("about:blank")
    other.goto(f"{places['file']}#{fragment({'group': PRESETS['needless']['group'], 'view': 'sticky'})}")
    other.wait_for_function("view === 'sticky'")
    assert "one of three members has nothing" in other.locator("#says").inner_text().lower()
    menu = {
        "": "",
        "4.3.1": "",
        "3.7.1": "",
        "3.7.0": "3.5.2",
        "2.6.3": "2.5.1",
        "2.4.1": "2.4.0",
        "2.2.0": "2.2.0",
        "1.0.0": "1.0.0",
    }
    assert other.evaluate("menu => Object.keys(menu).map(alike)", menu) == [*menu.values()]
    other.goto("about:blank")
    other.goto(f"{places['file']}#g=broken")
    other.wait_for_function("notes.length")
    assert "The link could not be read" in other.locator("#notes").inner_text()
    other.close()


def test_an_answer_takes_effect_and_a_restart_is_played(ready):
    page = opened(ready, "joins/cooperative-sticky")
    page.keyboard.press("e")
    page.wait_for_function("memberOf('app-0').owned.length === 5 && !engine.jobs.size")
    page.locator("#roll").click()
    page.wait_for_function("roll && !engine.jobs.size")
    assert "app-0 is back as app-0~2" in page.evaluate("roll.happens").__str__()
    page.keyboard.press("ArrowRight")
    assert "app-0 stops" in page.locator("#rwhat").inner_text()
    page.locator("#same").check()
    page.wait_for_function("roll && roll.same && !engine.jobs.size")
    assert page.evaluate("roll.happens[2]") == "app-0 is back"
    page.locator("#rend").click()
    assert page.locator("#rollbox").is_hidden()


def test_what_is_pasted_is_shown_or_named_as_wrong(ready):
    page = opened(ready, "joins")
    page.locator("#paste").click()
    page.locator("#text").fill("neither")
    page.locator("#pasting .go").click()
    page.wait_for_function("document.getElementById('pastewrong').textContent")
    assert "neither a listing of kafka-consumer-groups nor JSON" in page.locator("#pastewrong").inner_text()
    page.locator("#text").fill(PRESETS["kminion"]["listing"])
    page.locator("#pasting .go").click()
    page.wait_for_function("group.members.length === 5 && !engine.jobs.size")
    assert page.locator("#says").inner_text().startswith("One of five members has nothing.")


def test_who_answers_late_is_ended_and_the_others_answer(browser, places):
    """Planted: a clock of no time at all for sticky; its worker is ended, started again, and asked without it."""
    page = browser.new_page()
    page.goto(f"{places['file']}#joins")
    page.wait_for_function(READY, timeout=120_000)
    page.evaluate(
        """() => { const watch_ = watch; watch = (job, who) => who === "sticky" ? late(job, who) : watch_(job, who); join(); }"""
    )
    page.wait_for_function("answer.late.includes('sticky')", timeout=120_000)
    assert "no answer in 5 seconds: its worker was ended" in page.locator("#tab-sticky").inner_text()
    assert page.locator("#tab-range").inner_text().count("fullest") == 1
    assert "sticky: no answer in 5 seconds" in page.locator("#notes").inner_text()
    page.close()


@pytest.fixture
def aloud(browser, places):
    """A page whose engine runs, and what a virtual screen reader has said of it since the last time it was asked."""
    page = browser.new_page(viewport={"width": 1400, "height": 1000}, reduced_motion="reduce")
    page.goto(f"{places['file']}#joins")
    page.wait_for_function(READY, timeout=120_000)
    page.evaluate(
        """async module => {
            const there = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
            window.reader = (await import(there)).virtual;
            await reader.start({ container: document.body });
        }""",
        READER.read_text(encoding="utf-8"),
    )

    def said(until="!engine.jobs.size"):
        page.wait_for_function(until)
        page.wait_for_timeout(300)
        return page.evaluate(
            "reader.spokenPhraseLog().then(log => reader.clearSpokenPhraseLog().then(() => log))"
        )

    yield page, said
    page.evaluate("reader.stop()")
    page.close()


def read_on(page):
    """Read from here to the end of the page."""
    page.evaluate(
        "(async () => { for (let n = 0; n < 999; n++) { await reader.next(); if (await reader.lastSpokenPhrase() === 'end of document') return; } })()"
    )


CONTROLS = re.compile(r"^(button|tab|combobox|slider|checkbox|textbox|radio)\b,? ?(.*)$")


def test_a_screen_reader_reads_sentences_names_and_numbers_in_order(aloud):
    page, said = aloud
    read_on(page)
    log = said()
    headings = [one.removeprefix("heading, ") for one in log if one.startswith("heading, ")]
    assert headings == [
        "One of two members has nothing. Even is 5., level 1", "What each strategy answers, level 2", "The group, level 2", "What to set, level 2",
    ]  # fmt: skip
    order = ["navigation, Examples", f"heading, {headings[0]}", "tablist, What each strategy answers", "tabpanel, now", "button, member joins", "region, What to set"]  # fmt: skip
    places_ = [next(n for n, one in enumerate(log) if one.startswith(start)) for start in order]
    assert places_ == sorted(places_)
    tabs = [one for one in log if one.startswith("tab, ")]
    assert len(tabs) == 6
    assert tabs[0].startswith(
        "tab, now: the fullest holds 10, the emptiest 0; 4 read from another rack, selected"
    )
    assert tabs[1].startswith(
        "tab, range: the fullest holds 6, the emptiest 4; 6 moves; 1 read from another rack; worse than it could be: "
    )
    assert tabs[5].startswith("tab, best possible: the fullest holds 5, the emptiest 5; 5 moves")
    assert {"button, orders: 7 partitions, change orders", "button, pay: 3 partitions, change pay"} <= {*log}
    row = log.index("button, app-1, change app-1")
    assert log[row + 1] == "holds 10 partitions"
    assert any(
        one.startswith("button, orders-0, app-1; replicas in rack a: read from another rack") for one in log
    )
    controls = [found[2] for one in log if (found := CONTROLS.match(one))]
    assert len(controls) > 30
    assert [name for name in controls if not re.match(r"[\w -]*[a-z]{2}", name)] == [], "names without a word"
    assert not any(sign in one for one in log for sign in "▶◀❚✗")


def test_what_an_edit_brings_is_said_by_itself(aloud):
    page, said = aloud
    said()
    page.locator("#join").focus()
    page.keyboard.press("Enter")
    log = said("group.members.length === 3 && !engine.jobs.size")
    assert "polite: app-2 joins" in log
    verdict = log[-1].removeprefix("polite: ")
    assert verdict.startswith("Two of three members have nothing. Even is 3 or 4.")
    assert page.evaluate("answer.reach") in verdict
    page.keyboard.press("z")
    assert said()[-1].startswith("polite: undone: One of two members has nothing. Even is 5.")
    page.locator("#join").focus()
    for key in ("m", "m"):
        page.keyboard.press(key)
        said()
    page.locator('[data-member="app-3"]').focus()
    page.keyboard.press("Enter")
    assert said()[-2:] == ["dialog, Member", "textbox, name, app-3, required"]
    page.locator("dialog[open] [value=leave]").focus()
    page.keyboard.press("Enter")
    log = said("group.members.length === 3 && !engine.jobs.size")
    assert "polite: app-3 leaves" in log
    assert "Two of three members have nothing" in log[-1]
    assert page.evaluate("document.activeElement.id") == "join", "what opened the dialog is gone"
    page.locator(".tile").first.focus()
    page.keyboard.press("Delete")
    log = said()
    assert any(re.fullmatch(r"polite: \S+-\d+ is now owned by nobody", one) for one in log)
    assert "Nobody holds 1 of 10 partitions." in log[-1]


def test_a_member_that_is_changed_keeps_the_focus(aloud):
    page, said = aloud
    page.locator('[data-member="app-0"]').focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Control+a")
    page.keyboard.type("shop")
    page.keyboard.press("Enter")
    assert any(one == "polite: shop changed" for one in said("memberOf('shop') && !engine.jobs.size"))
    assert page.evaluate("document.activeElement.dataset.member") == "shop"


def test_a_rolling_restart_is_told_step_by_step_by_the_keyboard_alone(aloud):
    page, said = aloud
    page.locator("#roll").focus()
    said()
    page.keyboard.press("Enter")
    log = said("roll && !engine.jobs.size")
    first = "sticky: the group rebalances once, before any member stops"
    assert any(first in one for one in log)
    assert page.evaluate("document.activeElement.id") == "rplay"
    steps = page.evaluate("roll.happens.length")
    for happens in ("app-0 stops · its 5 go to the others", "app-0 is back as app-0~2", "app-1 stops"):
        page.keyboard.press("ArrowRight")
        assert any(one.startswith("polite: ") and happens in one for one in said()), happens
    assert (
        page.locator("#rat")
        .get_attribute("aria-valuetext")
        .startswith(f"3 of {steps - 1}: cooperative-sticky: app-1 stops")
    )
    page.keyboard.press("ArrowLeft")
    assert any("app-0 is back as app-0~2" in one for one in said())
    page.locator("#rfwd").focus()
    for _ in range(steps):
        page.keyboard.press("Enter")
    assert page.evaluate("[roll.at, document.activeElement.id]") == [steps - 1, "rfwd"]
    page.locator("#rend").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "roll"


@pytest.fixture
def firefox(tmp_path):
    assert FIREFOX, "there is no firefox. Install it (apt install firefox-esr) or name one in KASSAY_FIREFOX"
    with warnings.catch_warnings(action="ignore"):  # of what Marionette's libraries import
        from marionette_driver.marionette import Marionette
    driven = Marionette(bin=FIREFOX, headless=True, gecko_log=str(tmp_path / "gecko.log"))
    driven.start_session()
    yield driven
    driven.quit(in_app=False)
    with warnings.catch_warnings(action="ignore"):  # Marionette leaves its sockets open
        gc.collect()


def until(driven, condition, seconds=120):
    ends = time.monotonic() + seconds
    while not (found := driven.execute_script(f"return {condition}")):
        assert time.monotonic() < ends, condition
        time.sleep(0.2)
    return found


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("place", ["file", "server"])
def test_firefox_answers_too(firefox, places, place):
    firefox.navigate(f"{places[place]}#joins/range")
    took = until(firefox, READY)
    print(f"firefox {firefox.session_capabilities['browserVersion']}, {place}: engine {took} ms")
    assert firefox.find_element("id", "says").text == "One of two members has nothing. Even is 5."
    firefox.find_element("id", "tab-now").click()
    firefox.find_element("id", "tab-now").send_keys("m")
    until(firefox, f"{SAYS}.startsWith('Two of three')")
    assert firefox.find_element("id", "says").text == "Two of three members have nothing. Even is 3 or 4."
    firefox.find_element("id", "tab-now").send_keys("\ue014")  # the right arrow
    until(firefox, "document.getElementById('tab-range').ariaSelected === 'true'")
    firefox.find_element("id", "roll").click()
    until(firefox, "!document.getElementById('rollbox').hidden")
    time.sleep(0.5)
    kept(f"firefox-{place}", base64.b64decode(firefox.screenshot()))
    link = firefox.get_url().partition("#")[2]
    assert read_state(link)["view"] == "range"
    assert len(json.dumps(read_state(link)["group"])) > len(link) // 3
