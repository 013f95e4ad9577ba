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

from kassay.output import Block
from kassay.output.formats import write_markdown
from kassay.shape import TextTable

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
PICTURES = PAGES.parent / "worst"
WORST = """## The worst groups

The worst groups that `kassay worst` found, with the command that finds each again. Moves and cross-rack are compared with the least
that the most even loads allow, co-partition is cross-rack under the range contract. What is proved holds for all groups up to that
size ([how](../oracles/worst.md)); the worst found is a lower bound of how bad it gets; whether it gets worse with size is what was seen as
that group doubles, not a proof, and an optimum of 0 counts as 1. `nox -s results` writes this part of the page.

"""
APPLICATIONS = """## The worst applications of Kafka Streams

The same for task assignors: one standby for each task and one thread for each client, racks by `min_traffic` (for subtopologies
`balance_subtopology`). All clients are caught up, so nothing keeps a task from going anywhere. Values are compared with the least that the
most even loads allow, that of subtopologies with the least where each client has its share of each subtopology. An answer that asks
for another rebalance is not compared; `streams/fallback-prior` gives no others.

"""
PRICES = """## What it costs to decide as KIP-925 does

What is paid is the least under a rule, or what Kafka's assignor answers, and is held against the optimum at equally even loads; both are
numbers of partitions read across racks. All applications up to that size were counted out, with two racks, one input and one
changelog partition for each task, one thread for each client and one standby for each task (none for fixed counts): the racks of clients
and of all replicas vary, for the subtopology bound also two subtopologies, for pairwise swaps who runs what. Where names do not matter one
application stands for all that are the same under other names. So each number is a proof. A cell has the case with the largest
difference, as "paid:optimum", then that with the largest ratio if it is another one. The oracles prove the same for the best tie, fixed
counts, the subtopology bound and Kafka's answers, and the optimum for the worst tie. [No ratio is bounded](../oracles/worst.md#prices): below the table is
the smallest application for each price, then how it grows. `nox -s results -- prices` writes this part.

![What is paid, and the optimum, as applications grow](../worst/streams-growth.svg)
![Share of all applications of 3 clients and 4 tasks by what Kafka's assignor reads too much](../worst/streams-shares.svg)

"""
FAMILIES = """## Moving to KIP-848

The same groups, given to the assignors of clients and to those of group coordinators: [families.toml](../../grids/families.toml) has those that a coordinator can
hold, too. Means before and after, then the change with its 95 % interval, as the report has them; less is better. The stickies of clients move partitions to
readers in their racks, too; assignors of coordinators know no racks, so they move less and read more from afar. `nox -s results -- families` writes this
part; [how to do the same for a group of yours](../moving-to-kip-848.md).

"""
RACKS = """## What racks would save with KIP-848's uniform assignor

Kafka's client-side assignors look at racks (KIP-881); `broker/uniform`, the default of KIP-848, has not since 3.8. [A pull
request](https://github.com/apache/kafka/pull/20000) would have it do so again, for members that subscribe to the same topics, and times it. What
follows is what it could save: the same groups, given to Kafka 4.4.0's uniform, to the one of 3.7.0 (3.7 is the only line whose uniform read racks), to
cooperative-sticky, and to the exact oracle, which finds the fewest reads across racks among the most even loads. Each optimum has a
certificate that separate code checked. An algorithm for it, for groups of any subscriptions, and its times beside Kafka's classes
stand in [optimal.md](../optimal.md). Replicas are in neighbouring racks, as Kafka places them. Where subscriptions differ, 3.7 gave partitions to members that do not read them, and so does Kafka's class:
`kassay assign kafka:3.7.2#broker/uniform examples/broker/not-subscribed.json`. `nox -s results -- racks` writes this part.

![Partitions read across racks by each assignor, and the least possible](../worst/racks.svg)

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
    return f"grows with {', '.join(grows)}" if grows else "gets no worse" if ways else "not told"


def worst_of(asked: Iterable[tuple[str, str, int]], jobs: int) -> list[Block]:
    """Run all searches and return a table of them, and what each found."""
    commands = [
        ["kassay", "worst", target, "--measure", measure, "--tries", str(tries)]
        for target, measure, tries in asked
    ]
    with ThreadPoolExecutor(jobs) as pool:
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
    return [Block(grid=TextTable(columns, rows)), *blocks]


def priced(_jobs: int) -> Iterable[Block]:
    """Count out and prove all prices, and draw them."""
    PICTURES.mkdir(exist_ok=True)
    return prices.blocks(PICTURES)


def migrated(_jobs: int) -> Iterable[Block]:
    """Sweep the same groups for clients and for coordinators."""
    return moving.blocks()


def saved_by_racks(_jobs: int) -> Iterable[Block]:
    """Say and draw what racks would save."""
    PICTURES.mkdir(exist_ok=True)
    return racks_shown.blocks(PICTURES)


PARTS: Mapping[str, tuple[str, str, Callable[[int], Iterable[Block]]]] = {
    "consumer": ("worst.md", WORST, lambda jobs: worst_of(CONSUMER, jobs)),
    "streams": ("worst.md", APPLICATIONS, lambda jobs: worst_of(STREAMS, jobs)),
    "prices": ("prices.md", PRICES, priced),
    "families": ("kip-848.md", FAMILIES, migrated),
    "racks": ("kip-848.md", RACKS, saved_by_racks),
}
"""Name -> the page of the part, how it begins, and what makes the rest of it, with so many processes."""


def main() -> None:
    """Write the parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; default: all of them")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many searches run at once")
    args = parser.parse_args()
    if unknown := set(args.parts) - set(PARTS):
        parser.error(f"there is no part {min(unknown)!r}; known are {', '.join(PARTS)}")
    for name in args.parts or PARTS:
        file, begins, make = PARTS[name]
        out = io.StringIO()
        write_markdown(make(args.jobs), out)
        put(PAGES / file, f"nox -s results -- {name}", f"{begins}{out.getvalue().rstrip()}\n")


if __name__ == "__main__":
    main()
