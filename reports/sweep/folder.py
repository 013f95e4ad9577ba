"""The folder of a sweep: created or resumed, and locked for one sweep at a time; the hash of the code that rows depend on, and versions."""

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
"""Folders of the package whose code does not change rows."""


def hash_code(targets: Sequence[str]) -> str:
    """Return a hash of kassay's modules and of the files that the targets name, if they are found."""
    hashed = blake2b(digest_size=8)
    package = Path(kassay.__file__).parent
    paths: list[Path] = []
    for folder, folders, names in os.walk(package, followlinks=True):
        here = Path(folder).relative_to(package)
        folders[:] = [n for n in folders if n != "__pycache__" and str(here / n) not in NOT_JUDGING]
        paths += [Path(folder) / name for name in names if name.endswith((".py", ".java"))]
    for path in sorted(paths):
        hashed.update(f"{path.relative_to(package)}\n".encode() + path.read_bytes())
    for target in targets:
        for path in _list_files(target):
            hashed.update(f"{target}\n".encode() + path.read_bytes())
    return hashed.hexdigest()


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
    """Return the versions of Python and of the installed packages that rows depend on."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def describe_machine() -> dict[str, str]:
    """Describe the machine of the driver."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "system": f"{platform.system()} {platform.release()}",
        "processor": named[0] if named else platform.machine(),
        "cores": str(count_cores()),
        "memory_gb": str(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**30),
    }


ENDING_S = 30
"""Seconds until the Java machine of a killed sweep ends."""


@contextmanager
def lock_folder(folder: Path) -> Iterator[int]:
    """Lock a folder for one sweep, and yield the descriptor; the lock ends with the last process that has the descriptor.

    Raises InputError if another sweep has the lock. If that sweep was killed, wait: its Java machine has the descriptor too, and
    may still write a wave.
    """
    handle = os.open(usable_folder(folder) / "lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        deadline = time.monotonic() + ENDING_S
        while not _try_lock(handle):
            holder = os.pread(handle, 200, 0).decode(errors="replace").strip()
            if time.monotonic() > deadline or not _has_ended(holder):
                raise InputError(
                    f"{folder}: {holder or 'another process'} sweeps into it. Wait for it, or give another folder with -o."
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


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _has_ended(holder: str) -> bool:
    """Return True if the process whose note is in the lock ran on this machine and has ended."""
    noted = re.fullmatch(r"process (\d+) on (.*)", holder)
    if noted is None or noted[2] != socket.gethostname():
        return False
    try:
        os.kill(int(noted[1]), 0)
    except (ProcessLookupError, PermissionError) as wrong:
        return isinstance(wrong, ProcessLookupError)
    return False


def run_in(folder: Path, grid: Grid, targets: tuple[TargetSpec, ...], rows: str = "") -> Run:
    """Return the run of a grid in a folder, as it was started, or start it now, with its rows in the folder or at an address.

    Raises InputError if the folder contains other files, or the run of another grid, address of rows, or version of the code.
    """
    code = hash_code(grid.targets)
    if not (folder / "run.json").exists():
        strange = sorted(
            path.name for path in folder.iterdir() if path.name != "lock" and path.name[0] != "."
        )
        if strange:
            raise InputError(
                f"{folder}: contains other files than a sweep ({strange[0]}). Give an empty folder with -o."
            )
        run = replace(new_run(grid, targets, code), rows=rows)
        write_run(folder, run)
        return run
    run = read_run(folder, trust=grid.family not in FAMILIES)  # the grid was trusted then
    if run.grid != grid.text:
        raise InputError(f"{folder}: contains the sweep of another grid. Give another folder with -o.")
    if run.rows != rows:
        fix = f"Give --rows {run.rows}" if run.rows else "Leave --rows out"
        raise InputError(
            f"{folder}: the rows are in {run.rows or 'the folder'}. {fix}, or another folder with -o."
        )
    if run.code != code:
        raise InputError(
            f"{folder}: mixed code versions: it was started by kassay {run.kassay} with code {run.code}, this is {code}. "
            "Continue with that code, or sweep again into another folder with -o."
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
