"""How much CPU `kassay check TARGET` takes by default: `python benchmarks/checking.py [PATTERN...]`, one target after the other.

CPU seconds of the whole process and of all that it starts, which other work on the machine changes little. A target inside this process
has 15 of them; those that take longer are marked.
"""

import os
import subprocess
import sys
import tempfile
import time
from fnmatch import fnmatchcase

from kassay.families.assignors import ASSIGNORS

MOST_S = 15.0
"""What a check of one target may take."""


def cpu_s(command: list[str]) -> float:
    """Run a command and return the CPU seconds that it and its children took; ends where it could not be run."""
    before = os.times()
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run(
            [sys.executable, "-m", "kassay", *command, "-o", folder],
            capture_output=True,
            text=True,
            check=False,
        )
    if ran.returncode not in {0, 1}:
        raise SystemExit(f"kassay {' '.join(command)} ended with {ran.returncode}: {ran.stderr}")
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main() -> int:
    """Measure all references, or those that patterns name; 1 where one takes too long."""
    patterns = sys.argv[1:] or ["*"]
    names = [name for name in ASSIGNORS if "@" not in name]
    chosen = [name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns)]
    if not chosen:
        raise SystemExit(f"{' '.join(patterns)}: no assignor has such a name; kassay list names them")
    slow = 0
    for name in chosen:
        began = time.perf_counter()
        taken = cpu_s(["check", name])
        slow += taken > MOST_S
        mark = f"  more than {MOST_S:.0f} s" * (taken > MOST_S)
        print(f"{name:32} {taken:6.1f} s of CPU, {time.perf_counter() - began:6.1f} s{mark}", flush=True)
    return int(slow > 0)


if __name__ == "__main__":
    sys.exit(main())
