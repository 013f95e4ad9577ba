"""What failed is kept from run to run, or known by a baseline; nothing else changes, and what passes now is told."""

import json
import multiprocessing
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from kassay.cli import main
from kassay.cli.render.check import render_not_promised
from kassay.cli.render.findings import Results
from kassay.engine.failures import (
    Failure,
    is_more_frequent,
    make_failure,
    read_failures,
    select_open,
    update_failures,
    write_failures,
)
from kassay.engine.finding import Finding
from kassay.engine.verdict import Verdict
from kassay.errors import InputError
from kassay.families import family
from kassay.model import Group, Member, Topic
from kassay.output.block import BASELINE, BROKEN, ERRORED, KEPT, NOT_PROMISED, SKIPPED

CONSUMER = family("consumer")
FAILURES = st.builds(
    Failure,
    st.sampled_from(["consumer/range", "python:mine:assign"]),
    st.sampled_from(["complete", "balanced"]),
    st.just("consumer"),
    st.just("m0 holds 2, m1 holds 0"),
    CONSUMER.shape.groups().map(CONSUMER.write_group),
)
BALANCED = ("--promise", "balanced", "--promise", "complete", "--examples", "12")
LINE = ["check", "consumer/range", *BALANCED, "--json"]


@given(st.lists(FAILURES, max_size=3))
def test_what_is_written_is_read_and_written_alike_in_any_order(tmp_path_factory, failures):
    path = tmp_path_factory.mktemp("kept") / "failures.json"
    write_failures(path, failures)
    text = path.read_text()
    read = read_failures(path, "failure")
    assert {one.key for one in read} == {one.key for one in failures}
    assert [one.where for one in read] == [f"failure {n + 1}" for n in range(len(read))]
    write_failures(path, [*read[::-1], *failures])
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("outcome", "whole", "open_"),
    [
        (KEPT, True, 0),
        (BROKEN, False, 0),
        (ERRORED, True, 1),
        (SKIPPED, False, 1),
        (None, True, 0),
        (None, False, 1),
    ],
)
def test_only_what_a_run_could_not_tell_or_was_not_asked_is_still_open(outcome, whole, open_):
    failure = Failure("a", "complete", "consumer", "", {})
    other = Failure("b", "complete", "consumer", "", {})
    verdicts = [Verdict("a", "balanced", KEPT), *[Verdict("a", "complete", outcome or "")] * bool(outcome)]
    assert select_open([failure, other], verdicts, whole=whole) == [*[failure] * open_, other]


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KASSAY_REPLAY")

    def run(*more, line=LINE):
        status = main([*line, *more])
        told = capsys.readouterr()
        return status, [json.loads(line) for line in told.out.splitlines()], told.err

    return run


def of(records, kind):
    return [one for one in records if one["record"] == kind]


def test_a_failure_is_tried_first_in_the_next_run_which_is_the_same_otherwise(run, tmp_path):
    status, first, _ = run()
    assert (status, (tmp_path / ".kassay" / ".gitignore").read_text()) == (1, "*\n")
    (kept,) = json.loads((tmp_path / ".kassay" / "failures.json").read_text())["failures"]
    (finding,) = of(first, "finding")
    assert (kept["target"], kept["promise"]) == ("consumer/range", "balanced")
    assert kept["group"] == finding["group"]
    before = (tmp_path / ".kassay" / "failures.json").stat()
    status, second, _ = run()
    assert status == 1
    assert [(one["property"], one["outcome"]) for one in of(second, "replayed")] == [("balanced", "broken")]
    assert of(second, "distance") == of(first, "distance")
    before_and_now = zip(of(first, "verdict"), of(second, "verdict"), strict=True)
    assert all(now["judged"] == before["judged"] + 1 for before, now in before_and_now)
    (again,) = of(second, "finding")
    assert (again["group"], again["count"]) == (finding["group"], finding["count"] + 1)
    (tally,) = of(second, "tally")
    assert tally["replayed"] == 1
    assert (tmp_path / ".kassay" / "failures.json").stat() == before  # nothing new, nothing written


def test_which_groups_are_measured_does_not_rest_on_what_is_tried_first(run, tmp_path):
    line = ["check", "streams/sticky", "--promise", "crash_free", "--examples", "40", "--json"]
    _, first, _ = run(line=line)
    group = {
        "topics": [],
        "tasks": [],
        "clients": [{"id": "00000000-0000-0000-0000-000000000001", "threads": 1}],
    }
    failure = Failure("streams/sticky", "crash_free", "streams", "it throws", group)
    write_failures(tmp_path / ".kassay" / "failures.json", [failure])
    _, second, _ = run(line=line)
    assert len(of(second, "replayed")) == 1
    assert of(first, "distance") == of(second, "distance") != []


def test_what_is_repaired_is_said_and_gone_and_what_was_not_asked_stays(run, tmp_path):
    path = tmp_path / ".kassay" / "failures.json"
    group = {"topics": [{"name": "t", "partitions": 1}], "members": [{"id": "a", "topics": ["t"]}]}
    mine = Failure("consumer/range", "complete", "consumer", "t-0 is lost", group)
    write_failures(path, [mine, Failure("python:other:assign", "complete", "consumer", "t-0 is lost", group)])
    status, records, _ = run("--property", "balanced")
    assert (status, of(records, "replayed")) == (1, [])
    assert len(read_failures(path, "")) == 3
    status, records, _ = run(line=["check", "consumer/range", "--examples", "5", "--json"])
    assert status == 0
    became = {one["property"]: one["outcome"] for one in of(records, "replayed")}
    assert became == {"balanced": "limit", "complete": "kept"}
    assert [one.target for one in read_failures(path, "")] == ["python:other:assign"]


def run_beside(folder, *words):
    """Start a check in a process of its own."""
    code = "import sys; from kassay.cli import main; sys.exit(main())"
    return subprocess.Popen(
        [sys.executable, "-c", code, "check", *words, "--examples", "12", "--promise", "balanced", "--promise", "complete"],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env={name: value for name, value in os.environ.items() if name != "KASSAY_REPLAY"},
    )  # fmt: skip


def test_runs_that_write_at_the_same_time_lose_nothing(tmp_path):
    targets = ["consumer/range", "consumer/roundrobin"]
    begun = [run_beside(tmp_path, one, "--write-baseline", "b.json", "--seed", "3") for one in targets]
    told = [one.communicate()[1] for one in begun]
    assert [one.returncode for one in begun] == [0, 0], told
    assert {one.target for one in read_failures(tmp_path / "b.json", "")} == {*targets}
    begun = [run_beside(tmp_path, one, "--seed", "3") for one in targets]
    told = [one.communicate()[1] for one in begun]
    assert [one.returncode for one in begun] == [1, 1], told
    assert {one.target for one in read_failures(tmp_path / ".kassay" / "failures.json", "")} == {*targets}
    assert {path.name for path in tmp_path.iterdir()} == {"b.json", ".kassay", "kassay-findings"}


def add_failures(path, number):
    for at in range(20):
        update_failures(path, "failure", [], [of_group("balanced", f"{number}-{at}")], [])


def test_every_addition_of_many_processes_is_kept(tmp_path):
    path = tmp_path / "new" / "failures.json"
    beside = [multiprocessing.Process(target=add_failures, args=(path, number)) for number in range(6)]
    for one in beside:
        one.start()
    for one in beside:
        one.join()
    assert [one.exitcode for one in beside] == [0] * 6
    assert len(read_failures(path, "")) == 6 * 20
    assert [each.name for each in path.parent.iterdir()] == ["failures.json"]


def of_group(promise, number):
    return Failure(
        "consumer/range", promise, "consumer", "", {"topics": [], "members": [], "name": str(number)}
    )


def test_what_others_write_and_take_out_meanwhile_counts(tmp_path):
    path = tmp_path / "failures.json"
    mine, open_, gone, again, theirs = (of_group("balanced", n) for n in range(5))
    before = [open_, gone, again]
    write_failures(path, [open_, theirs])  # another run has taken out two, and added one
    merged = update_failures(path, "failure", before, [mine, again], [open_, gone])
    assert {one.key for one in merged} == {one.key for one in (mine, again, open_, theirs)}
    assert {one.key for one in read_failures(path, "")} == {one.key for one in merged}


def test_no_replay_neither_reads_nor_writes(run, tmp_path):
    assert run("--no-replay")[0] == 1
    assert not (tmp_path / ".kassay").exists()
    (tmp_path / ".kassay").mkdir()
    (tmp_path / ".kassay" / "failures.json").write_text("{")
    assert run("--no-replay")[0] == 1
    status, _, said = run()
    assert status == 2
    assert "failures.json" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"format": 2, "kassay": "9", "failures": []}', "format: is 2, but kassay"),
        ('{"format": 1, "kassay": "9", "failures": [{}]}', r"failures\[0\]: a field is missing. Add `target`. Delete it"),
        ('{"format": 1, "kassay": "9", "failure": []}', "there is no field"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_as_it_was_written_is_refused(tmp_path, text, said):
    (tmp_path / "failures.json").write_text(text)
    with pytest.raises(InputError, match=said):
        read_failures(tmp_path / "failures.json", "failure")


def test_a_promise_or_a_group_that_there_is_not_names_the_entry(run, tmp_path):
    path = tmp_path / ".kassay" / "failures.json"
    for promise, group, said in (
        ("balancde", {"topics": [], "members": []}, "the last run's failure 1: promise balancde: is unknown"),
        ("balanced", {"topics": []}, "the last run's failure 1: a field is missing. Add `members`"),
    ):
        write_failures(path, [Failure("consumer/range", promise, "consumer", "", group)])
        status, _, told = run()
        assert status == 2
        assert said in told


def test_what_cannot_be_kept_costs_no_answer(run, tmp_path):
    (tmp_path / ".kassay").write_text("a file where the folder would be")
    status, records, said = run()
    assert (status, len(of(records, "finding"))) == (1, 1)
    assert "what failed is not kept for the next run" in said


GROUP = {"topics": [{"name": "t", "partitions": 1}], "members": [{"id": "a", "topics": ["t"]}]}


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
    assert records[0]["says"].startswith("consumer/range shows no new defect")


@pytest.mark.usefixtures("range_only")
def test_what_is_new_fails_and_what_is_not_asked_does_not(check):
    status, records, _ = check(
        "consumer/fair", "consumer/range", *BALANCED, "-j1", "--baseline", "known.json"
    )
    found = outcomes(records)
    assert (status, found["consumer/fair", "balanced"]) == (1, "broken")
    assert found["consumer/range", "balanced"] == "in the baseline"
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
    assert records[0]["says"] == "consumer/range keeps complete, which the baseline lists as broken."
    assert main(["check", *words, "--format", "junit"]) == 1
    (case,) = ElementTree.fromstring(capsys.readouterr().out).iter("testcase")
    assert [result.tag for result in case] == ["failure"]
    assert main(["check", *words]) == 1
    said = capsys.readouterr().out
    assert "Baseline known.json: 2 findings, 1 fixed, 1 not tested." in said
    assert "add --write-baseline known.json." in " ".join(said.split())
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


def test_a_baseline_excuses_no_more_groups_than_it_counted(check, tmp_path):
    words = ("consumer/range", *BALANCED, "--baseline", "known.json")
    assert check(*words[:-2], "--write-baseline", "known.json")[0] == 0
    (known,) = read_failures(tmp_path / "known.json", "")
    assert 0 < known.broken < known.checked
    write_failures(tmp_path / "known.json", [replace(known, broken=1)])
    status, records, _ = check(*words)
    (verdict,) = [one for one in records if one.get("property") == "balanced" and one["record"] == "verdict"]
    assert (status, verdict["outcome"]) == (1, "broken")
    assert verdict["message"].endswith(f"(the baseline excuses 1 of {known.checked} groups)")
    write_failures(tmp_path / "known.json", [replace(known, broken=0, checked=0)])  # of an older kassay
    assert check(*words)[0] == 0


@given(st.integers(0, 60), st.integers(1, 60), st.integers(0, 60), st.integers(1, 60))
def test_more_often_is_what_the_exact_test_says(broken, checked, now, tested):
    broken, now = min(broken, checked), min(now, tested)
    known = Failure("x", "balanced", "consumer", "", {}, broken, checked)
    table = [[now, tested - now], [broken, checked - broken]]
    chance = fisher_exact(table, alternative="greater").pvalue
    assert is_more_frequent(known, now, tested) == (chance < 0.05) or abs(chance - 0.05) < 1e-9


def test_twice_the_share_is_more_often_and_the_same_share_is_not():
    known = Failure("x", "balanced", "consumer", "", {}, 400, 2_000)
    assert is_more_frequent(known, 800, 2_000)
    assert is_more_frequent(known, 40, 100)
    assert not is_more_frequent(known, 400, 2_000)
    assert not is_more_frequent(known, 24, 100)


def test_one_finding_that_is_new_beside_a_known_one_fails():
    groups = [Group((Topic("t", size),), (Member("a", ("t",)),)) for size in (1, 2)]
    found = [Finding("x", "consumer", "crash_free", True, group, None, ("it throws",), 0) for group in groups]
    results = Results(
        ["x"], [0], strict=False, verdicts=[Verdict("x", "crash_free", BROKEN, judged=9, breaches=3)]
    )
    results.findings = [(one, Path(one.file_name())) for one in found]
    results.baseline = [make_failure(found[0])]
    results.accept()
    assert [one.outcome for one in results.verdicts] == [BROKEN]
    assert [one for one, _ in results.findings] == found[1:]
    results.baseline = [make_failure(one) for one in found]
    results.accept()
    assert [one.outcome for one in results.verdicts] == [BASELINE]


def test_only_what_was_tested_and_never_broken_is_said_to_be_kept_without_a_promise():
    verdicts = [
        Verdict("x", "complete", KEPT, judged=9),
        Verdict("x", "balanced", NOT_PROMISED, "a holds more", judged=9, breaches=1),
        Verdict("x", "two_rounds", NOT_PROMISED, judged=9),
        Verdict("x", "joined_evenly", NOT_PROMISED, judged=9),
        Verdict("x", "stable", NOT_PROMISED),
    ]
    results = Results(["x"], [0], strict=False, verdicts=verdicts)
    (told,) = render_not_promised(results)
    assert told.text == "Not promised, and broken in no tested group: two_rounds, joined_evenly."
