"""The summaries of a sweep: small exact histograms of its rows, in Parquet, and whether they are of all its rows.

Every quantile, mean and share of the report is computed from these integers.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pandas as pd
import pyarrow as pa

from kassay.errors import InputError
from kassay.files.output import write_whole
from kassay.model.json_text import RepeatedKeyError, decoded
from kassay.reports.sweep.manifest import Run, complete_waves

_TEXT, _WHOLE, _SMALL, _YES = pa.string(), pa.int64(), pa.int32(), pa.bool_()
SMALLEST = ("broken", "known")
"""The kinds of breaches whose smallest row is named."""


def columns(run: Run) -> Mapping[str, Mapping[str, pa.DataType]]:
    """Return the columns of each summary of a run.

    Every row of the sweep is counted in statuses, gaps, steps and measures, those of step 0 in profile, so that each says which
    part of the rows has a value: without a right answer nothing was measured or no optimum is proved, and it is null.

    `first` is true for step 0, where every target saw the same group. properties: `tried` rows were judged, of which `broken`
    break the property and `known` break it as a known defect; the rest names the smallest row of each, in the order of
    :func:`size_order`. gaps: a named situation is counted at step 0 alone, over all cells (`cell` -1). profile: step 0; `best` is
    the least value of any target on the same group. steps: the measures that are worth seeing over a timeline. costs: of all
    answers, by the sizes of :func:`cost_sizes`; `micros` is the sum, `median` their median, rounded down. racks: of the `groups` of
    step 0 that tell what crosses racks; the sums are over the `rows` of these with a right answer, `size` is what
    could cross, `value` and `optimum` what does. questions: step 0, the groups of each of the family's questions; `gap` is 0 where
    the answer is right, null without a right answer or a proved optimum. failures: rows without a complete and legal
    answer, why, and the smallest of them. rebalances: of step 0, null without a right answer. telling: groups of step 0 on which the target misses optima, by whether they are
    among the family's telling ones, by the number missed and by size, and the smallest of them. proofs: rows with right answers, by whether the optima are proved
    and what the linear program said.
    """
    rows = {"rows": _WHOLE}
    of_target = {"target": _TEXT, "cell": _SMALL}
    smallest = {
        f"{which}_{name}": _WHOLE for which in SMALLEST for name in ("id", "step", *run.sizes)
    }  # fmt: skip
    return {
        "statuses": {**of_target, "first": _YES, "status": _TEXT, **rows},
        "properties": {
            **of_target, "property": _TEXT, "kind": _TEXT, "tried": _WHOLE, "broken": _WHOLE, "known": _WHOLE, **smallest,
        },
        "gaps": {**of_target, "situation": _TEXT, "first": _YES, "level": _TEXT, "value": _WHOLE, "optimum": _WHOLE, **rows},
        "profile": {"level": _TEXT, "target": _TEXT, "value": _WHOLE, "best": _WHOLE, **rows},
        "steps": {**of_target, "step": _SMALL, "measure": _TEXT, "value": _WHOLE, **rows},
        "rounds": {**of_target, "rounds": _SMALL, **rows},
        "rebalances": {**of_target, "rebalances": _SMALL, **rows},
        "costs": {
            "target": _TEXT, **dict.fromkeys(cost_sizes(run), _WHOLE), **rows, "micros": _WHOLE, "median": _WHOLE,
        },
        "measures": {**of_target, "measure": _TEXT, "value": _WHOLE, **rows},
        "racks": {**of_target, "groups": _WHOLE, **rows, "size": _WHOLE, "value": _WHOLE, "optimum": _WHOLE},
        "questions": {"target": _TEXT, "question": _TEXT, "gap": _WHOLE, **rows},
        "failures": {
            "target": _TEXT, "first": _YES, "status": _TEXT, "reason": _TEXT, **rows, **dict.fromkeys(("id", "step", *run.sizes), _WHOLE),
        },
        "telling": {"target": _TEXT, "telling": _YES, "missed": _SMALL, "all": _WHOLE, **rows, **dict.fromkeys((*run.sizes, "id"), _WHOLE)},
        "proofs": {**of_target, "proved": _YES, "linear_program": _TEXT, **rows},
    }  # fmt: skip


def cost_sizes(run: Run) -> list[str]:
    """Return the sizes by which times are told: what answers take longer for, and what it is spread over."""
    return list(dict.fromkeys((run.sizes[-1], run.sizes[0])))


def size_order(sizes: Sequence[int]) -> tuple[int, ...]:
    """Return what groups are ordered by, the smallest first: all sizes together, then each; then come id and step."""
    return (sum(sizes), *sizes)


@dataclass(frozen=True, slots=True)
class Summaries:
    """The summaries of a run, as DataFrames with the columns of :func:`columns`, and the waves they are of."""

    run: Run
    waves: tuple[int, ...]
    statuses: pd.DataFrame
    properties: pd.DataFrame
    gaps: pd.DataFrame
    profile: pd.DataFrame
    steps: pd.DataFrame
    rounds: pd.DataFrame
    rebalances: pd.DataFrame
    costs: pd.DataFrame
    measures: pd.DataFrame
    racks: pd.DataFrame
    questions: pd.DataFrame
    failures: pd.DataFrame
    telling: pd.DataFrame
    proofs: pd.DataFrame


class _Done(msgspec.Struct):
    run: str
    waves: tuple[int, ...]
    tables: dict[str, tuple[str, ...]]
    sha256: dict[str, str]


def _done(folder: Path, run: Run, waves: list[int]) -> _Done:
    digests = {name: _digest(_path(folder, name)) for name in columns(run)}
    return _Done(run.id, tuple(waves), _names(run), digests)


def _names(run: Run) -> dict[str, tuple[str, ...]]:
    return {name: tuple(of_summary) for name, of_summary in columns(run).items()}


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
        _names(run),
    )


def _noted(folder: Path) -> _Done | None:
    try:
        return decoded((folder / "summary" / "done.json").read_bytes(), _Done)
    except (FileNotFoundError, UnicodeDecodeError, RecursionError, RepeatedKeyError, msgspec.MsgspecError):
        return None


def read_summaries(folder: Path, run: Run) -> Summaries:
    """Read the summaries; raises InputError where one is missing, damaged or another than was written."""
    frames, done = {}, _noted(folder)
    for name, of_summary in columns(run).items():
        path = _path(folder, name)
        again = f"remove {folder / 'summary'} to have it made again"
        try:
            changed = done is None or done.sha256.get(name) != _digest(path)
            frames[name] = pd.DataFrame() if changed else pd.read_parquet(path, columns=list(of_summary))
        except (OSError, ValueError) as wrong:
            raise InputError(f"{path}: cannot be read ({wrong}); {again}") from None
        if changed:
            raise InputError(f"{path}: cannot be read, it is not as it was written; {again}")
    return Summaries(run, tuple(complete_waves(folder, run)), **frames)
