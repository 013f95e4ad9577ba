"""Failures: where targets have no right answer, why, and the smallest group on which it is so; then what was run, on what, and what was not proved."""

import pandas as pd

from kassay.reports.sweep.rows import STATUSES
from kassay.reports.tables.summaries import Summaries
from kassay.reports.tables.table import Table
from kassay.reports.tables.verdicts import KINDS, groups_of

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
        "Answers that are not right, by what happens. Groups: as drawn; rows: also after the changes made to them. "
        "Smallest: the size of the smallest group, its number in the run and the changes made to it."
    )
    return Table("failures", "Where targets fail, and why", caption, made)


def _happens(status: str, reason: str) -> str:
    if status == "illegal":
        return f"breaks {reason}"
    return f"{KINDS[status]}: {reason}" if reason else KINDS[status]


def _first(part: pd.DataFrame) -> int:
    return int(part[part["first"]]["rows"].sum())


def setup_table(summaries: Summaries) -> Table:
    """List versions, seeds, machine and settings."""
    run = summaries.run
    cells = ", ".join(f"{cell.name} ({cell.groups:,})" for cell in run.cells)
    told = {
        "run": run.id,
        "code": run.code,
        "started": run.started,
        "kassay": run.kassay,
        **{name: version for name, version in run.versions.items() if name != "kassay"},
        **run.machine,
        "family": ", ".join(run.family_names),
        "targets": ", ".join(run.names),
        "cells (groups for each seed)": cells,
        "seeds": ", ".join(map(str, run.seeds)),
        "groups in complete waves": f"{groups_of(summaries):,} of {run.groups:,}",
        "waves complete": f"{len(summaries.waves):,} of {run.waves:,}",
        "time for an answer": f"{run.timeout_s:g} s",
        "memory for a target": f"{run.memory_mb:,} MB",
    }
    return Table("setup", "Setup", "", pd.DataFrame(list(told.items()), columns=["what", "value"]))


def proof_table(summaries: Summaries) -> Table:
    """Say for each target how many rows there are, what became of them, and how far they were judged."""
    proofs, kinds = summaries.proofs, summaries.properties
    rows = []
    for target in summaries.run.names:
        statuses = summaries.statuses[summaries.statuses["target"] == target].groupby("status")["rows"].sum()
        own = proofs[proofs["target"] == target]
        checked = int(own[own["proved"].eq(True).fillna(value=False).astype(bool)]["rows"].sum())
        laws = kinds[
            (kinds["target"] == target) & (kinds["kind"] == "law") & (kinds["property"] != "crash_free")
        ]
        rows.append(
            {
                "target": target,
                "rows": int(statuses.sum()),
                **{status: int(statuses.get(status, 0)) for status in STATUSES},
                "optima, proof checked": checked,
                "optima, not checked": int(own["rows"].sum()) - checked,
                "optima, by linear program too": int(own[own["linear_program"] == "agrees"]["rows"].sum()),
                "linear program without an answer": int(
                    own[own["linear_program"] == "unsolved"]["rows"].sum()
                ),
                "laws tried": int(laws.groupby("cell")["tried"].max().sum()),
            }
        )
    sample = summaries.run.sample
    caption = (
        "Rows by what became of them, and how far they were judged. Not checked: right answers of which no optimum was proved; they have no gap. Other answers (anything but ok and settled) have no gap, and nothing is "
        f"proved of them. Laws are tried on one group of {sample.laws:,} in each cell, rounds on one of {sample.rounds:,}, and the "
        f"linear program on one of {sample.programs:,}; 0: on none."
    )
    return Table("proofs", "What was judged, and what was not proved", caption, pd.DataFrame(rows))
