"""How fast optima are found, proved and checked: CPU seconds, and what one core does in a second.

``python benchmarks/oracles.py [small] [large] [programs] [groups] [--write]``; all four where none is named. Machine code is
compiled before the clock starts. ``--write`` measures all four, and keeps them for docs/results/speed.md.
"""

import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "scripts"))

from figures import digits, keep, today
from second_opinions import random_problems
from second_opinions.cost_matrix import matrix
from second_opinions.rack_cut import rack_cuts

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.oracles.assignment.certificates import is_proof
from kassay.oracles.assignment.flow.exact import solve, solve_large
from kassay.oracles.assignment.linear_program import solve_collapsed_program, solve_program
from kassay.oracles.assignment.problem import Ints, Problem
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.partitions.encoding import COSTS
from kassay.oracles.partitions.optima import compute_optima
from kassay.oracles.partitions.question import parse_question
from kassay.reference import ASSIGNORS

try:
    from second_opinions.bulk_check import improvable_by_nothing
    from second_opinions.shortest_paths import solve_small
    from second_opinions.small_duals import least, worth
    from second_opinions.successive_shortest_paths import successive_shortest_paths

    from kassay.oracles.compiled import compile_function
except UnsolvedError as missing:  # numba, which nothing but the measured machine code needs
    sys.exit(str(missing))

synthetic = partial(random_problems.synthetic, names=COSTS)
ASKED = parse_question("balance,moves,cross-rack")
MANY = 2000
SMALL, LARGE, READS_ALL = "small groups", "large groups", "all read all"
FOUND: dict[str, dict[str, dict[str, float]]] = {SMALL: {}, LARGE: {}}
"""What is measured: a table -> a row -> a column -> how many a second, or CPU seconds."""


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """Return the least CPU time of a piece of work in a few tries, after one that does not count."""
    taken = []
    for _ in range(times + 1):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken[1:])


def say(row: str, taken: float, count: int) -> None:
    """Say of small groups how many of them are done in a second."""
    FOUND[SMALL][row] = {"a second": digits(count / taken)}
    print(f"{row:<100}{count / taken:>12,.0f} a second", flush=True)


def say_large(problem: Problem, topics: int, column: str, taken: float) -> None:
    """Say what a large group takes."""
    row = f"{problem.items:,} x {problem.members:,}, {READS_ALL if topics == 1 else f'{topics:,} topics'}"
    FOUND[LARGE].setdefault(row, {})[column] = digits(taken)
    print(f"{row}: {column:<60}{taken:>12.4f} s CPU", flush=True)


def small_problems() -> list[Problem]:
    """Draw groups of 3 to 12 members and 5 to 60 partitions, with mixed subscriptions, racks and owners."""
    r = np.random.default_rng(0)
    return [
        synthetic(int(r.integers(5, 61)), int(r.integers(3, 13)), int(r.integers(1, 5)), seed=n)
        for n in range(MANY)
    ]


@compile_function
def _solve_all(cost: Ints, at: Ints, shape: Ints, square: Ints, owners: Ints, prices: Ints) -> None:
    for n in range(len(shape)):
        items, members = shape[n]
        mine = cost[at[n, 0] : at[n, 0] + items * members].reshape((items, members))
        held = owners[at[n, 1] : at[n, 1] + items].reshape((items, 1))
        successive_shortest_paths(mine, square[n], 1, held, prices[at[n, 2] : at[n, 2] + members])


@compile_function
def _decide_all(cost: Ints, at: Ints, shape: Ints, square: Ints, owners: Ints) -> int:
    optimal = 0
    for n in range(len(shape)):
        items, members = shape[n]
        mine = cost[at[n, 0] : at[n, 0] + items * members].reshape((items, members))
        held = owners[at[n, 1] : at[n, 1] + items].reshape((items, 1))
        optimal += improvable_by_nothing(mine, square[n], held)
    return optimal


@compile_function
def _prove_all(cost: Ints, at: Ints, shape: Ints, square: Ints, owners: Ints, prices: Ints) -> int:
    proved = 0
    for n in range(len(shape)):
        items, members = shape[n]
        mine = cost[at[n, 0] : at[n, 0] + items * members].reshape((items, members))
        held = owners[at[n, 1] : at[n, 1] + items].reshape((items, 1))
        asked = prices[at[n, 2] : at[n, 2] + members]
        proved += worth(mine, square[n], held) == least(mine, square[n], 1, asked)
    return proved


def small() -> None:
    """Time small groups, in batches of machine code and one by one."""
    problems = small_problems()
    forms = [matrix(problem, ASKED.levels) for problem in problems]
    shape = np.array([form.cost.shape for form in forms])
    sizes = np.column_stack([shape[:, 0] * shape[:, 1], shape])
    at = np.cumsum(sizes, axis=0) - sizes
    cost = np.concatenate([form.cost.reshape(-1) for form in forms])
    square = np.array([form.square for form in forms])
    owners, prices = np.empty(shape[:, 0].sum(), np.int64), np.empty(shape[:, 1].sum(), np.int64)
    lines = (
        ("optima, by paths between members in machine code, all at once", lambda: _solve_all(cost, at, shape, square, owners, prices)),
        ("is any given assignment optimal? by cycles, all at once", lambda: _decide_all(cost, at, shape, square, owners)),
        ("prices checked against any given assignment, all at once", lambda: _prove_all(cost, at, shape, square, owners, prices)),
    )  # fmt: skip
    for what, work in lines:
        say(what, seconds(work), MANY)
    assert (
        _decide_all(cost, at, shape, square, owners)
        == _prove_all(cost, at, shape, square, owners, prices)
        == MANY
    )
    few = problems[:200]
    each: tuple[tuple[str, Callable[[Problem], object], int], ...] = (
        ("one optimum, from columns", lambda p: solve(p, ASKED.levels), 3),
        ("the same, by the collapsed network", lambda p: solve_large(p, ASKED.levels), 3),
        ("the same, by PuLP and HiGHS, partition by partition", lambda p: solve_program(p, ASKED.levels), 1),
        ("the same, by PuLP and HiGHS, collapsed", lambda p: solve_collapsed_program(p, ASKED.levels), 1),
    )
    for what, by, times in each:
        say(what, seconds(lambda solved=by: [solved(p) for p in few], times), len(few))
    r = np.random.default_rng(0)
    members, inside = r.integers(0, 4, (100_000, 4)), r.integers(0, 9, (100_000, 9))
    members[:, 3] += 1
    say(
        "least cross-rack in closed form, 3 racks, all at once",
        seconds(lambda: rack_cuts(members[:, :3], members[:, 3], inside)),
        100_000,
    )


def large() -> None:
    """Time large groups from their columns to the optimum with its prices, and the check of these."""
    sizes = [
        (1_000, 50, 10), (10**5, 10**3, 1), (10**5, 10**3, 100), (10**6, 10**4, 1), (10**6, 10**4, 100), (10**6, 10**4, 1_000),
    ]  # fmt: skip
    for partitions, members, topics in sizes:
        problem = synthetic(partitions, members, topics)
        taken = seconds(lambda p=problem: solve_large(p, ASKED.levels), 2)
        say_large(problem, topics, "optimum with prices", taken)
        best = solve_large(problem, ASKED.levels)
        assert is_proof(problem, ASKED.levels, best.owners, best.prices)
        taken = seconds(lambda p=problem, b=best: is_proof(p, ASKED.levels, b.owners, b.prices), 2)
        say_large(problem, topics, "check of the proof", taken)
        if partitions <= 1_000:
            taken = seconds(lambda p=problem: solve_small(p, ASKED.levels), 2)
            say_large(problem, topics, "by paths between members", taken)


def programs() -> None:
    """Time linear programs: collapsed, and of few partitions also partition by partition."""
    for partitions, members, topics in ((1_000, 50, 10), (10**5, 10**3, 1), (10**5, 10**3, 100)):
        problem = synthetic(partitions, members, topics)
        taken = seconds(lambda p=problem: solve_collapsed_program(p, ASKED.levels), 2)
        say_large(problem, topics, "PuLP, collapsed", taken)
        if partitions <= 1_000:
            taken = seconds(lambda p=problem: solve_program(p, ASKED.levels), 1)
            say_large(problem, topics, "PuLP, by partition", taken)


def group_of(problem: Problem, racks: str = "abc", replicas: int = 2) -> Group:
    """Return the group of a synthetic problem."""
    near = list(combinations(racks[: problem.racks - 1], replicas))
    sets: list[list[tuple[str, ...]]] = [[] for _ in range(problem.audiences)]
    owned: list[list[TopicPartition]] = [[] for _ in range(problem.members + 1)]
    for topic, profile, claim in zip(problem.audience_of, problem.profile_of, problem.claim_of, strict=True):
        owned[claim].append(TopicPartition(f"t{topic:04}", len(sets[topic])))
        sets[topic].append(near[profile])
    reads: list[list[str]] = [[] for _ in range(problem.subscriptions)]
    for topic in range(problem.audiences):
        for s in problem.audience_subscription[
            problem.audience_start[topic] : problem.audience_start[topic + 1]
        ]:
            reads[s].append(f"t{topic:04}")
    return Group(
        tuple(Topic(f"t{t:04}", len(of), tuple(of)) for t, of in enumerate(sets)),
        tuple(
            Member(f"m{m:05}", tuple(reads[problem.subscription_of[m]]), tuple(owned[m + 1]), 1, None, racks[problem.rack_of[m]])
            for m in range(problem.members)
        ),
    )  # fmt: skip


def groups() -> None:
    """Time groups as objects, with many answers to each."""
    few = [group_of(problem) for problem in small_problems()[:500]]
    answers = [(compute_optima(group), ASSIGNORS["consumer/range"].assign(group)) for group in few]
    say(
        "a group's optima of moves and of cross-rack: read, solved and proved",
        seconds(lambda: [compute_optima(g) for g in few]),
        len(few),
    )
    say(
        "gaps of an answer to a group whose optima are known",
        seconds(lambda: [known.gaps(given) for known, given in answers]),
        len(few),
    )


def main() -> None:
    """Measure what is named, and keep all of it where that is asked."""
    parts = {"groups": groups, "small": small, "large": large, "programs": programs}
    named = [word for word in sys.argv[1:] if word in parts and "--write" not in sys.argv]
    for part in named or parts:
        parts[part]()
    if "--write" in sys.argv:
        keep("oracles-speed", "python benchmarks/oracles.py --write", today(), FOUND)


if __name__ == "__main__":
    main()
