"""How heavy the heaviest member has to be, and how long that takes to find: ``python benchmarks/weights.py [--write]``.

Groups of one topic, or of members that each read four of six; weights have a heavy tail, as the reciprocals of even draws have. Measured is CPU time. ``--write`` keeps it for docs/results/speed.md.
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
TOPICS, READ = 6, 4


def drawn(members: int, partitions: int, *, mixed: bool) -> Group:
    """Draw a group."""
    r = Random(0)
    topics = (
        [Topic(f"t{n}", partitions // TOPICS) for n in range(TOPICS)] if mixed else [Topic("t0", partitions)]
    )
    names = [topic.name for topic in topics]
    read = (r.sample(names, min(READ, len(names))) for _ in range(members))
    return add_weights(
        r, Group(tuple(topics), tuple(Member(f"m{n}", tuple(each)) for n, each in enumerate(read)))
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
    for members, partitions in SIZES:
        for mixed in (False, True):
            group = drawn(members, partitions, mixed=mixed)
            row = f"{members:,} x {partitions:,}, {'mixed' if mixed else 'same'}"
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
