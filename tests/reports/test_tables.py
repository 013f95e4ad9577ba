"""The report's tables against rows counted one by one, and their files as other programs read them."""

import csv
import io
from fractions import Fraction

import pytest

pytest.importorskip("jinja2", reason="pip install 'kassay[reports]'")

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st
from reports.plain_sums import gap, legal, meant
from reports.sweep_of_loops import group_of

from kassay.model import TopicPartition
from kassay.reports.shapes.holding import list_pairs
from kassay.reports.tables import gaps as costs
from kassay.reports.tables.gaps import (
    Assumed,
    Fit,
    build_cost_table,
    build_gap_table,
    build_price_table,
    build_situation_table,
    compute_fits,
    compute_gaps,
    compute_power_law,
    compute_profiles,
    select_telling_situations,
    select_times,
)
from kassay.reports.tables.headline import describe_verdicts
from kassay.reports.tables.properties import build_property_table, compute_properties
from kassay.reports.tables.rebalances import compute_timelines
from kassay.reports.tables.table import (
    Table,
    format_share,
    format_value,
    render_latex,
    render_markdown,
    write_table,
)
from kassay.reports.tables.verdicts import (
    build_failure_table,
    build_proof_table,
    build_verdict_table,
    compute_answers,
    is_study,
    select_criteria,
)


@pytest.fixture(scope="module")
def rows(all_rows):
    return list(all_rows)


@pytest.fixture(scope="module")
def verdicts(summaries):
    return build_verdict_table(summaries, compute_properties(summaries), compute_answers(summaries))


def is_right(row, question, criteria):
    if question.joins:
        single = [each for each in criteria if not each.joins and meant(row, each.of)]
        return all(is_right(row, each, criteria) for each in single)
    return legal(row) and (not question.level or gap(row, question.level) == 0)


def test_shares_are_counted_row_by_row(summaries, rows, verdicts):
    first = [row for row in rows if row["step"] == 0]
    frame = compute_answers(summaries).set_index(["question", "target"])
    criteria = select_criteria(summaries.run)
    for question in criteria:
        for target in summaries.run.names:
            own = [r for r in first if r["target"] == target and meant(r, question.of)]
            right = [r for r in own if is_right(r, question, criteria)]
            assert frame.loc[(question.name, target), ["right", "of"]].tolist() == [len(right), len(own)]
            share_ = verdicts.frame.set_index("target").loc[target, question.name]
            assert share_ == float(Fraction(len(right), len(own)))
            if question.level:
                over = [gap(r, question.level) for r in own if gap(r, question.level) is not None]
                mean = frame.loc[(question.name, target), "mean gap"]
                assert mean == pytest.approx(sum(over) / len(over)) if over else pd.isna(mean)


def test_the_sentences_name_failures_and_broken_promises(summaries, verdicts):
    said = describe_verdicts(summaries, verdicts, compute_answers(summaries))
    known = ". Known defects: "
    assert said[1].partition(known)[0] == "Broken promise: fair throws an exception"
    defective = verdicts.frame[verdicts.frame["known defects"] != "none"]["target"]
    assert len(defective) >= 2
    told = said[1].partition(known)[2]
    assert all((name.removeprefix("consumer/") in told) != is_study(name) for name in defective)
    assert ". At worst, one of them " in told
    assert "fair throws an error on 1 and times out on 1 of 60 groups." in said
    breaking = summaries.properties.copy()
    breaking.loc[
        (breaking["target"] == "consumer/range") & (breaking["property"] == "exclusive"), "broken"
    ] = 1
    columns = [f"broken_{name}" for name in ("id", "step", *summaries.run.sizes)]
    breaking[columns] = breaking[columns].fillna(1)
    changed = type(summaries)(
        **{name: getattr(summaries, name) for name in type(summaries).__slots__} | {"properties": breaking}
    )
    table = build_verdict_table(changed, compute_properties(changed), compute_answers(changed))
    broken = describe_verdicts(changed, table, compute_answers(changed))[1].partition(known)[0]
    assert broken == "Broken promise: range gives a partition twice. Broken promise: fair throws an exception"
    none = compute_properties(summaries).query("property != 'crash_free'")
    kept = describe_verdicts(
        summaries,
        build_verdict_table(summaries, none, compute_answers(summaries)),
        compute_answers(summaries),
    )[1]
    assert kept.partition(known)[0] == "No promise is broken, except for known defects"


def test_failures_are_counted_by_their_reason(summaries, rows):
    frame = build_failure_table(summaries).frame
    fair = frame[frame["target"] == "consumer/fair"].set_index("what happens")
    assert set(fair.index) == {"throws an error: gives up on the third", "times out"}
    assert fair["groups"].tolist() == [1, 1]
    assert fair["rows"].sum() == sum(r["target"] == "consumer/fair" and not legal(r) for r in rows)
    for target, part in frame.groupby("target"):
        failed = [r for r in rows if r["target"] == target and not legal(r)]
        assert part["groups"].sum() == sum(r["step"] == 0 for r in failed)
        assert part["rows"].sum() == len(failed)


def test_the_matrix_names_the_smallest_broken_row(summaries, rows):
    for row in compute_properties(summaries).to_dict("records"):
        if row["kind"] != "invariant":
            continue
        breaking = [
            r for r in rows if r["target"] == row["target"] and row["property"] in r["invariants_broken"]
        ]
        known = [r for r in breaking if row["property"] in r["known_defects"]]
        assert (row["broken"], row["known"]) == (len(breaking) - len(known), len(known))
        broken = [r for r in breaking if r not in known] or known
        if broken:
            least = min(
                broken, key=lambda r: (sum(r["size"].values()), *r["size"].values(), r["id"], r["step"])
            )
            assert (row["smallest"], row["smallest_step"]) == (least["id"], least["step"])
    shown = build_property_table(compute_properties(summaries), summaries.run).frame.set_index("property")
    told = compute_properties(summaries).set_index(["property", "target"])
    for (name, target), row in told.iterrows():
        cell = shown.loc[name, target]
        expected = (
            ("BROKEN " if row["promised"] else "no ")
            if row["broken"]
            else "known defect "
            if row["known"]
            else "kept"
            if row["promised"]
            else "not broken"
        )
        assert cell.startswith(expected)


def test_gaps_by_situation_and_over_all_are_the_same_rows(summaries, rows):
    frame = compute_gaps(summaries)
    table = build_situation_table(frame, summaries.run).frame
    for situation in select_telling_situations(frame, 3):
        part = table[(table["situation"] == situation) & (table["level"] == "moves")]
        for row in part.to_dict("records"):
            asked = [
                r
                for r in rows
                if r["target"] == row["target"] and r["step"] == 0 and situation in r["situations"]
            ]
            own = [
                max(0, r["values"]["moves"] - r["optima"]["moves"])
                for r in asked
                if r["values"]["moves"] is not None
            ]
            assert (row["rows"], row["of"]) == (len(own), len(asked))
            assert row["greatest"] == max(own) if own else pd.isna(row["greatest"])
            assert row["at optimum"] == pytest.approx(own.count(0) / len(asked))
    assert build_gap_table(frame, summaries.run).frame["level"].drop_duplicates().tolist() == list(
        summaries.run.levels
    )


def test_profiles_rise_to_the_share_that_is_answered(summaries, rows):
    frame = compute_profiles(summaries)
    groups = {r["id"] for r in rows if r["step"] == 0}
    for (level, target), part in frame.groupby(["level", "target"]):
        assert part["share"].is_monotonic_increasing
        assert part["ratio"].min() >= 1
        assert set(part["groups"]) == {len(groups)}
        whole = [
            r for r in rows if r["target"] == target and r["step"] == 0 and r["values"]["balance"] is not None
        ]
        assert part["share"].max() == pytest.approx(len(whole) / len(groups)), level
    assert (frame[frame["ratio"] == 1].groupby("level")["share"].max() > 0).all()


def test_timelines_and_proofs_count_rows(summaries, rows):
    frame = compute_timelines(summaries)
    moved = [r["measures"]["moves"] for r in rows if r["target"] == "consumer/range" and r["step"] == 2]
    row = frame[
        (frame["measure"] == "moves") & (frame["target"] == "consumer/range") & (frame["step"] == 2)
    ].iloc[0]
    assert (row["rows"], row["greatest"]) == (len(moved), max(moved))
    assert row["mean"] == pytest.approx(sum(moved) / len(moved))
    proofs = build_proof_table(summaries).frame.set_index("target")
    assert proofs.loc["consumer/fair", ["refused", "timeout"]].tolist() == [3, 3]
    assert proofs["rows"].sum() == len(rows)
    assert (proofs["optima, not checked"] == 0).all()


@settings(deadline=None, max_examples=50)
@given(st.floats(0.5, 3), st.floats(0.3, 2), st.floats(0, 100), st.floats(0.1, 10))
def test_a_power_law_is_found_again(partitions, members, base, factor):
    sizes = np.random.default_rng(1).uniform(0, 7, (60, 2))
    known = Fit(base, factor, (partitions, members), (), 1.0)
    time = known.micros(*np.exp(sizes.T))
    found = compute_power_law(time, list(np.exp(sizes.T)))
    assert found.exponents == pytest.approx((partitions, members), abs=1e-3)
    assert found.micros(*np.exp(sizes.T)) == pytest.approx(time, rel=1e-2)
    assert found.explained > 0.9999
    assert max(found.errors) < 1e-2


def test_a_time_that_does_not_grow_has_no_exponent():
    sizes = np.geomspace(1, 1000, 30)
    found = compute_power_law(np.full(30, 42.0), [sizes])
    assert found.micros(sizes) == pytest.approx(np.full(30, 42.0), rel=1e-3)


def test_where_no_law_is_found_none_is_shown(summaries, monkeypatch):
    def astray(*_, **__):
        raise RuntimeError("Optimal parameters not found")

    monkeypatch.setattr(costs, "curve_fit", astray)
    assert set(build_cost_table(summaries).frame["partitions, alone"]) == {"-"}


def test_costs_have_exponents_only_where_sizes_tell(summaries):
    (alone, together) = compute_fits(summaries)["consumer/range"]
    assert together.exponents == pytest.approx((1, 1), abs=0.1)
    assert alone.exponents[0] > together.exponents[0]
    for axes in (["partitions"], ["partitions", "members"]):
        assert select_times(summaries, *axes)["rows"].sum() == summaries.costs["rows"].sum()
    few = type(summaries)(
        **{name: getattr(summaries, name) for name in type(summaries).__slots__}
        | {"times": summaries.times.groupby("target").head(2)}
    )
    assert set(build_cost_table(few).frame["partitions, alone"]) == {"-"}


def test_prices_follow_from_shares(summaries, rows):
    frame = build_price_table(summaries, Assumed(price_per_gb=0.05, tb_per_month=10)).frame.set_index(
        "target"
    )
    known = [
        r
        for r in rows
        if r["target"] == "consumer/roundrobin" and r["step"] == 0 and r["values"]["cross_rack"] is not None
        if "racks" in r["situations"] and "unread_topic" not in r["situations"]
    ]
    partitions = sum(r["size"]["partitions"] for r in known)
    crossing = sum(r["values"]["cross_rack"] for r in known) / partitions
    least = sum(r["optima"]["cross_rack"] for r in known) / partitions
    row = frame.loc["consumer/roundrobin"]
    assert row["across racks"] == pytest.approx(crossing)
    assert row["price per TB"] == pytest.approx(crossing * 50)
    assert row["needless per month at 10 TB"] == pytest.approx((crossing - least) * 50 * 10)


def test_who_holds_what_is_all_there(summaries):
    group = group_of(summaries.run, 9, 1, "consumer/range")
    owned = {(m.id, *p) for m in group.members for p in m.owned}
    frame = list_pairs(
        group, {"ghost": [TopicPartition("t9", 7)] * 2} | {group.members[0].id: [next(iter(group.topics[0]))]}
    )
    assert {
        (r["member"], r["topic"], r["partition"]) for r in frame.to_dict("records") if r["owned"]
    } == owned
    ghost = frame[(frame["member"] == "ghost") & (frame["topic"] == "t9")].iloc[0]
    assert (ghost["given"], ghost["exists"], ghost["subscribed"]) == (2, False, False)
    assert frame["given"].sum() == 3


HOSTILE = "a|b_%&#{}$^~\\<script>é`*"


def test_files_keep_hostile_names(tmp_path):
    table = Table(
        "t",
        "Title",
        "Says & tells.",
        pd.DataFrame({"target": [HOSTILE], "n": [1234], "s": [0.5]}),
        {"s": "share"},
    )
    write_table(table, tmp_path)
    assert list(csv.reader(io.StringIO((tmp_path / "t.csv").read_text()))) == [
        ["target", "n", "s"],
        [HOSTILE, "1234", "0.5"],
    ]
    (row,) = [line for line in render_markdown(table).splitlines() if "script" in line]
    assert row.count(" | ") == 2
    assert "1,234" in row
    assert "50.0 %" in row
    said = render_latex(table)
    assert r"a|b\_\%\&\#\{\}\$\textasciicircum{}\textasciitilde{}\textbackslash{}\textless{}script" in said
    assert r"50.0 \%" in said
    assert "{lrr}" in said


@given(st.floats(0, 1))
def test_only_nothing_and_all_are_written_as_such(part):
    assert (format_share(part) == "0 %") == (part == 0)
    assert (format_share(part) == "100 %") == (part == 1)


def test_numbers_are_written_for_people():
    assert [format_value(value) for value in (None, float("nan"), pd.NA, 1234567, True, "x")] == [
        "-", "-", "-", "1,234,567", "yes", "x",
    ]  # fmt: skip
    assert [format_value(value, "tenths") for value in (0.0, 0.004, 12.34)] == ["0", "0.004", "12.3"]
