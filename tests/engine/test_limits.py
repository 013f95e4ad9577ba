"""What a target may take is limited in all: time, deaths, length of what it says, memory."""

import json
import os
import sys
import time
from pathlib import Path

import pytest
from printed import json_lines

from kassay.cli import main
from kassay.errors import DiedError, TargetGoneError
from kassay.model import MOST_SAID, AssignorError, Group, Member, Topic
from kassay.model.partitions_json import write_group
from kassay.targets import Limits, Options, open_target

SPEAKER = Path(__file__).parents[1] / "programs" / "speaker.py"
ONE = Group((Topic("t", 2),), (Member("a", ("t",)),))
TWO = Group((Topic("t", 2),), (Member("a", ("t",)), Member("b", ("t",))))


def spec(way):
    return f"exec:{sys.executable} {SPEAKER} {way}"


def outcomes(capsys):
    records = json_lines(capsys)
    return {r["property"]: (r["outcome"], r["message"]) for r in records if r["record"] == "verdict"}


@pytest.mark.parametrize(
    ("way", "more", "seconds"),
    [
        ("hangs", ["--timeout", "0.2", "--start-timeout", "10", "--wait", "1"], 1),
        ("closes", ["--timeout", "0.2", "--start-timeout", "10", "--wait", "3"], 3),
        ("exits", ["--deaths", "8"], 3),
    ],
)
def test_a_target_that_does_not_answer_is_broken_and_then_asked_no_more(way, more, seconds, tmp_path, capsys):
    asked = ["--property", "complete", "--property", "crash_free", "--json", "-o", str(tmp_path)]
    start = time.monotonic()
    assert main(["check", spec(way), *asked, *more]) == 1
    assert time.monotonic() - start < seconds + 8  # what is done besides waiting
    found = outcomes(capsys)
    assert found.pop("crash_free")[0] == "broken"
    assert found["complete"][0] == "errored"
    assert "allow more with --wait and --deaths" in found["complete"][1]


@pytest.mark.parametrize(("deaths", "rest"), [(100, "skipped"), (2, "errored")])
def test_a_target_that_dies_only_on_groups_of_laws_is_not_free_of_crashes(deaths, rest, tmp_path, capsys):
    """Its answer to the group itself is fine; the law's own promise could not be told."""
    (tmp_path / "groups.jsonl").write_text(3 * f"{json.dumps(write_group(TWO))}\n")
    promised = [f"--promise={name}" for name in ("member_order_independent", "crash_free", "complete")]
    command = [
        "check",
        spec("exits_backwards"),
        "--group",
        str(tmp_path / "groups.jsonl"),
        *promised,
        "--json",
    ]
    assert main([*command, "--deaths", str(deaths), "-o", str(tmp_path)]) == 1
    found = outcomes(capsys)
    assert found["crash_free"] == ("broken", "it fails: it ended with exit status 7 instead of an answer")
    assert found["member_order_independent"][0] == rest
    assert found["complete"][0] == ("kept" if rest == "skipped" else "errored")
    (finding,) = tmp_path.glob("finding-*.json")
    first, second = json.loads(finding.read_text())["group"]["members"]
    assert first["id"] > second["id"]
    assert main(["explain", str(finding), "--trust"]) == 1


def test_deaths_count_for_both_processes_of_a_target_and_time_only_where_it_is_lost():
    with open_target(spec("well"), Options(limits=Limits(waiting_s=30))) as target:
        for _ in range(300):
            target.assign(TWO)
        assert target.account.waited < 5
    with open_target(spec("exits"), Options(limits=Limits(deaths=3))) as target:
        for assign in (target.assign, target.again, target.assign):
            with pytest.raises(DiedError):
                assign(TWO)
        with pytest.raises(TargetGoneError, match="died or hung 3 times, last because it ended with exit"):
            target.assign(ONE)
    with open_target(spec("hangs"), Options(0.2, limits=Limits(waiting_s=30))) as target:
        target.account.waited = 29.9
        with pytest.raises(DiedError, match=r"gave no answer within 0\.2 seconds"):
            target.assign(TWO)
        with pytest.raises(TargetGoneError, match=r"was waited for 30\.\d seconds and died or hung 1 times"):
            target.assign(ONE)


def test_a_process_that_had_no_time_left_to_start_is_told_so():
    with open_target(spec("exits"), Options(limits=Limits(waiting_s=30))) as target:
        target.account.waited = 29.9999
        with pytest.raises(DiedError):
            target.assign(TWO)
        target.account.waited = 29.9999
        with pytest.raises(TargetGoneError, match="was waited for 30"):
            target.assign(ONE)


def test_the_first_line_obeys_the_timeout(tmp_path, capsys):
    start = time.monotonic()
    command = ["check", spec("mute"), "-o", str(tmp_path)]
    assert main([*command, "--timeout", "0.3"]) == 3
    assert time.monotonic() - start < 10
    said = " ".join(capsys.readouterr().out.split())  # wherever the line is broken: the paths in it differ
    assert "gave no answer within 0.3 seconds, when asked for its assignors" in said
    assert "property" not in said, "a program that never ran has no table"
    assert said.startswith("open ")
    assert said.rstrip().endswith("Exit status 3: could not tell.")


def test_a_line_that_is_no_json_is_quoted_and_a_long_one_cut():
    short = Options(timeout_s=20, limits=Limits(line_mb=1))
    said = "is not JSON: 'oops, a debug line'"
    with open_target(spec("babbles"), short) as target, pytest.raises(DiedError, match=said):
        target.assign(TWO)
    said = "over 1 MB in one answer"
    with open_target(spec("floods"), short) as target, pytest.raises(DiedError, match=said):
        target.assign(TWO)


@pytest.mark.parametrize("way", ["rants", "declines_at_length"])
def test_what_a_target_says_is_cut(way, tmp_path, capsys):
    with (
        open_target(spec(way), Options()) as target,
        pytest.raises(Exception, match=r"\(3,000,000 ch") as said,
    ):
        target.assign(TWO)
    assert len(str(said.value)) < MOST_SAID + 50
    main(["check", spec(way), "--json", "--examples", "20", "--property", "crash_free", "-o", str(tmp_path)])
    assert len(capsys.readouterr().out) < 100_000


def test_a_python_target_has_no_more_memory_than_is_allowed(tmp_path, monkeypatch, capsys):
    (tmp_path / "hog.py").write_text("def assign(group):\n    bytes(2**30)\n    return {}\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    group = tmp_path / "group.json"
    group.write_text('{"topics": [], "members": []}')
    command = ["assign", "python:hog:assign", str(group), "--timeout", "60"]
    assert main([*command, "--memory-mb", "800"]) == 3
    assert "MemoryError" in capsys.readouterr().out
    assert main([*command, "--memory-mb", "0"]) == 0


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (["--wait", "0"], "'0' is no time in seconds"),
        (["--start-timeout", "x"], "'x' is no time in seconds"),
        (["--deaths", "0"], "0 is too few; give 1 or more"),
        (["--answer-mb", "-1"], "'-1' is no whole number from 0"),
        (["--memory-mb", "much"], "'much' is no whole number from 0"),
    ],
)
def test_a_wrong_limit_is_2(option, said, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["check", "consumer/range", *option])
    assert said in capsys.readouterr().err


def test_a_failure_of_a_reference_is_cut_too():
    assert str(AssignorError("x" * 10_000)).endswith("... (10,000 characters)")
    assert len(AssignorError("", "y" * 10_000).stack) < MOST_SAID + 50
