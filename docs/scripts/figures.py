"""The sources of measured numbers on README and pages: each number is in a part that a command wrote, or in a record of one.

A part begins with ``<!-- generated: NAME -->`` or ``<!-- measured: COMMAND -->`` and ends with ``<!-- end -->``. For other numbers, a page
has ``<!-- figures: NAME NAME -->``. From there to the next such line, numbers are figures of docs/results/figures/NAME.json, also rounded, or of a
part of the page. A NAME with a dot is a constant, such as ``kassay.defaults.CHECKED``. ``given`` before a paragraph marks numbers that were not
measured: an example, or a limit of Kafka. ``python docs/scripts/figures.py`` lists the numbers without a source.
"""

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FIGURES = ROOT / "docs" / "results" / "figures"
FOLDER = "KASSAY_FIGURES"
"""The variable of the environment with another folder to write records into."""
WRITTEN = re.compile(r"<!-- (?:generated|measured): [^>]* -->\n.*?<!-- end -->", re.DOTALL)
NAMED = re.compile(r"<!-- figures: ([^>]*?) -->")
GIVEN = re.compile(r"<!-- figures: given -->\n.*?(?=\n\n|\Z)", re.DOTALL)
NO_FIGURES = re.compile(
    r"```.*?```|`[^`\n]*`|(?<=\])\([^)\n]*\)|https?://\S+|<[^>\n]+>"  # code, addresses, tags
    r"|\b\d{4}-\d\d-\d\d\b|\b\d+\.\d+\.\d+[\w.-]*|\b\d{4}\.\d{5}\b|\bKIP-\d+|\bKAFKA-\d+"  # dates, releases, papers of arXiv, issues
    r"|\b(?:Kafka|Python|Java|Go|Firefox|Chromium|release|releases|line|version|since|CC|Apache|KIP)\s+(?:\d+\.\d+\b(?:,| and| or| to)?\s*)+",
    re.DOTALL,
)
NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
MEASURED = re.compile(
    rf"(?<![\w.,-])(?:(\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+\.\d+)|({NUMBER})(?=\s?(?:%|µs|ms|s|[KMG]i?B|seconds?|minutes?|hours?|days?|times)\b|\s?%|\sof\s\d)|(?<=\d of )({NUMBER}))(?![\w])"
)
"""Numbers that look measured: with a thousands separator or a decimal point, before a unit, or a part of a total."""


@dataclass(frozen=True)
class Record:
    """The measurement of a command: the command, the day, and each figure with its name."""

    command: str
    on: str
    figures: Mapping[str, Any]
    note: str = ""
    """The origin, if it is not the command alone."""


def record(name: str) -> Record:
    """Read one."""
    return Record(**json.loads((FIGURES / f"{name}.json").read_text(encoding="utf-8")))


def keep(name: str, command: str, on: str, figures: Mapping[str, Any]) -> None:
    """Write what a command measured on a day, for pages to name."""
    text = json.dumps({"command": command, "on": on, "figures": figures}, indent=1, ensure_ascii=False)
    folder = Path(os.environ.get(FOLDER, FIGURES))
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")


def put(page: Path, command: str, text: str) -> None:
    """Write what a command made into its part of a page; raises SystemExit where the page has not exactly one for it."""
    part = re.compile(rf"(<!-- measured: {re.escape(command)} -->\n).*?(<!-- end -->)", re.DOTALL)
    new, times = part.subn(lambda old: f"{old[1]}{text}{old[2]}", page.read_text(encoding="utf-8"))
    if times != 1:
        raise SystemExit(f"{page} has {times} parts for {command}")
    page.write_text(new, encoding="utf-8")


def today() -> str:
    """Return the day, as records say it."""
    return f"{datetime.now(UTC):%Y-%m-%d}"


def digits(figure: float) -> float:
    """Return a figure with the three digits that a measurement is good for; a count as it is.

    >>> digits(0.012345), digits(1234.5), digits(1234)
    (0.0123, 1230, 1234)
    """
    if isinstance(figure, int):
        return figure
    short = float(f"{figure:.3g}")
    return int(short) if short >= 100 else short


def find_pages() -> list[Path]:
    """Return all pages with numbers."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def from_nowhere(text: str) -> Iterator[tuple[int, str]]:
    """Name each line and number of a page that stands in nothing which a command wrote."""
    here = [
        Decimal(each.replace(",", "")) for part in WRITTEN.findall(text) for each in re.findall(NUMBER, part)
    ]
    text = WRITTEN.sub(_make_blank, text)
    text = GIVEN.sub(_make_blank, text)
    scopes = [(0, ""), *((found.end(), found[1]) for found in NAMED.finditer(text))]
    ends = [*(at for at, _ in scopes[1:]), len(text)]
    text = NO_FIGURES.sub(_make_blank, NAMED.sub(_make_blank, text))
    for (begins, names), end in zip(scopes, ends, strict=True):
        known = [*here, *_read_figures(names.split())]
        for found in MEASURED.finditer(text, begins, end):
            number = found[1] or found[2] or found[3]
            if not any(is_rounded(number, each) for each in known):
                yield text.count("\n", 0, found.start()) + 1, number


def _make_blank(part: re.Match[str]) -> str:
    """Keep only the lines of a part."""
    return re.sub(r"[^\n]", " ", part[0])


def is_rounded(number: str, figure: Decimal) -> bool:
    """Return True if a written number is a figure, or the figure rounded to the written digits.

    Zeros at the end may be rounded, too.

    >>> is_rounded("44,000,000", Decimal(44012345)), is_rounded("0.74", Decimal("0.7391")), is_rounded("0.8", Decimal("0.7391"))
    (True, True, False)
    """
    written = Decimal(number.replace(",", ""))
    if written == figure:
        return True
    whole, _, fraction = number.replace(",", "").partition(".")
    significant = max(len(whole.rstrip("0")), 2)
    place = -len(fraction) if fraction else max(len(whole) - significant, 0)
    return figure.quantize(Decimal(1).scaleb(place), ROUND_HALF_UP) == written


def _read_figures(names: Iterable[str]) -> Iterator[Decimal]:
    """Read all numbers of records, or constants."""
    for name in names:
        if "." in name:
            module, _, constant = name.rpartition(".")
            yield from _find_numbers(getattr(import_module(module), constant))
        else:
            yield from _find_numbers(record(name).figures)


def _find_numbers(value: Any) -> Iterator[Decimal]:
    """Find all numbers in JSON."""
    match value:
        case bool() | None:
            pass
        case int() | float():
            yield Decimal(str(value))
        case str():
            yield from (Decimal(each.replace(",", "")) for each in re.findall(NUMBER, value))
        case dict():
            yield from (each for one in value.values() for each in _find_numbers(one))
        case _:
            yield from (each for one in value for each in _find_numbers(one))


def main() -> int:
    """Print what comes from nowhere; 1 where something does."""
    lost = [
        f"{page.relative_to(ROOT)}:{line}: {number} stands in no record"
        for page in find_pages()
        if not sys.argv[1:] or any(word in str(page) for word in sys.argv[1:])
        for line, number in from_nowhere(page.read_text(encoding="utf-8"))
    ]
    print(*lost, sep="\n")
    return 1 if lost else 0


if __name__ == "__main__":
    raise SystemExit(main())
