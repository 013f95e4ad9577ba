"""The matrix: which promises of each target hold, over all rows on which they were checked."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import pandas as pd

from kassay.reports.sweep.manifest import Run, find_family
from kassay.reports.tables.table import Summaries, Table, format_share, size_order

KEPT, BROKEN, KNOWN_DEFECT, LIMIT = "kept", "BROKEN", "known defect", "limit"
NO, NOT_BROKEN = "no", "not broken"
MEANING = (
    "kept: promised, and broken on no row. BROKEN: promised, and broken on this share of the checked rows. known defect: broken only in "
    "situations for which the promise has an exception, see the setup. limit: the same, for situations that the target was not designed for. "
    "no: not promised, and broken on this share. not broken: not promised, and broken on no row. Invariants are checked on every answer, "
    "laws (metamorphic properties) on a sample, and crash_free on every row. In brackets: the number of checked rows, if not all."
)

_SMALLEST = ("smallest", "smallest_step")
_COLUMNS = (
    "property",
    "kind",
    "target",
    "promised",
    "except in",
    "outcome",
    "rows",
    "tried",
    "broken",
    "known",
)


def compute_properties(summaries: Summaries) -> pd.DataFrame:
    """Return a row for each property and target: the outcome, the numbers of rows, and the smallest row that shows it.

    `rows` are all rows of the target, `tried` the checked ones; `broken` and `known` violate the property outside and inside its
    exceptions. The order is the family's order of properties, then the run's order of targets.
    """
    run = summaries.run
    specs = {spec.target: spec for spec in run.targets}
    rows_of = summaries.statuses.groupby("target")["rows"].sum()
    judged = dict(iter(summaries.properties.groupby(["property", "target"])))
    rows = []
    for name in find_family(run).properties:
        for target in run.names:
            part = judged.get((name, target))
            if part is None:
                continue
            promised = name in specs[target].promises
            broken, known = (int(part[n].sum()) for n in ("broken", "known"))
            rows.append(
                {
                    "property": name,
                    "kind": part["kind"].iloc[0],
                    "target": target,
                    "promised": promised,
                    "except in": ", ".join(specs[target].except_in.get(name, ())),
                    "outcome": classify_outcome(promised, broken, known, limit=name in specs[target].limits),
                    "rows": int(rows_of[target]),
                    "tried": int(part["tried"].sum()),
                    "broken": broken,
                    "known": known,
                    **_find_smallest(part, "broken" if broken else "known", run.sizes),
                }
            )
    smallest = [*_SMALLEST, *run.sizes]
    return pd.DataFrame(rows, columns=[*_COLUMNS, *smallest]).astype(dict.fromkeys(smallest, "Int64"))


def _find_smallest(part: pd.DataFrame, which: str, sizes: Sequence[str]) -> dict[str, Any]:
    """Return the smallest row of all cells that violates the property outside or inside its exceptions, or nulls."""
    found = part[part[which] > 0]
    names = [*_SMALLEST, *sizes]
    if found.empty:
        return dict.fromkeys(names, pd.NA)
    columns = [f"{which}_{name}" for name in ("id", "step", *sizes)]
    rows = [tuple(map(int, row)) for row in found[columns].itertuples(index=False)]
    least = min(rows, key=lambda row: (*size_order(row[2:]), *row[:2]))
    return dict(zip(names, least, strict=True))


def classify_outcome(promised: bool, broken: int, known: int, *, limit: bool = False) -> str:
    """Return the outcome of a property."""
    if broken:
        return BROKEN if promised else NO
    if known:
        return LIMIT if limit else KNOWN_DEFECT
    return KEPT if promised else NOT_BROKEN


def count_breaches(row: Mapping[Hashable, Any]) -> int:
    """Return the number of rows that show the outcome of a property, 0 if it was not broken."""
    return int(row["broken"] or row["known"])


def describe_cell(row: Mapping[Hashable, Any]) -> str:
    """Return the outcome of a property, the share of rows that violate it, and the number of checked rows if not all."""
    seen = count_breaches(row)
    told = f"{row['outcome']} {format_share(seen / row['tried'])}" if seen else str(row["outcome"])
    return told + (f" (on {row['tried']:,})" if row["tried"] < row["rows"] else "")


def build_property_table(frame: pd.DataFrame, run: Run) -> Table:
    """Return the outcomes with a row for each property and a column for each target."""
    cells = {(row["property"], row["target"]): describe_cell(row) for row in frame.to_dict("records")}
    targets = run.names
    names = list(dict.fromkeys(frame["property"]))
    rows = [[name, *(cells.get((name, target), "not tried") for target in targets)] for name in names]
    return Table(
        "properties", "Which promises hold", MEANING, pd.DataFrame(rows, columns=["property", *targets])
    )


def build_judged_table(frame: pd.DataFrame) -> Table:
    """Return every outcome with its counts and the smallest group that violates the property."""
    return Table(
        "properties-judged",
        "Checks of each target",
        "smallest: number of the smallest group of the sweep that violates the property, and the changes made to it. It "
        "shows a known defect if there are no other violations.",
        frame,
    )
