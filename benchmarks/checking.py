"""How much CPU `kassay check TARGET` takes by default, and when it shows its first broken promise.

``python benchmarks/checking.py [--write] [PATTERN...]``, one target after the other. CPU seconds are of the whole process and of all
processes that it starts; other work on the machine changes them little. A target inside this process has 15 of them; those that take longer are
marked. The first broken promise is of a target that assigns nothing; it has 3 seconds on an idle machine. With ``--write``, each target is
also checked with two and three seeds, and the figures are kept for docs/results/speed.md.
"""

import os
import subprocess
import sys
import tempfile
import time
from fnmatch import fnmatchcase
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "scripts"))

from figures import digits, keep, today

from kassay.defaults import CHECKED
from kassay.families.assignors import ASSIGNORS

MOST_S = 15.0
"""The most CPU seconds of a check of one target."""


FIRST_S = 3.0
"""The seconds until the first broken promise."""
EMPTY = "def assign(group):\n    return {member.id: [] for member in group.members}\n"


def measure_check(name: str, seeds: int = 1) -> float:
    """Check a target with a number of seeds; return the CPU seconds of all processes. Raises SystemExit if it cannot be checked."""
    before = os.times()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "kassay.toml").write_text(f"seeds = {list(range(seeds))}\n")
        command = [sys.executable, "-m", "kassay", "check", name]
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if ran.returncode not in {0, 1}:
        raise SystemExit(f"kassay check {name}: ended with {ran.returncode}: {ran.stderr}")
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def measure_first_failure() -> float:
    """Return the seconds until a check shows the first broken promise of a target that assigns nothing."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "empty.py").write_text(EMPTY)
        command = [sys.executable, "-m", "kassay", "check", "python:empty:assign"]
        environment = os.environ | {"PYTHONPATH": folder}
        began = time.perf_counter()
        with subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stderr is not None
            for line in process.stderr:
                if " breaks complete: " in line:
                    taken = time.perf_counter() - began
                    process.kill()
                    return taken
    raise SystemExit("kassay check python:empty:assign: shows no broken promise. Run it to see why.")


def main() -> int:
    """Measure all references, or those that patterns name; 1 if one takes too long."""
    patterns = [word for word in sys.argv[1:] if word != "--write"] or ["*"]
    writes = "--write" in sys.argv
    names = [name for name in ASSIGNORS if "@" not in name]
    chosen = [name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns)]
    if not chosen:
        raise SystemExit(f"{' '.join(patterns)}: no assignor has such a name; kassay list names them")
    first_s, slow = measure_first_failure(), 0
    print(f"first broken promise: {first_s:.1f} s{f'  more than {FIRST_S:.0f} s' * (first_s > FIRST_S)}")
    rows = {}
    for name in chosen:
        for seeds in (1, 2, 3) if writes else (1,):
            began = time.perf_counter()
            taken = measure_check(name, seeds)
            rows[f"`check {name}`, {seeds * CHECKED:,}"] = {"CPU seconds": digits(taken)}
            late = seeds == 1 and taken > MOST_S
            slow += late
            mark = f"  more than {MOST_S:.0f} s" * late
            print(
                f"{name:32} x{seeds} {taken:6.1f} s of CPU, {time.perf_counter() - began:6.1f} s{mark}",
                flush=True,
            )
    if writes:
        command = f"python benchmarks/checking.py --write {' '.join(patterns)}"
        figures = {"checks": rows, "first": {"seconds until the first broken promise": digits(first_s)}}
        keep("checking-speed", command, today(), figures)
    return int(slow > 0)


if __name__ == "__main__":
    sys.exit(main())
