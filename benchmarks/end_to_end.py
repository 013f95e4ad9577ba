"""What whole commands cost, from JSON to JSON: CPU seconds, wall seconds and peak memory of processes on one core.

``python benchmarks/end_to_end.py [--runs 3] [--topics 100] [--write] [WORD...]``; Linux. Each command runs so many times; its least
figures are shown, beside the aim. With words, only commands that hold one of them run. The groups have mixed subscriptions,
three racks, and owners of nine in ten partitions. The fresh install has no compiled Python at all, nor have its libraries.
``--write`` keeps CPU seconds and memory for docs/results/speed.md.
"""

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from kassay.families.shape import TextTable
from kassay.output.pretty import build_table

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "scripts"))

from figures import digits, keep, today

LEVELS = "balance,moves,cross-rack"
COMPARE = "compare consumer/range consumer/sticky consumer/cooperative-sticky --group"


@dataclass(frozen=True)
class Case:
    """A command, the partitions and members of the group that is put behind it, and what is aimed at."""

    command: str
    partitions: int
    members: int
    aim: str = ""
    fresh: bool = False


CASES = (
    Case(f"optimum {LEVELS}", 30, 6, "3 s", fresh=True),
    Case(f"optimum {LEVELS}", 30, 6),
    Case(f"optimum {LEVELS}", 10**4, 100),
    Case(f"optimum {LEVELS}", 10**5, 10**3),
    Case(f"optimum {LEVELS}", 10**6, 10**4, "2.5 s, 400 MB"),
    Case("optimum moves", 10**4, 100),
    Case("optimum moves", 10**5, 10**3),
    Case("optimum moves", 10**6, 10**4),
    Case(f"optimum copies=2,{LEVELS}", 10**3, 10),
    Case(f"optimum copies=2,{LEVELS}", 10**4, 100),
    Case(f"optimum copies=2,{LEVELS}", 10**5, 10**3),
    Case(COMPARE, 10**3, 10),
    Case(COMPARE, 10**4, 100),
    Case(COMPARE, 10**5, 10**3, "8 s"),
    Case("assign consumer/sticky", 10**4, 100),
    Case("assign consumer/sticky", 10**5, 10**3),
    Case("assign consumer/sticky", 10**6, 10**4, "12 s"),
)


def write(path: Path, case: Case, topics: int) -> None:
    """Write the group of a case; in a process of its own, as a child begins with the peak memory of its parent."""
    from second_opinions.random_problems import synthetic  # noqa: PLC0415

    from kassay.model.partitions_json import write_group  # noqa: PLC0415
    from oracles import group_of  # noqa: PLC0415

    problem = synthetic(case.partitions, case.members, min(topics, max(2, case.members // 10)))
    path.write_text(json.dumps(write_group(group_of(problem))))


def cost(case: Case, group: Path) -> tuple[float, float, float]:
    """Run a command to its end; return CPU seconds, wall seconds and peak memory in MB."""
    command = [sys.executable, "-m", "kassay", *case.command.split(), str(group), "--json"]
    with tempfile.TemporaryDirectory() as empty, (group.parent / "answer").open("w") as answer:
        # The first run compiles for the others, even if the environment forbids to write that beside the sources.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = empty if case.fresh else str(group.parent / "compiled")
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=answer, env=environment)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit status {process.returncode}")
    return used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    rows, kept = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            if options.words and not any(word in case.command for word in options.words):
                continue
            group = Path(folder) / f"{case.partitions}.json"
            if not group.exists():
                writing = multiprocessing.get_context("spawn").Process(
                    target=write, args=(group, case, options.topics)
                )
                writing.start()
                writing.join()
            cpu, wall, memory = map(min, zip(*(cost(case, group) for _ in range(options.runs)), strict=True))
            rows.append([
                f"{case.command}{' (fresh install)' if case.fresh else ''}", f"{case.partitions:,} x {case.members:,}",
                f"{cpu:.2f}", f"{wall:.2f}", f"{memory:.0f}", case.aim,
            ])  # fmt: skip
            kept[f"`{rows[-1][0]}`, {rows[-1][1]}"] = {
                "CPU seconds": digits(cpu),
                "peak memory, MB": round(memory),
            }
            print(*rows[-1], sep="; ", file=sys.stderr, flush=True)
    columns = ["kassay", "partitions x members", "CPU s", "wall s", "peak MB", "aim"]
    Console(width=120).print(build_table(TextTable(columns, rows)))
    if options.write:
        command = f"python benchmarks/end_to_end.py --runs {options.runs} --topics {options.topics} --write"
        keep("end-to-end", command, today(), {"commands": kept})


if __name__ == "__main__":
    main()
