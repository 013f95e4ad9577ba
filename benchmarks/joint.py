"""How fast joint optima are found, proved and checked: CPU seconds on one core.

``python benchmarks/joint.py [small] [bundles] [large]``; all three where none is named.
"""

import sys
import time
from collections.abc import Callable

import numpy as np

from kassay.oracles.assignment.roles.check import proves
from kassay.oracles.assignment.roles.collapsed import branch_and_bound
from kassay.oracles.assignment.roles.collapsed.collapse import collapsed
from kassay.oracles.assignment.roles.item_program import solve_by_item
from kassay.oracles.assignment.roles.optimum import joint_optimum, placed
from kassay.oracles.assignment.roles.problem import RoleProblem
from kassay.oracles.assignment.roles.random_problems import synthetic

EVEN = ("balance", "total-balance")
QUESTIONS = ((*EVEN, "joint"), (*EVEN, "spread", "joint"))


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """Return the least CPU time of a piece of work in a few tries."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def say(what: str, taken: float, count: int = 1) -> None:
    """Print one line."""
    speed = f"{count / taken:>12,.0f} a second" if count > 1 else f"{taken:>12.4f} s CPU"
    print(f"{what:<88}{speed}", flush=True)


def small() -> None:
    """Time small problems, one by one."""
    r = np.random.default_rng(0)
    problems = [synthetic(int(r.integers(5, 41)), int(r.integers(3, 13)), 3, 1, seed=n) for n in range(50)]
    for levels in QUESTIONS:
        say(
            f"{','.join(levels)}: up to 40 items x 12 members",
            seconds(lambda q=levels: [joint_optimum(p, q) for p in problems]),
            50,
        )
    few = [synthetic(5, 4, 3, seed=n) for n in range(5)]
    fast, slow = (
        seconds(lambda: [solve(problem, QUESTIONS[1]) for problem in few])  # noqa: B023
        for solve in (joint_optimum, solve_by_item)
    )
    say(
        f"5 items x 4 members item by item, HiGHS and CP-SAT ({slow / fast:.0f} times as long)",
        slow,
        len(few),
    )


def bundles() -> None:
    """Time the linear program with a row for each bundle of classes, and with one for each class."""
    problem = synthetic(10**5, 10**3, 6, 2, 1, 3)
    of = collapsed(problem, QUESTIONS[1])
    bundled = seconds(lambda: placed(of, QUESTIONS[1]), 1)
    branch_and_bound.MANY = of.classes
    alone = seconds(lambda: placed(of, QUESTIONS[1]), 1)
    say(f"10^5 x 10^3, 6 racks, {of.classes} classes in bundles", bundled)
    say(f"    without bundles ({alone / bundled:.0f} times as long)", alone)


def large() -> None:
    """Time large problems, in steps."""
    for items, members, racks, standbys, inputs, replicas in (
        (10**4, 10**2, 3, 2, 2, 2), (10**6, 10**4, 3, 2, 2, 2), (10**6, 10**4, 6, 2, 2, 3),
    ):  # fmt: skip
        problem = synthetic(items, members, racks, standbys, inputs, replicas)
        for levels in QUESTIONS:
            _large(
                problem,
                levels,
                f"{items} x {members}, {racks} racks, {standbys} standbys, {','.join(levels)}",
            )


def _large(problem: RoleProblem, levels: tuple[str, ...], what: str) -> None:
    of = collapsed(problem, levels)
    say(
        f"{what}: {of.classes} classes, {of.groups} groups found",
        seconds(lambda: collapsed(problem, levels), 1),
    )
    say("    optimum and proof on these", seconds(lambda: placed(of, levels)))
    found = joint_optimum(problem, levels)
    assert found.proved
    say(
        "    all, with classes, owners dealt, and measured again",
        seconds(lambda: joint_optimum(problem, levels), 1),
    )
    assert proves(problem, levels, found.owners, found.certificate)
    say(
        "    check of the certificate",
        seconds(lambda: proves(problem, levels, found.owners, found.certificate), 1),
    )


if __name__ == "__main__":
    asked = sys.argv[1:] or ["small", "bundles", "large"]
    for name, run in (("small", small), ("large", large), ("bundles", bundles)):
        if name in asked:
            run()
