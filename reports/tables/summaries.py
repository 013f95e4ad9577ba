"""The summaries of a sweep: small exact histograms of its rows, in Parquet, and whether they are of all its rows.

Every quantile, mean and share of the report is computed from these integers.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pandas as pd
import pyarrow as pa

from kassay.errors import InputError
from kassay.files.writing import write_whole
from kassay.reports.sweep.manifest import Run, complete_waves

_TEXT, _WHOLE, _SMALL, _YES = pa.string(), pa.int64(), pa.int32(), pa.bool_()

SUMMARIES: Mapping[str, Mapping[str, pa.DataType]] = {
    "statuses": {"target": _TEXT, "cell": _SMALL, "first": _YES, "status": _TEXT, "rows": _WHOLE},
    "properties": {
        "target": _TEXT, "cell": _SMALL, "property": _TEXT, "kind": _TEXT, "tried": _WHOLE, "broken": _WHOLE,
        "known": _WHOLE, "broken_id": _WHOLE, "broken_step": _SMALL, "broken_members": _SMALL,
        "broken_partitions": _WHOLE, "known_id": _WHOLE, "known_step": _SMALL, "known_members": _SMALL,
        "known_partitions": _WHOLE,
    },
    "gaps": {
        "target": _TEXT, "cell": _SMALL, "situation": _TEXT, "first": _YES, "level": _TEXT, "value": _WHOLE,
        "optimum": _WHOLE, "rows": _WHOLE,
    },
    "profile": {"level": _TEXT, "target": _TEXT, "value": _WHOLE, "best": _WHOLE, "rows": _WHOLE},
    "steps": {
        "target": _TEXT, "cell": _SMALL, "step": _SMALL, "moves": _WHOLE, "rounds": _SMALL, "rows": _WHOLE,
    },
    "costs": {
        "target": _TEXT, "members": _SMALL, "partitions": _WHOLE, "rows": _WHOLE, "micros": _WHOLE,
        "median": _WHOLE,
    },
    "measures": {"target": _TEXT, "cell": _SMALL, "measure": _TEXT, "value": _WHOLE, "rows": _WHOLE},
    "racks": {
        "target": _TEXT, "cell": _SMALL, "groups": _WHOLE, "rows": _WHOLE, "partitions": _WHOLE,
        "value": _WHOLE, "optimum": _WHOLE,
    },
    "proofs": {"target": _TEXT, "cell": _SMALL, "certified": _YES, "program": _TEXT, "rows": _WHOLE},
}  # fmt: skip
"""Name -> columns.

Every row of the sweep is counted in statuses, gaps, steps and measures, those of step 0 in profile, so that each says which part of
the rows has a value: where there is no whole answer, nothing was measured or no optimum is proved, it is null.

`first` is true for step 0, where every target saw the same group. properties: `tried` rows were judged, of which `broken` break the
property and `known` break it as a known defect; the rest names the smallest row of each, by members and partitions together, then
members, id, step. gaps: a named situation
is counted at step 0 alone, over all cells (`cell` -1). profile: step 0; `best` is the least value of any target on the
same group. costs: of all answers; `micros` is the sum, `median` their median, rounded down. racks: of the `groups` of step 0
in which racks are known and all topics are read; the sums are over the `rows` of these that are answered whole, `value` and `optimum` are
partitions read across racks. proofs: rows with whole answers, by whether the optima are proved and what the linear program said.
"""


@dataclass(frozen=True, slots=True)
class Summaries:
    """The summaries of a run, as DataFrames with the columns of :data:`SUMMARIES`, and the waves they are of."""

    run: Run
    waves: tuple[int, ...]
    statuses: pd.DataFrame
    properties: pd.DataFrame
    gaps: pd.DataFrame
    profile: pd.DataFrame
    steps: pd.DataFrame
    costs: pd.DataFrame
    measures: pd.DataFrame
    racks: pd.DataFrame
    proofs: pd.DataFrame


class _Done(msgspec.Struct):
    run: str
    waves: tuple[int, ...]
    tables: dict[str, tuple[str, ...]]
    sha256: dict[str, str]


def _done(folder: Path, run: Run, waves: list[int]) -> _Done:
    columns = {name: tuple(columns) for name, columns in SUMMARIES.items()}
    return _Done(run.id, tuple(waves), columns, {name: _digest(_path(folder, name)) for name in SUMMARIES})


def _path(folder: Path, name: str) -> Path:
    return folder / "summary" / f"{name}.parquet"


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def mark_whole(folder: Path, run: Run, waves: list[int]) -> None:
    """Note that the summaries in ``summary/`` are of these waves; the last thing that is written of them."""
    text = msgspec.json.encode(_done(folder, run, waves)).decode()
    write_whole(folder / "summary" / "done.json", f"{text}\n")


def are_fresh(folder: Path, run: Run) -> bool:
    """Tell whether there are summaries of exactly the waves that are complete now, with the columns of this kassay."""
    done = _noted(folder)  # without it they are made again, of the rows
    return done is not None and (done.run, done.waves, done.tables) == (
        run.id,
        tuple(complete_waves(folder, run)),
        {name: tuple(columns) for name, columns in SUMMARIES.items()},
    )


def _noted(folder: Path) -> _Done | None:
    try:
        return msgspec.json.decode((folder / "summary" / "done.json").read_bytes(), type=_Done)
    except (FileNotFoundError, UnicodeDecodeError, RecursionError, msgspec.MsgspecError):
        return None


def read_summaries(folder: Path, run: Run) -> Summaries:
    """Read the summaries; raises InputError where one is missing, damaged or another than was written."""
    frames, done = {}, _noted(folder)
    for name, columns in SUMMARIES.items():
        path = _path(folder, name)
        again = f"remove {folder / 'summary'} to have it made again"
        try:
            changed = done is None or done.sha256.get(name) != _digest(path)
            frames[name] = pd.DataFrame() if changed else pd.read_parquet(path, columns=list(columns))
        except (OSError, ValueError) as wrong:
            raise InputError(f"{path}: cannot be read ({wrong}); {again}") from None
        if changed:
            raise InputError(f"{path}: cannot be read, it is not as it was written; {again}")
    return Summaries(run, tuple(complete_waves(folder, run)), **frames)
