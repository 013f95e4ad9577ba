"""What changed between two runs: what is worse fails, what could not be told is open, and other groups are not compared."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.cli import main
from kassay.comparison.run_diff import (
    ALIKE,
    BETTER,
    GONE,
    NEW,
    OTHER_GROUPS,
    UNTOLD,
    WORSE,
    Standing,
    compute_changes,
    read_standings,
)
from kassay.errors import InputError

STANDINGS = st.dictionaries(
    st.tuples(st.sampled_from(["a", "b"]), st.sampled_from(["complete", "balance"])),
    st.builds(
        Standing,
        st.sampled_from([None, 0, 1, 2]),
        st.integers(0, 3).map(lambda bad: Fraction(bad, 3)),
        st.sampled_from([3, 4]),
        st.just("says"),
    ),
)
BACK = {WORSE: {BETTER}, BETTER: {WORSE}, NEW: {GONE, UNTOLD}, UNTOLD: {NEW}, GONE: {NEW}}


@given(STANDINGS, STANDINGS)
def test_the_other_way_round_it_is_the_opposite(one, two):
    there = {(each.target, each.question): each.change for each in compute_changes(one, two)}
    back = {(each.target, each.question): each.change for each in compute_changes(two, one)}
    assert there.keys() == back.keys() == one.keys() | two.keys()
    for key, change in there.items():
        assert back[key] in BACK.get(change, {change}), key
        if change in {WORSE, BETTER}:
            assert (one[key].grave, one[key].amount) != (two[key].grave, two[key].amount)
    assert {each.change for each in compute_changes(one, one)} <= {ALIKE}


@given(st.integers(0, 3), st.integers(0, 3))
def test_less_of_what_is_wrong_is_better_and_graver_is_worse_whatever_the_share(less, more):
    def becomes(one, two):
        (change,) = compute_changes({("a", "x"): one}, {("a", "x"): two})
        return change.change

    one, two = (Standing(1, Fraction(amount, 3), 3, "") for amount in (less, more))
    assert becomes(one, two) == (ALIKE if less == more else WORSE if more > less else BETTER)
    assert becomes(one, Standing(2, Fraction(0), 4, "")) == WORSE
    assert becomes(one, Standing(1, Fraction(more, 4), 4, "")) == OTHER_GROUPS
    assert becomes(one, Standing(None, Fraction(0), 3, "")) == UNTOLD


@pytest.fixture
def printed(tmp_path, capsys):
    def printed(name, *words):
        main([*words, "--json"])
        (tmp_path / name).write_text(capsys.readouterr().out)
        return str(tmp_path / name)

    return printed


def diff(capsys, *words):
    status = main(["diff", *words, "--json"])
    return status, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_two_runs_of_check(printed, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ("check", "consumer/range", "--examples", "12")
    kept = printed("kept", *words)
    broken = printed("broken", *words, "--promise", "balanced", "--promise", "complete")
    status, (first, *found) = diff(capsys, kept, broken)
    assert (status, first["worse"], first["says"].partition(":")[0]) == (
        1,
        1,
        "consumer/range is worse in balanced",
    )
    assert [each["question"] for each in found if each["change"] == WORSE] == ["balanced"]
    assert {each["change"] for each in found} == {WORSE, GONE}
    status, (first, *_) = diff(capsys, broken, kept)
    assert (status, first["better"]) == (0, 1)
    assert main(["diff", kept, broken, "--format", "github"]) == 1
    assert "::error title=consumer/range balanced broken::was limit, is broken on " in capsys.readouterr().out
    status, found = diff(capsys, kept, printed("seed", *words, "--seed", "1"))
    assert status == 0
    assert {each["change"] for each in found[1:]} == {OTHER_GROUPS}


def test_two_runs_of_compare_and_one_group(printed, capsys, tmp_path):
    file = tmp_path / "group.json"
    file.write_text('{"topics": [{"name": "a", "partitions": 1}, {"name": "b", "partitions": 1}], "members": [{"id": "x", "topics": ["a", "b"]}, {"id": "y", "topics": ["a", "b"]}]}')  # fmt: skip
    for words in (("compare", "--examples", "15"), ("compare", "--group", str(file))):
        ranged, fair = (printed(name, *words, f"consumer/{name}") for name in ("range", "fair"))
        (tmp_path / "fair").write_text(
            (tmp_path / "fair").read_text().replace("consumer/fair", "consumer/range")
        )
        assert diff(capsys, ranged, ranged)[0] == 0
        assert diff(capsys, fair, ranged)[0] == 1
        assert {one["change"] for one in diff(capsys, ranged, fair)[1][1:]} >= {BETTER}


def test_what_is_no_run_is_refused(tmp_path, capsys):
    for text, said in (
        ('{"record": "check"}', "holds no run"),
        ('{"a": 1}', "is not as kassay prints it"),
        ("[]", "is not as"),
    ):
        with pytest.raises(InputError, match=said):
            read_standings("run.jsonl", [json.loads(text)])
    (tmp_path / "no").mkdir()
    assert main(["diff", str(tmp_path / "no"), str(tmp_path / "no")]) == 2
    assert "run.json" in capsys.readouterr().err


def test_the_folders_of_two_runs_are_read(printed, capsys, tmp_path):
    """A run that was written into a folder is the run that was printed."""
    command = ("check", "consumer/range", "--property", "complete", "--examples", "3", "--no-replay")
    file = printed("run.jsonl", *command)
    for name in ("before", "after"):
        assert main([*command, "--json", "-o", str(tmp_path / name)]) == 0
    capsys.readouterr()
    assert diff(capsys, str(tmp_path / "before"), str(tmp_path / "after"))[0] == 0
    assert diff(capsys, file, str(tmp_path / "after"))[0] == 0
    (tmp_path / "empty").mkdir()
    assert main(["diff", file, str(tmp_path / "empty")]) == 2
    assert "empty" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"record": "verdict", "target": "a", "property": 5, "outcome": "kept", "breaches": 0, "judged": 1, "message": ""}, "property: Expected `str`, got `int`"),
        ({"record": "verdict", "target": None, "property": "p", "outcome": "kept", "breaches": 0, "judged": 1, "message": ""}, "target: Expected `str`, got `null`"),
        (
            {"record": "compared", "target": "a", "where": "g", "failure": None, "legal": True, "at_rest": True, "gaps": [{"level": "balance", "value": "1", "optimum": 0}]},
            "gaps[0].value: Expected `int`, got `str`",
        ),
    ],
)  # fmt: skip
def test_a_record_of_other_types_is_refused(record, said, tmp_path, capsys):
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps(record))
    assert main(["diff", str(file), str(file)]) == 2
    told = capsys.readouterr().err
    assert f"{file}: record 1 is not as kassay prints it" in told
    assert said in told
