"""How long the optimum of a rolling restart takes: CPU seconds. ``python benchmarks/over_time.py [--write]``.

Groups have mixed subscriptions, three racks, and owners of nine in ten partitions. ``--write`` keeps them for docs/results/speed.md.
"""

import sys
import time
from pathlib import Path

from oracles import group_of, synthetic

sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "scripts"))

from figures import digits, keep, today

from kassay.families import family

SIZES = ((10, 60, 4, 5), (20, 100, 3, 4), (20, 200, 5, 5), (50, 1_000, 5, 10), (100, 10_000, 10, 20))
"""Members, partitions, topics, and how many members restart."""
ASKED = "balance,moves,cross-rack"


def main() -> None:
    """Print a line for each size, and keep them where that is asked."""
    oracles = family("consumer").oracles
    known = oracles and oracles.over_time
    assert known is not None
    rows: dict[str, dict[str, float | str]] = {}
    for members, partitions, topics, number in SIZES:
        timeline = known.kinds["restart"](group_of(synthetic(partitions, members, topics)), number)
        begun = time.process_time()
        best = known.optimum(ASKED, timeline, None)
        taken = time.process_time() - begun
        totals = {
            total.name: f"{total.least:,}, proved" if total.proved else f"at least {total.least:,}"
            for total in best.totals
        }
        row = f"{members} x {partitions:,} x {topics}, {number}"
        rows[row] = {"CPU seconds": digits(taken), **totals}
        print(row, rows[row], flush=True)
    if "--write" in sys.argv:
        keep("over-time-speed", "python benchmarks/over_time.py --write", today(), {"restarts": rows})


if __name__ == "__main__":
    main()
