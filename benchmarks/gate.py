"""How fast the command line starts and the gate judges: medians of runs made by turns, as ratios to a bare Python.

``python benchmarks/gate.py [RUNS]``; whole processes, wall time.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

from kassay.families.shape import TextTable
from kassay.output.pretty import build_table

BARE = [sys.executable, "-c", "pass"]
KASSAY = [sys.executable, "-m", "kassay"]
TARGETS = ["consumer/range", "consumer/sticky", "consumer/cooperative-sticky"]
BROKEN = Path(__file__).parents[1] / "tests" / "programs" / "speaker.py"


def seconds(command: list[str], until: bytes | None = None) -> tuple[float, bytes]:
    """Time a command to its end, or to the first line that holds `until`."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        with subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process:
            assert process.stdout is not None
            printed = b""
            for line in process.stdout:
                printed += line
                if until is not None and until in line:
                    taken = time.perf_counter() - start
                    process.kill()
                    return taken, printed
        return time.perf_counter() - start, printed


def judged(printed: bytes) -> int:
    """Read how many groups a check says it judged."""
    return next(r["groups"] for r in map(json.loads, printed.splitlines()) if r["record"] == "tally")


def main() -> None:
    """Print the table."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    program = f"exec:{sys.executable} {BROKEN}"
    cases = {"kassay --help": ([*KASSAY, "--help"], None)}
    cases |= {f"check {target}": ([*KASSAY, "check", target, "--json"], None) for target in TARGETS}
    cases |= {
        f"first finding, a program that {way}": (
            [*KASSAY, "check", f"{program} {way}", "--json"],
            b'"promised":true',
        )
        for way in ("invents", "exits", "refuses")
    }
    rows = []
    for name, (command, until) in cases.items():
        times, bare, printed = [], [], b""
        for _ in range(runs):
            bare.append(seconds(BARE)[0])
            taken, printed = seconds(command, until)
            times.append(taken)
        median = statistics.median(times)
        each = "" if until or "help" in name else f"{judged(printed) / median:.0f}"
        ratio = statistics.median(t / b for t, b in zip(times, bare, strict=True))
        rows.append([name, f"{median:.2f}", f"{ratio:.0f}", each])
    Console(width=120).print(
        build_table(TextTable(["command", "seconds", "times a bare Python", "groups a second"], rows))
    )


if __name__ == "__main__":
    main()
