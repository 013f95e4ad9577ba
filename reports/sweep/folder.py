"""The folder of a sweep: its lock, its settings with the hash of the code, and the integrity of its waves.

Rows and hash of each part are noted when a wave is written, and compared when it is read.
"""

import fcntl
import hashlib
import os
import platform
import re
import shlex
import shutil
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from msgspec.structs import replace

import kassay
from kassay import __version__
from kassay.errors import InputError, TargetGoneError
from kassay.families import FAMILIES, family
from kassay.files.output import make_folder, make_unwritable, write_whole
from kassay.model.json_text import RepeatedKeyError, decode_json
from kassay.reports.requirements import count_cores
from kassay.reports.sweep.grid import Grid
from kassay.reports.sweep.manifest import (
    FORMAT,
    NOTE,
    Run,
    TargetSpec,
    complete_waves,
    read_run,
    wave_folder,
    write_run,
)
from kassay.reports.sweep.spark.worker import arrow_schema

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
    handle = os.open(make_folder(folder) / "lock", os.O_RDWR | os.O_CREAT, 0o644)
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
        run = replace(create_run(grid, targets, code), rows=rows)
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


def create_run(grid: Grid, targets: tuple[TargetSpec, ...], code: str) -> Run:
    """Return the settings of a run that starts now."""
    return Run(
        FORMAT,
        blake2b(f"{FORMAT}\n{code}\n{grid.text}".encode(), digest_size=6).hexdigest(),
        code, __version__, grid.text, grid.family, targets, tuple(family(grid.family).shape.sizes), grid.measures, grid.levels, grid.cells, grid.seeds, grid.sample,
        grid.groups, -(-grid.groups // grid.wave), grid.timeout_s, grid.memory_mb, read_versions(), describe_machine(),
        datetime.now(UTC).isoformat(timespec="seconds"),
    )  # fmt: skip


class Part(msgspec.Struct, frozen=True):
    """A Parquet file of a wave: its number of rows, and the SHA-256 of its bytes."""

    rows: int
    sha256: str


def note_wave(folder: Path, run: Run, wave: int, parts: dict[str, Part] | None = None) -> None:
    """Write the list of a wave's parts, which makes it complete; `parts` if its rows are not in the folder."""
    place = wave_folder(folder, run, wave)
    if parts is None:
        parts = {
            each.name: Part(pq.read_metadata(each).num_rows, _hash_file(each)) for each in _list_parts(place)
        }
    text = msgspec.json.format(msgspec.json.encode(parts)).decode()
    write_whole(place / NOTE, f"{text}\n")


def noted_parts(folder: Path, run: Run, wave: int) -> dict[str, Part]:
    """Read the list of a complete wave's parts; raises InputError if it is damaged."""
    note = wave_folder(folder, run, wave) / NOTE
    try:
        return decode_json(note.read_bytes(), dict[str, Part])
    except (OSError, UnicodeDecodeError, RepeatedKeyError, msgspec.MsgspecError) as wrong:
        raise InputError(f"{note}: cannot be read ({wrong}). {_again(note.parent)}") from None


def refuse_lost(folder: Path, run: Run, wave: int) -> None:
    """Check a wave that was just written: raise TargetGoneError if a target lacks a group, InputError if a row is there twice."""
    place = wave_folder(folder, run, wave)
    columns = ["id", "step", "target"]
    rows = pa.concat_tables(
        [pq.read_table(part, columns=columns, partitioning=None) for part in _list_parts(place)]
    )
    refuse_doubles(place, rows)
    refuse_few(str(place), run, wave, rows.filter(pa.compute.equal(rows["step"], 0)).num_rows)


def refuse_few(place: str, run: Run, wave: int, first: int) -> None:
    """Raise TargetGoneError if the number of rows of groups as drawn does not match groups and targets."""
    wanted = len(range(wave, run.groups, run.waves)) * len(run.names)
    if first != wanted:
        raise TargetGoneError(
            f"{place}: has {first} rows of groups as drawn instead of {wanted}. Run the same command again."
        )


def refuse_doubles(place: Path, rows: pa.Table) -> None:
    """Raise InputError if two rows of a wave have the same group, step and target."""
    counted = rows.group_by(["id", "step", "target"]).aggregate([([], "count_all")])
    if counted.num_rows < rows.num_rows:
        one = counted.filter(pa.compute.greater(counted["count_all"], 1)).slice(0, 1).to_pylist()[0]
        raise make_double_error(str(place), one)


def make_double_error(place: str, row: Mapping[str, object]) -> InputError:
    """Return the error for a row that is there several times."""
    return InputError(
        f"{place}: group {row['id']}, step {row['step']} of {row['target']} is there {row['count_all']} times. "
        "Remove the folder and run `kassay sweep` again."
    )


def verify_waves(folder: Path, run: Run) -> list[int]:
    """Return the complete waves; raises InputError if a part was changed, or is not in the folder."""
    waves = complete_waves(folder, run)
    if run.rows and not all(_list_parts(wave_folder(folder, run, wave)) for wave in waves):
        raise InputError(
            f"{folder}: the rows are in {run.rows}. Copy run={run.id} from there into {folder / 'waves'} and try again."
        )
    schema = arrow_schema(run)
    for wave in waves:
        place = wave_folder(folder, run, wave)
        noted = noted_parts(folder, run, wave)
        refuse_changed(str(place), place, noted, {part.name: _hash_file(part) for part in _list_parts(place)})
        for name in noted:
            if (wrong := _find_difference(place / name, schema)) is not None:
                raise InputError(f"{place / name}: {wrong}. {_again(place)}")
    return waves


def refuse_changed(rows: str, place: Path, noted: Mapping[str, Part], found: Mapping[str, str]) -> None:
    """Raise InputError if the files of a wave, by name with their SHA-256, differ from its list of parts; `rows` is their address."""
    for name in sorted({*noted} ^ {*found}):
        what = f"is missing, with {noted[name].rows} rows" if name in noted else "was added"
        raise InputError(f"{rows}/{name}: {what}. {_again(place)}")
    for name, part in noted.items():
        if found[name] != part.sha256:
            raise InputError(f"{rows}/{name}: was changed after it was written. {_again(place)}")


def _again(place: Path) -> str:
    return f"Remove {place} and run `kassay sweep` again."


def _find_difference(part: Path, schema: pa.Schema) -> str | None:
    """Return which column of a part differs from the schema, or None if none does."""
    try:
        found = pq.read_schema(part)
    except pa.ArrowException as wrong:
        return f"cannot be read ({' '.join(str(wrong).split())})"
    for column in schema:
        at = found.get_all_field_indices(column.name)
        if len(at) != 1:
            return f"has {len(at)} columns {column.name!r}"
        if found.field(at[0]).type != column.type:
            return f"has a column {column.name!r} of {found.field(at[0]).type}, not of {column.type}"
    return None


def _list_parts(place: Path) -> list[Path]:
    return sorted(place.glob("*.parquet"))


def _hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
