"""A target that loses partitions: it passes no gate, and no figure leaves out the groups it did not answer legally."""

from collections import Counter

import pytest
from printed import json_lines

pytest.importorskip("jinja2", reason="pip install 'kassay[reports]'")

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from reports.plain_sums import CONSUMER
from reports.sweep_of_loops import rows_of, run_of, write_summaries, write_sweep, write_waves

from kassay.cli import main
from kassay.reports.comparison.effects import Counted, Furthest
from kassay.reports.comparison.gates import check_gaps
from kassay.reports.figures.gaps import draw_gap_ecdf, draw_settling
from kassay.reports.sweep.manifest import wave_folder, write_run
from kassay.reports.sweep.rows import FAILED, STATUSES, field
from kassay.reports.tables.gaps import (
    Assumed,
    build_cost_table,
    build_gap_table,
    build_price_table,
    build_profile_table,
    compute_gaps,
    compute_profiles,
    select_first_gaps,
)
from kassay.reports.tables.headline import describe_verdicts
from kassay.reports.tables.properties import compute_properties, describe_cell
from kassay.reports.tables.rebalances import compute_timelines, count_first_rounds
from kassay.reports.tables.table import format_share, read_summaries
from kassay.reports.tables.verdicts import (
    build_failure_table,
    build_verdict_table,
    compute_answers,
)

LOSER, STICKY = "consumer/loser", "consumer/sticky"
GROUPS = 40
RUN = run_of(GROUPS, (LOSER, STICKY))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Make a sweep of a target that loses the last partition of each topic."""
    made = tmp_path_factory.mktemp("loser")
    write_sweep(made, GROUPS, (LOSER, STICKY))
    return made


@pytest.fixture(scope="module")
def summaries(folder):
    return read_summaries(folder, RUN)


@pytest.fixture(scope="module")
def rows():
    return list(rows_of(RUN))


@pytest.fixture(scope="module")
def whole(rows):
    """Return the groups as drawn that the target answers legally: some, but few."""
    ids = {r["id"] for r in rows if r["target"] == LOSER and r["step"] == 0 and r["status"] == "ok"}
    assert 0 < len(ids) < GROUPS / 2
    return ids


def told(capsys, *arguments):
    status = main(["compare", *arguments, "--json"])
    records = json_lines(capsys)
    return status, records, {r["name"]: r for r in records if r["record"] == "gate"}


def test_rows_without_a_whole_answer_break_the_gate_of_gaps(folder, rows, capsys):
    status, _, gates = told(capsys, LOSER, "--sweep", str(folder), "--max-gap", "balance=999")
    own = [r["status"] for r in rows if r["target"] == LOSER]
    lost = own.count("illegal")
    gate = gates["gap in balance at most 999"]
    assert (status, gate["outcome"]) == (1, "broken")
    assert gate["message"].startswith(
        f"{lost} of {len(own)} rows have no right answer (illegal {lost}); the greatest"
    )
    assert gate["message"].endswith(f"compared: {len(own) - lost} of {len(own)} rows")
    status, _, gates = told(capsys, STICKY, "--sweep", str(folder), "--max-gap", "balance=999")
    assert status == 0
    assert gates["gap in balance at most 999"]["message"].endswith(f"compared: {len(own)} of {len(own)} rows")


def test_what_is_compared_says_of_how_many_groups(folder, whole, capsys):
    status, records, gates = told(capsys, LOSER, "--sweep", str(folder), "--not-worse-than", STICKY)
    assert status == 1
    for record in records:
        if record["record"] == "effect" and record["name"] != "without a right answer":
            assert (record["pairs"], record["groups"]) == (len(whole), GROUPS), record["name"]
    said = gates[f"not worse than {STICKY} in moves"]["message"]
    assert (
        f"compared: {len(whole)} of {GROUPS} groups; in {GROUPS - len(whole)} one of them has no right answer"
        in said
    )


@pytest.mark.parametrize(
    ("step", "status", "ends", "of_gaps", "of_whole"),
    [
        (0, "illegal", 1, "broken", "broken"),
        (0, "timeout", 1, "broken", "broken"),
        (0, "skipped", 1, "errored", "broken"),
        (0, "ok", 3, "errored", "kept"),  # its optimum was not proved
        (2, "died", 1, "broken", "kept"),
        (2, "skipped", 3, "errored", "kept"),
    ],
)
def test_one_row_that_only_the_reference_answers_is_no_chance(
    step, status, ends, of_gaps, of_whole, rows, tmp_path, capsys
):
    """The target is the reference but for one row, which a statistical test would forgive."""
    theirs = [r for r in rows if r["target"] == STICKY]
    own = [r | {"target": LOSER} for r in theirs]
    nothing = {"values": dict.fromkeys(map(field, RUN.levels)), "status": status, "proved": None}
    asked = [LOSER, "--sweep", str(tmp_path), "--not-worse-than", STICKY, "--max-gap", "moves=999"]
    gates = [f"not worse than {STICKY} in without a right answer", "gap in moves at most 999"]
    write_run(tmp_path, RUN)
    for met, expected in ((None, (0, "kept", "kept")), ((7, step), (ends, of_whole, of_gaps))):
        changed = [r | nothing if (r["id"], r["step"]) == met else r for r in own]
        write_waves(tmp_path, RUN, changed + theirs)
        exit_status, _, found = told(capsys, *asked)
        assert (exit_status, *(found[gate]["outcome"] for gate in gates)) == expected
    lost = int(of_whole == "broken")
    assert found[gates[0]]["message"] == f"{lost} of {GROUPS} groups have a right answer of {STICKY} alone"


def test_missing_waves_are_said(folder, tmp_path, rows, capsys):
    write_run(tmp_path, RUN)
    write_waves(tmp_path, RUN, rows)
    (wave_folder(tmp_path, RUN, 1) / "_SUCCESS").unlink()
    _, records, gates = told(capsys, STICKY, "--sweep", str(tmp_path), "--max-gap", "balance=999")
    assert records[0].pop("says") == "sticky does not exceed --max-gap."
    assert records[0] == {"record": "waves", "complete": 1, "waves": 2}
    assert all(gate["message"].endswith("; 1 of 2 waves") for gate in gates.values())
    main(["compare", STICKY, LOSER, "--sweep", str(tmp_path)])
    assert "Only 1 of 2 waves are complete." in capsys.readouterr().out
    main(["compare", STICKY, LOSER, "--sweep", str(folder)])
    assert "waves" not in capsys.readouterr().out


@given(
    st.dictionaries(st.sampled_from(STATUSES), st.integers(0, 5)), st.integers(0, 5), st.integers(0, 3), st.integers(0, 3)
)  # fmt: skip
def test_a_gate_of_gaps_is_kept_only_by_rows_that_all_have_one(statuses, unproved, gap, allowed):
    answered = statuses.get("ok", 0) + statuses.get("settled", 0)
    compared = max(0, answered - unproved)
    furthest = {("t", "moves"): Furthest(gap, 3, 0, gap, 0)} if compared else {}
    found = Counted(None, {}, {"t": Counter(statuses)}, Counter({("t", "moves"): compared}), furthest)
    (gate,) = check_gaps(found, ["t"], {"moves": allowed})
    rows = sum(statuses.values())
    failed = any(statuses.get(status) for status in (*FAILED, "illegal", "unsettled"))
    if failed or (compared and gap > allowed):
        assert gate.outcome == "broken"
    else:
        assert gate.outcome == ("kept" if compared == rows > 0 else "errored")
    assert gate.says.endswith(f"compared: {compared} of {rows} rows")


def test_shares_are_of_all_groups(summaries, whole):
    part = len(whole) / GROUPS
    table = compute_answers(summaries).set_index(["question", "target"])
    assert table.loc[("safe", LOSER), ["right", "of", "share"]].tolist() == [len(whole), GROUPS, part]
    frame = compute_gaps(summaries)
    for question in CONSUMER.questions[1:5]:
        level = question.level
        row = table.loc[(question.name, LOSER)]
        assert row["of"] == table.loc[(question.name, STICKY), "of"]
        assert row["right"] <= row["compared"] < row["of"]
        first = select_first_gaps(frame, level)
        assert first[first["target"] == LOSER]["rows"].sum() == GROUPS
        best = (
            build_profile_table(compute_profiles(summaries))
            .frame.set_index(["level", "target"])
            .loc[(level, LOSER)]
        )
        assert best["groups"] == GROUPS
        assert best["within 4x"] <= part
    line = next(
        line
        for line in draw_gap_ecdf(select_first_gaps(frame, "balance")).lines
        if "loser" in str(line.get_label())
    )
    assert line.get_label() == f"loser (n = {len(whole)} of {GROUPS})"
    assert max(line.get_ydata()) == pytest.approx(part)


def test_the_share_counts_groups_that_nobody_answered(rows, tmp_path):
    write_sweep(tmp_path, GROUPS, (LOSER,))
    alone = read_summaries(tmp_path, run_of(GROUPS, (LOSER,)))
    answered = compute_answers(alone)
    table = build_verdict_table(alone, compute_properties(alone), answered)
    own = [
        r for r in rows if r["target"] == LOSER and r["step"] == 0 and "single_member" not in r["situations"]
    ]
    even = sum(
        r["values"]["balance"] is not None and r["values"]["balance"] <= r["optima"]["balance"] for r in own
    )
    assert 0 < even < len(own)
    assert table.frame["even"].tolist() == [even / len(own)]
    assert set(compute_profiles(alone)["groups"]) == {GROUPS}
    failed = GROUPS - int(answered["right"][0])
    said = describe_verdicts(alone, table, answered)
    assert said[0].startswith(
        f"loser is correct on {GROUPS - failed} of {GROUPS} groups ({format_share(1 - failed / GROUPS)}). "
        f"Balance: {format_share(even / len(own))} of {len(own)}; "
    )
    assert said[2] == f"loser returns an incorrect assignment on {failed} of {GROUPS} groups."


def test_measures_of_answers_that_are_not_whole_count_nowhere(summaries, rows):
    own = [r for r in rows if r["target"] == LOSER]
    frame = compute_timelines(summaries).query("target == @LOSER").set_index(["measure", "step"])
    for step in range(3):
        asked = [r for r in own if r["step"] == step]
        answered = [r["measures"]["moves"] for r in asked if r["status"] == "ok"]
        row = frame.loc[("moves", step)]
        assert (row["rows"], row["of"]) == (len(answered), len(asked))
        assert (
            row["mean"] == pytest.approx(sum(answered) / len(answered)) if answered else pd.isna(row["mean"])
        )
    tried = [r for r in rows if r["target"] == STICKY and r["rounds"] is not None]
    row = frame.loc[("rounds", 0)]
    assert row["of"] == len(tried)
    assert row["rows"] == sum(r["rounds"] is not None and r["status"] == "ok" for r in own)
    lines = {
        str(line.get_label()): line for line in draw_settling(count_first_rounds(summaries), most=8).lines
    }
    (loser,) = [line for label, line in lines.items() if label.startswith("loser")]
    assert max(loser.get_ydata()) == pytest.approx(row["rows"] / row["of"])


def test_prices_say_of_how_many_groups(summaries, rows):
    frame = build_price_table(summaries, Assumed()).frame.set_index("target")
    known = [
        r for r in rows
        if r["target"] == LOSER and r["step"] == 0 and "racks" in r["situations"] and "unread_topic" not in r["situations"]
    ]  # fmt: skip
    assert frame.loc[LOSER, ["groups", "of"]].tolist() == [
        sum(r["status"] == "ok" for r in known),
        len(known),
    ]


def test_a_target_that_always_fails_is_left_out_nowhere(rows, tmp_path):
    refused = {
        "status": "refused", "invariants_broken": [], "values": dict.fromkeys(map(field, RUN.levels)), "rounds": None,
        "optima": dict.fromkeys(map(field, RUN.levels)), "measures": dict.fromkeys(RUN.measures), "proved": None,
    }  # fmt: skip
    others = [r for r in rows if r["target"] == STICKY]
    failing = [
        r | refused for r in rows if r["target"] == LOSER and r["step"] == 0
    ]  # which ends its timeline
    write_summaries(tmp_path, RUN, failing + others)
    told_ = read_summaries(tmp_path, RUN)
    later = sum(r["step"] > 0 for r in others)
    table = build_gap_table(compute_gaps(told_), RUN).frame.set_index(["level", "rebalance", "target"])
    row = table.loc[("moves", "later", LOSER)]
    assert (row["rows"], row["of"], row["at optimum"]) == (0, later, 0)
    assert pd.isna(row["mean"])
    assert table.loc[("moves", "first", LOSER), "of"] == GROUPS
    steps = compute_timelines(told_).set_index(["measure", "step", "target"])
    for step in (1, 2):
        assert steps.loc[("moves", step, LOSER), ["rows", "of"]].tolist() == [0, later // 2]
    cost = build_cost_table(told_).frame.set_index("target")
    assert cost.loc[LOSER, ["answers", "of"]].tolist() == [0, GROUPS]
    answered = compute_answers(told_)
    verdicts = build_verdict_table(told_, compute_properties(told_), answered)
    own = verdicts.frame.set_index("target").loc[LOSER]
    assert own[[question.name for question in CONSUMER.questions[:5]]].tolist() == [0, 0, 0, 0, 0]
    said = describe_verdicts(told_, verdicts, answered)
    assert f"loser throws an error on {GROUPS} of {GROUPS} groups." in said
    assert f". Incorrect assignments: loser {GROUPS}. " in said[0]
    (failure,) = build_failure_table(told_).frame.query("target == @LOSER").to_dict("records")
    assert (failure["what happens"], failure["groups"]) == ("throws an error", GROUPS)
    assert build_price_table(told_, Assumed()).frame.set_index("target").loc[LOSER, "groups"] == 0


def test_a_property_judged_on_a_part_says_on_how_many_rows(summaries):
    for row in compute_properties(summaries).to_dict("records"):
        sampled = row["kind"] == "law" and row["property"] != "crash_free"
        assert (f"(on {row['tried']})" in describe_cell(row)) == (row["tried"] < row["rows"])
        assert (row["tried"] < row["rows"]) >= sampled
