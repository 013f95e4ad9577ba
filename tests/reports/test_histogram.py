"""Statistics of histograms against the same numbers written out one by one."""

import math
import statistics

import pytest

pytest.importorskip("jinja2", reason="pip install 'kassay[reports]'")

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from reports.sweep_of_loops import run_of

from kassay.reports.tables.gaps import describe_histograms, mean, merge_values, quantile, sort_in_order

HISTOGRAMS = st.lists(st.tuples(st.integers(0, 50), st.integers(1, 9)), min_size=1, max_size=12)


@given(HISTOGRAMS, st.integers(1, 1000))
def test_a_quantile_is_the_value_at_its_place(histogram, permille):
    values, rows = merge_values(pd.DataFrame(histogram, columns=["gap", "rows"]), "gap")
    listed = sorted(value for value, count in histogram for _ in range(count))
    assert quantile(values, rows, permille) == listed[math.ceil(len(listed) * permille / 1000) - 1]
    assert mean(values, rows) == statistics.fmean(listed)


@given(HISTOGRAMS)
def test_the_description_does_not_depend_on_how_rows_are_split(histogram):
    frame = pd.DataFrame([("a", *pair) for pair in histogram], columns=["target", "gap", "rows"])
    whole = describe_histograms(frame, ["target"], "gap")
    split = describe_histograms(
        pd.concat([frame.assign(rows=1), frame.assign(rows=frame["rows"] - 1)]), ["target"], "gap"
    )
    pd.testing.assert_frame_equal(whole, split)
    assert whole["rows"].tolist() == [sum(count for _, count in histogram)]
    assert (whole["p5"] <= whole["p25"]).all()
    assert (whole["p99"] <= whole["greatest"]).all()


def test_tables_are_in_the_order_of_the_run():
    run = run_of(4)
    frame = pd.DataFrame({"target": sorted(run.names), "level": "balance"})
    assert sort_in_order(frame, ["level", "target"], run)["target"].tolist() == run.names
