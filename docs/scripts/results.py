"""Write the second half of docs/results.md: the worst group found for each reference assignor and measure.

The half before it, of a million groups, is written by hand.
"""

import io
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from kassay.output import Block
from kassay.output.markdown import write_markdown
from kassay.shape import TextTable

ASKED = [
    (f"consumer/{target}", measure)
    for target in ("range", "roundrobin", "fair", "sticky", "cooperative-sticky")
    for measure in ("balance", "moves", "cross-rack", *(["co-partition"] if target == "range" else []))
]
PAGE = Path(__file__).parents[1] / "results.md"
WORST = """## The worst groups

The worst groups that `kassay worst` found, with the command that finds each again. Moves and cross-rack are compared with the least
that the most even loads allow, co-partition is cross-rack under the range contract. What is proved holds for all groups up to that
size ([how](oracles/worst.md)); the worst found is a lower bound of how bad it gets; whether a ratio stays bounded is what was seen as
that group doubles, not a proof, and an optimum of 0 counts as 1. `nox -s results` writes this half of the page.

"""


def found(command: list[str]) -> dict[str, Any]:
    """Run one search and return its record."""
    ran = subprocess.run(
        [sys.executable, "-m", *command, "--json"], capture_output=True, text=True, check=True
    )
    record: dict[str, Any] = json.loads(ran.stdout)
    return record


def proved(sentence: str) -> tuple[str, str]:
    """Split what exhaustion proved into the space and the gap there."""
    space, _, rest = sentence.removeprefix("no worse up to ").partition(": ")
    gap = rest.partition("largest gap is ")[2].partition(" ")[0]
    return space, gap or "0"


def growing(sentences: list[str]) -> str:
    """Name the ways of doubling in which the ratio grew, of those that were seen."""
    ways = [s.removeprefix("doubling ").partition(", the ratio ") for s in sentences if ", the ratio " in s]
    grows = [way for way, _, verdict in ways if verdict.startswith("grows")]
    return f"grows with {', '.join(grows)}" if grows else "stays bounded" if ways else "not told"


def main() -> None:
    """Run all searches and write the page."""
    commands = [
        ["kassay", "worst", target, "--measure", measure, "--tries", "4000"] for target, measure in ASKED
    ]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        records = list(pool.map(found, commands))
    rows, blocks = [], []
    for command, record in zip(commands, records, strict=True):
        sentences = [str(sentence) for sentence in record["sentences"]]
        space, gap = proved(sentences[0])
        worst = f"{record['value']} for {record['optimum']}" if "value" in record else "none found"
        rows.append([str(record["target"]), str(record["measure"]), space, gap, worst, growing(sentences)])
        code = [" ".join(command)] + ([json.dumps(record["group"])] if "group" in record else [])
        blocks.append(Block(f"{record['target']}, {record['measure']}", "\n".join(sentences), code=code))
    columns = [
        "assignor",
        "measure",
        "up to",
        "proved: largest gap",
        "worst found: value for optimum",
        "ratio, doubled",
    ]
    out = io.StringIO()
    write_markdown([Block(grid=TextTable(columns, rows)), *blocks], out)
    million, heading, _ = PAGE.read_text().partition(WORST.splitlines()[0])
    if not heading:
        raise SystemExit(f"{PAGE}: has no line {WORST.splitlines()[0]}")
    PAGE.write_text(million + WORST + out.getvalue().rstrip("\n") + "\n")


if __name__ == "__main__":
    main()
