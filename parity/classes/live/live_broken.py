"""Java assignors broken in one way each give verdicts with the Java stack, and the next group is answered."""

import os
import shutil
import subprocess
import sys
import time

import pytest
from classes.live.broken.broken_classes import folder, opened

from kassay.errors import DiedError, InputError
from kassay.model import AssignorError, Group, Member, Topic, TopicPartition
from kassay.targets import Options
from kassay.targets.java import build_command, complete_spec, open_jar

pytestmark = pytest.mark.usefixtures("java")

ONE = Group((Topic("t", 1),), (Member("a", ("t",)),))
TWO = Group((Topic("t", 1),), (Member("a", ("t",)), Member("b", ("t",))))
WELL = {"a": (TopicPartition("t", 0),), "b": ()}


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        (
            "Throws",
            AssignorError,
            r'^IllegalStateException: two are "too" many; caused by RuntimeException: one is plenty \[at .*Throws.break_\(',
        ),
        (
            "Recurses",
            AssignorError,
            r"StackOverflowError \[at Broken\$Recurses.break_\(Broken.java:\d+\) < Broken",
        ),
        (
            "Hangs",
            DiedError,
            r"gave no answer within 2 seconds; its standard error ends: busy \[at .*Hangs.break_\(",
        ),
        (
            "Exits",
            DiedError,
            r"exit status 7 instead of an answer; its standard error ends: ended \[at .*Exits.break_",
        ),
        (
            "Hoards",
            DiedError,
            r"its standard error ends: OutOfMemoryError: Java heap space \[at Broken\$Hoards.break",
        ),
        (
            "Crashes",
            DiedError,
            r"instead of an answer; its standard error ends: the Java machine itself crashed$",
        ),
        (
            "Circular",
            AssignorError,
            r"^RuntimeException: two; caused by RuntimeException: one; caused by .* \[at ",
        ),
        (
            "GivesNull",
            AssignorError,
            r"it answered what is no assignment: null for the partitions of member a$",
        ),
        (
            "GivesNoTopic",
            AssignorError,
            r"it answered what is no assignment: null for a partition of member a$",
        ),
    ],
)
def test_what_goes_wrong_is_said_and_the_next_group_is_answered(name, kind, said):
    with opened(name, 20.0 if name == "Hoards" else 2.0) as target:
        assert list(target.assign(ONE)) == ["a"]
        with pytest.raises(kind, match=said) as failure:
            target.assign(TWO)
        assert type(failure.value) is kind
        assert list(target.assign(ONE)) == ["a"]


@pytest.mark.parametrize("name", ["Well", "Babbles", "LeavesThreads"])
def test_what_does_no_harm(name):
    with opened(name) as target:
        assert target.assign(TWO) == WELL
        assert target.assign(TWO) == WELL


def test_a_class_that_returns_null():
    with opened("ReturnsNull") as target, pytest.raises(AssignorError, match=r"no assignment: null$"):
        target.assign(ONE)


def test_members_say_what_they_send_after_hearing_what_they_had():
    owned = (TopicPartition("t", 0), TopicPartition("t", 5))
    members = (
        Member("new", ("t", "u"), rack="r"),
        Member("old", ("t",), owned, 7),
        Member("bare", ("t",), (), 8),
    )
    with opened("Remembers") as target:
        given = target.assign(Group((Topic("t", 1),), members))
    assert {member: partition.topic for member, (partition,) in given.items()} == {
        "new": "kassay in r had -1 at -1 wants [t, u]",
        "old": "kassay in null had 2 at 7 wants [t]",
        "bare": "kassay in null had 0 at 8 wants [t]",
    }


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("NoAssignor", "is no assignor; name one that implements ConsumerPartitionAssignor"),
        ("Everything", "is abstract"),
        ("Hidden", "is not public"),
        ("WantsMore", "has no public constructor without parameters"),
        ("CannotBeMade", "cannot be made: IllegalArgumentException: not today"),
        ("Missing", r"the jars hold no class broken.Broken\$Missing"),
    ],
)
def test_what_is_no_assignor_is_refused(name, said):
    with pytest.raises(InputError, match=said):
        opened(name)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (
            lambda data: data[:6] + b"\x00\xff" + data[8:],
            r"is made for a newer Java than \d+.*; set JAVA_HOME to a newer one$",
        ),
        (lambda data: data[:-9], r"cannot be made: ClassFormatError: Truncated class file"),
    ],
)
def test_classes_that_java_refuses(spoil, said, tmp_path):
    shutil.copytree(folder(), tmp_path / "classes")
    well = tmp_path / "classes" / "broken" / "Broken$Well.class"
    well.write_bytes(spoil(well.read_bytes()))
    with pytest.raises(InputError, match=said):
        open_jar("jar:x", f"{tmp_path / 'classes'}#broken.Broken$Well", Options())


def test_a_hanging_class_does_not_outlive_the_one_who_asked():
    """The asking process is killed, so that it cannot end its child."""
    command = build_command(complete_spec([folder()]), "broken.Broken$Hangs", 1.0)
    hang = (
        '{"kassay":1}\n{"seq":1,"assignor":"x","group":{"topics":[],"members":'
        '[{"id":"a","topics":[]},{"id":"b","topics":[]}]}}\n'
    )
    script = (
        "import os, subprocess, sys, time\n"
        f"child = subprocess.Popen({command!r}, stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        f"child.stdin.write({hang.encode()!r}); child.stdin.flush(); child.stdout.readline()\n"
        "print(child.pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as asking:
        assert asking.stdout is not None
        pid = int(asking.stdout.readline())
        os.kill(pid, 0)
        asking.kill()
    deadline = time.monotonic() + 10
    while _runs(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(pid)


def _runs(pid: int) -> bool:
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout
    return bool(state) and not state.startswith("Z")
