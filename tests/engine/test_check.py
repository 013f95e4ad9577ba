"""The gate as a person or a CI job calls it."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from printed import json_lines
from whole import some

from kassay.cli import main
from kassay.engine.judge import alternating, remembering
from kassay.engine.verdict import Verdict, exit_status
from kassay.model import AssignorError, Group, Member, Topic

GROUP = {
    "topics": [{"name": "t0", "partitions": 2}],
    "members": [{"id": "a", "topics": ["t0"]}, {"id": "b", "topics": []}],
}


def check(*arguments, folder):
    return main(["check", *arguments, "-o", str(folder)])


def test_the_same_seed_gives_the_same_lines_on_one_process_or_two_and_under_any_hash_seed(tmp_path):
    command = [
        sys.executable,
        "-m",
        "kassay",
        "check",
        "consumer/range",
        "consumer/fair",
        "--json",
        "--examples",
        "6",
    ]
    runs = []
    for jobs, hash_seed in (("1", "1"), ("2", "2")):
        environment = os.environ | {"PYTHONHASHSEED": hash_seed}
        ran = subprocess.run(
            [*command, "-j", jobs], capture_output=True, cwd=tmp_path, env=environment, check=False
        )
        assert ran.returncode == 0, ran.stderr
        runs.append(ran.stdout)
    assert runs[0] == runs[1]
    assert {json.loads(line)["record"] for line in runs[0].splitlines()} == {
        "check",
        "finding",
        "verdict",
        "distance",
        "tally",
    }


def test_seeds_differ(tmp_path, capsys):
    said = []
    for seed in ("1", "2"):
        assert check("consumer/range", "--json", "--examples", "50", "--seed", seed, folder=tmp_path) == 0
        said.append(json_lines(capsys))
    tallies = [next(r for r in records if r["record"] == "tally") for records in said]
    assert tallies[0]["situations"] != tallies[1]["situations"]


def test_a_given_group_is_judged_alone(tmp_path, capsys):
    file = tmp_path / "group.json"
    file.write_text(json.dumps(GROUP))
    assert check("consumer/range", "--group", str(file), "--json", folder=tmp_path) == 0
    records = json_lines(capsys)
    (tally,) = [r for r in records if r["record"] == "tally"]
    assert tally["groups"] == 1
    assert tally["situations"]["no_subscription"] == 1


def test_a_promise_of_the_users_choice_is_held_and_the_finding_replays(tmp_path, capsys):
    assert (
        check("consumer/range", "--promise", "balanced", "--examples", str(some(40, 200)), folder=tmp_path)
        == 1
    )
    out = capsys.readouterr().out
    assert out.startswith("FAIL  consumer/range does not make loads as even as they can be, on ")
    assert "(promise: balanced)." in out
    assert "as JSON" not in out, "that is in the file and in JUnit's bodies"
    (file,) = [
        f for f in tmp_path.glob("finding-*.json") if json.loads(f.read_text())["property"] == "balanced"
    ]
    finding = json.loads(file.read_text())
    assert finding["promised"]
    assert finding["smallest"]
    assert len(finding["group"]["members"]) == 2
    assert main(["explain", str(file)]) == 1
    out = capsys.readouterr().out
    assert out.startswith("FAIL  consumer/range: ")
    assert out.rstrip().endswith("Exit status 1: the finding still holds.")
    assert "fair" in out.partition("it on this group")[0]
    assert main(["explain", str(file), "--target", "consumer/fair"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("ok    consumer/fair keeps balanced on this group: ")
    assert out.rstrip().endswith("Exit status 0: the promise is kept on this group.")


@pytest.mark.parametrize("format_", ["pretty", "json", "markdown", "junit", "github"])
@pytest.mark.parametrize(("promise", "status"), [("complete", 0), ("balanced", 1)])
def test_the_status_is_the_same_in_every_format(format_, promise, status, tmp_path, capsys):
    arguments = ["consumer/range", "--promise", promise, "--examples", "20", "--format", format_]
    arguments += ["--all"] * (format_ == "junit")
    assert check(*arguments, folder=tmp_path) == status
    out = capsys.readouterr().out
    (copy,) = tmp_path.glob("check.*")
    assert copy.read_text() == out
    match format_:
        case "json":
            assert all(json.loads(line)["record"] for line in out.splitlines())
        case "junit":
            suites = ElementTree.fromstring(out)
            assert suites.get("failures") == str(status)
            assert len(list(suites.iter("testcase"))) > 10
            for failure in suites.iter("failure"):
                assert "as Python: Group(topics=(" in failure.text
                assert "as JSON:   {" in failure.text
                assert "seed 0, kassay" in failure.text
        case "github":
            assert ("::error title=consumer/range balanced broken::" in out) == bool(status)
        case "markdown":
            assert out.startswith("**kassay: FAIL.** " if status else "**kassay: ok.** ")
            assert "<details><summary>" in out


def test_only_some_properties(tmp_path, capsys):
    assert (
        check("consumer/range", "--property", "*balanced", "--json", "--examples", "40", folder=tmp_path) == 0
    )
    records = json_lines(capsys)
    assert [r["property"] for r in records if r["record"] == "verdict"] == [
        "balanced",
        "locally_balanced",
        "topic_balanced",
    ]


def test_findings_go_to_a_folder_beside_the_user(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["check", "consumer/range", "--examples", "100", "--json"]) == 0
    assert list(Path("kassay-findings").glob("finding-*.json"))


@pytest.mark.parametrize(
    ("outcomes", "status"),
    [
        (["kept", "not promised"], 0),
        (["kept", "broken", "errored"], 1),
        (["kept", "errored"], 3),
        (["skipped"], 3),
        (["not promised"], 3),
        ([], 3),
    ],
)
def test_could_not_tell_is_never_passed(outcomes, status):
    assert exit_status([Verdict("t", str(n), outcome) for n, outcome in enumerate(outcomes)]) == status


def test_a_reader_that_has_seen_enough_is_no_error():
    command = f"{sys.executable} -m kassay list | head -n 1"
    ran = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert ran.stdout.strip()
    assert not ran.stderr


def test_remembering_asks_once_and_alternating_asks_both():
    group = Group((Topic("t", 1),), (Member("a", ("t",)),))
    asked = []

    def failing(one):
        asked.append(one)
        raise AssignorError("no")

    remembered = remembering(failing)
    for _ in range(3):
        with pytest.raises(AssignorError, match="no"):
            remembered(group)
    assert len(asked) == 1
    both = alternating(lambda _: "first", lambda _: "second")
    assert [both(group) for _ in range(4)] == ["first", "second", "first", "second"]


def test_against_another_target_every_difference_is_a_finding_that_replays(tmp_path, capsys):
    command = ["consumer/fair", "--property", "equal", "--examples", "100", "--json", "--against"]
    assert check(*command, "consumer/fair", folder=tmp_path) == 0
    capsys.readouterr()
    assert check(*command, "consumer/roundrobin", folder=tmp_path) == 1
    (finding,) = [
        r for r in map(json.loads, capsys.readouterr().out.splitlines()) if r["record"] == "finding"
    ]
    assert finding["against"] == "consumer/roundrobin"
    assert main(["explain", finding["file"]]) == 1
    assert "and with consumer/roundrobin " in capsys.readouterr().out
