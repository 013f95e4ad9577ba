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
PAGES = Path(__file__).parents[1] / "results"
PICTURES = PAGES / "worst"
ROOT = PAGES.parents[1]
GROUPS = ROOT / "examples" / "worst"
"""The folder of the worst groups."""
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


def search_worst(asked: Iterable[tuple[str, str, int]], jobs: int) -> list[Block]:
    """Run all searches, save the worst groups in examples/worst, and return a table of them."""
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
            file = GROUPS / f"{target.replace('/', '-')}-{measure}.json"
            file.write_text(f"{json.dumps(record['group'])}\n", encoding="utf-8")
            link = f"[file](../../{file.relative_to(ROOT).as_posix()})"
        line = f"`{' '.join(command)}`"
        rows.append([target, measure, space, gap, worst, describe_growth(sentences), line, link])
    return [Block(grid=TextTable(COLUMNS, rows))]


def write_prices(_jobs: int) -> Iterable[Block]:
    """Count out and prove all prices, and draw them."""
    PICTURES.mkdir(exist_ok=True)
    return prices.build_blocks(PICTURES)


def write_moves(_jobs: int) -> Iterable[Block]:
    """Sweep the same groups for clients and for coordinators."""
    return moving.build_blocks()


def write_racks(_jobs: int) -> Iterable[Block]:
    """Return the tables of racks, and draw the picture."""
    PICTURES.mkdir(exist_ok=True)
    return racks_shown.build_blocks(PICTURES)


PARTS: Mapping[str, tuple[str, Callable[[int], Iterable[Block]]]] = {
    "consumer": ("worst.md", lambda jobs: search_worst(CONSUMER, jobs)),
    "streams": ("worst.md", lambda jobs: search_worst(STREAMS, jobs)),
    "prices": ("worst.md", write_prices),
    "families": ("kip-848.md", write_moves),
    "racks": ("kip-848.md", write_racks),
}
"""Name -> the page of the part, and the function that makes it with a number of processes."""


def main() -> None:
    """Write the parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; default: all of them")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many searches run at once")
    args = parser.parse_args()
    if unknown := set(args.parts) - set(PARTS):
        parser.error(f"there is no part {min(unknown)!r}; known are {', '.join(PARTS)}")
    for name in args.parts or PARTS:
        file, make = PARTS[name]
        out = io.StringIO()
        write_markdown(make(args.jobs), out)
        text = out.getvalue().replace("\\[", "[").replace("\\]", "]").replace("\\`", "`")
        put(PAGES / file, f"nox -s results -- {name}", f"{text.rstrip()}\n")


if __name__ == "__main__":
    main()
