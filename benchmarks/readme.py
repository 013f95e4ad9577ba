"""The cost of README's first command, step by step: CPU seconds of all its processes, and wall seconds on the machine's cores.

``python benchmarks/readme.py [--write] [TIMES...]``; Linux. The steps are read from README, without the installation. With 2, the check
has two seeds and the grid twice as many groups; by default 1, 2 and 3. ``--write`` keeps the figures for docs/results/speed.md.
Exit status 1: the command as it stands in README takes more CPU seconds than its limit.
"""

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "scripts"))

from figures import digits, keep, today
from spark import below, cpu_of

ROOT = Path(__file__).parents[1]
MOST_S = 100.0
"""The most CPU seconds of the whole command."""
EVERY_S = 0.1
"""The seconds between two looks at the CPU time of each process."""


def read_steps(readme: str) -> list[str]:
    """Return the arguments of each kassay command in README's first block on reproduction."""
    block = readme.partition("## Reproduce everything")[2].partition("```sh\n")[2].partition("```")[0]
    return re.findall(r"\.venv/bin/kassay ([^&\\\n]*)", block)


def write_inputs(folder: Path, times: int) -> None:
    """Write the settings and the grids of the command into its working directory, with a multiple of the groups."""
    (folder / "examples").symlink_to(ROOT / "examples")
    (folder / "kassay.toml").write_text(f"seeds = {list(range(times))}\n")
    (folder / "grids").mkdir()
    for grid in ROOT.glob("grids/*.toml"):
        groups = re.compile(r"^groups = (\d+)", re.MULTILINE)
        text = groups.sub(lambda found: f"groups = {int(found[1]) * times}", grid.read_text())
        (folder / "grids" / grid.name).write_text(text)


def measure_step(step: str, folder: Path) -> tuple[float, float]:
    """Run a step in a folder; return CPU seconds of all its processes, and wall seconds.

    Spark does not wait for its workers, so their CPU time is read while they run. Raises SystemExit if the step fails.
    """
    cpu_s: dict[int, float] = {}
    began = time.monotonic()
    command = [sys.executable, "-m", "kassay", *step.split()]
    with (
        tempfile.TemporaryFile() as output,
        subprocess.Popen(command, cwd=folder, stdout=output, stderr=output) as process,
    ):
        while process.poll() is None:
            cpu_s |= {pid: cpu_of([pid], of_children=False) for pid in below(process.pid)}
            time.sleep(EVERY_S)
        wall_s = time.monotonic() - began
        if process.returncode:
            output.seek(0)
            raise SystemExit(f"kassay {step}: exit status {process.returncode}\n{output.read().decode()}")
    return sum(cpu_s.values()), wall_s


def main() -> int:
    """Print a row for each step and size, and keep them if asked."""
    sizes = [int(word) for word in sys.argv[1:] if word != "--write"] or [1, 2, 3]
    rows: dict[str, dict[str, float]] = {}
    missed = False
    for times in sizes:
        of = f"times the groups, {times}"
        whole_s = whole_wall_s = 0.0
        with tempfile.TemporaryDirectory() as folder:
            write_inputs(Path(folder), times)
            for step in read_steps((ROOT / "README.md").read_text()):
                cpu_s, wall_s = measure_step(step, Path(folder))
                whole_s, whole_wall_s = whole_s + cpu_s, whole_wall_s + wall_s
                rows[f"`{step.split()[0]}`, {of}"] = {"CPU seconds": digits(cpu_s)}
                print(f"{step.split()[0]}, {of}: {cpu_s:.1f} s of CPU, {wall_s:.1f} s", flush=True)
        rows[f"all steps, {of}"] = {"CPU seconds": digits(whole_s)}
        print(f"all steps, {of}: {whole_s:.1f} s of CPU, {whole_wall_s:.1f} s", flush=True)
        missed |= times == 1 and whole_s > MOST_S
    if "--write" in sys.argv:
        keep("readme-speed", "python benchmarks/readme.py --write", today(), {"commands": rows})
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
