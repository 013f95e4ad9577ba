"""The summaries of Spark against the same rows summed up one by one; `nox -s page`."""

import pandas as pd
import pytest
from report.sweep_of_loops import write_sweep

from kassay.reports.sweep.run import read_run
from kassay.reports.sweep.session import session
from kassay.reports.sweep.summary import summarise
from kassay.reports.tables.summaries import SUMMARIES, are_fresh


@pytest.fixture(scope="module")
def summed(tmp_path_factory):
    """Sum the same rows up with Spark, twice."""
    folders = [tmp_path_factory.mktemp("spark") for _ in range(2)]
    with session("local[2]") as spark:
        for folder in folders:
            run = write_sweep(folder, 60, summaries=False)
            summarise(spark, folder, run)
            assert are_fresh(folder, read_run(folder))
    return folders


@pytest.mark.parametrize("name", SUMMARIES)
def test_spark_counts_what_a_loop_counts(name, summed, sweep):
    columns = list(SUMMARIES[name])
    spark, plain = (
        pd.read_parquet(folder / "summary" / f"{name}.parquet").sort_values(columns, ignore_index=True)
        for folder in (summed[0], sweep)
    )
    assert len(plain) > 0
    pd.testing.assert_frame_equal(spark, plain)


def test_equal_rows_give_equal_bytes(summed):
    for name in SUMMARIES:
        one, two = ((folder / "summary" / f"{name}.parquet").read_bytes() for folder in summed)
        assert one == two, name
