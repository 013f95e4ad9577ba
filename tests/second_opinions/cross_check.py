"""The long comparison: fast optima against linear programs, and against their own certificates, by the million.

``python tests/second_opinions/cross_check.py [--programs N] [--certificates N] [--state FILE]`` goes on
where the state file says it stopped; problem number n is always the same. Exit status 0: all agree, 1: some
do not, and the state file names them.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from second_opinions.bulk_check import bulk_check
from second_opinions.random_problems import ORDERS, tiny
from second_opinions.shortest_paths import solve_small

from kassay.oracles.assignment.certificates import is_proof
from kassay.oracles.assignment.flow.exact import solve, solve_large
from kassay.oracles.assignment.linear_program import solve_collapsed_program, solve_program
from kassay.oracles.assignment.problem import find_eligible
from kassay.oracles.assignment.values import compute_values


def against_programs(first: int, count: int) -> list[int]:
    """Return the numbers of those problems for which networks, paths and programs differ, or a proof fails."""
    wrong = []
    for number in range(first, first + count):
        r = np.random.default_rng(number)
        problem = tiny(r, copies=int(r.choice([1, 1, 1, 2, 3])), items=45, members=12)
        levels = ORDERS[number % len(ORDERS)]
        best = solve(problem, levels)
        found = [best.owners, solve_small(problem, levels)[0], solve_program(problem, levels)[0]]
        if problem.copies == 1:
            found += [solve_large(problem, levels).owners, solve_collapsed_program(problem, levels)[0]]
        may = find_eligible(problem)
        legal = all(np.take_along_axis(may, owners, axis=1).all() for owners in found)
        same = len({compute_values(problem, levels, owners) for owners in found}) == 1
        if not (legal and same and is_proof(problem, levels, best.owners, best.prices)):
            wrong.append(number)
    return wrong


def against_certificates(first: int, count: int) -> list[int]:
    """Return the numbers of those problems whose optimum its prices do not prove."""
    return [int(number) for number in bulk_check(first, count)]


CHECKS: dict[str, tuple[Callable[[int, int], list[int]], int]] = {
    "programs": (against_programs, 100),
    "certificates": (against_certificates, 100_000),
}
"""Name -> how to check a run of problems, and how many to check between two notes of the state."""


def run(wanted: dict[str, int], state: Path) -> int:
    """Check as many problems of each sort as wanted, noting in the state file how far it got; return the exit status."""
    done = json.loads(state.read_text()) if state.exists() else {}
    for name, (check, step) in CHECKS.items():
        mine = done.setdefault(name, {"checked": 0, "wrong": [], "seconds": 0.0})
        while mine["checked"] < wanted[name]:
            count = min(step, wanted[name] - mine["checked"])
            start = time.process_time()
            mine["wrong"] += check(mine["checked"], count)
            mine["checked"] += count
            mine["seconds"] = round(mine["seconds"] + time.process_time() - start, 3)
            unfinished = state.with_name(f"{state.name}.new")
            unfinished.write_text(json.dumps(done, indent=1))
            unfinished.replace(state)
            if sys.stderr.isatty():
                print(f"\r{name}: {mine['checked']:,} of {wanted[name]:,}", end="", file=sys.stderr)
        if sys.stderr.isatty():
            print(file=sys.stderr)
        rate = mine["checked"] / mine["seconds"] if mine["seconds"] else 0.0
        print(
            f"{name}: {mine['checked']:,} checked, {len(mine['wrong'])} wrong, {rate:,.0f} a second of one core"
        )
    return int(any(done[name]["wrong"] for name in CHECKS))


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(
        description="Compare the oracles with each other and with their certificates."
    )
    parser.add_argument(
        "--programs", type=int, default=100_000, metavar="N", help="problems for linear programs"
    )
    parser.add_argument(
        "--certificates", type=int, default=10**7, metavar="N", help="problems for certificates"
    )
    parser.add_argument(
        "--state", type=Path, default=Path("oracles-state.json"), help="where to note the progress"
    )
    options = parser.parse_args(arguments)
    return run({"programs": options.programs, "certificates": options.certificates}, options.state)


if __name__ == "__main__":
    sys.exit(main())
