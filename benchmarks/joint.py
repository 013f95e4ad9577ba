"""How fast joint optima are found, proved and checked: CPU seconds on one core.

``python benchmarks/joint.py [small] [applications] [bundles] [large]``; all of them where none is named.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from second_opinions.random_placements import synthetic

from kassay.families import family
from kassay.oracles.assignment.active_standby.check import proves
from kassay.oracles.assignment.active_standby.collapsed import branch_and_bound
from kassay.oracles.assignment.active_standby.collapsed.collapse import collapsed
from kassay.oracles.assignment.active_standby.item_program import solve_by_item
from kassay.oracles.assignment.active_standby.optimum import joint_optimum, placed
from kassay.oracles.assignment.active_standby.problem import RoleProblem
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.tasks import optima as tasks_optima
from kassay.oracles.tasks.encoding import encoded
from kassay.oracles.tasks.levels import COMPARED
from kassay.oracles.tasks.optima import optima
from kassay.oracles.tasks.question import question
from kassay.reports.sweep.grid import read_grid
from kassay.reports.sweep.places import drawn, first_group, seed_of

try:
    from kassay.oracles.assignment.active_standby.small.batch import Asked, batch
    from kassay.oracles.assignment.active_standby.small.bulk_check import check_batch
    from kassay.oracles.assignment.active_standby.small.solving import solve_batch
except UnsolvedError as missing:  # numba, which nothing but the measured machine code needs
    sys.exit(str(missing))

EVEN = ("balance", "total-balance")
QUESTIONS = ((*EVEN, "joint"), (*EVEN, "spread", "joint"))
GRID, MANY = Path(__file__).parents[1] / "grids" / "streams-million.toml", 2000


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
    for standbys in (1, 2):
        sizes = [(int(r.integers(5, 41)), int(r.integers(3, 13))) for _ in range(MANY)]
        for what, drawings in (("up to 40 x 12", sizes), ("all 40 x 12", [(40, 12)] * MANY)):
            some = [synthetic(*size, 3, standbys, seed=n) for n, size in enumerate(drawings)]
            for levels in QUESTIONS:
                batched([(each, levels) for each in some], f"{what}, {standbys} standby, {','.join(levels)}")
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


def applications() -> None:
    """Time the optima that a sweep asks for, of applications as it draws them."""
    streams = family("streams")
    drawings = [
        first_group(streams, drawn(streams, cell, seed_of(0, cell, n)))
        for cell in read_grid(GRID).cells
        for n in range(max(1, cell.groups * MANY // 1_000_000))
    ]
    for asked in [question(f"{BALANCE},{level}") for level in COMPARED[1:]]:
        problems = [encoded(each, asked).problem for each in drawings]
        batched([(each, asked.levels) for each in problems if each.items], f"applications, {asked}")
    tasks_optima.WARM = 0
    optima(drawings[0])
    say(
        "optima of an application, from the application on",
        seconds(lambda: [*map(optima, drawings)], 1),
        len(drawings),
    )


def batched(asked: list[Asked], what: str) -> None:
    """Time small problems in machine code, checked in machine code, what they leave to the joint core included."""
    of = batch(asked)
    say(f"{what}: made flat arrays", seconds(lambda: batch(asked), 1), len(asked))
    left = np.flatnonzero(check_batch(of, solve_batch(of)) == 0).tolist()
    fast = seconds(lambda: check_batch(of, solve_batch(of)))
    slow = seconds(lambda: [joint_optimum(*asked[n]) for n in left], 1)
    say("    found and checked in machine code", fast, len(asked))
    say(f"    with {len(left)} of {len(asked)} that are left to the joint core", fast + slow, len(asked))


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
    parts = {"small": small, "applications": applications, "large": large, "bundles": bundles}
    asked = sys.argv[1:] or [*parts]
    for name, run in parts.items():
        if name in asked:
            run()
