"""Time the playground in Chromium and Firefox: until presets are answered, until the engine is ready, and until an edit is answered.

`nox -s playground -- FOLDER --measure` builds it and runs this, which keeps the medians of several starts for docs/results/speed.md. These are times of
clocks, so the machine should have nothing else to do; how busy it was is kept beside them. A page is opened from its file.
"""

import os
import shutil
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import sync_playwright

from kassay.playground.link import fragment

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "scripts"))

from figures import keep, today

STARTS = 5
SMALL, LARGE = (2, 1, 10), (12, 3, 96)
"""Members, topics, and partitions of each of two groups that are edited."""
ANSWERED = "document.documentElement.dataset"
ASK = Callable[[str], Any]
"""Runs JavaScript in a page and returns what it says."""


def group(members: int, topics: int, partitions: int) -> dict[str, Any]:
    """Make a group whose members hold equally many partitions, but for one that has two too many."""
    names = [f"t{n}" for n in range(topics)]
    owned: list[list[list[str | int]]] = [[] for _ in range(members)]
    for at, (name, number) in enumerate((name, n) for name in names for n in range(partitions)):
        owned[at % members if at > 1 else 0].append([name, number])
    return {
        "topics": [{"name": name, "partitions": partitions} for name in names],
        "members": [
            {"id": f"m{n}", "topics": names, "owned": held, "generation": 1} for n, held in enumerate(owned)
        ],
    }


def until(ask: ASK, condition: str) -> Any:
    """Wait for a condition in the page; raises SystemExit after two minutes."""
    ends = time.monotonic() + 120
    while not (found := ask(condition)):
        if time.monotonic() > ends:
            raise SystemExit(f"this did not come true in two minutes: {condition}")
        time.sleep(0.02)
    return found


def timed(visit: Callable[[str], ASK], page: str) -> dict[str, float]:
    """Return the milliseconds of one start."""
    ask = visit(f"{page}#joins")
    ready = float(until(ask, f"{ANSWERED}.ready"))
    found = {"presets answered": float(ask(f"{ANSWERED}.first")), "engine ready": ready}
    for shape in (SMALL, LARGE):
        ask = visit(f"{page}#{fragment({'group': group(*shape), 'kafka': '', 'view': 'now'})}")
        until(ask, f"{ANSWERED}.answered == turn")
        ask("window.began = performance.now(), give(key(['t0', 1]), 'm1'), true")
        until(ask, f"{ANSWERED}.answered == turn && (window.took ??= performance.now() - began)")
        found[f"an edit of {shape[1] * shape[2]} partitions answered"] = float(ask("took"))
    return found


@contextmanager
def chromium() -> Iterator[Callable[[str], ASK]]:
    """Open Chromium; each visit is a new page."""
    path = os.environ.get("KASSAY_CHROMIUM") or shutil.which("chromium")
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=path, args=["--no-sandbox"]) as browser,
    ):

        def visit(address: str) -> ASK:
            page = browser.new_page()
            page.goto(address)
            return page.evaluate

        yield visit


@contextmanager
def firefox() -> Iterator[Callable[[str], ASK]]:
    """Open Firefox; each visit leaves the page before."""
    with warnings.catch_warnings(action="ignore"):  # of what Marionette's libraries import
        from marionette_driver.marionette import Marionette
    path = os.environ.get("KASSAY_FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")
    with TemporaryDirectory() as folder:
        log = str(Path(folder, "gecko.log"))  # which it makes anew, whatever lies there
        driven = Marionette(bin=path, headless=True, gecko_log=log)
        driven.start_session()

        def visit(address: str) -> ASK:
            driven.navigate("about:blank")
            driven.navigate(address)
            return lambda script: driven.execute_script(
                "return window.wrappedJSObject.eval(arguments[0])", [script]
            )

        try:
            yield visit
        finally:
            driven.quit(in_app=False)


def main() -> None:
    """Measure, print and keep."""
    folder = Path(sys.argv[1]).resolve()
    page = (folder / "index.html").as_uri()
    busy = os.getloadavg()[0]
    times: dict[str, dict[str, int]] = {}
    for name, browser in (("Chromium", chromium), ("Firefox", firefox)):
        with browser() as visit:
            starts = [timed(visit, page) for _ in range(STARTS)]
        for what in starts[0]:
            row = times.setdefault(what, {})
            row[f"{name}, ms"] = round(median(start[what] for start in starts))
            row[f"{name}, at worst"] = round(max(start[what] for start in starts))
    sizes = [(file.stat().st_size, file.name) for file in folder.rglob("*") if file.is_file()]
    figures = {
        "times": times,
        "processes that ran or waited as it began": round(busy, 1),
        "MB of the folder": round(sum(size for size, _ in sizes) / 1e6, 1),
        "MB of its largest file, the snapshot": round(max(sizes)[0] / 1e6, 1),
    }
    print(figures)
    keep("playground", "nox -s playground -- FOLDER --measure", today(), figures)


if __name__ == "__main__":
    main()
