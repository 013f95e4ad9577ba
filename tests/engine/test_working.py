"""Budgets count the time in which a target works, and a busy machine takes no verdict away."""

import math
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from kassay.cli.render.check import render_check as blocks
from kassay.cli.render.findings import Results
from kassay.engine import plan as planning
from kassay.engine.check import check
from kassay.engine.plan import Plan
from kassay.engine.promises import Promises
from kassay.engine.verdict import BROKEN, ERRORED, KEPT, KNOWN_DEFECT, Tally, Verdict
from kassay.errors import TargetGoneError
from kassay.families import family
from kassay.reference import ASSIGNORS
from kassay.targets import Limits, Options, Target, limits
from kassay.targets.conversation import BrokenOffError, Conversation
from kassay.targets.limits import Account, waits_for_a_core, worked_by_all_s, worked_s

CONSUMER = family("consumer")
linux = pytest.mark.skipif(sys.platform != "linux", reason="CPU time of other processes is had of Linux")


def test_only_the_time_that_a_process_worked_is_counted_where_it_answered():
    account = Account(Limits(waiting_s=1))
    worked = iter((3.0, 3.12))
    with account.waiting(lambda: next(worked)):
        time.sleep(0.15)  # of another process
    assert account.waited == pytest.approx(0.12)
    with account.waiting(lambda: None):
        time.sleep(0.15)
    assert account.waited > 0.15
    account.renew()
    with pytest.raises(ValueError, match="no"), account.waiting(lambda: 0.0):
        raise ValueError("no")
    assert account.waited < 0.1


def test_answers_that_come_at_once_are_counted_too():
    account, worked = Account(Limits(waiting_s=math.inf, total_s=1)), 0.0

    def clock():
        nonlocal worked
        worked += 0.002
        return worked

    for _ in range(300):
        with account.waiting(clock):
            time.sleep(0.003)
    assert (account.waited, account.at_once) == (0.0, pytest.approx(0.6))
    assert account.left() == pytest.approx(0.4)
    account.at_once = 1.0
    with pytest.raises(TargetGoneError, match=r"was waited for 1\.0 seconds"):
        account.left()


STARTS = """
import subprocess, sys
child = subprocess.Popen(["sleep", "600"], start_new_session=True)
for line in sys.stdin:
    print(child.pid, flush=True)
"""


def is_running(pid):
    """Return True if a process runs and is not a zombie."""
    try:
        with Path(f"/proc/{pid}/stat").open() as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@linux
@pytest.mark.parametrize("way", ["end", "close"])
def test_what_a_program_starts_in_a_session_of_its_own_ends_with_it(way):
    conversation = Conversation([sys.executable, "-c", STARTS], 0, 1)
    child = conversation.ask(1, 20)
    assert is_running(child)
    getattr(conversation, way)()
    for _ in range(100):
        if not is_running(child):
            break
        time.sleep(0.05)
    assert not is_running(child)


@linux
def test_a_process_that_works_is_told_from_one_that_sleeps():
    spins = "import os, time\nif os.fork():\n    time.sleep(60)\nwhile True: pass"
    with (
        subprocess.Popen([sys.executable, "-c", spins], start_new_session=True) as busy,
        subprocess.Popen(["sleep", "60"]) as idle,
    ):
        try:
            for _ in range(200):
                if (worked_by_all_s(busy.pid) or 0) > 0.1 + (worked_s(busy.pid) or 0):
                    break
                time.sleep(0.05)
            assert worked_by_all_s(busy.pid) > 0.1 + worked_s(busy.pid)
            assert waits_for_a_core(busy.pid)
            assert not waits_for_a_core(idle.pid)
            assert worked_by_all_s(idle.pid) < 0.5
        finally:
            idle.kill()
            assert os.getpgid(busy.pid) == busy.pid  # its own group, and nobody else's
            os.killpg(busy.pid, signal.SIGKILL)
    assert worked_by_all_s(2**22 + 1) is None


@linux
@pytest.mark.parametrize("has_worked", [0.02, 9.0])
def test_who_is_kept_from_working_is_waited_for_and_who_has_worked_long_enough_is_not(
    has_worked, monkeypatch
):
    slowly = "import time\nfor line in open(0):\n    end = time.monotonic() + 0.5\n    while time.monotonic() < end: pass\n    print('1', flush=True)"
    conversation = Conversation([sys.executable, "-c", slowly], 0, 1)
    monkeypatch.setattr(conversation, "worked", lambda: 0.0)
    monkeypatch.setattr(limits, "worked_by_all_s", lambda _: has_worked)
    conversation.send(0)
    time.sleep(0.3)  # so that it runs
    try:
        if has_worked < 1:
            assert conversation.receive(0.3) == 1
        else:
            with pytest.raises(BrokenOffError, match=r"gave no answer within 0\.1 seconds"):
                conversation.receive(0.1)
    finally:
        conversation.end()


def test_what_was_kept_until_a_target_could_not_be_asked_any_more_is_told():
    assign = ASSIGNORS["consumer/range"].assign
    asked = []

    def goes(group):
        asked.append(group)
        if len(asked) > 30:
            raise TargetGoneError("it is gone")
        return assign(group)

    target = Target("t", "consumer", goes, goes)
    results = Results(["t"], [0], strict=False)
    for one in check(
        target, CONSUMER, examples=100, wanted=["complete"], promises=Promises(frozenset({"complete"}))
    ):
        match one:
            case Verdict():
                results.verdicts.append(one)
            case Tally():
                results.tallies.append(one)
    (verdict,) = results.verdicts
    assert verdict.outcome == ERRORED
    assert verdict.judged == 30
    assert any(
        "kept on 30 groups until it could not be asked any more" in block.text for block in blocks(results)
    )


class Clocked:
    """A target on its own clock, whose time grows by a power that is another one for each kind; one kind finds it gone."""

    def __init__(self, powers, gone=""):
        self.powers, self.now, self.gone = powers, 0.0, gone

    def assign(self, asked):
        kind, size = asked
        if kind == self.gone:
            raise TargetGoneError("it is gone")
        self.now += 0.002 * size ** self.powers[kind]

    def timed(self, slow=()):
        growing = {kind: lambda _, size, kind=kind: (kind, size) for kind in self.powers}
        target = Target(
            "t",
            "consumer",
            self.assign,
            self.assign,
            frozenset(),
            slow=frozenset(slow),
            clock=lambda: self.now,
        )
        return planning._timed(target, replace(CONSUMER, growing=growing), 60.0)


def test_time_is_judged_by_the_clock_of_the_target_and_known_kinds_are_known_defects():
    assert Clocked({"a": 1, "b": 1.2}).timed().outcome == KEPT
    one = Clocked({"a": 1, "b": 2}).timed()
    assert (one.outcome, one.breaches, one.judged) == (BROKEN, 1, 2)
    assert "b: the time grows as n^2.0" in one.message
    assert Clocked({"a": 1, "b": 2}).timed(slow={"b"}).outcome == KNOWN_DEFECT
    both = Clocked({"a": 2, "b": 2}).timed(slow={"b"})
    assert both.outcome == BROKEN
    assert "b:" not in both.message


def test_what_was_told_of_time_stands_where_the_target_is_gone():
    assert Clocked({"a": 1, "b": 1}, gone="b").timed().outcome == ERRORED
    assert Clocked({"a": 2, "b": 1}, gone="b").timed().outcome == BROKEN


def test_kafkas_known_kinds_are_kinds():
    for assignor in ASSIGNORS.values():
        assert assignor.slow <= family(assignor.family).growing.keys()
    assert Plan(1, 0, (), None, Options()).timed is False
