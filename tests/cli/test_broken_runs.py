"""Runs and stored runs in which one value is of another kind: each is refused in a sentence, none ends as a bug of kassay."""

import copy
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whole import share

from kassay.cli import main
from kassay.comparison.run_diff import read_standings
from kassay.conformance.fixtures import read_family_fixtures
from kassay.conformance.scoreboard import CLIENT_RUNS, count_rows, read_stored_runs
from kassay.errors import InputError
from kassay.families.names import natural_order

GROUP = '{"topics": [{"name": "a", "partitions": 3}], "members": [{"id": "x", "topics": ["a"]}, {"id": "y", "topics": ["a"]}]}'
ODD = [None, True, -1, 1.5, 10**30, "", "²", "9" * 5_000, "a\nb", [], {}, [[]], {"a": 1}, "1-9"]


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """Return the records of a check, of a comparison over many groups and of one over one group."""
    folder = tmp_path_factory.mktemp("runs")
    (folder / "group.json").write_text(GROUP)
    commands = {
        "check": ("check", "consumer/range", "--examples", "9", "--no-replay", "--promise", "balanced"),
        "sums": ("compare", "consumer/range", "--examples", "5"),
        "compare": ("compare", "consumer/range", "--group", str(folder / "group.json")),
    }
    for name, words in commands.items():
        main([*words, "--json", "-o", str(folder / name)])
    files = [next((folder / name).glob("*.jsonl")) for name in commands]
    return [[json.loads(line) for line in file.read_text().splitlines()] for file in files]


def places_of(value, place=()):
    """Yield where each value within a JSON value stands."""
    yield place
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from places_of(each, (*place, key))


def altered(value, place, odd):
    """Return a copy with another value in one place."""
    if not place:
        return odd
    made = copy.deepcopy(value)
    at = made
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = odd
    return made


@settings(max_examples=share(150, 3_000), deadline=None)
@given(data=st.data())
def test_a_run_with_an_odd_value_is_read_or_refused_and_what_is_read_is_text(printed, data):
    records = data.draw(st.sampled_from(printed))
    odd = data.draw(st.sampled_from(ODD))
    made = altered(records, data.draw(st.sampled_from([*places_of(records)][1:])), odd)
    found, said = {}, ""
    try:
        found = read_standings("run.jsonl", made)
    except InputError as refused:
        said = str(refused)
    assert found or said.startswith("run.jsonl: ")
    assert all(isinstance(word, str) for key, one in found.items() for word in (*key, one.says))


@pytest.mark.parametrize(
    ("field", "odd", "said"),
    [
        ("target", 3, "target: Expected `str`, got `int`"),
        ("outcome", "lost", "outcome: Invalid enum value 'lost'"),
        ("breaches", -1, "breaches: Expected `int` >= 0"),
        ("property", ["a"], "property: Expected `str`, got `array`"),
    ],
)
def test_an_odd_value_is_named_with_record_and_field(printed, field, odd, said, tmp_path, capsys):
    records = [one for one in printed[0] if one["record"] == "verdict"]
    file = tmp_path / "run.jsonl"
    file.write_text(json.dumps(records[0] | {field: odd}))
    assert main(["diff", str(file), str(file)]) == 2
    told = capsys.readouterr().err
    assert f"run.jsonl: record 1 is not as kassay prints it: {said}" in told
    assert told.endswith(". Run the command again with --json.\n")


RUN = json.loads((CLIENT_RUNS / "kafkajs-2.2.4.json").read_text())


@settings(max_examples=share(150, 3_000), deadline=None)
@given(data=st.data())
def test_a_stored_run_with_an_odd_value_is_counted_or_refused(tmp_path_factory, data):
    file = tmp_path_factory.getbasetemp() / "run.json"
    file.write_text(
        json.dumps(
            altered(RUN, data.draw(st.sampled_from([*places_of(RUN)])), data.draw(st.sampled_from(ODD)))
        )
    )
    said = str(file)
    try:
        runs = read_stored_runs([file])
        if {one.family for one in runs} == {"consumer"}:
            count_rows(runs, read_family_fixtures("consumer"))
    except InputError as refused:
        said = str(refused)
    assert said.startswith(str(file))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"assignors": []}, "assignors: Expected `array` of length >= 1"),
        ({"assignors": [{"name": "a", "kept": {}, "failed": [{"case": "consumer-x", "check": "loads", "wrong": ""}]}]}, "case: "),
        ({"assignors": [{"name": "a", "kept": {"loads": "1-99999999999"}, "failed": []}]}, "'1-99999999999' is not a number or range"),
        ({"assignors": [{"name": "a", "kept": {"loads": "²"}, "failed": []}]}, "'²' is not a number or range"),
    ],
)  # fmt: skip
def test_the_scoreboard_refuses_what_it_cannot_count(tmp_path, capsys, change, said):
    file = tmp_path / "run.json"
    file.write_text(json.dumps(RUN | change))
    assert main(["scoreboard", str(file), "--html", str(tmp_path / "page")]) == 2
    assert said in capsys.readouterr().err
    assert not Path(tmp_path / "page").exists()


def test_a_number_of_any_length_in_a_name_has_its_place():
    names = ["m-10", "m-2", "m-" + "9" * 5_000, "m", "m-02", "10", "2"]
    assert sorted(names, key=natural_order) == ["2", "10", "m", "m-02", "m-2", "m-10", "m-" + "9" * 5_000]
