"""The summaries of Spark against the same rows summed up one by one; `nox -s page`."""

import pandas as pd
import pytest
from reports.sweep_of_loops import LOSER, run_of, write_sweep

from kassay.reports.sweep.manifest import read_run
from kassay.reports.sweep.spark.session import open_session
from kassay.reports.sweep.spark.summary import summarise
from kassay.reports.tables.table import has_fresh_summaries, summary_columns

SWEEPS = {
    "all": {},
    "loser": {"targets": (LOSER.name,)},
    "balance": {"levels": ("balance",)},
    "none": {"levels": ()},
}
"""One of all assignors, one in which nobody answers most groups legally, one that compares one level, one that compares none."""


EMPTY = {
    ("racks", "balance"),
    ("excused", "loser"),
    *((name, "none") for name in ("gaps", "profile", "racks", "proofs", "telling")),
}


@pytest.fixture(scope="module")
def summed(tmp_path_factory):
    """Sum the same rows up with Spark, twice."""
    folders = [{name: tmp_path_factory.mktemp(name) for name in SWEEPS} for _ in range(2)]
    with open_session("local[2]") as spark:
        for folder, asked in ((each[name], SWEEPS[name]) for each in folders for name in SWEEPS):
            run = write_sweep(folder, 60, **asked, summaries=False)
            summarise(spark, folder, run)
            assert has_fresh_summaries(folder, read_run(folder))
    return folders


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    folders = {name: tmp_path_factory.mktemp(name) for name in SWEEPS}
    for name, folder in folders.items():
        write_sweep(folder, 60, **SWEEPS[name])
    return folders


@pytest.mark.parametrize("sweep", SWEEPS)
@pytest.mark.parametrize("name", summary_columns(run_of(2)))
def test_spark_counts_what_a_loop_counts(name, sweep, summed, plain):
    names = list(summary_columns(run_of(2))[name])
    spark, loop = (
        pd.read_parquet(folder / "summary" / f"{name}.parquet").sort_values(names, ignore_index=True)
        for folder in (summed[0][sweep], plain[sweep])
    )
    assert len(loop) > 0 or (name, sweep) in EMPTY
    pd.testing.assert_frame_equal(spark, loop)


def test_equal_rows_give_equal_bytes(summed):
    for name in summary_columns(run_of(2)):
        for sweep in SWEEPS:
            one, two = ((each[sweep] / "summary" / f"{name}.parquet").read_bytes() for each in summed)
            assert one == two, name
