"""Copies of the process of a Python assignor: each instance begins with what the import left, and ends as its process does."""

import os
import threading

import pytest

import kassay
from kassay.errors import DiedError
from kassay.model import Group, Member, Topic
from kassay.output.block import BROKEN, KEPT
from kassay.targets import Options, open_target
from kassay.targets.forking import can_fork

SOURCE = '''
import os
import signal
import sys
import time

CALLS = []


def counts(group):
    CALLS.append(group)
    return {group.members[0].id: [("calls", len(CALLS))]}


def ends(group):
    CALLS.append(group)
    if len(CALLS) == 2:
        {"exits": lambda: sys.exit(7), "quits": lambda: os._exit(5), "dies": lambda: os.kill(os.getpid(), signal.SIGSEGV),
         "hangs": lambda: time.sleep(60)}[group.topics[0].name]()
    return {member.id: () for member in group.members}


def misses(group):
    """Forget the last partition of each topic from the second call on."""
    CALLS.append(group)
    late = len(CALLS) > 1
    return {group.members[0].id: [p for topic in group.topics for p in list(topic)[: -1 if late else None]]}
'''


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "counting.py").write_text(SOURCE)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return "counting"


def group(topic="t0"):
    return Group((Topic(topic, 1),), (Member("m0", (topic,)),))


def calls(answer):
    (((_, number),),) = answer.values()
    return number


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_each_instance_begins_with_what_the_import_left(module):
    with open_target(f"python:{module}:counts", Options()) as target:
        assert target.instances == "processes"
        assert [calls(target.assign(group())) for _ in range(3)] == [1, 2, 3]
        for _ in range(2):
            anew = target.anew(0)
            assert [calls(anew(group())) for _ in range(3)] == [1, 2, 3]
        both = [target.anew(seed) for seed in (0, 1)]
        assert [[calls(one(group())) for one in both] for _ in range(2)] == [[1, 1], [2, 2]]
        assert calls(target.assign(group())) == 4, "copies share nothing with the process"


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("exits", "exit status 7"),
        ("quits", "exit status 5"),
        ("dies", "signal 11"),
        ("hangs", "no answer within"),
    ],
)
def test_what_ends_a_copy_is_told_as_of_any_process_and_the_next_copy_answers(module, how, said):
    with open_target(f"python:{module}:ends", Options(timeout_s=1.0)) as target:
        anew = target.anew(0)
        assert anew(group(how)) == {"m0": ()}
        with pytest.raises(DiedError, match=said):
            anew(group(how))
        assert target.anew(0)(group(how)) == {"m0": ()}


def test_a_process_with_threads_is_not_copied():
    assert can_fork() == (hasattr(os, "fork") and threading.active_count() == 1)
    stop = threading.Event()
    other = threading.Thread(target=stop.wait)
    other.start()
    try:
        assert not can_fork()
    finally:
        stop.set()
        other.join()


@pytest.mark.parametrize(("before", "outcome"), [([], KEPT), ([group()], BROKEN)])
def test_groups_before_are_answered_by_one_instance_of_a_new_process(module, before, outcome):
    report = kassay.check(f"python:{module}:misses", [group()], before=before, promises=["complete"])
    assert [one.outcome for one in report.verdicts] == [outcome]
    assert [one.before for one in report.findings] == [tuple(before)] * bool(before)
