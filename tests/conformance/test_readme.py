"""The runner that fixtures/README.md shows: it runs as it stands, and says what kassay's own judge says."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from kassay.conformance.fixture_runner import Judge
from kassay.conformance.fixtures import load_form, read_family_fixtures
from kassay.families.assignors import ASSIGNORS

FOLDER = Path(__file__).parents[2] / "fixtures"
SHOWN = {
    "existing",
    "subscribed",
    "exclusive",
    "complete",
    "loads",
    "per_topic",
    "moves",
    "cross_rack",
    "left_out",
}


@pytest.fixture(scope="module")
def runner():
    (code,) = re.findall(
        r"^## A runner in 40 lines\n.*?```python\n(.*?)```",
        (FOLDER / "README.md").read_text(),
        re.DOTALL | re.MULTILINE,
    )
    found = {}
    exec(code, found)
    return found


@pytest.mark.parametrize(
    "name", ["consumer/range", "consumer/roundrobin", "consumer/sticky", "consumer/optimal"]
)
def test_says_what_the_judge_says(runner, name):
    of, declared = load_form("consumer"), load_form("consumer").declared[name]
    # the runner knows no ranks of aims: what ranks reads across racks first is judged as if it did not
    declared = replace(declared, aims=tuple(sorted(declared.aims, key="cross_rack".__eq__)))
    judge = Judge(of, ASSIGNORS[name].assign, declared)
    compared = 0
    for case in read_family_fixtures("consumer").cases:
        ours = judge.judge(case)
        if ours["answers"]:
            continue
        plan = of.write_answer(ASSIGNORS[name].assign(case.group))
        told = {
            "group": of.write_group(case.group),
            "owners": case.owners,
            "should": case.should,
            "flags": case.flags,
        }
        theirs = runner["judge"](told, plan, declared.aims, declared.limits)
        assert theirs == {check: not wrong for check, wrong in ours.items() if check in theirs}, case.id
        assert {check for check in ours if check in SHOWN} == theirs.keys(), case.id
        compared += len(theirs)
    assert compared > 300


def test_runs_and_holds_known_failures_against_what_it_saw(runner):
    of = load_form("consumer")

    def assign(group):
        return of.write_answer(ASSIGNORS["consumer/range"].assign(of.read_group(group)))

    can = [*of.needs, "time_limit"]
    file = str(FOLDER / "consumer.json")
    runner["run"](assign, "range", ["per_topic"], can, file=file)
    with pytest.raises(AssertionError, match="pass now"):
        runner["run"](assign, "range", ["per_topic"], can, known=["range consumer-0001 loads"], file=file)
    with pytest.raises(AssertionError, match="new"):
        runner["run"](lambda _: {}, "range", ["per_topic"], can, file=file)
