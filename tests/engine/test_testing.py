"""What other projects write in their tests, run as they would run it."""

import subprocess
import sys

from printed import of_pytest

TESTS = """
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
    (tmp_path / "test_theirs.py").write_text(TESTS)
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
    assert "complete could not be judged: it answered none of the groups" in out
    (replay,) = (line for line in out.splitlines() if line.startswith("or: echo"))
    assert "kassay check python:test_plain:crashes --promise crash_free --group -" in replay
    again = subprocess.run(
        replay.removeprefix("or: ").replace("kassay", f"{sys.executable} -m kassay"),
        shell=True, capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert again.returncode == 1
    assert "IndexError" in again.stdout
