"""A baseline of known findings: what it knows does not fail, what is new does, and so does what passes now."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from kassay.cli import main
from kassay.cli.render.findings import Results
from kassay.engine.failures import Failure, failure_of, read_failures, write_failures
from kassay.engine.finding import Finding
from kassay.engine.verdict import BASELINE, BROKEN, Verdict
from kassay.model import Group, Member, Topic

GROUP = {"topics": [{"name": "t", "partitions": 1}], "members": [{"id": "a", "topics": ["t"]}]}
BALANCED = ("--promise", "balanced", "--promise", "complete", "--examples", "12")


@pytest.fixture
def check(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def check(*words):
        status = main(["check", *words, "--json"])
        told = capsys.readouterr()
        return status, [json.loads(line) for line in told.out.splitlines()], told.err

    return check


def outcomes(records, kind="verdict"):
    return {(one["target"], one["property"]): one["outcome"] for one in records if one["record"] == kind}


@pytest.fixture
def range_only(check):
    status, records, _ = check("consumer/range", *BALANCED, "--write-baseline", "known.json")
    assert (status, outcomes(records)["consumer/range", "balanced"]) == (0, "in the baseline")
    return read_failures


@pytest.mark.usefixtures("range_only")
@pytest.mark.parametrize("seed", ["0", "1", "77"])
def test_what_is_known_does_not_fail_at_any_seed(check, seed):
    status, records, _ = check("consumer/range", *BALANCED, "--baseline", "known.json", "--seed", seed)
    assert status == 0
    assert outcomes(records) == {
        ("consumer/range", "balanced"): "in the baseline", ("consumer/range", "complete"): "kept",
    }  # fmt: skip
    assert outcomes(records, "finding") == {("consumer/range", "balanced"): "in the baseline"}
    assert records[0]["says"].startswith("consumer/range breaks nothing new")


@pytest.mark.usefixtures("range_only")
def test_what_is_new_fails_and_what_is_not_asked_does_not(check):
    status, records, _ = check(
        "consumer/fair", "consumer/range", *BALANCED, "-j1", "--baseline", "known.json"
    )
    found = outcomes(records)
    assert (status, found["consumer/fair", "balanced"], found["consumer/range", "balanced"]) == (
        1,
        "broken",
        "in the baseline",
    )
    status, records, _ = check(
        "consumer/roundrobin", "--promise", "complete", "--examples", "5", "--baseline", "known.json"
    )
    assert (status, {*outcomes(records).values()}) == (0, {"kept"})


@pytest.mark.usefixtures("range_only")
def test_another_group_of_the_same_promise_is_new(check, tmp_path):
    (known,) = read_failures(tmp_path / "known.json", "")
    other = {
        **known.group,
        "topics": [{**topic, "name": f"{topic['name']}-old"} for topic in known.group["topics"]],
    }
    write_failures(tmp_path / "other.json", [Failure("consumer/range", "balanced", "consumer", "", other)])
    status, records, _ = check("consumer/range", *BALANCED, "--baseline", "other.json")
    assert (status, outcomes(records)["consumer/range", "balanced"]) == (1, "broken")


def test_what_passes_now_fails_until_it_is_taken_out(check, tmp_path, capsys):
    mine = Failure("consumer/range", "complete", "consumer", "t-0 is lost", GROUP)
    others = Failure("python:other:assign", "complete", "consumer", "t-0 is lost", GROUP)
    write_failures(tmp_path / "known.json", [mine, others])
    words = ("consumer/range", "--property", "complete", "--examples", "5", "--baseline", "known.json")
    status, records, _ = check(*words)
    assert (status, outcomes(records)) == (1, {("consumer/range", "complete"): "passes now"})
    assert [one["property"] for one in records if one["record"] == "passes"] == ["complete"]
    assert records[0]["says"] == "consumer/range keeps complete where the baseline says that it is broken."
    assert main(["check", *words, "--format", "junit"]) == 1
    (case,) = ElementTree.fromstring(capsys.readouterr().out).iter("testcase")
    assert [result.tag for result in case] == ["failure"]
    assert main(["check", *words]) == 1
    said = capsys.readouterr().out
    assert "known.json knows 2 findings: 1 passes now, 1 not asked about." in said
    assert "  --write-baseline known.json\n" in said
    assert check(*words, "--write-baseline", "known.json")[0] == 0
    assert [one.target for one in read_failures(tmp_path / "known.json", "")] == ["python:other:assign"]
    assert check(*words)[0] == 0


def test_known_defects_are_known_to_a_strict_check_too(check):
    words = ("consumer/sticky", "--property", "balanced", "--strict", "--examples", "150")
    status, records, _ = check(*words)
    assert (status, outcomes(records)["consumer/sticky", "balanced"]) == (1, "known defect")
    assert check(*words, "--write-baseline", "known.json")[0] == 0
    assert check(*words, "--baseline", "known.json")[0] == 0
    loose = (*words[:3], "--examples", "150", "--baseline", "known.json")
    status, records, _ = check(*loose)  # where it is no failure, it passes
    assert (status, outcomes(records)["consumer/sticky", "balanced"]) == (1, "passes now")


def test_a_baseline_that_is_not_there_names_the_way_to_one(check):
    status, _, said = check("consumer/range", "--baseline", "known.json")
    assert (status, "--write-baseline known.json" in said) == (2, True)
    status, _, said = check("consumer/range", "--baseline", "known.json", "--write-baseline", "other.json")
    assert (status, "--baseline known.json: is no file yet" in said) == (2, True)


def test_one_finding_that_is_new_beside_a_known_one_fails():
    groups = [Group((Topic("t", size),), (Member("a", ("t",)),)) for size in (1, 2)]
    found = [Finding("x", "consumer", "crash_free", True, group, None, ("it throws",), 0) for group in groups]
    results = Results(
        ["x"], [0], strict=False, verdicts=[Verdict("x", "crash_free", BROKEN, judged=9, breaches=3)]
    )
    results.findings = [(one, Path(one.file_name())) for one in found]
    results.baseline = [failure_of(found[0])]
    results.accept()
    assert [one.outcome for one in results.verdicts] == [BROKEN]
    assert [one for one, _ in results.findings] == found[1:]
    results.baseline = [failure_of(one) for one in found]
    results.accept()
    assert [one.outcome for one in results.verdicts] == [BASELINE]
