"""Runs end alike with all shortcuts and without any: through known snapshots, or event by event with machines that take each step anew."""

import pytest
from simulation.catching import MUTANTS, honest, mutated
from simulation.test_running import SETTINGS
from whole import some

from kassay.simulation.picture.timeline import timeline, written
from kassay.simulation.runs import cached_run, snapshot_cache
from kassay.simulation.runs.running import Runner
from kassay.simulation.schedule import Schedule, Setting
from kassay.simulation.search.random_schedules import drawn, fitting

LARGER = [
    Setting(coordinator=coordinator, members=3, partitions=(4,), cooperative=cooperative)
    for coordinator in ("proposal", "kafka@4.4.0")
    for cooperative in (False, True)
]


def schedules(setting, kinds, seed, number):
    """Yield drawn schedules, half of them with their first fault alone."""
    for place in range(number):
        schedule = drawn(setting, kinds, seed, place)
        yield Schedule(setting, schedule.faults[:1]) if place % 2 else schedule


@pytest.mark.parametrize(
    "setting",
    [*SETTINGS, *LARGER],
    ids=lambda one: f"{one.use}-{one.coordinator}-{one.cooperative}-{one.members}",
)
def test_verdicts_sentences_rounds_and_times_are_those_of_single_events(setting):
    quick, plain = Runner(honest), Runner(honest, quick=False)
    for schedule in schedules(setting, fitting(setting, None), 3, some(8, 1_000)):
        assert quick.run(schedule) == plain.run(schedule), schedule


@pytest.mark.parametrize("name", MUTANTS)
def test_so_it_is_with_machines_that_have_a_fault(name):
    mutant = MUTANTS[name]
    quick, plain = Runner(mutated(mutant)), Runner(mutated(mutant), quick=False)
    for schedule in schedules(mutant.setting, mutant.faults or ("commit",), 4, some(2, 100)):
        assert quick.run(schedule) == plain.run(schedule), schedule


def test_what_happens_is_told_alike():
    setting = Setting(coordinator="kafka@4.4.0", members=3)
    quick, plain = Runner(honest), Runner(honest, quick=False)
    for schedule in schedules(setting, fitting(setting, None), 5, some(4, 200)):
        with_it, without = (one.run(schedule, trace=True).trace for one in (quick, plain))
        assert written(timeline(with_it)) == written(timeline(without))


def test_neither_order_nor_what_is_forgotten_counts(monkeypatch):
    setting = Setting(coordinator="kafka@4.4.0")
    some_schedules = list(schedules(setting, fitting(setting, None), 6, some(60, 1_000)))
    there = Runner(honest)
    expected = [there.run(schedule) for schedule in some_schedules]
    monkeypatch.setattr(snapshot_cache, "MOST", 40)
    back = Runner(honest)
    assert [back.run(schedule) for schedule in reversed(some_schedules)] == expected[::-1]


def test_most_runs_go_through_known_snapshots(monkeypatch):
    """Else the tests above would compare single events with single events."""
    left = []
    monkeypatch.setattr(cached_run, "left", lambda *of: left.append(of) or snapshot_cache.left(*of))
    setting = Setting(coordinator="kafka@4.4.0")
    runner = Runner(honest)
    struck = [Schedule(setting, drawn(setting, ["crash", "failover"], 0, n).faults[:1]) for n in range(300)]
    for schedule in struck:
        runner.run(schedule)
    left.clear()
    for schedule in struck:
        runner.run(schedule)
    assert len(left) < len(struck) // 4
