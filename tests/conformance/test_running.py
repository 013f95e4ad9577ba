"""`kassay fixtures` as people call it: what fails a run, and what it writes for badges, CI systems and other versions."""

import json
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from printed import json_lines

from kassay.cli import main
from kassay.conformance.fixture_runner import FAILED, KNOWN, PASSES, KnownFailures, Runner, run
from kassay.conformance.fixtures import OURS, load_form, read_family_fixtures
from kassay.families.assignors import ASSIGNORS

STICKY = "consumer/sticky"
HELD = (STICKY, "--promises-of", STICKY)
"""Held to promises that are named, nothing is excused."""


def runner(known=frozenset(), flaky=frozenset(), **others):
    declared = load_form("consumer").declared[STICKY]
    return Runner(
        "sticky", ASSIGNORS[STICKY].assign, declared, known=KnownFailures("k", known, flaky), **others
    )


@pytest.fixture(scope="module")
def failing():
    found = run(read_family_fixtures("consumer"), runner()).of(FAILED)
    assert len(found) > 20
    return frozenset(("sticky", one.case.id, one.check) for one in found)


def test_all_known_failures_make_a_run_green(failing):
    ran = run(read_family_fixtures("consumer"), runner(failing | {("other", "consumer-0001", "loads")}))
    assert ran.status == 0
    assert len(ran.of(KNOWN)) == len(failing)


@settings(max_examples=10, deadline=None)
@given(st.data())
def test_a_line_less_fails(failing, data):
    missing = data.draw(st.sampled_from(sorted(failing)))
    ran = run(read_family_fixtures("consumer"), runner(failing - {missing}))
    assert [("sticky", one.case.id, one.check) for one in ran.of(FAILED)] == [missing]
    assert ran.status == 1


def test_a_line_too_many_fails(failing):
    passing = ("sticky", "consumer-0001", "loads")
    assert [
        one.check for one in run(read_family_fixtures("consumer"), runner(failing | {passing})).of(PASSES)
    ] == ["loads"]
    unknown = run(
        read_family_fixtures("consumer"), runner(failing | {("sticky", "consumer-0001", "cooperative")})
    )
    assert unknown.unchecked == ("sticky consumer-0001 cooperative",)
    assert unknown.status == 1


def test_a_flaky_line_may_do_either(failing):
    passing = ("sticky", "consumer-0001", "loads")
    ran = run(read_family_fixtures("consumer"), runner(failing | {passing}, frozenset({passing})))
    assert ran.status == 0


def test_what_its_call_cannot_say_is_skipped_with_its_lines(failing):
    ran = run(
        read_family_fixtures("consumer"),
        runner(
            failing, can=("owned", "generation", "instance_id", "unknown_topic", "orphan_topic", "time_limit")
        ),
    )
    assert any(why == "needs racks" for _, why in ran.skipped)
    assert ran.status == 0
    nothing = run(read_family_fixtures("consumer"), runner(cases=("consumer-9*",)))
    assert nothing.status == 3


def test_the_command_line_says_it_in_every_format(tmp_path, capsys):
    badge = tmp_path / "badge.json"
    assert main(["fixtures", "run", *HELD, "--badge", str(badge), "--json"]) == 1
    head, *others = json_lines(capsys)
    assert head["counts"][FAILED] == sum(each.get("outcome") == FAILED for each in others) > 0
    assert json.loads(badge.read_text())["color"] == "red"
    assert main(["fixtures", "run", "consumer/range", "--format", "junit"]) == 0
    suites = ET.fromstring(capsys.readouterr().out)
    assert len(list(suites.iter("testcase"))) > 500
    assert not list(suites.iter("failure"))
    assert main(["fixtures", "run", *HELD, "--format", "markdown"]) == 1
    assert "consumer-0002" in capsys.readouterr().out


def test_known_failures_stand_in_a_file(tmp_path, capsys):
    assert main(["fixtures", "run", *HELD, "--json"]) == 1
    failed = [each for each in json_lines(capsys) if each.get("outcome") == FAILED]
    known = tmp_path / "known.txt"
    known.write_text(
        "# Kafka's\n" + "".join(f"sticky {each['case']} {each['check']}  # known\n" for each in failed)
    )
    assert main(["fixtures", "run", *HELD, "--known", str(known)]) == 0
    capsys.readouterr()
    known.write_text("sticky consumer-0002\n")
    assert main(["fixtures", "run", STICKY, "--known", str(known)]) == 2
    assert "line 1" in capsys.readouterr().err


def test_a_failure_prints_the_line_that_makes_it_known(tmp_path, capsys):
    few = ("fixtures", "run", *HELD, "--case", "consumer-00[01]*")
    assert main([*few]) == 1
    lines = re.findall(r"^(sticky consumer-\d{4} \w+) *$", capsys.readouterr().out, re.MULTILINE)
    assert len(lines) > 3
    known = tmp_path / "known.txt"
    known.write_text("\n".join(lines))
    assert main([*few, "--known", str(known)]) == 0
    known.write_text("\n".join(lines[1:]))
    assert main([*few, "--known", str(known)]) == 1
    assert re.findall(r"^(sticky consumer-\d{4} \w+) *$", capsys.readouterr().out, re.MULTILINE) == lines[:1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", STICKY, "--aim", "load"], "Did you mean 'loads'"),
        (["run", STICKY, "--exact", "sticky@1.0"], "--exact sticky@1.0"),
        (["run", STICKY, "--case", "broker-*"], "--case broker-*: fits no case"),
        (["run", STICKY, "--promises-of", "consumer/stick"], "consumer/sticky"),
        (["verify", "consumers"], "fixtures 'consumers': are unknown"),
        (["diff", str(OURS / "consumer.json"), str(OURS / "share.json")], "family: is share"),
        (["diff", *[str(OURS / "group.json")] * 2], "`kassay fixtures verify group` tests them"),
        (["diff", *[str(OURS / "wire.json")] * 2], "fixtures 'wire': are bytes for a codec"),
        (["run", "group"], "`kassay fixtures verify group` tests them"),
        (["verify", "wire"], "fixtures 'wire': are bytes for a codec"),
        (["run", STICKY, "--fixtures", "nowhere"], "nowhere/consumer.json: cannot be read"),
    ],
)
def test_wrong_usage_is_one_sentence(arguments, said, capsys):
    assert main(["fixtures", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_write_is_reproducible_and_says_what_would_change(tmp_path, capsys):
    assert main(["fixtures", "write", "share", "--check"]) == 0
    assert main(["fixtures", "write", "share", "--fixtures", str(tmp_path), "--check"]) == 1
    assert main(["fixtures", "write", "share", "--fixtures", str(tmp_path)]) == 0
    assert (tmp_path / "share.json").read_bytes() == (OURS / "share.json").read_bytes()
    assert main(["fixtures", "verify", "share", "--fixtures", str(tmp_path)]) == 0
    capsys.readouterr()


def test_diff_says_which_version_is_asked_for(tmp_path, capsys):
    file = json.loads((OURS / "share.json").read_text())
    fewer = file | {"count": file["count"] - 1, "cases": file["cases"][:-1]}
    reworded = file | {"cases": [file["cases"][0] | {"comment": "Other words."}, *file["cases"][1:]]}
    path = tmp_path / "old.json"
    for old, asks in ((fewer, "minor"), (reworded, "patch"), (file, "")):
        path.write_text(json.dumps(old))
        assert main(["fixtures", "diff", str(path), str(OURS / "share.json"), "--json"]) == 0
        assert json_lines(capsys)[0]["asks_for"] == asks
    path.write_text(json.dumps(fewer))
    assert main(["fixtures", "diff", str(OURS / "share.json"), str(path), "--json"]) == 0
    assert json_lines(capsys)[0]["asks_for"] == "major"
