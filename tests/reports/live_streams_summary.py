"""The summaries of a sweep of task assignors against its own rows summed up one by one; `nox -s page`."""

import pandas as pd
import pyarrow.parquet as pq
import pytest
from reports.plain_sums import summarised

from kassay.cli import main
from kassay.reports.sweep.manifest import read_run
from kassay.reports.tables.table import summary_columns

GRID = """
family = "streams"
targets = ["streams/high-availability", "streams/legacy-sticky"]
wave = 100
sample = { laws = 10, rounds = 5 }
[[cells]]
name = "small"
groups = 80
clients = "1..5"
standbys = "0..2"
tags = "0..1"
history = { none = 1, joined = 2, left = 1 }
[[cells]]
name = "over time"
groups = 20
clients = "2..3"
history = "even"
churn = 3
"""
EMPTY = {"gaps", "profile", "racks", "proofs", "failures"}
"""No optimum is compared, and no reference fails."""


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    folder = tmp_path_factory.mktemp("streams")
    (folder / "grid.toml").write_text(GRID)
    assert main(["sweep", str(folder / "grid.toml"), "-o", str(folder / "sweep")]) == 0
    run = read_run(folder / "sweep")
    rows = [
        row
        for path in sorted((folder / "sweep" / "waves").rglob("*.parquet"))
        for row in pq.read_table(path).to_pylist()
    ]
    absent = {"optima": {}, "values": {}}
    return folder / "sweep", run, summarised(run, [absent | row for row in rows])


def test_questions_ask_for_invariants(swept):
    folder, _, _ = swept
    frame = pd.read_parquet(folder / "summary" / "questions.parquet")
    assert set(frame["question"]) == {"safe", "even", "caught up", "covered", "spread", "together"}
    assert {0, 1} <= set(frame["gap"])


@pytest.mark.parametrize(
    "name", ["questions", "telling", "statuses", "measures", "steps", "rounds", "failures", "gaps"]
)
def test_spark_counts_what_a_loop_counts(name, swept):
    folder, run, plain = swept
    names = list(summary_columns(run)[name])
    spark = pd.read_parquet(folder / "summary" / f"{name}.parquet")
    loop = pd.DataFrame(plain[name], columns=names).astype(spark.dtypes.to_dict())
    assert len(loop) > 0 or name in EMPTY
    spark, loop = (frame.sort_values(names, ignore_index=True) for frame in (spark[names], loop))
    pd.testing.assert_frame_equal(spark, loop)
