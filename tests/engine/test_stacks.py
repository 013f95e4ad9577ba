"""A crash of an assignor says where in its own code it failed, wherever it runs."""

import json
import os

import pytest

from kassay.cli import main
from kassay.families import family
from kassay.model import AssignorError, Group, Member, Topic
from kassay.targets import Options, open_target
from kassay.targets.target import answering, failing_softly

CONSUMER = family("consumer")
ONE = Group((Topic("t", 1),), (Member("a", ("t",)),))
THEIRS = """
def owner(members):
    return members[7]

def assign(group):
    if sum(topic.partitions for topic in group.topics) == 0:
        return {}[0]
    return {owner(group.members).id: []}
"""


@pytest.fixture
def theirs(tmp_path, monkeypatch):
    (tmp_path / "theirs.py").write_text(THEIRS)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.chdir(tmp_path)
    return "python:theirs:assign"


def test_a_failure_has_the_frames_of_the_users_code_innermost_first(theirs):
    with open_target(theirs, Options()) as target, pytest.raises(AssignorError) as failed:
        target.assign(ONE)
    assert str(failed.value) == "IndexError: tuple index out of range"
    assert failed.value.stack.splitlines() == [
        "theirs.py:3 in owner: return members[7]",
        "theirs.py:8 in assign: return {owner(group.members).id: []}",
    ]


def test_each_place_of_a_crash_is_a_finding_with_file_and_line(theirs, tmp_path, capsys):
    arguments = [
        "check",
        theirs,
        "--property",
        "crash_free",
        "--examples",
        "150",
        "-o",
        str(tmp_path / "out"),
    ]
    assert main([*arguments, "--json"]) == 1
    found = [r for r in map(json.loads, capsys.readouterr().out.splitlines()) if r["record"] == "finding"]
    assert [one["stack"].partition(":")[2].partition(" ")[0] for one in found] == ["3", "7"]
    assert [one["messages"] for one in found] == [
        ["it fails: IndexError: tuple index out of range"],
        ["it fails: KeyError: 0"],
    ]
    assert found[0]["count"] > found[1]["count"]
    assert main(arguments) == 1
    assert "theirs.py:3 in owner: return members[7]" in capsys.readouterr().out
    assert main(["explain", found[0]["file"], "--trust"]) == 1
    assert "theirs.py:3 in owner: return members[7]" in capsys.readouterr().out


def test_frames_of_kassay_are_left_out_and_reference_assignors_own_stay():
    def broken(_):
        raise KeyError("m")

    with pytest.raises(AssignorError) as failed:
        failing_softly(broken)(ONE)
    assert failed.value.stack.splitlines() == [
        line for line in failed.value.stack.splitlines() if "test_stacks.py" in line
    ]
    assert "in broken" in failed.value.stack


def test_plain_tuples_and_lists_are_assignments_and_anything_else_is_said_to_be_none():
    for given in ({"a": [("t", 0)]}, {"a": (["t", 0],)}, {"a": [list(p) for p in [("t", 0)]]}):
        assert answering(lambda _, given=given: given, CONSUMER)(ONE) == {"a": (("t", 0),)}
    for given in (None, [], {"a": 3}, {"a": [3]}, {"a": ["t-0"]}, {3: []}, {"a": [("t", "0")]}):
        with pytest.raises(AssignorError, match="no assignment"):
            answering(lambda _, given=given: given, CONSUMER)(ONE)
