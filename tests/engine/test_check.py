"""The gate as a person or a CI job calls it, on several targets at once, and on those that promise nothing."""

import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from printed import json_lines
from whole import some

import kassay
from kassay.cli import main
from kassay.engine.judge import alternate, cache_answers
from kassay.engine.verdict import Verdict, exit_status
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.model import Assignor, AssignorError, Group, Member, Topic
from kassay.model.tasks import Given, TaskAssignment

GROUP = {
    "topics": [{"name": "t0", "partitions": 2}],
    "members": [{"id": "a", "topics": ["t0"]}, {"id": "b", "topics": []}],
}


def check(*arguments, folder):
    return main(["check", *arguments, "-o", str(folder)])


def test_the_same_seed_gives_the_same_lines_on_one_process_or_two_and_under_any_hash_seed(tmp_path):
    words = ["check", "consumer/range", "consumer/fair", "--json", "--examples", "6"]
    command = [sys.executable, "-m", "kassay", *words]
    runs = []
    for jobs, hash_seed in (("1", "1"), ("2", "2")):
        environment = os.environ | {"PYTHONHASHSEED": hash_seed}
        ran = subprocess.run(
            [*command, "-j", jobs], capture_output=True, cwd=tmp_path, env=environment, check=False
        )
        assert ran.returncode == 0, ran.stderr
        runs.append(ran.stdout)
    assert runs[0] == runs[1]
    kinds = {json.loads(line)["record"] for line in runs[0].splitlines()}
    assert kinds == {"check", "finding", "verdict", "distance", "tally"}


def test_seeds_differ(tmp_path, capsys):
    said = []
    for seed in ("1", "2"):
        assert check("consumer/range", "--json", "--examples", "50", "--seed", seed, folder=tmp_path) == 0
        said += json_lines(capsys, "tally")
    assert said[0]["situations"] != said[1]["situations"]


def test_a_given_group_is_judged_alone(tmp_path, capsys):
    file = tmp_path / "group.json"
    file.write_text(json.dumps(GROUP))
    assert check("consumer/range", "--group", str(file), "--json", folder=tmp_path) == 0
    (tally,) = json_lines(capsys, "tally")
    assert tally["groups"] == 1
    assert tally["situations"]["no_subscription"] == 1


def test_a_promise_of_the_users_choice_is_held_and_the_finding_replays(tmp_path, capsys):
    assert (
        check("consumer/range", "--promise", "balanced", "--examples", str(some(40, 200)), folder=tmp_path)
        == 1
    )
    out = capsys.readouterr().out
    assert out.startswith("FAIL  consumer/range does not make loads as even as they can be in ")
    assert 'Promise "balanced": ' in out
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
    assert out.rstrip().endswith("Exit status 1: the finding still occurs.")
    assert "fair" in out.partition("Kept by ")[2]
    assert main(["explain", str(file), "--target", "consumer/fair"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("PASS  consumer/fair keeps balanced on this group: ")
    assert out.rstrip().endswith("Exit status 0: the finding does not occur any more.")


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
            assert out.startswith("**kassay: FAIL.** " if status else "**kassay: PASS.** ")
            assert "<details><summary>" in out


def test_only_some_properties(tmp_path, capsys):
    assert (
        check("consumer/range", "--property", "*balanced", "--json", "--examples", "40", folder=tmp_path) == 0
    )
    assert [one["property"] for one in json_lines(capsys, "verdict")] == [
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

    remembered = cache_answers(failing)
    for _ in range(3):
        with pytest.raises(AssignorError, match="no"):
            remembered(group)
    assert len(asked) == 1
    both = alternate(lambda _: "first", lambda _: "second")
    assert [both(group) for _ in range(4)] == ["first", "second", "first", "second"]


def test_against_another_target_every_difference_is_a_finding_that_replays(tmp_path, capsys):
    command = ["consumer/fair", "--property", "equal", "--examples", "100", "--json", "--against"]
    assert check(*command, "consumer/fair", folder=tmp_path) == 0
    capsys.readouterr()
    assert check(*command, "consumer/roundrobin", folder=tmp_path) == 1
    (finding,) = json_lines(capsys, "finding")
    assert finding["against"] == "consumer/roundrobin"
    assert main(["explain", finding["file"]]) == 1
    assert "and with consumer/roundrobin " in capsys.readouterr().out


VANISHED = {
    "topics": [{"name": "t", "partitions": 1}],
    "members": [{"id": "a", "topics": ["t"], "owned": [["t", 1]]}],
}
"""Kafka's sticky throws: a known defect of its."""


def piles_up(application):
    """Give all tasks to the first client, with never a standby and no look at what anybody had."""
    first, *rest = application.clients
    every = tuple(task.id for task in application.tasks)
    return TaskAssignment(
        {first.id: Given(every, ())} | {each.id: Given((), ()) for each in rest}, probing=False
    )


def test_who_promises_nothing_and_is_plainly_bad_is_told_what_was_not_held_and_what_fits():
    report = kassay.check(piles_up, examples=15, family="streams")
    found = report.unheld
    assert found is not None
    assert set(found.held) == family("streams").expected
    assert not set(found.held) & set(found.not_held)
    assert {"active_balanced", "enough_standbys"} & found.broken.keys()
    assert found.broken.keys() <= set(found.not_held)
    assert ASSIGNORS[found.fits].promises >= set(found.breaks)
    assert found.promises == len(ASSIGNORS[found.fits].promises)


def test_who_promises_or_is_held_to_something_is_told_no_such_thing():
    assert kassay.check("consumer/range", examples=5, properties=["complete"]).unheld is None
    assert kassay.check("share/simple", examples=5).unheld is None
    assert kassay.check(piles_up, examples=5, family="streams", promises=["complete"]).unheld is None


def test_the_reference_whose_promises_an_assignor_keeps_fits_it():
    plain = ASSIGNORS["consumer/roundrobin"].assign
    found = kassay.check(plain, examples=60).unheld
    assert found is not None
    assert found.breaks == ()
    assert found.fits in {"consumer/roundrobin", "consumer/range"}


@pytest.fixture
def like_sticky(tmp_path, monkeypatch):
    (tmp_path / "newcomer.py").write_text(
        "from kassay.families.assignors import ASSIGNORS\n\n\ndef assign(group):\n"
        "    return ASSIGNORS['consumer/sticky'].assign(group)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    file = tmp_path / "vanished.json"
    file.write_text(json.dumps(VANISHED))
    rest = ["--promises-of", "consumer/sticky", "--property", "crash_free", "--group", str(file)]
    return lambda target, *more: main(["check", target, *rest, *more, "--json", "-o", str(tmp_path)])


def test_a_newcomers_own_bug_is_no_known_defect_of_kafkas_but_with_like_kafka(like_sticky, capsys):
    def outcome():
        return json_lines(capsys, "verdict")[0]["outcome"]

    assert like_sticky("python:newcomer:assign") == 1
    assert outcome() == "broken"
    assert like_sticky("python:newcomer:assign", "--like-kafka") == 0
    assert outcome() == "known defect"
    assert like_sticky("consumer/sticky") == 0
    assert outcome() == "known defect"


def test_what_a_reference_was_never_made_for_is_no_failure_of_others():
    uneven = {
        "topics": [{"name": f"t{n}", "partitions": 1} for n in range(2)],
        "members": [{"id": name, "topics": ["t0", "t1"]} for name in "ab"],
    }
    mine = Assignor("mine", lambda _: {"a": [("t0", 0), ("t1", 0)], "b": []}, frozenset(), "")
    how = {"properties": ["balanced"], "promises_of": "consumer/range"}
    (verdict,) = kassay.check(mine, [kassay.read_group(uneven)], **how).verdicts
    assert verdict.outcome == "limit"


def test_like_kafka_alone_is_refused(capsys):
    assert main(["check", "consumer/range", "--like-kafka"]) == 2
    assert "--like-kafka: says how --promises-of is meant. Give that, too" in capsys.readouterr().err


KILLER = "import os, sys; sys.stdin.readline(); os.kill(os.getppid(), 9)"
UNKNOWN = """\
import json, sys
sys.stdin.readline()
print(json.dumps({"assignors": [{"name": "a", "promises": ["stable"], "except_in": {"stable": ["nowhere"]}}]}), flush=True)
sys.stdin.readline()
"""
WELL = ("consumer/range", "consumer/fair")


def program(code):
    return f"exec:{sys.executable} -c '{code}'"


def outcomes(capsys):
    found = {}
    for one in json_lines(capsys, "verdict"):
        found.setdefault(one["target"], {})[one["property"]] = (one["outcome"], one["message"])
    return found


@pytest.mark.parametrize(
    ("jobs", "bad", "said"),
    [
        ("2", "python:nowhere:assign", "No module named 'nowhere'"),
        ("1", "python:nowhere:assign", "No module named 'nowhere'"),
        ("1", "exec:nowhere-to-be-found", "cannot be started"),
        ("1", "exec:true", "ended with exit status 0 instead of an answer"),
        ("1", "consumer/nobody", "assignor consumer/nobody: is unknown"),
        ("1", program(UNKNOWN.replace("\n", "; ").rstrip("; ")), "there is no situation 'nowhere'"),
    ],
)
def test_a_bad_target_is_errored_and_the_others_are_judged(bad, said, jobs, tmp_path, capsys):
    specs = [WELL[0], bad, WELL[1]]
    command = [*specs, "-j", jobs, "--promise", "complete", "--examples", "20", "--json", "-o", str(tmp_path)]
    status = main(["check", *command])
    found = outcomes(capsys)
    assert list(found) == specs
    assert status == 3
    for name in WELL:
        assert found[name]["complete"] == ("kept", "")
    outcome, message = found[bad]["complete"]
    assert outcome == "errored"
    assert said in message


def test_one_that_kills_the_process_that_judges_it_is_blamed_itself(tmp_path, capsys):
    specs = [WELL[0], program(KILLER), WELL[1]]
    command = [*specs, "-j", "2", "--promise", "complete", "--examples", "20", "--json", "-o", str(tmp_path)]
    assert main(["check", *command]) == 3
    found = outcomes(capsys)
    assert [found[name]["complete"][0] for name in specs] == ["kept", "errored", "kept"]
    assert "died of signal SIGKILL" in found[specs[1]]["complete"][1]


def test_a_wrong_plan_is_wrong_usage_with_several_targets_too(tmp_path, capsys):
    command = ["check", *WELL, "-j", "2", "--examples", "20", "-o", str(tmp_path)]
    assert main([*command, "--promise", "perfect"]) == 2
    assert "consumer promise perfect: is unknown" in capsys.readouterr().err


def group_of(process):
    """Return the command that lists a process and all that it started."""
    return ["pgrep", "-g", str(process.pid)]


def test_an_interrupt_ends_several_targets_at_once(tmp_path):
    words = ["check", *WELL, "--examples", "100000", "-j", "2", "-o", str(tmp_path)]
    with subprocess.Popen(
        [sys.executable, "-m", "kassay", *words],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        while len(subprocess.run(group_of(process), check=False, capture_output=True).stdout.split()) < 3:
            assert process.poll() is None, process.communicate()
            time.sleep(0.1)  # until both workers are there
        time.sleep(4)  # and have begun
        start = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=30)
        took = time.monotonic() - start
    assert process.returncode == 130
    assert said.decode() == "kassay: interrupted; nothing is half-written\n"
    assert took < 10
    while subprocess.run(group_of(process), check=False, capture_output=True).stdout:
        assert time.monotonic() - start < 20, "processes are left behind"
        time.sleep(0.1)
