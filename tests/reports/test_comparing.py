"""Effects and gates: against rows paired one by one, and intervals against what they promise."""

import io
import random
from collections import Counter
from math import comb

import pytest
from printed import json_lines

pytest.importorskip("jinja2", reason="pip install 'kassay[reports]'")

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from reports.plain_sums import CONSUMER, legal, meant
from scipy.stats import binomtest

from kassay import compare
from kassay.cli import main
from kassay.cli.sweep_comparison import describe_effect
from kassay.errors import InputError
from kassay.families.family import Where
from kassay.oracles.levels import build_plain_words
from kassay.reports.comparison.effects import (
    ALIKE,
    EQUAL,
    HIGHER,
    LOWER,
    UNANSWERED,
    Counted,
    Differences,
    compute_effects,
    count_pairs,
    decide,
)
from kassay.reports.comparison.gates import check_gaps, check_not_worse, read_gaps
from kassay.reports.statistics import (
    apply_holm,
    compute_mean_interval,
    compute_moments,
    compute_p_value,
    compute_sign_p_value,
)
from kassay.reports.sweep.manifest import read_run

COUNTS = st.dictionaries(st.integers(-40, 40), st.integers(1, 500), min_size=1, max_size=9)


@pytest.fixture(scope="module")
def found(sweep):
    run = read_run(sweep)
    return count_pairs(sweep, run, ["consumer/range", "consumer/cooperative-sticky"], "consumer/sticky")


@pytest.fixture(scope="module")
def rows(all_rows):
    return list(all_rows)


@pytest.mark.parametrize("target", ["consumer/range", "consumer/cooperative-sticky"])
def test_differences_are_those_of_the_same_groups(found, rows, target):
    for level in ("balance", "moves", "cross-rack"):
        first = {(r["id"], r["target"]): r["values"][level.replace("-", "_")] for r in rows if r["step"] == 0}
        both = [
            (first[i, target], first[i, "consumer/sticky"])
            for i, name in first
            if name == target and None not in (first[i, target], first[i, "consumer/sticky"])
        ]
        each = found.differences[target, level]
        assert each.counts == Counter(one - other for one, other in both)
        assert (each.target, each.reference) == tuple(map(sum, zip(*both, strict=True)))
        assert sum(each.counts.values()) + sum(each.alone) <= 60
    illegal = {
        r["id"]
        for r in rows
        if r["target"] == target and r["step"] == 0 and r["status"] not in ("ok", "settled")
    }
    assert found.differences[target, UNANSWERED].counts[1] == len(illegal)


@pytest.mark.parametrize("target", ["consumer/range", "consumer/fair"])
def test_differences_of_a_question_are_those_of_its_groups(sweep, rows, target):
    """Fair gives no answer to two groups: to these, none of its values are compared."""
    run = read_run(sweep)
    of = {question.level: question.of for question in CONSUMER.questions if question.level in run.levels}
    of["balance"] = Where(("no_such_situation",))
    on = {level: (level, where) for level, where in of.items()}
    found, first = count_pairs(sweep, run, [target], "consumer/sticky", on), {}
    for row in rows:
        if row["step"] == 0:
            first[row["id"], row["target"]] = row
    ids = sorted({id_ for id_, _ in first})
    for level, where in of.items():
        each, counts, alone, neither = found.differences[target, level], Counter(), [0, 0], 0
        for id_ in ids:
            one, other = first[id_, target], first[id_, "consumer/sticky"]
            if meant(one, where):
                a, b = (r["values"][level.replace("-", "_")] if legal(r) else None for r in (one, other))
                if a is not None and b is not None:
                    counts[a - b] += 1
                alone[0] += a is not None and b is None
                alone[1] += a is None and b is not None
                neither += a is None and b is None
        assert (each.counts, each.alone, each.neither) == (counts, tuple(alone), neither), level
        assert (sum(counts.values()) > 0) == (level != "balance")
    everywhere = count_pairs(sweep, run, [target], "consumer/sticky")
    for name in (UNANSWERED, *(f"{measure} (measure)" for measure in run.measures)):
        assert found.differences[target, name] == everywhere.differences[target, name]
        assert sum(found.differences[target, UNANSWERED].counts.values()) == len(ids)


def test_the_furthest_row_is_of_any_step(found, rows):
    for target in ("consumer/range", "consumer/cooperative-sticky"):
        own = [r for r in rows if r["target"] == target and r["values"]["moves"] is not None]
        gaps = [(r["values"]["moves"] - r["optima"]["moves"], -r["id"], -r["step"]) for r in own]
        greatest = max(0, max(gaps)[0])
        worst = found.furthest[target, "moves"]
        assert worst.gap == greatest
        if greatest:
            assert (worst.id, worst.step) == (-max(gaps)[1], -max(gaps)[2])


@given(COUNTS)
def test_moments_are_those_of_the_numbers_written_out(counts):
    values = np.repeat(list(counts), list(counts.values())).astype(float)
    got = compute_moments(counts)
    assert got.number == len(values)
    assert got.mean == pytest.approx(values.mean())
    if len(values) > 1:
        assert got.deviation == pytest.approx(values.std(ddof=1))
    if values.std() > 0:
        assert got.skewness == pytest.approx(
            ((values - values.mean()) ** 3).mean() / values.std() ** 3, abs=1e-9
        )


@given(COUNTS)
def test_the_interval_and_the_p_value_say_the_same(counts):
    got = compute_moments(counts)
    low, high = compute_mean_interval(got)
    assert low <= got.mean + 1e-9
    assert got.mean <= high + 1e-9
    mirrored = compute_mean_interval(compute_moments({-value: count for value, count in counts.items()}))
    assert mirrored == pytest.approx((-high, -low))
    if got.deviation and min(abs(low), abs(high)) > 1e-6:
        assert (compute_p_value(got) < 0.05) == (not low < 0 < high)


def test_the_interval_covers_a_skewed_mean_more_often_than_the_normal_one():
    """Nine of ten differences are 0, the others up to 40, as gaps are: 2,000 samples of 150."""
    rng = random.Random(7)
    population = [0] * 90 + [1] * 5 + [5] * 3 + [40] * 2
    truth = sum(population) / len(population)
    hall = normal = 0
    for _ in range(2000):
        got = compute_moments(Counter(rng.choices(population, k=150)))
        low, high = compute_mean_interval(got)
        half = 1.959964 * got.deviation / got.number**0.5
        hall += low <= truth <= high
        normal += abs(got.mean - truth) <= half
    assert hall > normal
    assert 0.92 < hall / 2000 < 0.975


@given(st.integers(0, 12), st.integers(0, 12))
def test_the_sign_test_counts_all_outcomes(less, greater):
    n = less + greater
    if n:
        tail = sum(comb(n, k) for k in range(min(less, greater) + 1)) / 2**n
        assert compute_sign_p_value(less, greater) == pytest.approx(min(1.0, 2 * tail))
    else:
        assert compute_sign_p_value(0, 0) == 1


@given(st.dictionaries(st.text("abcdef", min_size=1, max_size=2), st.floats(0, 1), min_size=1))
def test_holm_is_no_milder_than_each_and_no_harsher_than_bonferroni(chances):
    corrected = apply_holm(chances)
    for name, chance in chances.items():
        assert chance <= corrected[name] <= min(1, chance * len(chances)) + 1e-12
    ranked = sorted(chances, key=lambda name: chances[name])
    assert [corrected[name] for name in ranked] == sorted(corrected.values())


def made(**counts: dict[int, int]) -> Counted:
    known = {("new", name): Differences(Counter(each)) for name, each in counts.items()}
    return Counted("old", known)


def test_verdicts_tell_chance_from_effect():
    found = made(
        clear={-2: 60, 0: 40},
        chance={-1: 31, 1: 29, 0: 40},
        same={0: 100},
        few={-1: 12, 0: 88},
        thin={1: 3, 0: 97},
    )
    by_name = {
        effect.name: effect
        for effect in compute_effects(found, "new", ["clear", "chance", "same", "few", "thin", "none"])
    }
    assert {name: effect.verdict for name, effect in by_name.items()} == {
        "clear": LOWER, "chance": ALIKE, "same": EQUAL, "few": LOWER, "thin": ALIKE, "none": "not compared",
    }  # fmt: skip
    assert by_name["few"].interval is None
    assert by_name["clear"].interval == pytest.approx((-1.38, -1.0), abs=0.03)
    assert by_name["clear"].superiority == pytest.approx(0.8)


def test_the_numbers_of_groups_have_a_test_of_their_own():
    """Lower on 659 groups and higher on 525 is no chance (p = 10^-4), though the means may be equal: few groups differ by much."""
    numbers = {-1: 600, -2: 59, 1: 500, 9: 25, 0: 816}
    (effect,) = compute_effects(made(moves=numbers), "new", ["moves"])
    assert (effect.lower, effect.higher) == (659, 525)
    assert effect.sign_p == pytest.approx(2 * binomtest(659, 1184).pvalue)  # Holm, two tests
    assert (effect.verdict, effect.sign_verdict, decide(effect)) == (ALIKE, LOWER, LOWER)
    assert describe_effect(effect, "old") == "better on 659, worse on 525 of 2,000; the means may be equal"
    (effect,) = compute_effects(made(moves={value * -1: n for value, n in numbers.items()}), "new", ["moves"])
    assert decide(effect) == HIGHER
    (gate,) = check_not_worse([effect], {"moves": build_plain_words("moves")})
    assert gate.outcome == "broken"
    # Significant in opposite directions: the mean decides, and the sentence says so.
    (effect,) = compute_effects(made(moves={-1: 600, 30: 400}), "new", ["moves"])
    assert (effect.verdict, effect.sign_verdict, decide(effect)) == (HIGHER, LOWER, HIGHER)
    assert describe_effect(effect, "old") == "better on 600, worse on 400 of 1,000; worse on average"


@given(COUNTS)
def test_the_effect_size_is_the_mean_in_standard_deviations(counts):
    (effect,) = compute_effects(made(moves=counts), "new", ["moves"])
    values = np.repeat(list(counts), list(counts.values())).astype(float)
    if len(values) > 1 and values.std() > 0:
        assert effect.standardized == pytest.approx(values.mean() / values.std(ddof=1))
    else:
        assert effect.standardized is None


def test_tables_of_effects_are_those_of_the_records(sweep, tmp_path, capsys):
    """CSV has every number as in JSON, and LaTeX uses booktabs; both say n."""
    asked = ["compare", "consumer/range", "consumer/sticky", "--sweep", str(sweep), "--json"]
    assert main([*asked, "--tables", str(tmp_path / "tables")]) == 0
    effects = [record for record in json_lines(capsys) if record["record"] == "effect"]
    frame = pd.read_csv(tmp_path / "tables" / "effects.csv")
    assert frame["what"].tolist() == [effect["name"] for effect in effects]
    for column, key in (
        ("n", "pairs"), ("of", "groups"), ("difference", "difference"), ("d", "standardized"), ("better", "lower"), ("p of mean", "p"),
        ("p of signs", "sign_p"), ("superiority", "superiority"),
    ):  # fmt: skip
        told = frame[column].astype(object).where(frame[column].notna(), None).tolist()
        assert told == pytest.approx([effect[key] for effect in effects]), column
    intervals = [effect["interval"] or [None, None] for effect in effects]
    assert frame[["low", "high"]].isna().to_numpy().tolist() == [[low is None] * 2 for low, _ in intervals]
    latex = (tmp_path / "tables" / "effects.tex").read_text()
    assert all(rule in latex for rule in (r"\toprule", r"\midrule", r"\bottomrule", " & n & of & "))
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "effects.csv").write_text("mine")
    assert main([*asked, "--tables", str(tmp_path / "foreign")]) == 2
    assert (tmp_path / "foreign" / "effects.csv").read_text() == "mine"


def test_tables_of_generated_groups_count_the_same_groups(tmp_path):
    targets = ["consumer/range", "consumer/roundrobin"]
    assert main(["compare", *targets, "--examples", "40", "--tables", str(tmp_path)]) == 0
    frame = pd.read_csv(tmp_path / "effects.csv").set_index("what")
    asked = compare(reversed(targets), examples=40)
    by_target = {name: part.set_index("group") for name, part in asked.groupby("target")}
    here, there = by_target["consumer/roundrobin"], by_target["consumer/range"]
    for level in ("balance", "moves", "cross-rack"):
        both = (here[level] - there[level]).dropna()
        row = frame.loc[level]
        assert (row["n"], row["of"]) == (len(both), 40)
        assert row["difference"] == pytest.approx(both.mean())
        assert (row["better"], row["worse"]) == ((both < 0).sum(), (both > 0).sum())


@pytest.mark.parametrize("wrong", [["consumer/range"], ["--group", "-", "consumer/range", "consumer/sticky"]])
def test_tables_need_groups_and_two_targets(wrong, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"members": {}, "topics": {}}')))
    assert main(["compare", *wrong, "--tables", str(tmp_path / "no")]) == 2
    assert "--tables" in capsys.readouterr().err
    assert not (tmp_path / "no").exists()


def test_a_target_that_fails_more_often_is_worse():
    found = made(**{UNANSWERED: {1: 40, 0: 60}, "balance": {-1: 60}})
    gates = {
        gate.name: gate.outcome
        for gate in check_not_worse(
            compute_effects(found, "new", [UNANSWERED, "balance", "moves"]),
            {name: build_plain_words(name) for name in ("balance", "moves")},
        )
    }
    assert gates == {
        f"not worse than old in {UNANSWERED}": "broken",
        "not worse than old in balance": "kept",
        "not worse than old in moves": "errored",
    }


def test_the_gate_of_gaps_names_the_row(found):
    (gate,) = check_gaps(found, ["consumer/range"], {"moves": 0})
    worst = found.furthest["consumer/range", "moves"]
    assert gate.outcome == "broken"
    assert gate.says.startswith(
        f"the greatest gap is {worst.gap}: {worst.value} for {worst.optimum}, in group {worst.id}"
    )
    (gate,) = check_gaps(found, ["consumer/range"], {"moves": worst.gap})
    assert gate.outcome == "kept"


def test_gates_are_said_in_rows_with_counts_and_the_status_in_words(sweep, found, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    gates = ["--not-worse-than", "consumer/sticky", "--max-gap", "balance=0"]
    asked = ["compare", "consumer/range", *gates, "--sweep", str(sweep)]
    assert main(asked) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("FAIL  range is less even than sticky and moves more. ")
    assert max(len(line) for line in lines if not line.startswith("Next: kassay ")) <= 80
    rows = [line for line in lines if line.startswith(("not worse: ", "--max-gap "))]
    assert main([*asked, "--json"]) == 1
    records = json_lines(capsys)
    known = {record["name"]: record for record in records if record["record"] == "effect"}
    for name, asked_for in (
        ("balance", "even"),
        ("moves", "few moves"),
        ("cross-rack", "near"),
        ("topic-spread", "spread topics"),
    ):
        (row,) = (row for row in rows if row.startswith(f"not worse: {asked_for} "))
        each = known[name]
        counts = [f"worse on {each['higher']:,}", f"better on {each['lower']:,}"]
        assert any(f"{', '.join(said)} of {each['pairs']:,}" in row for said in (counts, counts[::-1]))
        both = {each["verdict"], each["sign_verdict"]}
        assert ("FAIL" in row) == (each["verdict"] == HIGHER or both == {ALIKE, HIGHER})
        assert ("may be random" in row) == (both == {ALIKE})
    worst = found.furthest["consumer/range", "balance"]
    said = f"FAIL {worst.value} apart (best {worst.optimum}; group {worst.id})"
    assert any(said in " ".join(row.split()) for row in rows)
    assert any(line.startswith(f"Next: kassay report {sweep}") for line in lines)
    assert [line for line in lines if line][-1] == "Exit status 1: a gate failed."
    shown = "\n".join(lines)
    assert not any(word in shown for word in ("superiority", "Holm", "kept", "BROKEN", "lower", "higher"))
    for format_, sign in (
        ("markdown", "**kassay: FAIL.** range is less even"),
        ("github", "::error title="),
        ("junit", "worse on "),
    ):
        assert main([*asked, "--format", format_]) == 1
        assert sign in capsys.readouterr().out
    assert records[0]["says"] == " ".join(" ".join(lines[: lines.index("")]).split())[len("FAIL ") :]
    assert {"effect", "gate"} == {record["record"] for record in records}
    assert all("superiority" in record for record in records if record["record"] == "effect")


def test_one_target_that_is_worse_in_a_level_is_never_called_nowhere_worse(sweep, capsys):
    """Also where the only gates are those of gaps, which say nothing of the other target."""
    assert (
        main(
            [
                "compare",
                "consumer/range",
                "consumer/fair",
                "--max-gap",
                "moves=999",
                "--sweep",
                str(sweep),
                "--json",
            ]
        )
        == 1
    )
    records = json_lines(capsys)
    worse = {
        record["name"] for record in records if record["record"] == "effect" and record["verdict"] == "higher"
    }
    assert "cross-rack" in worse
    assert "reads more across racks" in records[0]["says"]
    assert "nowhere worse" not in records[0]["says"]


@pytest.mark.parametrize(
    "text", ["balance", "balance=", "balance=-1", "balance=1.5", "spread=0", "=0", "balance=²"]
)
def test_wrong_gates_are_named(text):
    with pytest.raises(InputError, match="--max-gap") as wrong:
        read_gaps([text], ["balance", "moves"])
    assert text in str(wrong.value)
