"""Write the pages of docs/results that are generated: the worst groups found for each reference assignor and measure, prices, and KIP-848.

`python docs/scripts/results.py [PART...]` writes all parts or those named; what came out of a million groups and applications is written by hand.
"""

import argparse
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import moving
import prices
import racks_shown
from figures import put

from kassay.families.shape import TextTable
from kassay.output import Block
from kassay.output.formats import write_markdown

CONSUMER = [
    (f"consumer/{target}", measure, 4000)
    for target in ("range", "roundrobin", "fair", "sticky", "cooperative-sticky")
    for measure in ("balance", "moves", "cross-rack", *(["co-partition"] if target == "range" else []))
]
STREAMS = [
    (f"streams/{target}", measure, 1300 if measure == "joint" else 430)
    for target, measures in {
        "high-availability": ("joint", "subtopologies"),
        "sticky": ("balance", "joint", "moves"),
        "legacy-sticky": ("balance", "joint", "moves"),
    }.items()
    for measure in measures
]
"""Target, measure and tries."""
ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "results"
PICTURES, GROUPS = "docs/results/worst", "examples/worst"
"""The folders of pictures, and of the worst groups."""
COLUMNS = [
    "assignor", "measure", "up to", "proved: largest gap", "worst found: value for optimum", "ratio, doubled", "command", "group",
]  # fmt: skip


def run_search(command: list[str]) -> dict[str, Any]:
    """Run one search and return its record."""
    ran = subprocess.run(
        [sys.executable, "-m", *command, "--json"], capture_output=True, text=True, check=True
    )
    record: dict[str, Any] = json.loads(ran.stdout)
    return record


def split_proof(sentence: str) -> tuple[str, str]:
    """Split what exhaustion proved into the space and the gap there."""
    space, _, rest = sentence.removeprefix("no worse up to ").partition(": ")
    gap = rest.partition("largest gap is ")[2].partition(" ")[0]
    return space, gap or "0"


def describe_growth(sentences: list[str]) -> str:
    """Name the ways of doubling in which the ratio grew, of those that were seen."""
    ways = [s.removeprefix("doubling ").partition(", the ratio ") for s in sentences if ", the ratio " in s]
    grows = [way for way, _, verdict in ways if verdict.startswith("grows")]
    return f"grows with {', '.join(grows)}" if grows else "gets no worse" if ways else "not told"


def search_worst(asked: Iterable[tuple[str, str, int]], jobs: int, root: Path) -> list[Block]:
    """Run all searches, save the worst groups in examples/worst of a checkout, and return a table of them."""
    commands = [
        ["kassay", "worst", target, "--measure", measure, "--tries", str(tries)]
        for target, measure, tries in asked
    ]
    with ThreadPoolExecutor(jobs) as pool:
        records = list(pool.map(run_search, commands))
    rows = []
    for command, record in zip(commands, records, strict=True):
        target, measure = str(record["target"]), str(record["measure"])
        sentences = [str(sentence) for sentence in record["sentences"]]
        space, gap = split_proof(sentences[0])
        worst, link = "none found", "none"
        if "value" in record:
            worst = f"{record['value']} for {record['optimum']}"
            file = f"{GROUPS}/{target.replace('/', '-')}-{measure}.json"
            (root / file).write_text(f"{json.dumps(record['group'])}\n", encoding="utf-8")
            link = f"[file](../../{file})"
        line = f"`{' '.join(command)}`"
        rows.append([target, measure, space, gap, worst, describe_growth(sentences), line, link])
    return [Block(grid=TextTable(COLUMNS, rows))]


PARTS: Mapping[str, tuple[str, Callable[[int, Path], Iterable[Block]]]] = {
    "consumer": ("worst.md", lambda jobs, root: search_worst(CONSUMER, jobs, root)),
    "streams": ("worst.md", lambda jobs, root: search_worst(STREAMS, jobs, root)),
    "prices": ("worst.md", lambda _, root: prices.build_blocks(root / PICTURES)),
    "families": ("kip-848.md", lambda *_: moving.build_blocks()),
    "racks": ("kip-848.md", lambda _, root: racks_shown.build_blocks(root / PICTURES)),
}
"""Name -> the page of the part, and the function that makes it: with a number of processes, and pictures and groups into a checkout."""


def write_part(name: str, jobs: int, root: Path) -> str:
    """Return what a page says in a part, and write pictures and groups into their folders below `root`."""
    for folder in (GROUPS, PICTURES):
        (root / folder).mkdir(parents=True, exist_ok=True)
    out = io.StringIO()
    write_markdown(PARTS[name][1](jobs, root), out)
    return f"{out.getvalue().rstrip()}\n".replace("\\[", "[").replace("\\]", "]").replace("\\`", "`")


def main() -> None:
    """Write the parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; default: all of them")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many searches run at once")
    args = parser.parse_args()
    if unknown := set(args.parts) - set(PARTS):
        parser.error(f"there is no part {min(unknown)!r}; known are {', '.join(PARTS)}")
    for name in args.parts or PARTS:
        put(PAGES / PARTS[name][0], f"nox -s results -- {name}", write_part(name, args.jobs, ROOT))


if __name__ == "__main__":
    main()
