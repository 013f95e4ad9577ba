"""Hypothesis strikes a group as it likes, looks at it between, and lets it recover."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from simulation.test_running import build
from whole import share

from kassay.simulation.faults import FAULTS
from kassay.simulation.judging.invariants import is_stable
from kassay.simulation.runs.cached_run import Quiet, begin, run_until
from kassay.simulation.runs.running import BOUND_MS
from kassay.simulation.schedule import Fault, Setting

STRIKES = sorted(set(FAULTS) - {"upgrade", "redeploy", "stall"})


class Struck(RuleBasedStateMachine):
    """A group of two or three members; every breach must be one that is known."""

    @initialize(
        coordinator=st.sampled_from(["proposal", "kafka@4.4.0"]),
        members=st.integers(2, 3),
        cooperative=st.booleans(),
    )
    def begin(self, coordinator, members, cooperative):
        self.setting = Setting(
            coordinator=coordinator, members=members, partitions=(3,), cooperative=cooperative
        )
        self.world = Quiet(self.setting, build(self.setting)).at(0)
        self.faults = []

    @rule(
        kind=st.sampled_from(STRIKES),
        who=st.integers(0, 2),
        span=st.sampled_from([0, 5, 300, 4_000, 12_000]),
        much=st.integers(0, 2),
    )
    def strike(self, kind, who, span, much):
        fault = Fault(self.world.now, kind, who % self.setting.members, span, much)
        self.faults.append(fault)
        begin(self.world, fault)

    @rule(time=st.sampled_from([1, 10, 300, 3_030, 12_000]))
    def wait(self, time):
        run_until(self.world, self.world.now + time)

    @rule()
    def recover(self):
        run_until(
            self.world, max(fault.at + fault.span for fault in [*self.faults, Fault(0, "commit")]) + 1_000
        )
        self.world.links, self.world.refuses = {}, 0
        deadline = self.world.now + BOUND_MS
        while not is_stable(self.world) and self.world.now < deadline:
            run_until(self.world, self.world.now + 100)
        assert is_stable(self.world), self.faults

    @invariant()
    def nothing_unknown_breaks(self):
        world = getattr(self, "world", None)
        for breach in getattr(world, "breaches", ()):
            assert breach in world.history.known, (breach, self.faults)


Struck.TestCase.settings = settings(max_examples=share(10, 500), stateful_step_count=12, deadline=None)
TestStruck = Struck.TestCase
