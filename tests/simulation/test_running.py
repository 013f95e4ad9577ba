"""Runs are the same however they are begun, groups keep what they promise, and what happens can be read and seen."""

import xml.etree.ElementTree as ET

import pytest
from whole import cases

from kassay.assignors import ASSIGNORS
from kassay.simulation.machines import BEHAVIOURS, machines
from kassay.simulation.picture.diagram import diagram
from kassay.simulation.picture.timeline import timeline, written
from kassay.simulation.runs.running import Runner, met
from kassay.simulation.schedule import Fault, Schedule, Setting
from kassay.simulation.search.random_schedules import drawn, fitting
from kassay.simulation.uses import USES


def build(setting):
    return machines(
        setting, ASSIGNORS["consumer/cooperative-sticky" if setting.cooperative else "consumer/range"].assign
    )


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
    runner = Runner(build)
    for number in cases(12, 600):
        schedule = drawn(setting, fitting(setting, None), 1, number)
        outcome = runner.run(schedule)
        for name, sentence in outcome.breaches:
            assert met(outcome, name), (name, sentence, schedule)


def test_a_run_from_a_known_snapshot_ends_as_one_from_the_beginning():
    setting = Setting(coordinator="kafka@4.4.0", members=3, partitions=(3,))
    runner = Runner(build)
    for number in cases(10, 300):
        schedule = drawn(setting, fitting(setting, None), 2, number)
        quick, whole = runner.run(schedule), Runner(build).run(schedule, trace=True)
        assert (quick.breaches, quick.rounds, quick.stable_ms) == (
            whole.breaches,
            whole.rounds,
            whole.stable_ms,
        )


def test_a_group_without_faults_is_stable_and_says_how():
    outcome = Runner(build).run(Schedule(Setting()), trace=True)
    assert outcome.breaches == ()
    said = written(timeline(outcome.trace))
    assert "member 0 -> broker 0: JoinGroup of a new member: own" in said
    assert "member 1 begins with t0-1" in said


@pytest.mark.parametrize("coordinator", BEHAVIOURS)
def test_a_writer_that_stood_still_does_not_begin_when_its_lease_is_over(coordinator):
    """The answer to its heartbeat arrives while it stands still, longer than the lease is."""
    runner = Runner(build)
    setting = Setting("single-writer", coordinator)
    for at in range(3_020, 3_045):
        schedule = Schedule(setting, (Fault(at, "pause", who=0, span=12_691),))
        assert runner.run(schedule).breaches == (), at


def test_the_diagram_shows_each_entry_once():
    schedule = Schedule(
        Setting(coordinator="unpersisted"), (Fault(5000, "coordinator-crash"), Fault(5001, "loss", 1))
    )
    outcome = Runner(build).run(schedule, trace=True)
    trace = timeline(outcome.trace)
    picture = ET.fromstring(diagram(trace, "a <b> & c"))
    texts = ["".join(text.itertext()) for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert picture.findtext("{http://www.w3.org/2000/svg}title") == "a <b> & c"
    assert sum(entry.label in texts for entry in trace) >= len(trace) * 3 // 4  # long ones are cut
    assert {"member 0", "member 1", "broker 0", "broker 1"} <= set(texts)


@pytest.mark.parametrize("kind", ["death", "departure"])
@pytest.mark.parametrize("static", [False, True])
def test_who_goes_for_good_is_counted_no_more_and_what_it_owned_has_an_owner(kind, static):
    setting = Setting(coordinator="kafka@4.4.0", static=static)
    runner = Runner(build)
    outcome = runner.run(Schedule(setting, (Fault(7_000, kind, who=1),)), trace=True)
    assert outcome.breaches == ()
    said = written(timeline(outcome.trace))
    assert said.count("member 1 starts") == 1
    assert said.rstrip().splitlines()[-1].endswith("member 0 begins with t0-0, t0-1")


def test_the_last_member_does_not_go():
    setting = Setting(coordinator="kafka@4.4.0")
    both = (Fault(7_000, "death", who=1), Fault(7_000, "departure", who=0))
    outcome = Runner(build).run(Schedule(setting, both), trace=True)
    assert outcome.breaches == ()
    assert "member 0 is gone" not in written(timeline(outcome.trace))
