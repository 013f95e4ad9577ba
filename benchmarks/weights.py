"""How heavy the heaviest member has to be, and how long that takes to find: ``python benchmarks/weights.py [--write]``.

Groups of one topic, of members that each read four of six, or of members that each read half of many topics. Weights have a heavy tail, as the
reciprocals of even draws have; those of the group ``7 * 10^17`` are near 64 bits. Measured is CPU time. ``--write`` keeps it for docs/results/speed.md.
"""

import sys
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "scripts"))

from figures import digits, keep, today

from kassay.model import Group, Member, Topic
from kassay.oracles.answers import Level
from kassay.oracles.partitions.optimum import compute_optimum
from kassay.properties.partitions.extras import add_weights

SIZES = ((3, 12), (4, 24), (10, 40), (30, 300), (100, 1_000), (1_000, 100_000))
ASKED = ("weighted-balance", "balance,weighted-balance")
TOPICS = {"same": (1, 1), "mixed": (6, 4), "half": (1_000, 500)}
"""The topics, and how many of them each member reads."""
MANY = ((10, 1_000), (30, 3_000), (100, 10_000), (300, 30_000), (1_000, 100_000))
"""The sizes of the curve for many topics."""
LARGE, APART = 7 * 10**17, 10**17


def draw_group(members: int, partitions: int, kind: str) -> Group:
    """Draw a group."""
    r = Random(0)
    number, read = TOPICS[kind]
    topics = [Topic(f"t{n}", partitions // number) for n in range(number)]
    names = [topic.name for topic in topics]
    return add_weights(
        r, Group(tuple(topics), tuple(Member(f"m{n}", tuple(r.sample(names, read))) for n in range(members)))
    )


def draw_large_weights(members: int, partitions: int) -> Group:
    """Draw a group of one topic with weights near 64 bits."""
    r = Random(0)
    weights = tuple(LARGE + r.randrange(APART) for _ in range(partitions))
    return Group(
        (Topic("t0", partitions, weights=weights),), tuple(Member(f"m{n}", ("t0",)) for n in range(members))
    )


def said(level: Level) -> str:
    """Say how far the answer may be from the least."""
    if level.proved:
        return "proved"
    return (
        "two solvers agree"
        if level.agreed
        else f"within {digits(100 * (level.value - level.least) / level.least)} %"
    )


def main() -> None:
    """Print a line for each group and question, and keep them where that is asked."""
    rows: dict[str, dict[str, float | str]] = {}
    groups = {
        f"{members:,} x {partitions:,}, {kind}": draw_group(members, partitions, kind)
        for sizes, kinds in ((SIZES, ("same", "mixed")), (MANY, ("half",)))
        for members, partitions in sizes
        for kind in kinds
    }
    groups |= {
        f"{members} x {partitions}, weights of 7 * 10^17": draw_large_weights(members, partitions)
        for members, partitions in ((2, 6), (3, 6), (4, 6), (3, 10))
    }
    for row, group in groups.items():
        rows[row] = {}
        for asked in ASKED:
            begun = time.process_time()
            level = compute_optimum(asked, group).levels[-1]
            rows[row] |= {
                asked: said(level),
                f"CPU seconds of {asked}": digits(time.process_time() - begun),
            }
        print(row, rows[row], flush=True)
    if "--write" in sys.argv:
        keep("weights-speed", "python benchmarks/weights.py --write", today(), {"heavy tails": rows})


if __name__ == "__main__":
    main()
