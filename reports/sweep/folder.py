"""The folder of a sweep: made or taken up again, and locked so that one sweep at a time writes into it."""

import fcntl
import os
import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path

from kassay import __version__
from kassay.errors import InputError
from kassay.families import FAMILIES, family
from kassay.files.writing import usable_folder
from kassay.reports.sweep.grid import Grid
from kassay.reports.sweep.manifest import FORMAT, Run, TargetSpec, read_run, write_run
from kassay.reports.sweep.provenance import code_hash, machine, versions

ENDING_S = 30
"""Seconds that the Java machine of a sweep that was killed may take to end."""


@contextmanager
def locked(folder: Path) -> Iterator[int]:
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
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
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


def run_in(folder: Path, grid: Grid, targets: tuple[TargetSpec, ...]) -> Run:
    """Return the run of a grid in a folder, as it was started, or else started now.

    Raises InputError where the folder holds something else, the run of another grid, or one by other code.
    """
    code = code_hash(grid.targets)
    if not (folder / "run.json").exists():
        strange = sorted(
            path.name for path in folder.iterdir() if path.name != "lock" and path.name[0] != "."
        )
        if strange:
            raise InputError(
                f"{folder}: holds other things than a sweep ({strange[0]}); give an empty folder with -o"
            )
        run = new_run(grid, targets, code)
        write_run(folder, run)
        return run
    run = read_run(folder, trust=grid.family not in FAMILIES)  # the grid was trusted then
    if run.grid != grid.text:
        raise InputError(f"{folder}: holds the sweep of another grid; give another folder with -o")
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
        grid.groups, -(-grid.groups // grid.wave), grid.timeout_s, grid.memory_mb, versions(), machine(),
        datetime.now(UTC).isoformat(timespec="seconds"),
    )  # fmt: skip
