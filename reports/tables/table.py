"""A table of the report: a DataFrame, what it says, and how its numbers are written for people.

Write a table as CSV (numbers as they are, formulas as text), Markdown and LaTeX (as people read them).

The summaries of a sweep: small exact histograms of its rows, in Parquet, and whether they are of all its rows.

Every quantile, mean and share of the report is computed from these integers.
"""

import hashlib
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pandas as pd
import pyarrow as pa

from kassay.errors import InputError
from kassay.files.output import write_whole
from kassay.model.json_text import RepeatedKeyError, decoded
from kassay.output.block import Block, one_line
from kassay.output.formats import write_markdown
from kassay.reports.sweep.manifest import Run, complete_waves
from kassay.shape import TextTable

SHARE, TENTHS, MONEY, MICROS = "share", "tenths", "money", "micros"
"""How a column is written: 0.125 as 12.5 %, 1.25 as 1.2 (three digits where small), as 1.25, as 1,250."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table: `name` is that of its files; `forms` says for a column how its numbers are written, if not as they are."""

    name: str
    title: str
    caption: str
    frame: pd.DataFrame
    forms: Mapping[str, str] = field(default_factory=dict)

    def shown(self) -> pd.DataFrame:
        """Return every cell as people read it."""
        columns = {
            name: [written(value, self.forms.get(str(name), "")) for value in column]
            for name, column in self.frame.items()
        }
        return pd.DataFrame(columns, columns=self.frame.columns, dtype=object)


def written(value: object, form: str = "") -> str:
    """Write a value for people: thousands apart, a hyphen where there is none; what is not nothing is never shown as 0."""
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    number = float(value)  # type: ignore[arg-type]
    if form == SHARE:
        return share(number)
    if form == MONEY:
        return f"{number:,.2f}"
    if form == TENTHS:
        return (
            "0"
            if not number
            else f"{number:,.0f}"
            if abs(number) >= 100
            else f"{number:,.1f}"
            if abs(number) >= 10
            else f"{number:.2g}"
        )
    return f"{number:,.0f}"


def share(part: float) -> str:
    """Write a share in per cent: 100 % and 0 % only where they are exact."""
    percent = 100 * part
    if percent in (0, 100):
        return f"{percent:.0f} %"
    if percent < 0.1:
        return "< 0.1 %"
    return "> 99.9 %" if percent > 99.9 else f"{percent:.1f} %"


FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""What cells begin with that spreadsheets take for formulas."""


def write_table(table: Table, folder: Path) -> None:
    """Write the table's three files into a folder."""
    plain = table.frame.rename(columns=_escape_formula)
    for name, column in plain.items():
        if column.dtype == object:
            plain[name] = pd.Series(map(_escape_formula, column), column.index, object)
    write_whole(folder / f"{table.name}.csv", plain.to_csv(index=False, lineterminator="\n"))
    write_whole(folder / f"{table.name}.md", render_markdown(table))
    write_whole(folder / f"{table.name}.tex", render_latex(table))


def _escape_formula(value: object) -> object:
    """Let no text be a formula to those who open the file in a spreadsheet, nor hide what it says."""
    if not isinstance(value, str):
        return value
    return f"'{one_line(value)}" if value.startswith(FORMULAS) else one_line(value)


def render_markdown(table: Table) -> str:
    """Return the table in Markdown, with its title and caption."""
    shown = table.shown()
    grid = TextTable([str(column) for column in shown.columns], shown.to_numpy().tolist(), table.caption)
    out = io.StringIO()
    write_markdown([Block(table.title, grid=grid)], out)
    return out.getvalue()


def render_latex(table: Table) -> str:
    """Return the table in LaTeX (booktabs); every character of a name stands as it is."""
    shown = table.shown()
    numeric = [not isinstance(value, str) for value in (table.frame.iloc[0] if len(table.frame) else ())]
    layout = "".join("r" if right else "l" for right in numeric) or "l" * len(shown.columns)
    escaped = shown.map(_escape_latex).rename(columns=_escape_latex)
    tabular = escaped.style.hide(axis="index").to_latex(hrules=True, column_format=layout)
    caption = f"{_escape_latex(table.title)}. {_escape_latex(table.caption)}"
    return f"\\begin{{table}}\n\\caption{{{caption}}}\n\\label{{tab:{table.name}}}\n{tabular}\\end{{table}}\n"


_SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "$": r"\$", **{sign: f"\\{sign}" for sign in "&%#_{}"},
}  # fmt: skip


def _escape_latex(text: object) -> str:
    return "".join(_SPECIAL.get(character, character) for character in one_line(str(text)))


_TEXT, _WHOLE, _SMALL, _YES = pa.string(), pa.int64(), pa.int32(), pa.bool_()
SMALLEST = ("broken", "known")
"""The kinds of breaches whose smallest row is named."""


def summary_columns(run: Run) -> Mapping[str, Mapping[str, pa.DataType]]:
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
    digests = {name: _digest(_path(folder, name)) for name in summary_columns(run)}
    return _Done(run.id, tuple(waves), _names(run), digests)


def _names(run: Run) -> dict[str, tuple[str, ...]]:
    return {name: tuple(of_summary) for name, of_summary in summary_columns(run).items()}


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
    done = _read_note(folder)  # without it they are made again, of the rows
    return done is not None and (done.run, done.waves, done.tables) == (
        run.id,
        tuple(complete_waves(folder, run)),
        _names(run),
    )


def _read_note(folder: Path) -> _Done | None:
    try:
        return decoded((folder / "summary" / "done.json").read_bytes(), _Done)
    except (FileNotFoundError, UnicodeDecodeError, RecursionError, RepeatedKeyError, msgspec.MsgspecError):
        return None


def read_summaries(folder: Path, run: Run) -> Summaries:
    """Read the summaries; raises InputError where one is missing, damaged or another than was written."""
    frames, done = {}, _read_note(folder)
    for name, of_summary in summary_columns(run).items():
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
