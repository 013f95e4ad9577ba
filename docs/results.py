"""Write docs/results.md: the worst group found for each reference assignor and measure, each with its command."""

import io
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from kassay.family import Grid
from kassay.output import Block
from kassay.output.markdown import write_markdown

TARGETS = [
    "consumer/range",
    "consumer/roundrobin",
    "consumer/fair",
    "consumer/sticky",
    "consumer/cooperative-sticky",
]
MEASURES = ["balance", "moves", "cross-rack"]
INTRODUCTION = """# Results

The worst groups that `kassay worst` found, with the command that finds each again. Moves and cross-rack are compared with the least
that the most even loads allow. What exhaustion proved holds for all groups up to that size; the worst found is a lower bound of how bad
it gets; whether a ratio stays bounded is what was seen as the group doubles, not a proof. `nox -s results` writes this page.

"""


def found(command: list[str]) -> dict[str, object]:
    """Run one search and return its record."""
    ran = subprocess.run(
        [sys.executable, "-m", *command, "--json"], capture_output=True, text=True, check=True
    )
    record: dict[str, object] = json.loads(ran.stdout)
    return record


def main() -> None:
    """Run all searches and write the page."""
    commands = [
        ["kassay", "worst", target, "--measure", measure, "--tries", "2000"]
        for target in TARGETS
        for measure in MEASURES
    ]
    with ThreadPoolExecutor(2) as pool:
        records = list(pool.map(found, commands))
    rows = [
        [
            str(r["target"]),
            str(r["measure"]),
            f"{r['value']} for {r['optimum']}" if "value" in r else "none found",
        ]
        for r in records
    ]
    blocks = [Block(grid=Grid(["assignor", "measure", "worst found: value for optimum"], rows))]
    for command, record in zip(commands, records, strict=True):
        sentences = record["sentences"]
        assert isinstance(sentences, list)
        told = [s for s in sentences if not s.startswith("gap")] + [
            s for s in sentences if s.startswith("gap")
        ][:1]
        code = [" ".join(command)] + ([json.dumps(record["group"])] if "group" in record else [])
        blocks.append(Block(f"{record['target']}, {record['measure']}", "\n".join(map(str, told)), code=code))
    out = io.StringIO()
    write_markdown(blocks, out)
    (Path(__file__).parent / "results.md").write_text(INTRODUCTION + out.getvalue().rstrip("\n") + "\n")


if __name__ == "__main__":
    main()
