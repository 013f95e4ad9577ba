"""fixtures/group.json: what it follows from, what it catches, and that nothing in it is chance."""

import json
from pathlib import Path

import jsonschema
from conformance.group_rows import kills, mutants
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace as changed

from kassay.conformance import group
from kassay.conformance.group import COORDINATOR, NEWEST, play_coordinator, read_chosen_cases
from kassay.reference.group.behaviour import RELEASES

TOP = Path(__file__).parents[2] / "fixtures"
TEXT = (TOP / "group.json").read_text()
MOST, LARGEST = 300, 400_000
UNKILLED = {"nobody_is_told_to_synchronise", "late_writes_spread_old_states"}
"""A fault in what the proposal has and no release of Kafka, and one that needs a late write of an old state, which no case has."""


def test_is_small_and_fits_the_schema():
    file = json.loads(TEXT)
    jsonschema.validate(file, json.loads((TOP / "schema.json").read_text()))
    assert file["count"] == len(file["cases"]) == len(read_chosen_cases()) <= MOST
    assert len(TEXT) <= LARGEST
    assert [case["id"] for case in file["cases"]] == [f"group-{n:04}" for n in range(1, file["count"] + 1)]
    assert {case["side"] for case in file["cases"]} == {"coordinator", "member"}


def test_is_what_the_machines_do_and_kafkas_did():
    assert list(group.find_problems(TOP, classes=True)) == []
    assert all(NEWEST in case["releases"] for case in json.loads(TEXT)["cases"])


def test_mutants_are_killed():
    killed = {name: kills(side, asked) for name, side, asked in mutants()}
    assert {name for name, found in killed.items() if not found} == UNKILLED
    assert len(killed) - len(UNKILLED) >= 0.95 * len(killed)
    assert sum(len(found) > 1 for found in killed.values()) > 0.85 * len(killed)


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_another_answer_is_noticed(tmp_path_factory, data):
    file = json.loads(TEXT)
    case = data.draw(st.sampled_from([case for case in file["cases"] if case["side"] == COORDINATOR]))
    answers = [answer for step in case["steps"] for answer in step["answers"].values()]
    if not answers:
        return
    number = data.draw(st.sampled_from(answers))["errorCode"]
    folder = tmp_path_factory.mktemp("fixtures")
    other = TEXT.replace(f'"errorCode":{number}', f'"errorCode":{number + 1}', 1)
    (folder / "group.json").write_text(other)
    assert [doubt.case for doubt in group.find_problems(folder, classes=False)] == [""]


def test_what_is_chance_is_no_case():
    """Of two members that are left when the leader goes, Kafka lets either lead."""
    leaves = next(
        case for case in read_chosen_cases() if case.recorded.startswith("three members, one of whom leaves")
    )
    steps = [dict(asked) for asked in leaves.asked]
    at = next(number for number, asked in enumerate(steps) if asked["do"] == "leave")
    late = changed(leaves, asked=[*steps[:at], steps[at] | {"now": 16_000}])
    assert "a timer runs out while something is asked" in play_coordinator(late, NEWEST).chance
    steps[at]["members"] = [["client-0", None]]
    assert "by chance" in play_coordinator(changed(leaves, asked=steps[: at + 1]), NEWEST).chance


def test_what_kafka_did_otherwise_is_a_doubt(monkeypatch):
    case = read_chosen_cases()[0]
    wrong = changed(case, asked=[*case.asked[:-1], case.asked[-1] | {"version": 3}])
    monkeypatch.setattr(group, "read_chosen_cases", lambda: (wrong, changed(case, recorded="never")))
    found = [says.split(":")[0] for _, says in group.compare_recordings()]
    assert found == [*(f"{release}, step 1" for release in RELEASES), "never is recorded of no release"]
