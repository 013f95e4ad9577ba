"""How fast optima are found, proved and checked: CPU seconds, and what one core does in a second.

``python benchmarks/oracles.py [small] [large] [programs] [groups]``; all four where none is named. Machine code is
compiled before the clock starts.
"""

import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from second_opinions import random_problems
from second_opinions.cost_matrix import matrix
from second_opinions.rack_cut import rack_cuts

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.oracles.assignment.certificates import proves
from kassay.oracles.assignment.flow.exact import solve, solve_large
from kassay.oracles.assignment.linear_program import solve_collapsed_program, solve_program
from kassay.oracles.assignment.problem import Ints, Problem
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.partitions.encoding import COSTS
from kassay.oracles.partitions.optima import optima
from kassay.oracles.partitions.optimum import optimum
from kassay.oracles.partitions.question import question
from kassay.reference import ASSIGNORS

try:
    from second_opinions.bulk_check import improvable_by_nothing
    from second_opinions.shortest_paths import solve_small
    from second_opinions.small_duals import least, worth
    from second_opinions.successive_shortest_paths import successive_shortest_paths

    from kassay.oracles.compiled import compiled
except UnsolvedError as missing:  # numba, which nothing but the measured machine code needs
    sys.exit(str(missing))

synthetic = partial(random_problems.synthetic, names=COSTS)
ASKED = question("balance,moves,cross-rack")
MANY = 2000


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """Return the least CPU time of a piece of work in a few tries, after one that does not count."""
    taken = []
    for _ in range(times + 1):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken[1:])


def say(what: str, taken: float, count: int = 1, note: str = "") -> None:
    """Print one line."""
    speed = f"{count / taken:>12,.0f} a second" if count > 1 else f"{taken:>12.4f} s CPU  "
    print(f"{what:<66}{speed}   {note}", flush=True)


def small_problems() -> list[Problem]:
    """Draw groups of 3 to 12 members and 5 to 60 partitions, with mixed subscriptions, racks and owners."""
    r = np.random.default_rng(0)
    return [
        synthetic(int(r.integers(5, 61)), int(r.integers(3, 13)), int(r.integers(1, 5)), seed=n)
        for n in range(MANY)
    ]


@compiled
def _solve_all(cost: Ints, at: Ints, shape: Ints, square: Ints, owners: Ints, prices: Ints) -> None:
    for n in range(len(shape)):
        items, members = shape[n]
        mine = cost[at[n, 0] : at[n, 0] + items * members].reshape((items, members))
        held = owners[at[n, 1] : at[n, 1] + items].reshape((items, 1))
        successive_shortest_paths(mine, square[n], 1, held, prices[at[n, 2] : at[n, 2] + members])


@compiled
def _decide_all(cost: Ints, at: Ints, shape: Ints, square: Ints, owners: Ints) -> int:
    optimal = 0
    for n in range(len(shape)):
        items, members = shape[n]
        mine = cost[at[n, 0] : at[n, 0] + items * members].reshape((items, members))
        held = owners[at[n, 1] : at[n, 1] + items].reshape((items, 1))
        optimal += improvable_by_nothing(mine, square[n], held)
    return optimal


@compiled
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
        ("optima at three levels, proved (paths, numba)", lambda: _solve_all(cost, at, shape, square, owners, prices)),
        ("certificates: is any given assignment optimal? (cycles)", lambda: _decide_all(cost, at, shape, square, owners)),
        ("certificates: prices checked against any assignment", lambda: _prove_all(cost, at, shape, square, owners, prices)),
    )  # fmt: skip
    for what, work in lines:
        say(what, seconds(work), MANY)
    assert (
        _decide_all(cost, at, shape, square, owners)
        == _prove_all(cost, at, shape, square, owners, prices)
        == MANY
    )
    few = problems[:200]
    say(
        "optima from columns, one by one",
        seconds(lambda: [solve(p, ASKED.levels) for p in few]),
        200,
    )
    say(
        "optima from columns, one by one (collapsed network)",
        seconds(lambda: [solve_large(p, ASKED.levels) for p in few]),
        200,
    )
    by_program = seconds(lambda: [solve_program(p, ASKED.levels) for p in few], 1)
    say("optima by PuLP and HiGHS, three levels, partition by partition", by_program, 200)
    collapsed = seconds(lambda: [solve_collapsed_program(p, ASKED.levels) for p in few], 1)
    say("optima by PuLP and HiGHS, three levels, collapsed", collapsed, 200)
    r = np.random.default_rng(0)
    members, inside = r.integers(0, 4, (100_000, 4)), r.integers(0, 9, (100_000, 9))
    members[:, 3] += 1
    say(
        "least cross-rack in closed form, 3 racks",
        seconds(lambda: rack_cuts(members[:, :3], members[:, 3], inside)),
        100_000,
    )


def large() -> None:
    """Time large groups from their columns to the optimum with its prices, and the check of these."""
    sizes = [
        (1_000, 50, 10), (5_000, 50, 10), (10**5, 10**3, 100), (10**5, 10**3, 1_000), (10**6, 10**4, 100),
        (10**6, 10**4, 1_000), (10**5, 10**3, 1), (10**6, 10**4, 1),
    ]  # fmt: skip
    for partitions, members, topics in sizes:
        problem = synthetic(partitions, members, topics)
        what = f"{partitions:,} partitions, {members:,} members, " + (
            f"{topics:,} topics" if topics > 1 else "all read all"
        )
        say(what, seconds(lambda p=problem: solve_large(p, ASKED.levels), 2))
        best = solve_large(problem, ASKED.levels)
        assert proves(problem, ASKED.levels, best.owners, best.prices)
        say(
            "    its proof checked",
            seconds(lambda p=problem, b=best: proves(p, ASKED.levels, b.owners, b.prices), 2),
        )
        if partitions <= 5_000:
            say("    by paths instead", seconds(lambda p=problem: solve_small(p, ASKED.levels), 2))


def programs() -> None:
    """Time linear programs: partition by partition against collapsed."""
    for topics in (1, 10):
        problem = synthetic(1_000, 50, topics)
        what = f"PuLP, 1,000 x 50, {'all read all' if topics == 1 else f'{topics} topics'}"
        turns = [
            (
                seconds(lambda p=problem: solve_program(p, ASKED.levels), 1),
                seconds(lambda p=problem: solve_collapsed_program(p, ASKED.levels), 10),
            )
            for _ in range(2)
        ]
        naive, short = map(min, zip(*turns, strict=True))
        say(f"{what}, partition by partition", naive)
        say(f"{what}, collapsed", short, note=f"{naive / short:,.0f} times as fast")
    for topics in (1, 100):
        problem = synthetic(10**5, 10**3, topics)
        what = f"PuLP, 100,000 x 1,000, {'all read all' if topics == 1 else f'{topics} topics'}, collapsed"
        say(what, seconds(lambda p=problem: solve_collapsed_program(p, ASKED.levels), 2))


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
    """Time groups as objects: from a group to levels, assignment and words; small ones with many answers to each."""
    few = [group_of(problem) for problem in small_problems()[:500]]
    answers = [(optima(group), ASSIGNORS["consumer/range"].assign(group)) for group in few]
    say(
        "optima of a group, proved, for any number of answers", seconds(lambda: [optima(g) for g in few]), 500
    )
    say("gaps of an answer to it", seconds(lambda: [known.gaps(given) for known, given in answers]), 500)
    for partitions, members in ((10**5, 10**3), (10**6, 10**4)):
        group = group_of(synthetic(partitions, members, 100))
        what = f"{partitions:,} partitions, {members:,} members, 100 topics: group to answer"
        say(what, seconds(lambda g=group: optimum(str(ASKED), g), 2))


if __name__ == "__main__":
    parts = {"small": small, "large": large, "programs": programs, "groups": groups}
    for part in sys.argv[1:] or parts:
        parts[part]()
