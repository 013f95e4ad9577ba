"""The folder of a sweep: made or taken up again, and locked so that one sweep at a time writes into it."""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path

from kassay import __version__
from kassay.errors import InputError
from kassay.files import usable_folder
from kassay.reports.sweep.code import code_hash, machine, versions
from kassay.reports.sweep.grid import Grid
from kassay.reports.sweep.run import FORMAT, Asked, Run, read_run, write_run


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder for one sweep; raises InputError where another one has it. The lock ends with its process."""
    path = usable_folder(folder) / "lock"
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(handle, 200).decode(errors="replace").strip() or "another process"
            raise InputError(
                f"{folder}: {holder} sweeps into it; wait for it, or give another folder with -o"
            ) from None
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
        yield
    finally:
        os.close(handle)


def run_in(folder: Path, grid: Grid, asked: tuple[Asked, ...]) -> Run:
    """Return the run of a grid in a folder, as it was started, or else started now.

    Raises InputError where the folder holds something else, the run of another grid, or one by other code.
    """
    code = code_hash(grid.targets)
    if not (folder / "run.json").exists():
        strange = sorted(path.name for path in folder.iterdir() if path.name != "lock")
        if strange:
            raise InputError(
                f"{folder}: holds other things than a sweep ({strange[0]}); give an empty folder with -o"
            )
        run = new_run(grid, asked, code)
        write_run(folder, run)
        return run
    run = read_run(folder)
    if run.grid != grid.text:
        raise InputError(f"{folder}: holds the sweep of another grid; give another folder with -o")
    if run.code != code:
        raise InputError(
            f"{folder}: mixed code versions: it was begun by kassay {run.kassay} with code {run.code}, this is {code}; "
            "go on with that code, or start anew in another folder with -o"
        )
    return run


def new_run(grid: Grid, asked: tuple[Asked, ...], code: str) -> Run:
    """Return the settings of a run that starts now."""
    return Run(
        FORMAT,
        blake2b(f"{FORMAT}\n{code}\n{grid.text}".encode(), digest_size=6).hexdigest(),
        code, __version__, grid.text, grid.family, asked, grid.measures, grid.levels, grid.cells, grid.seeds, grid.sample,
        grid.groups, -(-grid.groups // grid.wave), grid.timeout_s, grid.memory_mb, versions(), machine(),
        datetime.now(UTC).isoformat(timespec="seconds"),
    )  # fmt: skip
