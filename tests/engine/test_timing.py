"""Time: what is said of growth and of a budget, by a clock that the assignor itself moves."""

import pytest

from kassay.engine.plan import DOUBLINGS, LIMIT_S, SIZES, curve, seconds, slow
from kassay.errors import DiedError, SkippedError
from kassay.families import family
from kassay.model import AssignorError
from kassay.reference import ASSIGNORS

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
        return list(slow(self.assign, SIZED, clock=self.clock, **options))


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
    assert curve(one.assign, SIZED["sizes"], one.clock) == [LIMIT_S, 2 * LIMIT_S]
    assert one.calls == 4
    one = Clocked(lambda _: 1.0)
    assert len(curve(one.assign, SIZED["sizes"], one.clock)) == SIZES
    assert seconds(one.assign, 1, one.clock) == 1.0


def test_who_fails_is_not_asked_about_more_and_who_is_late_is_told():
    def fails(error):
        def assign(size):
            if size > 2:
                raise error

        return assign

    for error in (AssignorError("no"), SkippedError("no")):
        assert len(curve(fails(error), SIZED["sizes"])) == 2
        assert list(slow(fails(error), SIZED)) == []
    late = fails(DiedError("it gave no answer within 5 seconds; its standard error ends: busy"))
    assert list(slow(late, SIZED)) == ["sizes: it gave no answer within 5 seconds"]


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
