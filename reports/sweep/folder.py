"""The folder of a sweep: made or taken up again, and locked so that one sweep at a time writes into it.

What a sweep's rows depend on besides its grid: kassay's own code, what the targets run, and versions.
"""

import fcntl
import os
import platform
import re
import shlex
import shutil
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from msgspec.structs import replace

import kassay
from kassay import __version__
from kassay.errors import InputError
from kassay.families import FAMILIES, family
from kassay.files.output import make_unwritable, usable_folder
from kassay.reports.requirements import count_cores
from kassay.reports.sweep.grid import Grid
from kassay.reports.sweep.manifest import FORMAT, Run, TargetSpec, read_run, write_run

PACKAGES = (
    "pyspark",
    "pyarrow",
    "pandas",
    "numpy",
    "ortools",
    "highspy",
    "pulp",
    "msgspec",
    "hypothesis",
)
NOT_JUDGING = {
    "cli",
    "output",
    "listings",
    *(f"reports/{name}" for name in ("page", "figures", "tables", "shapes", "comparison")),
}
"""Folders of the package whose code changes no row."""


def hash_code(targets: Sequence[str]) -> str:
    """Return a hash of kassay's modules and of the files that the targets name, as far as they can be found."""
    hashed = blake2b(digest_size=8)
    package = Path(kassay.__file__).parent
    for path in sorted(_list_modules(package)):
        hashed.update(f"{path.relative_to(package)}\n".encode() + path.read_bytes())
    for target in targets:
        for path in _list_files(target):
            hashed.update(f"{target}\n".encode() + path.read_bytes())
    return hashed.hexdigest()


def _list_modules(package: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(package, followlinks=True):
        here = Path(folder).relative_to(package)
        folders[:] = [n for n in folders if n != "__pycache__" and str(here / n) not in NOT_JUDGING]
        yield from (Path(folder) / name for name in names if name.endswith((".py", ".java")))


def _list_files(target: str) -> list[Path]:
    kind, _, rest = target.partition(":")
    if kind == "python":
        try:
            found = find_spec(rest.partition(":")[0])
        except (ImportError, ValueError):
            return []
        return [Path(found.origin)] if found and found.origin and Path(found.origin).is_file() else []
    if kind == "exec":
        words = [shutil.which(word) or word for word in shlex.split(rest)]
    elif kind == "jar":
        words = rest.partition("#")[0].split(os.pathsep)
    else:
        words = []
    return [Path(word) for word in words if Path(word).is_file()]


def read_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that rows come from, where they are installed."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def describe_machine() -> dict[str, str]:
    """Describe the machine of the driver."""
    return {
        "system": f"{platform.system()} {platform.release()}",
        "processor": _processor(),
        "cores": str(count_cores()),
        "memory_gb": str(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**30),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.machine()


ENDING_S = 30
"""Seconds that the Java machine of a sweep that was killed may take to end."""


@contextmanager
def lock_folder(folder: Path) -> Iterator[int]:
    """Hold a folder for one sweep, by a lock on the descriptor given, which ends with the last process that has it.

    Raises InputError where another sweep holds it. One that was killed is waited for: its Java machine, which has the
    descriptor too, may be in the middle of a wave still.
    """
    handle = os.open(usable_folder(folder) / "lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        deadline = time.monotonic() + ENDING_S
        while not _taken(handle):
            holder = os.pread(handle, 200, 0).decode(errors="replace").strip()
            if time.monotonic() > deadline or not _has_ended(holder):
                raise InputError(
                    f"{folder}: {holder or 'another process'} sweeps into it; wait for it, or give another folder with -o"
                )
            time.sleep(0.1)
        try:
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
        except OSError as wrong:
            raise make_unwritable(folder, wrong) from None
        try:
            yield handle
        finally:
            fcntl.flock(handle, fcntl.LOCK_UN)
    finally:
        os.close(handle)


def _taken(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _has_ended(holder: str) -> bool:
    """Say whether the process that noted itself in a lock was one of this machine and is no more."""
    noted = re.fullmatch(r"process (\d+) on (.*)", holder)
    if noted is None or noted[2] != socket.gethostname():
        return False
    try:
        os.kill(int(noted[1]), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def run_in(folder: Path, grid: Grid, targets: tuple[TargetSpec, ...], rows: str = "") -> Run:
    """Return the run of a grid in a folder, as it was started, or else started now, with its rows there or elsewhere.

    Raises InputError where the folder holds something else, the run of another grid, one with its rows elsewhere, or one by other code.
    """
    code = hash_code(grid.targets)
    if not (folder / "run.json").exists():
        strange = sorted(
            path.name for path in folder.iterdir() if path.name != "lock" and path.name[0] != "."
        )
        if strange:
            raise InputError(
                f"{folder}: holds other things than a sweep ({strange[0]}); give an empty folder with -o"
            )
        run = replace(new_run(grid, targets, code), rows=rows)
        write_run(folder, run)
        return run
    run = read_run(folder, trust=grid.family not in FAMILIES)  # the grid was trusted then
    if run.grid != grid.text:
        raise InputError(f"{folder}: holds the sweep of another grid; give another folder with -o")
    if run.rows != rows:
        fix = f"give --rows {run.rows}" if run.rows else "leave --rows out"
        raise InputError(f"{folder}: its rows are in {run.rows or 'it'}; {fix}, or another folder with -o")
    if run.code != code:
        raise InputError(
            f"{folder}: mixed code versions: it was started by kassay {run.kassay} with code {run.code}, this is {code}; "
            "continue with that code, or sweep again into another folder with -o"
        )
    return run


def new_run(grid: Grid, targets: tuple[TargetSpec, ...], code: str) -> Run:
    """Return the settings of a run that starts now."""
    return Run(
        FORMAT,
        blake2b(f"{FORMAT}\n{code}\n{grid.text}".encode(), digest_size=6).hexdigest(),
        code, __version__, grid.text, grid.family, targets, tuple(family(grid.family).shape.sizes), grid.measures, grid.levels, grid.cells, grid.seeds, grid.sample,
        grid.groups, -(-grid.groups // grid.wave), grid.timeout_s, grid.memory_mb, read_versions(), describe_machine(),
        datetime.now(UTC).isoformat(timespec="seconds"),
    )  # fmt: skip
