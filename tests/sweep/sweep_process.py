"""Sweeps as whole processes: started, killed and waited for."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

KASSAY = [sys.executable, "-m", "kassay", "sweep"]
GRID = """
targets = ["consumer/range", "consumer/sticky", "consumer/fair"]
wave = 150
sample = { laws = 10, rounds = 10, programs = 10 }
[[cells]]
name = "running"
groups = 850
members = "1..8"
racks = "0..2"
claims = { even = 1, newcomers = 1, uneven = 1 }
[[cells]]
name = "changing"
groups = 50
claims = "even"
churn = "0..3"
"""
LIMIT_S = 1800


def start(grid: Path, folder: Path, *more: str, **environment: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*KASSAY, str(grid), "-o", str(folder), *more], start_new_session=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | environment,
    )  # fmt: skip


def finish(grid: Path, folder: Path, *more: str, **environment: str) -> tuple[int, str, str]:
    """Run a sweep to its end: exit status, standard output, standard error."""
    process = start(grid, folder, *more, **environment)
    said, warned = process.communicate(timeout=LIMIT_S)
    return process.returncode, said, warned


def kill(process: "subprocess.Popen[str]", *, driver_alone: bool) -> None:
    """Kill the driver, or it with its Java machine."""
    if driver_alone:
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def commits(folder: Path) -> bool:
    """Say whether some wave is being committed: a part is in place, and _SUCCESS is not."""
    for wave in folder.glob("waves/*/*"):
        if not (wave / "_SUCCESS").exists() and any(wave.glob("part-*")):
            return True
    return False


def wait_for_commit(process: "subprocess.Popen[str]", folder: Path) -> bool:
    """Wait until a wave is being committed; False where the sweep ended without one that was seen."""
    end = time.monotonic() + LIMIT_S
    while process.poll() is None and time.monotonic() < end:
        if commits(folder):
            return True
    return False


def wait_for_waves(process: "subprocess.Popen[str]", folder: Path, number: int) -> bool:
    """Wait until so many waves are complete; False where the sweep ended first."""
    end = time.monotonic() + LIMIT_S
    while process.poll() is None and time.monotonic() < end:
        if len(list(folder.glob("waves/*/*/_parts.json"))) >= number:
            return True
        time.sleep(0.05)
    return False


def descendants(pid: int) -> list[tuple[int, str]]:
    """Return the processes that a process started, directly or not, with their command lines; Linux only."""
    found = []
    for thread in Path(f"/proc/{pid}/task").iterdir():  # any thread may have started them
        try:
            for child in (thread / "children").read_text().split():
                words = (
                    Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                )
                found += [(int(child), words), *descendants(int(child))]
        except OSError:
            continue
    return found


def moments(seed: int, number: int, longest_s: float) -> list[float]:
    drawn = random.Random(seed)
    return [drawn.uniform(0.5, longest_s) for _ in range(number)]
