"""The setup: what was run, on what, and what was not proved."""

import pandas as pd

from kassay.reports.sweep.rows import STATUSES
from kassay.reports.tables.summaries import Summaries
from kassay.reports.tables.table import Table
from kassay.reports.tables.verdicts import groups_of


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
