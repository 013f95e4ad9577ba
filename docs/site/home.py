"""The home page: docs/site/home.html with figures that are counted, or that stand in one generated place."""

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from tree import ROOT, tree

import kassay
from kassay.families import family
from kassay.playground.folder import presets

TITLE = "kassay tells whether a Kafka assignor is right, and how far its answer is from the best possible"
DOORS = {
    "docs/tutorials/assignor": "Which promises hold, the smallest group that breaks one, a build that fails.",
    "docs/tutorials/group": "What each strategy would do with it, the best there is, the setting to change.",
    "docs/tutorials/research": "A sweep of my own groups, intervals and figures; the same for the same seed.",
    "docs/tutorials/client": "A program that kassay asks, in any language; it may crash, hang or lie.",
}
FOUND = (
    "kafka-clients-sticky-for-ever.json",
    "kafka-clients-sticky-vanished-twice.json",
    "kafka-python-range-static.json",
)
"""The findings that a stranger sees first."""
FINDINGS = ROOT / "examples" / "findings"


def home() -> str:
    """Write the page as Markdown around HTML."""
    environment = Environment(
        loader=FileSystemLoader(ROOT / "docs" / "site"), undefined=StrictUndefined, autoescape=True
    )
    listed = tomllib.loads((FINDINGS / "findings.toml").read_text(encoding="utf-8"))["finding"]
    libraries = {one["file"]: one["library"] for one in listed}
    titles = {page.name: page.title for page in tree()["Tutorials"]}
    body = environment.get_template("home.html").render(
        doors=[(titles[name], name, says) for name, says in DOORS.items()],
        findings=len(listed),
        found=[_finding(name, libraries[name]) for name in FOUND],
        version=kassay.__version__,
        **_picture(),
        **_shares(),
        **_compared(),
    )
    return f"---\nhide-toc: true\n---\n\n# {TITLE}\n\n```{{raw}} html\n{body}\n```\n"


def _one(pattern: str, file: str) -> re.Match[str]:
    """Return the one place of a page in which a figure stands."""
    found = re.search(pattern, (ROOT / file).read_text(encoding="utf-8"), re.DOTALL)
    if not found:
        raise SystemExit(f"{file} has no {pattern!r}, which the home page shows")
    return found


def _picture() -> dict[str, str]:
    return {"pictured": _one(r'aria-label="([^"]+)"', "docs/hero.svg")[1]}


def _compared() -> dict[str, str]:
    kept = json.loads((ROOT / "docs" / "results" / "figures" / "million.json").read_text(encoding="utf-8"))
    of_consumers = kept["figures"]["consumer"]
    return {
        "behaviours": str(of_consumers["behaviours"]),
        "answers": f"{of_consumers['answers of classes']:,}",
    }


def _finding(name: str, library: str) -> Mapping[str, str]:
    finding = json.loads((FINDINGS / name).read_text(encoding="utf-8"))
    group, read = finding["group"], kassay.read_group(finding["group"])
    return {
        "title": f"{finding['title'].rstrip('.')}.",
        "assignor": finding["target"].rpartition(":")[2].rpartition("#")[2],
        "broken": finding["property"],
        "message": finding["messages"][0].rstrip("."),
        "library": library,
        "members": _counted(len(group["members"]), "member"),
        "partitions": _counted(sum(topic["partitions"] for topic in group["topics"]), "partition"),
        "play": next((each["id"] for each in presets() if kassay.read_group(each["group"]) == read), ""),
    }


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'s' * (number != 1)}"


def _percent(cell: str) -> float:
    return float(cell.removesuffix(" %"))


def _shares() -> dict[str, Any]:
    """Turn the README's generated table: a row for each strategy, best in colour, and wrong answers marked."""
    table = _one(r"<!-- generated: assignors -->\n(.+?)\n\n<!-- end -->", "README.md")[1]
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
                "kind": "best" if each[at] == max(each, key=_percent) else "bad" if label == "right" else "",
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
