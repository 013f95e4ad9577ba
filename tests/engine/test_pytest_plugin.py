"""What other projects write in their tests, with the fixture `kassay_check` and their settings."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from _pytest.outcomes import Failed
from printed import of_pytest

from kassay.cli import parse_arguments
from kassay.errors import InputError
from kassay.model import TopicPartition
from kassay.output.block import KNOWN_DEFECT

ROOT = Path(__file__).parents[2]
TESTS = """
def deal(group):
    given = {member.id: [] for member in group.members}
    for topic in group.topics:
        readers = [member.id for member in group.members if topic.name in member.topics]
        for partition in topic if readers else ():
            given[readers[partition.partition % len(readers)]].append(partition)
    return given


def test_that_holds(kassay_check):
    kassay_check(deal)


def test_that_fails(kassay_check):
    kassay_check(deal, promises=["balanced"])
"""


def test_a_project_has_it_without_an_import(tmp_path):
    (tmp_path / "test_mine.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "kassay.toml").write_text(
        'examples = 30\npromises = ["complete", "exclusive"]\n[profiles.few]\nexamples = 9\n'
    )
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--kassay-profile", "few"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "1 failed, 1 passed" in ran.stdout
    assert "deal breaks balanced: " in ran.stdout
    assert re.search(r"smallest group: Group\(", ran.stdout)
    (seen,) = {*re.findall(r"seen on (\d+) groups, seed 0", ran.stdout)}  # CI systems are told twice
    assert 1 <= int(seen) <= 30


@pytest.fixture
def settings(tmp_path, request, monkeypatch):
    monkeypatch.setattr(type(request.config), "rootpath", property(lambda _: tmp_path))
    return tmp_path / "kassay.toml"


def test_settings_hold_where_nothing_is_said(settings, kassay_check):
    settings.write_text('examples = 8\nseeds = [5]\npromises = ["complete"]\n')
    report = kassay_check("consumer/range")
    assert [one.property for one in report.verdicts] == ["complete"]
    few, more = report.tally.groups, kassay_check("consumer/range", examples=16, seed=5).tally.groups
    assert few < more
    assert {one.property for one in kassay_check("consumer/range", promises_of="consumer/range").verdicts} > {
        "complete"
    }
    settings.write_text("exmaples = 8\n")
    with pytest.raises(InputError, match="Did you mean 'examples'"):
        kassay_check("consumer/range")


def test_known_defects_fail_where_that_is_strict(settings, kassay_check):
    report = kassay_check("consumer/sticky", properties=["balanced"], examples=150)
    assert [one.outcome for one in report.verdicts] == [KNOWN_DEFECT]
    with pytest.raises(Failed, match="consumer/sticky breaks balanced"):
        kassay_check("consumer/sticky", properties=["balanced"], examples=150, strict=True)
    settings.write_text("strict = true\n")
    with pytest.raises(Failed, match="consumer/sticky breaks balanced"):
        kassay_check("consumer/sticky", properties=["balanced"], examples=150)


def test_one_cause_is_told_once(kassay_check):
    def invents(group):
        return {member.id: [TopicPartition("nowhere", 0)] for member in group.members}

    with pytest.raises(Failed) as failed:
        kassay_check(invents, promises=["existing", "subscribed"], examples=30)
    said = str(failed.value)
    assert said.count("smallest group: ") == 1
    assert re.search(r"^the same group breaks (existing|subscribed): nowhere-0 ", said, re.MULTILINE)


def test_what_could_not_be_judged_fails(kassay_check):
    with pytest.raises(Failed, match="complete could not be checked"):
        kassay_check("consumer/range", promises=["complete"], examples=0)


def test_the_entry_point_and_the_hook_are_what_is_there():
    text = (ROOT / "pyproject.toml").read_text()
    assert '[project.entry-points.pytest11]\nkassay = "kassay.pytest_plugin"\n' in text
    hook = dict(
        line.strip("- ").split(": ", 1)
        for line in (ROOT / ".pre-commit-hooks.yaml").read_text().splitlines()[1:]
    )
    program, *words = shlex.split(hook["entry"])
    args = parse_arguments([*words, *hook["args"].strip("[]").split(", ")])
    assert (program, args.command, args.profile, hook["pass_filenames"]) == ("kassay", "check", "ci", "false")


PARAMETRIZED = """
from kassay.model import Assignor
from kassay.reference import ASSIGNORS
from kassay.testing import parametrize_with_properties

def nothing(group):
    return {member.id: () for member in group.members}

@parametrize_with_properties([ASSIGNORS["consumer/range"]], examples=30)
def test_range(assignor, keeps):
    assert assignor.name == "consumer/range"
    keeps(assignor)

@parametrize_with_properties([nothing], examples=30)
def test_nothing(assignor, keeps):
    keeps(assignor)

@parametrize_with_properties([nothing], examples=30, expected_failures={"complete": "it gives nothing"})
def test_known(assignor, keeps):
    keeps(assignor)

@parametrize_with_properties([nothing], examples=30, properties=["subscribed"], expected_failures={"subscribed": "wrongly"})
def test_stale_known_failure(assignor, keeps):
    keeps(assignor)
"""


def test_one_test_for_each_property(tmp_path):
    (tmp_path / "test_theirs.py").write_text(PARAMETRIZED)
    out = of_pytest(tmp_path)
    assert "PASSED test_theirs.py::test_range[consumer/range-complete]" in out
    assert "FAILED test_theirs.py::test_nothing[nothing-complete]" in out
    assert "nothing breaks complete: t0-0 has no owner" in out
    assert (
        "smallest group: Group(topics=(Topic(name='t0', partitions=1),), members=(Member(id='m0', topics=('t0',)),))"
        in out
    )
    assert '"topics": [{"name": "t0", "partitions": 1}]' in out
    assert "XFAIL test_theirs.py::test_known[nothing-complete]" in out
    assert "FAILED test_theirs.py::test_stale_known_failure[nothing-subscribed]" in out
    assert "2 failed" in out


PLAIN = """
from kassay.testing import parametrize_with_properties

def deal(group):
    given = {member.id: [] for member in group.members}
    for topic in group.topics:
        readers = [member.id for member in group.members if topic.name in member.topics]
        for number in range(topic.partitions if readers else 0):
            given[readers[number % len(readers)]].append((topic.name, number))
    return given

def crashes(group):
    return {group.members[999].id: []}

@parametrize_with_properties([deal], examples=60)
def test_deal(assignor, keeps):
    keeps(assignor)

@parametrize_with_properties([crashes], examples=60, properties=["crash_free", "complete"])
def test_crashes(assignor, keeps):
    keeps(assignor)
"""


def test_plain_tuples_are_taken_and_a_failure_says_all_there_is_to_say(tmp_path):
    (tmp_path / "test_plain.py").write_text(PLAIN)
    out = of_pytest(tmp_path)
    assert "7 passed" in out
    assert "2 failed" in out
    assert "crashes breaks crash_free: it fails: IndexError: tuple index out of range" in out
    assert "test_plain.py:13 in crashes: return {group.members[999].id: []}" in out
    assert "answer: none" in out
    assert "complete could not be checked: it answered none of the groups" in out
    (replay,) = (line for line in out.splitlines() if line.startswith("or: echo"))
    assert "kassay check python:test_plain:crashes --promise crash_free --group -" in replay
    again = subprocess.run(
        replay.removeprefix("or: ").replace("kassay", f"{sys.executable} -m kassay"),
        shell=True, capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert again.returncode == 1
    assert "IndexError" in again.stdout
