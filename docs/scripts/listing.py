"""The generated tables of `kassay list --all`: one table for each kind of property, with its families, and a part for each family's page."""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from command import run_kassay

from kassay.families import FAMILIES
from kassay.reference import ASSIGNORS
from kassay.reference.releases import behaviours

SECTION = re.compile(r"^### (.+?) of the (\S+) family\n\n((?:\|.*\n)+)", re.MULTILINE)
"""A table of one kind in one family."""
ASSIGNOR_ROWS = re.compile(r"^\| (\S+/\S+) \| (.+?) \| (.*) \|$", re.MULTILINE)
PAGES: Mapping[str, str] = {
    "consumer": "consumer", "broker": "broker", "share": "broker", "streams": "streams", "streams-group": "streams", "connect": "connect",
}  # fmt: skip
"""Family -> its page in docs/reference."""


@cache
def read_listing() -> str:
    """Return what `kassay list --all` prints, as Markdown."""
    return run_kassay("list", "--all", "--format", "markdown").replace("\\_", "_").replace("\\`", "`")


def write_properties() -> str:
    """Return a section for each kind: one row for each name and meaning, with its families."""
    kinds: dict[str, dict[tuple[str, str], list[str]]] = {}
    for kind, family, table in SECTION.findall(read_listing()):
        for row in table.splitlines()[2:]:
            name, meaning = row.strip("| ").split(" | ", 1)
            kinds.setdefault(kind, {}).setdefault((name, meaning), []).append(family)
    return "\n".join(line for kind, rows in kinds.items() for line in _write_kind(kind, rows))


def _write_kind(kind: str, rows: Mapping[tuple[str, str], list[str]]) -> Iterator[str]:
    yield f"## {kind}\n"
    yield "| name | meaning | families |"
    yield "| --- | --- | --- |"
    for (name, meaning), families in rows.items():
        shown = "all" if len(families) == len(FAMILIES) else ", ".join(families)
        yield f"| `{name}` | {meaning} | {shown} |"
    yield ""


def write_family(family: str) -> str:
    """Return the assignors of a family with their promises, and the releases that assign alike."""
    lines = ["| assignor | meaning | promises |", "| --- | --- | --- |"]
    for name, meaning, promises in ASSIGNOR_ROWS.findall(read_listing()):
        if name.startswith(f"{family}/"):
            lines.append(f"| `{name}` | {meaning} | {promises} |")
    names = [name for name in ASSIGNORS if name.startswith(f"{family}/") and behaviours(name)]
    lines += ["", "| assignor | releases that assign alike |", "| --- | --- |"]
    for name in names:
        lines.append(f"| {name.partition('/')[2]} | {' · '.join(map(str, behaviours(name)))} |")
    return "\n".join([*lines, ""])
