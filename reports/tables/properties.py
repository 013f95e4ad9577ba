"""The matrix: what each target keeps and breaks of what it promises, over all rows on which it was judged."""

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from kassay.families import family
from kassay.reports.sweep.run import Run
from kassay.reports.tables.summaries import Summaries
from kassay.reports.tables.table import Table, share

KEPT, BROKEN, REFUTED, NOT_REFUTED = "kept", "BROKEN", "no", "not refuted"
MEANING = (
    "kept: promised, and broken on no row; BROKEN: promised, and broken on so many of the rows; no: not promised, and broken on so "
    "many; not refuted: not promised, and broken on none. Invariants are judged on every answer, laws on a sample, crash_free on every row; in brackets: on how many, where not on all rows. A star: the promise "
    "leaves some situations out, and was not judged on them; the setup lists them."
)

_SMALLEST = ("smallest", "smallest_step", "members", "partitions")
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
    *_SMALLEST,
)


def properties(summaries: Summaries) -> pd.DataFrame:
    """Return a row for each property and target: kind, promised, outcome, rows, tried, broken and the smallest broken row.

    `rows` are all of the target's, `tried` those on which it was judged. In the family's order of properties and the run's order of targets.
    """
    run = summaries.run
    promised = {asked.target: set(asked.promises or ()) for asked in run.targets}
    excepted = {asked.target: asked.except_in for asked in run.targets}
    asked_on = summaries.statuses.groupby("target")["rows"].sum()
    cells = summaries.properties.assign(size=lambda frame: frame["members"] + frame["partitions"])
    cells = cells.sort_values(["size", "members", "smallest", "smallest_step"])  # nothing broken: last
    judged = dict(iter(cells.groupby(["property", "target"])))
    rows = []
    for name in family(run.family).properties:
        for target in run.names:
            part = judged.get((name, target))
            if part is None:
                continue
            broken = int(part["broken"].sum())
            rows.append(
                {
                    "property": name,
                    "kind": part["kind"].iloc[0],
                    "target": target,
                    "promised": name in promised[target],
                    "except in": ", ".join(excepted[target].get(name, ()))
                    if name in promised[target]
                    else "",
                    "outcome": outcome(name in promised[target], broken),
                    "rows": int(asked_on[target]),
                    "tried": int(part["tried"].sum()),
                    "broken": broken,
                    **dict.fromkeys(_SMALLEST, pd.NA),
                    **({column: int(part[column].iloc[0]) for column in _SMALLEST} if broken else {}),
                }
            )
    return pd.DataFrame(rows, columns=list(_COLUMNS)).astype(dict.fromkeys(_SMALLEST, "Int64"))


def outcome(promised: bool, broken: int) -> str:
    """Say in a word or two what became of a property."""
    if broken:
        return BROKEN if promised else REFUTED
    return KEPT if promised else NOT_REFUTED


def cell(row: Mapping[Hashable, Any]) -> str:
    """Say what became of a property and, where it was broken, on what share of the rows; a star: not promised for all.

    In brackets stands on how many rows it was judged, where not on all.
    """
    told = f"{row['outcome']} {share(row['broken'] / row['tried'])}" if row["broken"] else str(row["outcome"])
    told += f" (on {row['tried']:,})" if row["tried"] < row["rows"] else ""
    return told + "*" * bool(row["except in"])


def property_table(frame: pd.DataFrame, run: Run) -> Table:
    """Arrange the outcomes with a row for each property and a column for each target."""
    cells = {(row["property"], row["target"]): cell(row) for row in frame.to_dict("records")}
    targets = run.names
    names = list(dict.fromkeys(frame["property"]))
    rows = [[name, *(cells.get((name, target), "not tried") for target in targets)] for name in names]
    return Table(
        "properties", "What each target keeps", MEANING, pd.DataFrame(rows, columns=["property", *targets])
    )


def judged_table(frame: pd.DataFrame) -> Table:
    """List every outcome with its counts and the smallest group that breaks the property."""
    return Table(
        "properties-judged",
        "What each target was judged on",
        "smallest: number of the smallest group of the sweep that breaks the property, and the changes made to it.",
        frame,
    )
