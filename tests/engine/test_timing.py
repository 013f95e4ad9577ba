"""Time: growth and budgets, by the time in which a target works; a busy machine takes no verdict away."""

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
from kassay.engine.plan import DOUBLINGS, LIMIT_S, SIZES, Plan, find_slow, measure_curve, measure_seconds
from kassay.engine.promises import Promises
from kassay.engine.verdict import Tally, Verdict
from kassay.errors import DiedError, SkippedError, TargetGoneError
from kassay.families import family
from kassay.model import AssignorError
from kassay.output.block import BROKEN, ERRORED, KEPT, KNOWN_DEFECT
from kassay.reference import ASSIGNORS
from kassay.targets import Limits, Options, Target, limits
from kassay.targets.conversation import BrokenOffError, Conversation
from kassay.targets.limits import Account, is_waiting_for_core, read_cpu_s, read_total_cpu_s

SIZED = {"sizes": lambda _, size: size}


class Clocked:
    """An assignor that takes so long as it is told, on its own clock; every so many answers somebody else holds it up."""

    def __init__(self, cost, *, busy=0, delay_s=0.0):
        self.cost, self.busy, self.delay_s, self.now, self.calls = cost, busy, delay_s, 0.0, 0

    def assign(self, size):
        self.calls += 1
        self.now += self.cost(size)
        if self.busy and self.calls % self.busy == 0:
            self.now += self.delay_s

    def clock(self):
        return self.now

    def said(self, **options):
        return list(find_slow(self.assign, SIZED, clock=self.clock, **options))


def test_growth_beyond_the_power_is_told_with_the_times():
    assert Clocked(lambda n: 0.001 * n**2).said() == [
        "sizes: the time grows as n^2.0, faster than n^1.5 (0.001, 0.004, 0.016, 0.064, 0.26, 1, 4.1 s as it doubles)"
    ]


@pytest.mark.parametrize("power", [0, 1, 1.4, 1.55])
def test_growth_within_the_power_is_not(power):
    assert Clocked(lambda n: 0.002 * n**power).said() == []


def test_a_budget_is_told_first():
    assert Clocked(lambda n: 0.003 * n**2).said(budget_s=2.5) == [
        "sizes: an answer takes 3.1 s, above the budget of 2.5 s (0.003, 0.012, 0.048, 0.19, 0.77, 3.1 s as it doubles)"
    ]


@pytest.mark.parametrize("busy", [2, 3, 5, 7, 11])
@pytest.mark.parametrize("delay_s", [0.05, 0.5])
def test_a_busy_machine_accuses_nobody(busy, delay_s):
    assert Clocked(lambda n: 0.002 * n, busy=busy, delay_s=delay_s).said() == []


def test_two_steep_steps_are_no_growth():
    assert DOUBLINGS > 2
    assert Clocked(lambda n: 0.01 * n * (16 if n > 4 else 4 if n > 2 else 1)).said() == []


def test_what_is_steep_only_once_is_not_told():
    class Warming(Clocked):
        def assign(self, size):
            self.cost = (lambda n: 0.001 * n**2) if self.calls < 15 else (lambda n: 0.001 * n)
            super().assign(size)

    assert Warming(None).said() == []


def test_what_is_too_fast_to_be_measured_tells_nothing():
    assert Clocked(lambda n: 1e-9 * n**4).said() == []


def test_a_long_answer_is_measured_once_and_the_last():
    one = Clocked(lambda n: LIMIT_S * n)
    assert measure_curve(one.assign, SIZED["sizes"], one.clock) == [LIMIT_S, 2 * LIMIT_S]
    assert one.calls == 4
    one = Clocked(lambda _: 1.0)
    assert len(measure_curve(one.assign, SIZED["sizes"], one.clock)) == SIZES
    assert measure_seconds(one.assign, 1, one.clock) == 1.0


def test_who_fails_is_not_asked_about_more_and_who_is_late_is_told():
    def fails(error):
        def assign(size):
            if size > 2:
                raise error

        return assign

    for error in (AssignorError("no"), SkippedError("no")):
        assert len(measure_curve(fails(error), SIZED["sizes"])) == 2
        assert list(find_slow(fails(error), SIZED)) == []
    late = fails(DiedError("it gave no answer within 5 seconds; its standard error ends: busy"))
    assert list(find_slow(late, SIZED)) == ["sizes: it gave no answer within 5 seconds"]


def test_groups_of_the_family_double_and_are_answered():
    assign = ASSIGNORS["consumer/range"].assign
    growing = family("consumer").growing
    assert len(growing) == 8
    for name, make in growing.items():
        small, large = (make(assign, size) for size in (1, 2))
        sizes = [len(g.members) * len(g.topics) + sum(t.partitions for t in g.topics) for g in (small, large)]
        assert sizes[1] > 1.5 * sizes[0], name
        assert (
            bool(small.members[0].owned)
            == name.endswith("new")
            == (not small.members[-1].owned and "new" in name)
        )


CONSUMER = family("consumer")
linux = pytest.mark.skipif(sys.platform != "linux", reason="CPU time of other processes is had of Linux")


def test_only_the_time_that_a_process_worked_is_counted_where_it_answered():
    account = Account(Limits(waiting_s=1))
    worked = iter((3.0, 3.12))
    with account.measure_wait(lambda: next(worked)):
        time.sleep(0.15)  # of another process
    assert account.waited == pytest.approx(0.12)
    with account.measure_wait(lambda: None):
        time.sleep(0.15)
    assert account.waited > 0.15
    account.renew()
    with pytest.raises(ValueError, match="no"), account.measure_wait(lambda: 0.0):
        raise ValueError("no")
    assert account.waited < 0.1


def test_answers_that_come_at_once_are_counted_too():
    account, worked = Account(Limits(waiting_s=math.inf, total_s=1)), 0.0

    def clock():
        nonlocal worked
        worked += 0.002
        return worked

    for _ in range(300):
        with account.measure_wait(clock):
            time.sleep(0.003)
    assert (account.waited, account.at_once) == (0.0, pytest.approx(0.6))
    assert account.compute_rest() == pytest.approx(0.4)
    account.at_once = 1.0
    with pytest.raises(TargetGoneError, match=r"was waited for 1\.0 seconds"):
        account.compute_rest()


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
                if (read_total_cpu_s(busy.pid) or 0) > 0.1 + (read_cpu_s(busy.pid) or 0):
                    break
                time.sleep(0.05)
            assert read_total_cpu_s(busy.pid) > 0.1 + read_cpu_s(busy.pid)
            assert is_waiting_for_core(busy.pid)
            assert not is_waiting_for_core(idle.pid)
            assert read_total_cpu_s(idle.pid) < 0.5
        finally:
            idle.kill()
            assert os.getpgid(busy.pid) == busy.pid  # its own group, and nobody else's
            os.killpg(busy.pid, signal.SIGKILL)
    assert read_total_cpu_s(2**22 + 1) is None


@linux
@pytest.mark.parametrize("has_worked", [0.02, 9.0])
def test_who_is_kept_from_working_is_waited_for_and_who_has_worked_long_enough_is_not(
    has_worked, monkeypatch
):
    slowly = "import time\nfor line in open(0):\n    end = time.monotonic() + 0.5\n    while time.monotonic() < end: pass\n    print('1', flush=True)"
    conversation = Conversation([sys.executable, "-c", slowly], 0, 1)
    monkeypatch.setattr(conversation, "worked", lambda: 0.0)
    monkeypatch.setattr(limits, "read_total_cpu_s", lambda _: has_worked)
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
    assert any("kept on 30 groups before that" in each for block in blocks(results) for each in block.caveats)


class ClockedTarget:
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
        more = {"slow": frozenset(slow), "clock": lambda: self.now}
        target = Target("t", "consumer", self.assign, self.assign, frozenset(), **more)
        return planning._check_time(target, replace(CONSUMER, growing=growing), 60.0)


def test_time_is_judged_by_the_clock_of_the_target_and_known_kinds_are_known_defects():
    assert ClockedTarget({"a": 1, "b": 1.2}).timed().outcome == KEPT
    one = ClockedTarget({"a": 1, "b": 2}).timed()
    assert (one.outcome, one.breaches, one.judged) == (BROKEN, 1, 2)
    assert "b: the time grows as n^2.0" in one.message
    assert ClockedTarget({"a": 1, "b": 2}).timed(slow={"b"}).outcome == KNOWN_DEFECT
    both = ClockedTarget({"a": 2, "b": 2}).timed(slow={"b"})
    assert both.outcome == BROKEN
    assert "b:" not in both.message


def test_what_was_told_of_time_stands_where_the_target_is_gone():
    assert ClockedTarget({"a": 1, "b": 1}, gone="b").timed().outcome == ERRORED
    assert ClockedTarget({"a": 2, "b": 1}, gone="b").timed().outcome == BROKEN


def test_kafkas_known_kinds_are_kinds():
    for assignor in ASSIGNORS.values():
        assert assignor.slow <= family(assignor.family).growing.keys()
    assert Plan(1, 0, (), None, Options()).timed is False
