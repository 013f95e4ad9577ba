"""Runs are reproducible with and without the step table, groups keep their promises, and runs can be rendered."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from simulation.catching import MUTANTS, apply_mutant, honest
from whole import cases, share, some

from kassay.protocol.simulation import campaign
from kassay.protocol.simulation.campaign import (
    BOUND_MS,
    Runner,
    UndisturbedGroup,
    draw_schedule,
    inject_fault,
    list_fitting_faults,
    run_until,
)
from kassay.protocol.simulation.faults import FAULTS
from kassay.protocol.simulation.invariants.groups import is_stable
from kassay.protocol.simulation.monitor import find_defects
from kassay.protocol.simulation.schedule import Fault, Schedule, Setting
from kassay.protocol.simulation.steps import BEHAVIOURS
from kassay.protocol.simulation.timeline import build_timeline, render_diagram, render_text
from kassay.protocol.simulation.uses import USES

SETTINGS = [
    Setting(use, coordinator, cooperative=cooperative)
    for use in USES
    for coordinator in BEHAVIOURS
    for cooperative in ((False, True) if USES[use].family else (False,))
] + [Setting(coordinator="kafka@4.4.0", static=True), Setting(members=3, partitions=(2, 2))]


@pytest.mark.parametrize(
    "setting", SETTINGS, ids=lambda one: f"{one.use}-{one.coordinator}-{one.cooperative}-{one.members}"
)
def test_groups_keep_what_is_not_known_to_break(setting):
    campaign = Runner(honest)
    for number in cases(12, 600):
        schedule = draw_schedule(setting, list_fitting_faults(setting, None), 1, number)
        outcome = campaign.run(schedule)
        for name, sentence in outcome.breaches:
            assert find_defects(outcome, name), (name, sentence, schedule)


def test_a_run_from_a_kept_quiet_group_ends_as_one_from_the_beginning():
    setting = Setting(coordinator="kafka@4.4.0", members=3, partitions=(3,))
    campaign = Runner(honest)
    for number in cases(10, 300):
        schedule = draw_schedule(setting, list_fitting_faults(setting, None), 2, number)
        quick, whole = campaign.run(schedule), Runner(honest).run(schedule, trace=True)
        assert (quick.breaches, quick.rounds, quick.stable_ms) == (
            whole.breaches,
            whole.rounds,
            whole.stable_ms,
        )


def test_a_copy_of_a_world_shares_nothing_that_its_run_changes():
    kinds = list(FAULTS)
    for number in cases(25, 500):
        setting = Setting(coordinator="kafka@4.4.0", members=3, partitions=(3,), static=number % 2 == 0)
        faults = draw_schedule(setting, list_fitting_faults(setting, None), 3, number).faults
        world = UndisturbedGroup(setting, honest(setting)).copy_world(faults[0].at)
        world.trace = []
        for fault in (*faults, Fault(0, kinds[number % len(kinds)], number % 3, 900, 1)):
            inject_fault(world, fault)
        run_until(world, world.now + number * 10)
        before = repr(world)
        twin = world.copy()
        assert repr(twin) == before
        for kind in ("pause", "cut", "loss", "commit", "crash", "coordinator-crash", "grow"):
            inject_fault(twin, Fault(twin.now, kind, number % 3, 400))
            run_until(twin, twin.now + 3_000)
        assert repr(world) == before


def test_a_group_without_faults_is_stable_and_says_how():
    outcome = Runner(honest).run(Schedule(Setting()), trace=True)
    assert outcome.breaches == ()
    said = render_text(build_timeline(outcome.trace))
    assert "member 0 -> broker 0: JoinGroup of a new member: own" in said
    assert "member 1 begins with t0-1" in said


@pytest.mark.parametrize("coordinator", BEHAVIOURS)
def test_a_writer_that_stood_still_does_not_begin_when_its_lease_is_over(coordinator):
    """The answer to its heartbeat arrives while it stands still, longer than the lease is."""
    campaign = Runner(honest)
    setting = Setting("single-writer", coordinator)
    for at in range(3_020, 3_045):
        schedule = Schedule(setting, (Fault(at, "pause", who=0, span=12_691),))
        assert campaign.run(schedule).breaches == (), at


def test_the_diagram_shows_each_entry_once():
    schedule = Schedule(
        Setting(coordinator="unpersisted"), (Fault(5000, "coordinator-crash"), Fault(5001, "loss", 1))
    )
    outcome = Runner(honest).run(schedule, trace=True)
    trace = build_timeline(outcome.trace)
    picture = ET.fromstring(render_diagram(trace, "a <b> & c"))
    texts = ["".join(text.itertext()) for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert picture.findtext("{http://www.w3.org/2000/svg}title") == "a <b> & c"
    assert sum(entry.label in texts for entry in trace) >= len(trace) * 3 // 4  # long ones are cut
    assert {"member 0", "member 1", "broker 0", "broker 1"} <= set(texts)


@pytest.mark.parametrize("kind", ["death", "departure"])
@pytest.mark.parametrize("static", [False, True])
def test_who_goes_for_good_is_counted_no_more_and_what_it_owned_has_an_owner(kind, static):
    """The last member does not go."""
    faults = (Fault(7_000, kind, who=1), Fault(7_000, "departure", who=0))
    schedule = Schedule(Setting(coordinator="kafka@4.4.0", static=static), faults)
    outcome = Runner(honest).run(schedule, trace=True)
    assert outcome.breaches == ()
    said = render_text(build_timeline(outcome.trace))
    assert said.count("member 1 starts") == 1
    assert "member 0 is gone" not in said
    assert said.rstrip().splitlines()[-1].endswith("member 0 begins with t0-0, t0-1")


# All shortcuts, or none: event by event with machines that take each step anew

LARGER = [
    Setting(coordinator=coordinator, members=3, partitions=(4,), cooperative=cooperative)
    for coordinator in ("proposal", "kafka@4.4.0")
    for cooperative in (False, True)
]


def schedules(setting, kinds, seed, number):
    """Yield drawn schedules, half of them with their first fault alone."""
    for place in range(number):
        schedule = draw_schedule(setting, kinds, seed, place)
        yield Schedule(setting, schedule.faults[:1]) if place % 2 else schedule


def assert_same_outcomes(build, setting, kinds, seed, number):
    quick, plain = Runner(build), Runner(build, quick=False)
    for schedule in schedules(setting, kinds, seed, number):
        assert quick.run(schedule) == plain.run(schedule), schedule


@pytest.mark.parametrize(
    "setting",
    [*SETTINGS, *LARGER],
    ids=lambda one: f"{one.use}-{one.coordinator}-{one.cooperative}-{one.members}",
)
def test_verdicts_sentences_rounds_and_times_are_those_of_single_events(setting):
    assert_same_outcomes(honest, setting, list_fitting_faults(setting, None), 3, some(8, 1_000))


@pytest.mark.parametrize("name", MUTANTS)
def test_so_it_is_with_machines_that_have_a_fault(name):
    mutant = MUTANTS[name]
    assert_same_outcomes(apply_mutant(mutant), mutant.setting, mutant.faults or ("commit",), 4, some(2, 100))


def test_neither_order_nor_what_is_forgotten_counts(monkeypatch):
    setting = Setting(coordinator="kafka@4.4.0")
    some_schedules = list(schedules(setting, list_fitting_faults(setting, None), 6, some(60, 1_000)))
    there = Runner(honest)
    expected = [there.run(schedule) for schedule in some_schedules]
    monkeypatch.setattr(campaign, "MOST", 400)
    back = Runner(honest)
    assert [back.run(schedule) for schedule in reversed(some_schedules)] == expected[::-1]


# Hypothesis strikes a group as it likes, looks at it between, and lets it recover

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
        self.world = UndisturbedGroup(self.setting, honest(self.setting)).copy_world(0)
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
        inject_fault(self.world, fault)

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
