"""The home page: docs/site/home.html with figures that are counted, or that one generated part has."""

import json
import re
import sys
from collections.abc import Mapping
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from tree import ROOT

import kassay
from kassay.families import family
from kassay.playground.folder import list_presets

sys.path.insert(0, str(ROOT / "docs" / "scripts"))

from bug_records import FoundBug
from findings import describe_size, load_findings, name_assignor

TITLE = "Is your Kafka partition assignment correct, and how close is it to the optimum?"
DOORS = (
    ("My group is unbalanced", "docs/tutorials/group", "Paste the output of Kafka's tools. Get the setting to change.", "10 minutes"),
    ("I change an assignor", "docs/tutorials/assignor", "Get the smallest group that breaks it, and a gate for CI.", "10 minutes"),
    ("I write a client", "docs/tutorials/client", "Let your consumer lead test groups over the Kafka protocol.", "5 minutes"),
    ("I write a paper", "docs/tutorials/research", "Get exact gaps, intervals and figures for your own groups.", "10 minutes"),
)  # fmt: skip
"""Title, page, text and time of each entrance."""
FOUND = (
    "kafka-clients-sticky-for-ever.json",
    "kafka-clients-sticky-vanished-twice.json",
    "kafka-python-range-static.json",
)
"""The findings on the home page."""


def write_home() -> str:
    """Return the page as Markdown around HTML."""
    environment = Environment(
        loader=FileSystemLoader(ROOT / "docs" / "site"), undefined=StrictUndefined, autoescape=True
    )
    findings = {entry.file: (entry, finding) for entry, finding in load_findings()}
    body = environment.get_template("home.html").render(
        doors=DOORS,
        shown=_read_output(),
        findings=len(findings),
        found=[_describe_finding(*findings[name]) for name in FOUND],
        version=kassay.__version__,
        pictured=_find(r'aria-label="([^"]+)"', "docs/hero.svg")[1],
        **_read_percentages(),
        **_read_parity(),
    )
    return f"---\nhide-toc: true\n---\n\n# {TITLE}\n\n```{{raw}} html\n{body}\n```\n"


def _find(pattern: str, file: str) -> re.Match[str]:
    """Return the only match in a page; raises SystemExit if there is none."""
    found = re.search(pattern, (ROOT / file).read_text(encoding="utf-8"), re.DOTALL)
    if not found:
        raise SystemExit(f"{file} has no {pattern!r}, which the home page shows")
    return found


def _read_output() -> str:
    """Return the first sentence, the table and the recommendation of the README's command."""
    shown = _find(r"<!-- generated: compared -->\n```text\n(.+?)\n```", "README.md")[1]
    first, *parts = shown.removesuffix("\n...").split("\n\n")
    kept = [part for part in parts if "\nstrategy " in part or part.startswith("Recommendation")]
    return "\n\n".join([first, *kept])


def _read_parity() -> dict[str, str]:
    kept = json.loads((ROOT / "docs" / "results" / "figures" / "million.json").read_text(encoding="utf-8"))
    of_consumers = kept["figures"]["consumer"]
    return {
        "behaviours": str(of_consumers["behaviours"]),
        "answers": f"{of_consumers['answers of classes']:,}",
    }


def _describe_finding(entry: FoundBug, finding: Any) -> Mapping[str, str]:
    return {
        "title": entry.title,
        "assignor": name_assignor(finding),
        "effect": entry.effect.replace("`", ""),
        "library": entry.library,
        "size": describe_size(finding),
        "play": next(
            (each["id"] for each in list_presets() if kassay.read_group(each["group"]) == finding.group), ""
        ),
    }


def _parse_percentage(cell: str) -> float:
    return float(cell.removesuffix(" %"))


def _read_percentages() -> dict[str, Any]:
    """Return the README's table with a row for each strategy: the best cell in color, and failures marked."""
    table = _find(r"<!-- generated: assignors -->\n(.+?)\n\n<!-- end -->", "README.md")[1]
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    asked = [(re.fullmatch(r"(.+?): .+ \(of ([\d,]+)\)", row[0]), row[1:]) for row in rows]
    questions = [(label[1], label[2], cells) for label, cells in asked if label]
    settable = family("consumer").settable
    strategies = []
    for at, name in sorted(enumerate(head[1:]), reverse=True):
        cells = [
            {
                "label": label,
                "share": each[at].replace(" ", ""),
                "shown": each[at],
                "kind": "best"
                if each[at] == max(each, key=_parse_percentage)
                else "bad"
                if label == "right"
                else "",
            }
            for label, _, each in questions
        ]
        stop = "members read on" if settable[f"consumer/{name}"].cooperative else "members stop"
        strategies.append((name, stop, cells))
    return {
        "questions": [(label, of) for label, of, _ in questions],
        "groups": questions[0][1],
        "strategies": strategies,
    }
