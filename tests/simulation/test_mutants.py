"""Every mutant is caught by the schedule that is recorded for it, under which the machines themselves keep the same invariant."""

import msgspec
import pytest
from simulation.catching import FILE, MUTANTS, breaking, drawn_for, honest, mutated

from kassay.simulation.running import Runner
from kassay.simulation.schedule import Schedule
from kassay.simulation.search.promises import INVARIANTS

CAUGHT = msgspec.json.decode(FILE.read_bytes())


def test_enough_mutants_are_recorded_and_all_are():
    assert len(CAUGHT) >= 25
    assert CAUGHT.keys() == MUTANTS.keys()
    assert {one["breaks"] for one in CAUGHT.values()} <= INVARIANTS.keys()


@pytest.mark.parametrize("name", MUTANTS)
def test_the_schedule_shows_the_mutant_and_nothing_of_the_machines(name):
    schedule = msgspec.convert(CAUGHT[name]["schedule"], Schedule)
    broken = dict(Runner(mutated(MUTANTS[name])).run(schedule).breaches)
    assert CAUGHT[name]["breaks"] in broken
    assert CAUGHT[name]["breaks"] not in dict(Runner(honest).run(schedule).breaches)


@pytest.mark.parametrize("name", MUTANTS)
def test_the_mutant_is_found_by_drawing(name):
    mutant = MUTANTS[name]
    assert drawn_for(mutant, breaking(mutant)) is not None
