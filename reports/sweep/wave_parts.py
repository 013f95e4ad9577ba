"""The integrity of waves: rows and hash of each part are noted when a wave is written, and compared when it is read."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from kassay.errors import InputError, TargetGoneError
from kassay.files.output import write_whole
from kassay.model.json_text import RepeatedKeyError, decoded
from kassay.reports.sweep.manifest import NOTE, Run, complete_waves, wave_folder
from kassay.reports.sweep.spark.worker import arrow_schema


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
        return decoded(note.read_bytes(), dict[str, Part])
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


def verified_waves(folder: Path, run: Run) -> list[int]:
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
