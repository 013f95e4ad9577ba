"""Whole waves: what is noted of each part when a wave is written, and held against it when the wave is read."""

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
    """A Parquet file of a wave: how many rows it has, and the SHA-256 of its bytes."""

    rows: int
    sha256: str


def note_wave(folder: Path, run: Run, wave: int, parts: dict[str, Part] | None = None) -> None:
    """Note the parts of a wave, which makes it complete; those of rows that are elsewhere are given."""
    place = wave_folder(folder, run, wave)
    text = msgspec.json.format(msgspec.json.encode(_parts(place) if parts is None else parts)).decode()
    write_whole(place / NOTE, f"{text}\n")


def noted_parts(folder: Path, run: Run, wave: int) -> dict[str, Part]:
    """Read what is noted of a complete wave; raises InputError where the note is damaged."""
    note = wave_folder(folder, run, wave) / NOTE
    try:
        return decoded(note.read_bytes(), dict[str, Part])
    except (OSError, UnicodeDecodeError, RepeatedKeyError, msgspec.MsgspecError) as wrong:
        raise InputError(f"{note}: cannot be read ({wrong}); {_again(note.parent)}") from None


def refuse_lost(folder: Path, run: Run, wave: int) -> None:
    """Raise TargetGoneError where a wave that was just written lacks a group for some target, or has a row twice."""
    place = wave_folder(folder, run, wave)
    columns = ["id", "step", "target"]
    rows = pa.concat_tables(
        [pq.read_table(part, columns=columns, partitioning=None) for part in _list_parts(place)]
    )
    refuse_doubles(place, rows)
    refuse_few(str(place), run, wave, rows.filter(pa.compute.equal(rows["step"], 0)).num_rows)


def refuse_few(place: str, run: Run, wave: int, first: int) -> None:
    """Raise TargetGoneError where a wave has more or fewer rows of groups as drawn than groups and targets."""
    wanted = len(range(wave, run.groups, run.waves)) * len(run.names)
    if first != wanted:
        raise TargetGoneError(
            f"{place}: has {first} rows of groups as drawn instead of {wanted}; run the same command again"
        )


def refuse_doubles(place: Path, rows: pa.Table) -> None:
    """Raise InputError where two rows of a wave are of the same group, step and target."""
    counted = rows.group_by(["id", "step", "target"]).aggregate([([], "count_all")])
    if counted.num_rows < rows.num_rows:
        one = counted.filter(pa.compute.greater(counted["count_all"], 1)).slice(0, 1).to_pylist()[0]
        raise make_double_error(str(place), one)


def make_double_error(place: str, row: Mapping[str, object]) -> InputError:
    """Return the sentence about a row that is there several times."""
    return InputError(
        f"{place}: group {row['id']}, step {row['step']} of {row['target']} is there {row['count_all']} times; "
        "remove the folder and run `kassay sweep` again"
    )


def verified_waves(folder: Path, run: Run) -> list[int]:
    """Return the waves that are complete; raises InputError where a part of one is not as it was written, or not in the folder."""
    waves = complete_waves(folder, run)
    if run.rows and not all(_list_parts(wave_folder(folder, run, wave)) for wave in waves):
        raise InputError(
            f"{folder}: its rows are in {run.rows}; copy run={run.id} from there into {folder / 'waves'} and try again"
        )
    schema = arrow_schema(run)
    for wave in waves:
        place = wave_folder(folder, run, wave)
        noted = noted_parts(folder, run, wave)
        refuse_changed(str(place), place, noted, {part.name: _hash_file(part) for part in _list_parts(place)})
        for name in noted:
            if (wrong := _find_difference(place / name, schema)) is not None:
                raise InputError(f"{place / name}: {wrong}; {_again(place)}")
    return waves


def refuse_changed(rows: str, place: Path, noted: Mapping[str, Part], found: Mapping[str, str]) -> None:
    """Raise InputError where the files of a wave, by name with their SHA-256, are not those noted; `rows` is where they are."""
    for name in sorted({*noted} ^ {*found}):
        what = f"is missing, with {noted[name].rows} rows" if name in noted else "was added"
        raise InputError(f"{rows}/{name}: {what}; {_again(place)}")
    for name, part in noted.items():
        if found[name] != part.sha256:
            raise InputError(f"{rows}/{name}: is not as it was written; {_again(place)}")


def _again(place: Path) -> str:
    return f"remove {place} and run `kassay sweep` again"


def _find_difference(part: Path, schema: pa.Schema) -> str | None:
    """Say which column of a part is not as rows have it, though the part is as it was noted; None where all are."""
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


def _parts(place: Path) -> dict[str, Part]:
    return {part.name: Part(pq.read_metadata(part).num_rows, _hash_file(part)) for part in _list_parts(place)}


def _list_parts(place: Path) -> list[Path]:
    return sorted(place.glob("*.parquet"))


def _hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
