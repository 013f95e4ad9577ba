"""Tables of the report, as CSV, Markdown and LaTeX; and the summaries of a sweep, small exact histograms in Parquet.

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
from kassay.families.assignors import ASSIGNORS
from kassay.families.shape import TextTable
from kassay.files.output import write_whole
from kassay.model.json_text import RepeatedKeyError, decode_json
from kassay.output.block import Block, one_line
from kassay.output.formats import write_markdown
from kassay.reports.sweep.manifest import Run, complete_waves

SHARE, TENTHS, MONEY, MICROS, CHANCE, PLAIN = "share", "tenths", "money", "micros", "chance", "plain"
"""The formats of columns: 0.125 as 12.5 %, 1.25 as 1.2 (three digits if small), as 1.25, as 1,250; a p-value as 0.013 or 2e-09.

`PLAIN` shows a Decimal with all its digits, and a missing value as an empty cell."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a title and a caption."""

    name: str
    """The name of its files."""
    title: str
    caption: str
    frame: pd.DataFrame
    forms: Mapping[str, str] = field(default_factory=dict)
    """Column -> the format of its numbers."""

    def format_cells(self) -> pd.DataFrame:
        """Return every cell as text for people."""
        columns = {
            name: [format_value(value, self.forms.get(str(name), "")) for value in column]
            for name, column in self.frame.items()
        }
        return pd.DataFrame(columns, columns=self.frame.columns, dtype=object)


def format_value(value: object, form: str = "") -> str:
    """Return a value as text, with thousands separators; a missing value is a hyphen, and only 0 is shown as 0."""
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return "" if form == PLAIN else "-"
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if form == PLAIN:
        return f"{value:,}"
    number = float(value)  # type: ignore[arg-type]
    if form == SHARE:
        return format_share(number)
    if form == MONEY:
        return f"{number:,.2f}"
    if form == CHANCE:
        return f"{number:.2g}" if number >= 1e-4 else f"{number:.0e}" if number >= 1e-99 else "< 1e-99"
    if form == TENTHS:
        digits = ",.0f" if not number or abs(number) >= 100 else ",.1f" if abs(number) >= 10 else ".2g"
        return f"{number:{digits}}"
    return f"{number:,.0f}"


def format_share(part: float) -> str:
    """Return a share in per cent; 100 % and 0 % only if they are exact."""
    percent = 100 * part
    if percent in (0, 100):
        return f"{percent:.0f} %"
    if percent < 0.1:
        return "< 0.1 %"
    return "> 99.9 %" if percent > 99.9 else f"{percent:.1f} %"


FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""The first characters of cells that spreadsheets interpret as formulas."""


def write_table(table: Table, folder: Path) -> None:
    """Write a table's three files into a folder."""
    plain = table.frame.rename(columns=_escape_formula)
    for name, column in plain.items():
        if column.dtype == object:
            plain[name] = pd.Series(map(_escape_formula, column), column.index, object)
    write_whole(folder / f"{table.name}.csv", plain.to_csv(index=False, lineterminator="\n"))
    write_whole(folder / f"{table.name}.md", render_markdown(table))
    write_whole(folder / f"{table.name}.tex", render_latex(table))


def _escape_formula(value: object) -> object:
    """Return the value; text is quoted if a spreadsheet would interpret it as a formula, and is on one line."""
    if not isinstance(value, str):
        return value
    return f"'{one_line(value)}" if value.startswith(FORMULAS) else one_line(value)


def render_markdown(table: Table) -> str:
    """Return the table in Markdown, with its title and caption."""
    shown = table.format_cells()
    grid = TextTable([str(column) for column in shown.columns], shown.to_numpy().tolist(), table.caption)
    out = io.StringIO()
    write_markdown([Block(table.title, grid=grid)], out)
    return out.getvalue()


def render_latex(table: Table) -> str:
    """Return the table in LaTeX (booktabs), with special characters escaped."""
    shown = table.format_cells()
    numeric = [not isinstance(value, str) for value in (table.frame.iloc[0] if len(table.frame) else ())]
    layout = "".join("r" if right else "l" for right in numeric) or "l" * len(shown.columns)
    escaped = shown.map(_escape_latex).rename(columns=_escape_latex)
    tabular = escaped.style.hide(axis="index").to_latex(hrules=True, column_format=layout)
    caption = f"{_escape_latex(table.title)}. {_escape_latex(table.caption)}"
    return f"\\begin{{table}}\n\\caption{{{caption}}}\n\\label{{tab:{table.name}}}\n{tabular}\\end{{table}}\n"


_SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "$": r"\$", "\N{MINUS SIGN}": "$-$", **{sign: f"\\{sign}" for sign in "&%#_{}"},
}  # fmt: skip


def _escape_latex(text: object) -> str:
    return "".join(_SPECIAL.get(character, character) for character in one_line(str(text)))


_TEXT, _WHOLE, _SMALL, _YES = pa.string(), pa.int64(), pa.int32(), pa.bool_()
SMALLEST = ("broken", "known")
"""The kinds of violations with a smallest row."""


def summary_columns(run: Run) -> Mapping[str, Mapping[str, pa.DataType]]:
    """Return the columns of each summary of a run.

    Statuses, gaps, steps and measures count every row, profile counts every row of step 0. A value is null without a right answer
    or a proven optimum. `first` is true at step 0, when every target has the same group.

    - properties: `tried` rows were checked; `broken` and `known` violate the property as new and as known defects. The other
      columns have the smallest row of both, in the order of :func:`size_order`.
    - gaps: situations are counted at step 0 only, over all cells (`cell` is -1).
    - profile: step 0; `best` is the least value of any target on the same group.
    - steps: the measures that the family shows over timelines.
    - costs: of all answers, by :func:`cost_sizes`; `micros` is the sum, `median` is rounded down.
    - times: of all answers with sizes above 0. `step SIZE` is the nearest power of the fourth root of two. Rows are by the first cost
      size alone (the other step is null), and by all. `SIZE` is the sum of the sizes. The 95 % interval of `median` is `low` to `high`.
    - excused: the violations of known defects, by the situations of a declared exception that the row is in (`a+b` means both).
    - racks: the `groups` of step 0 with known racks, and sums over the `rows` of them with a right answer. `size` items could
      cross racks; `value` items do, and `optimum` items at the least.
    - questions: step 0, the groups of each question of the family; `gap` is 0 for a right answer.
    - failures: rows without a complete and legal answer, by reason, with the smallest.
    - rebalances: step 0.
    - telling: groups of step 0 on which the target misses optima, by the number missed and by size, with the smallest; `telling` is
      true for the family's telling groups.
    - proofs: rows with right answers, by proof and by the answer of the linear program.
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
        "times": {
            "target": _TEXT, **dict.fromkeys(time_steps(run), _SMALL), **rows, **dict.fromkeys(cost_sizes(run), _WHOLE),
            **dict.fromkeys(("low", "median", "high"), _WHOLE),
        },
        "excused": {"target": _TEXT, "property": _TEXT, "situation": _TEXT, **rows},
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
    """Return the sizes that times depend on: the number of items, and the number of members."""
    return list(dict.fromkeys((run.sizes[-1], run.sizes[0])))


def time_steps(run: Run) -> list[str]:
    """Return the columns with the steps of the cost sizes."""
    return [f"step {name}" for name in cost_sizes(run)]


def list_exceptions(run: Run) -> dict[tuple[str, str], list[str]]:
    """Return the situations in which each target may break a promise, as declared: (target, promise) -> situations; `a+b` means both."""
    return {
        (name, promise): sorted(situations)
        for name in run.names
        if name in ASSIGNORS
        for promise, situations in ASSIGNORS[name].except_in.items()
    }


def size_order(sizes: Sequence[int]) -> tuple[int, ...]:
    """Return the key by which groups are ordered: the sum of all sizes, then each size; id and step follow."""
    return (sum(sizes), *sizes)


@dataclass(frozen=True, slots=True)
class Summaries:
    """The summaries of a run as DataFrames with the columns of :func:`summary_columns`, and their waves."""

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
    times: pd.DataFrame
    excused: pd.DataFrame
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


def _names(run: Run) -> dict[str, tuple[str, ...]]:
    return {name: tuple(of_summary) for name, of_summary in summary_columns(run).items()}


def _path(folder: Path, name: str) -> Path:
    return folder / "summary" / f"{name}.parquet"


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def mark_whole(folder: Path, run: Run, waves: list[int]) -> None:
    """Write the list of waves that the summaries in ``summary/`` are made of, after all summaries."""
    digests = {name: _digest(_path(folder, name)) for name in summary_columns(run)}
    text = msgspec.json.encode(_Done(run.id, tuple(waves), _names(run), digests)).decode()
    write_whole(folder / "summary" / "done.json", f"{text}\n")


def has_fresh_summaries(folder: Path, run: Run) -> bool:
    """Return True if the summaries are made of exactly the complete waves, with the columns of this version."""
    done = _read_note(folder)
    return done is not None and (done.run, done.waves, done.tables) == (
        run.id,
        tuple(complete_waves(folder, run)),
        _names(run),
    )


def _read_note(folder: Path) -> _Done | None:
    try:
        return decode_json((folder / "summary" / "done.json").read_bytes(), _Done)
    except (FileNotFoundError, UnicodeDecodeError, RecursionError, RepeatedKeyError, msgspec.MsgspecError):
        return None


def read_summaries(folder: Path, run: Run) -> Summaries:
    """Read the summaries; raises InputError if one is missing, damaged or changed."""
    frames, done = {}, _read_note(folder)
    for name, of_summary in summary_columns(run).items():
        path = _path(folder, name)
        again = f"Remove {folder / 'summary'} to compute it again."
        try:
            changed = done is None or done.sha256.get(name) != _digest(path)
            frames[name] = pd.DataFrame() if changed else pd.read_parquet(path, columns=list(of_summary))
        except (OSError, ValueError) as wrong:
            raise InputError(f"{path}: cannot be read ({wrong}). {again}") from None
        if changed:
            raise InputError(f"{path}: was changed after it was written. {again}")
    return Summaries(run, tuple(complete_waves(folder, run)), **frames)
