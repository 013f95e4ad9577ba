"""Several targets at once: each has its own verdicts, one that goes wrong costs the others nothing."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from kassay.cli import main

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
    for record in map(json.loads, capsys.readouterr().out.splitlines()):
        if record["record"] == "verdict":
            found.setdefault(record["target"], {})[record["property"]] = (
                record["outcome"],
                record["message"],
            )
    return found


@pytest.mark.parametrize(
    ("jobs", "bad", "said"),
    [
        ("2", "python:nowhere:assign", "No module named 'nowhere'"),
        ("1", "python:nowhere:assign", "No module named 'nowhere'"),
        ("1", "exec:nowhere-to-be-found", "cannot be started"),
        ("1", "exec:true", "ended with exit status 0 instead of an answer"),
        ("1", "consumer/nobody", "there is no assignor consumer/nobody"),
        ("1", program(UNKNOWN.replace("\n", "; ").rstrip("; ")), "there is no situation 'nowhere'"),
    ],
)
def test_a_bad_target_is_errored_and_the_others_are_judged(bad, said, jobs, tmp_path, capsys):
    specs = [WELL[0], bad, WELL[1]]
    status = main(
        [
            "check",
            *specs,
            "-j",
            jobs,
            "--promise",
            "complete",
            "--examples",
            "20",
            "--json",
            "-o",
            str(tmp_path),
        ]
    )
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
    assert "there is no consumer promise perfect" in capsys.readouterr().err


def group_of(process):
    """Return the command that lists a process and all that it started."""
    return ["pgrep", "-g", str(process.pid)]


def test_an_interrupt_ends_several_targets_at_once(tmp_path):
    command = [
        sys.executable,
        "-m",
        "kassay",
        "check",
        *WELL,
        "--examples",
        "100000",
        "-j",
        "2",
        "-o",
        str(tmp_path),
    ]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        while len(subprocess.run(group_of(process), check=False, capture_output=True).stdout.split()) < 3:
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
