"""Failures: where targets have no right answer, why, and the smallest group on which it is so."""

import pandas as pd

from kassay.reports.tables.summaries import Summaries
from kassay.reports.tables.table import Table
from kassay.reports.tables.verdicts import KINDS

MOST = 12
"""Reasons of each target that are listed; the rest is added up."""


def failure_table(summaries: Summaries) -> Table:
    """List for each target what happens, on how many groups as drawn and how many rows in all, and the smallest such group."""
    run, rows = summaries.run, []
    frame = summaries.failures
    for target in run.names:
        own = frame[frame["target"] == target]
        kinds = sorted(
            own.groupby(["status", "reason"]),
            key=lambda kind: (-int(_first(kind[1])), -int(kind[1]["rows"].sum()), kind[0]),
        )
        for n, ((status, reason), part) in enumerate(kinds):
            sized = part.assign(all=part[list(run.sizes)].sum(axis=1))
            small = sized.sort_values(["all", *run.sizes, "id", "step"]).iloc[0]
            if n < MOST:
                rows.append(
                    {
                        "target": target,
                        "what happens": _happens(str(status), str(reason)),
                        "groups": _first(part),
                        "rows": int(part["rows"].sum()),
                        "smallest": ", ".join(f"{name} {int(small[name]):,}" for name in run.sizes),
                        "group": int(small["id"]),
                        "changes": int(small["step"]),
                    }
                )
        rest = [part for _, part in kinds[MOST:]]
        if rest:
            rows.append(
                {
                    "target": target, "what happens": f"{len(rest):,} other reasons", "groups": sum(map(_first, rest)),
                    "rows": sum(int(part["rows"].sum()) for part in rest), "smallest": "-", "group": pd.NA, "changes": pd.NA,
                }
            )  # fmt: skip
    columns = ["target", "what happens", "groups", "rows", "smallest", "group", "changes"]
    made = pd.DataFrame(rows, columns=columns).astype({"group": "Int64", "changes": "Int64"})
    caption = (
        "Answers that are not complete and legal, by what happens. Groups: as drawn; rows: also after the changes made to them. "
        "Smallest: the size of the smallest group, its number in the run and the changes made to it."
    )
    return Table("failures", "Where targets fail, and why", caption, made)


def _happens(status: str, reason: str) -> str:
    if status == "illegal":
        return f"breaks {reason}"
    return f"{KINDS[status]}: {reason}" if reason else KINDS[status]


def _first(part: pd.DataFrame) -> int:
    return int(part[part["first"]]["rows"].sum())
