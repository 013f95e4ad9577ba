"""How fast joint optima are found, proved and checked: CPU seconds on one core.

``python benchmarks/joint.py [small] [applications] [bundles] [large] [--write]``; all of them where none is named.
``--write`` measures all, and keeps them for docs/results/speed.md.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "scripts"))

from figures import digits, keep, today
from second_opinions.random_placements import synthetic

from kassay.families import family
from kassay.oracles.assignment.active_standby import branch_and_bound
from kassay.oracles.assignment.active_standby.check import is_proof
from kassay.oracles.assignment.active_standby.optimum import find_joint_optimum, place_copies, solve_by_item
from kassay.oracles.assignment.active_standby.problem import RoleProblem, build_classes
from kassay.oracles.assignment.own_levels import BALANCE, SUBTOPOLOGY_SPREAD
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.tasks import optima as tasks_optima
from kassay.oracles.tasks.encoding import encode_application
from kassay.oracles.tasks.levels import COMPARED
from kassay.oracles.tasks.optima import compute_optima
from kassay.oracles.tasks.question import parse_question
from kassay.reports.sweep.grid import read_grid
from kassay.reports.sweep.manifest import draw_timeline, seed_of, start_timeline

try:
    from kassay.oracles.assignment.active_standby.small_batch import Asked, build_batch
    from kassay.oracles.assignment.active_standby.small_check import check_batch
    from kassay.oracles.assignment.active_standby.small_optimum import solve_batch
except UnsolvedError as missing:  # numba, which nothing but the measured machine code needs
    sys.exit(str(missing))

EVEN = ("balance", "total-balance")
QUESTIONS = ((*EVEN, "joint"), (*EVEN, "spread", "joint"))
FOUND: dict[str, dict[str, dict[str, float]]] = {}
"""What is measured: a table -> a row -> a column -> how many a second, or CPU seconds."""
GRID, MANY = Path(__file__).parents[1] / "grids" / "streams-million.toml", 2000


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """Return the least CPU time of a piece of work in a few tries."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def say(table: str, row: str, column: str, figure: float) -> None:
    """Print one figure, and keep it."""
    FOUND.setdefault(table, {}).setdefault(row, {})[column] = digits(figure)
    print(f"{row}: {column:<60}{digits(figure):>12,}", flush=True)


def small() -> None:
    """Time small problems, one by one and by the thousand."""
    r = np.random.default_rng(0)
    problems = [synthetic(int(r.integers(5, 41)), int(r.integers(3, 13)), 3, 1, seed=n) for n in range(50)]
    for levels in QUESTIONS:
        taken = seconds(lambda q=levels: [find_joint_optimum(p, q) for p in problems])
        say("one by one", _behind(levels), "by the joint core, a second", len(problems) / taken)
    for standbys in (1, 2):
        sizes = [(int(r.integers(5, 41)), int(r.integers(3, 13))) for _ in range(MANY)]
        for what, drawings in (("up to 40 x 12", sizes), ("all 40 x 12", [(40, 12)] * MANY)):
            some = [synthetic(*size, 3, standbys, seed=n) for n, size in enumerate(drawings)]
            for levels in QUESTIONS:
                row = f"{_behind(levels)}; {standbys} standby{'s' * (standbys > 1)}"
                batched([(each, levels) for each in some], row, what)
    few = [synthetic(5, 4, 3, seed=n) for n in range(5)]
    fast, slow = (
        seconds(lambda: [solve(problem, QUESTIONS[1]) for problem in few])  # noqa: B023
        for solve in (find_joint_optimum, solve_by_item)
    )
    say("one by one", "5 items x 4 members", "item by item, times as long", slow / fast)


def _behind(levels: tuple[str, ...]) -> str:
    return ", ".join(levels[len(EVEN) :])


def applications() -> None:
    """Time the optima that a sweep asks for, of applications as it draws them."""
    streams = family("streams")
    drawings = [
        start_timeline(streams, draw_timeline(streams, cell, seed_of(0, cell, n)))
        for cell in read_grid(GRID).cells
        for n in range(max(1, cell.groups * MANY // 1_000_000))
    ]
    for asked in [
        parse_question(f"{BALANCE},{level}") for level in COMPARED[1:] if level != SUBTOPOLOGY_SPREAD
    ]:
        problems = [encode_application(each, asked).problem for each in drawings]
        batched([(each, asked.levels) for each in problems if each.items], str(asked), "applications")
    few = drawings[:: len(drawings) // 100]
    for what, warm, some in (("joint core", 10**9, few), ("machine code", 0, drawings)):
        tasks_optima.WARM = warm
        compute_optima(drawings[0])
        taken = seconds(lambda of=some: [*map(compute_optima, of)], 1)
        say("an application's optima", f"by the {what}", "CPU milliseconds", 1000 * taken / len(some))


def batched(asked: list[Asked], row: str, what: str) -> None:
    """Time small problems in machine code, checked in machine code, what they leave to the joint core included."""
    of = build_batch(asked)
    left = np.flatnonzero(check_batch(of, solve_batch(of)) == 0).tolist()
    fast = seconds(lambda: check_batch(of, solve_batch(of)))
    slow = seconds(lambda: [find_joint_optimum(*asked[n]) for n in left], 1)
    table = "applications of a sweep" if what == "applications" else "in machine code"
    say(table, row, f"{what}: a second", len(asked) / (fast + slow))
    say(table, row, f"left to the joint core, of {len(asked):,} {what}", len(left))


def bundles() -> None:
    """Time the linear program with a row for each bundle of classes, and with one for each class."""
    problem = synthetic(10**5, 10**3, 6, 2, 1, 3)
    of = build_classes(problem, QUESTIONS[1])
    say("bundles", "10^5 x 10^3", "classes", of.classes)
    bundled = seconds(lambda: place_copies(of, QUESTIONS[1]), 1)
    branch_and_bound.MANY = of.classes
    alone = seconds(lambda: place_copies(of, QUESTIONS[1]), 1)
    say("bundles", "10^5 x 10^3", "CPU seconds in bundles", bundled)
    say("bundles", "10^5 x 10^3", "times as long without bundles", alone / bundled)


def large() -> None:
    """Time large problems, in steps."""
    for power, racks, replicas in ((4, 3, 2), (6, 3, 2), (6, 6, 3)):
        problem = synthetic(10**power, 10 ** (power - 2), racks, 2, 2, replicas)
        for levels in QUESTIONS:
            _large(problem, levels, f"10^{power} x 10^{power - 2}, {racks} racks: {_behind(levels)}")


def _large(problem: RoleProblem, levels: tuple[str, ...], row: str) -> None:
    of = build_classes(problem, levels)
    found = find_joint_optimum(problem, levels)
    assert found.proved
    assert is_proof(problem, levels, found.owners, found.certificate)
    say("large", row, "classes", of.classes)
    for column, work, times in (
        ("CPU seconds to find them", lambda: build_classes(problem, levels), 1),
        ("optimum and proof", lambda: place_copies(of, levels), 3),
        ("all, with owners dealt and measured again", lambda: find_joint_optimum(problem, levels), 1),
        ("check", lambda: is_proof(problem, levels, found.owners, found.certificate), 1),
    ):
        say("large", row, column, seconds(work, times))


def main() -> None:
    """Measure what is named, and keep all of it where that is asked."""
    parts = {"small": small, "applications": applications, "large": large, "bundles": bundles}
    named = [word for word in sys.argv[1:] if word in parts and "--write" not in sys.argv]
    for part in named or parts:
        parts[part]()
    if "--write" in sys.argv:
        keep("joint-speed", "python benchmarks/joint.py --write", today(), FOUND)


if __name__ == "__main__":
    main()
