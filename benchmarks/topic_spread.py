"""How fast questions with topic spread are answered and proved: CPU seconds. ``python benchmarks/topic_spread.py [large] [--write]``.

``--write`` keeps them for docs/results/speed.md. Members read all topics, a Pareto-distributed number of them, those of one of 20 teams, or each another half; nine of ten partitions are owned, at random.
"""

import sys
import time
from itertools import combinations
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "scripts"))

from figures import keep, today

from kassay.oracles.assignment.certificates import drop_derived_prices, verify_solution
from kassay.oracles.assignment.flow.topic_spread import solve_with_spread
from kassay.oracles.assignment.problem import Ints, Level, Problem, list_starts
from kassay.oracles.errors import TooLargeError

EVEN, MOVES = "balance,topic-spread", "balance,topic-spread,moves"
SMALL = [
    (100_000, 1_000, 100, "all", MOVES, 0), (100_000, 1_000, 100, "pareto", MOVES, 0),
    (100_000, 1_000, 100, "half", EVEN, 0), (100_000, 1_000, 100, "half", MOVES, 0),
    (100_000, 1_000, 1_000, "teams", MOVES, 0), (100_000, 1_000, 100, "pareto", f"{MOVES},cross-rack", 3),
    (100_000, 1_000, 100, "all", f"{MOVES},cross-rack", 3),
]  # fmt: skip
LARGE = [
    (1_000_000, 10_000, 100, "all", MOVES, 0), (1_000_000, 10_000, 1_000, "all", MOVES, 0),
    (1_000_000, 10_000, 1_000, "teams", MOVES, 0), (1_000_000, 10_000, 1_000, "pareto", MOVES, 0),
    (1_000_000, 10_000, 100, "half", EVEN, 0), (1_000_000, 10_000, 100, "half", MOVES, 0),
]  # fmt: skip


def subscriptions(
    r: np.random.Generator, members: int, topics: int, kind: str
) -> tuple[Ints, list[list[int]]]:
    """Return each member's subscription, and the topics of each subscription."""
    if kind == "all":
        return np.zeros(members, np.int64), [list(range(topics))]
    if kind == "teams":
        return np.arange(members) % 20, [
            sorted(r.permutation(topics)[: topics // 2].tolist()) for _ in range(20)
        ]
    if kind == "half":
        return np.arange(members), [np.flatnonzero(r.random(topics) < 0.5).tolist() for _ in range(members)]
    numbers: dict[tuple[int, ...], int] = {}
    counts = np.minimum(topics, 1 + (3 * r.pareto(1.5, members)).astype(np.int64)).tolist()
    read = [tuple(sorted(r.permutation(topics)[:count].tolist())) for count in counts]
    of = np.array([numbers.setdefault(each, len(numbers)) for each in read])
    return of, [list(each) for each in numbers]


def drawn(partitions: int, members: int, topics: int, kind: str, racks: int) -> Problem:
    """Return a problem whose topics fall in size as one over the root of their rank."""
    r = np.random.default_rng(0)
    of, reads = subscriptions(r, members, topics, kind)
    readers: list[list[int]] = [[] for _ in range(topics)]
    for number, read in enumerate(reads):
        for topic in read:
            readers[topic].append(number)
    readers = [each or [0] for each in readers]
    weight = 1 / np.sqrt(np.arange(1, topics + 1))
    count = np.maximum(1, (partitions * weight / weight.sum()).astype(np.int64))
    count[0] += partitions - count.sum()
    at = list_starts(count)
    owner = np.empty(partitions, np.int64)
    for topic, some in enumerate(readers):
        able = np.flatnonzero(np.isin(of, some))
        owner[at[topic] : at[topic + 1]] = r.choice(able, count[topic])
    owner[r.random(partitions) < 0.1] = -1
    near = list(combinations(range(max(racks, 2)), 2))
    far = np.array([[int(rack not in each) for rack in range(max(racks, 1))] for each in near])
    one = np.ones(members, np.int64)
    topic_of = np.repeat(np.arange(topics), count)
    return Problem(
        of, r.integers(0, max(racks, 1), members),
        list_starts(np.array([len(each) for each in readers])), np.concatenate(readers),
        topic_of, r.integers(0, len(near), partitions), owner + 1,
        np.concatenate([[0], np.arange(members + 1)]), np.arange(members),
        (Level("moves", gain=one, loss=np.concatenate([[0], one])), Level("cross-rack", table=far)), topic_of=topic_of,
    )  # fmt: skip


def main() -> None:
    """Print a row of a table for each case, and keep them where that is asked."""
    rows: dict[str, dict[str, float | str]] = {}
    for partitions, members, topics, kind, asked, racks in [*SMALL, *(LARGE if "large" in sys.argv else [])]:
        levels = tuple(asked.split(","))
        problem = drawn(partitions, members, topics, kind, racks).asked(levels)
        begun = time.process_time()
        try:
            owners, prices = solve_with_spread(problem, levels)
        except TooLargeError as error:
            raise SystemExit(f"{kind}, {asked}: {error}") from error
        solved = time.process_time()
        best = verify_solution(problem, levels, owners, drop_derived_prices(problem, levels, prices))
        done = time.process_time()
        if not best.proved:
            raise SystemExit(f"{kind}, {asked}: not proved")
        where = f"{kind}, {racks} racks" if racks else kind
        row = f"{partitions:,} x {members:,}, {topics:,}, {where}: {asked}"
        rows[row] = {
            "pairs of topic and subscription": int(np.diff(problem.audience_start).sum()),
            "CPU seconds to solve": round(solved - begun, 2),
            "to prove": round(done - solved, 2),
        }
        print(row, rows[row], flush=True)
    if "--write" in sys.argv:
        keep(
            "topic-spread-speed",
            "python benchmarks/topic_spread.py large --write",
            today(),
            {"solved and proved": rows},
        )


if __name__ == "__main__":
    main()
