"""All that can happen in a small group up to some steps: nothing breaks, mutants are found, and symmetry loses nothing."""

import pytest
from simulation.catching import MUTANTS, honest
from whole import some

from kassay.simulation.exhaustive.exploring import explore
from kassay.simulation.schedule import Setting


@pytest.mark.parametrize(
    ("coordinator", "members", "depth"),
    [("proposal", 2, some(8, 14)), ("kafka@4.4.0", 2, some(8, 14)), ("proposal", 3, some(6, 10))],
)
def test_nothing_breaks_whatever_the_order(coordinator, members, depth):
    setting = Setting(coordinator=coordinator, members=members)
    explored = explore(setting, honest(setting), depth=depth)
    assert explored.whole
    assert explored.breaches == ()
    assert len(explored.states) == depth + 1


def test_symmetry_visits_one_of_those_states_that_are_alike():
    setting = Setting()
    with_it = explore(setting, honest(setting), depth=7)
    without = explore(setting, honest(setting), depth=7, symmetry=False)
    assert sum(with_it.states) < sum(without.states) <= 2 * sum(with_it.states)


def test_a_mutant_breaks_what_it_breaks():
    setting = Setting(coordinator="kafka@4.4.0")
    explored = explore(
        setting, MUTANTS["everybody_leads"].change(honest(setting)), depth=14, failovers=0, most=2_000
    )
    assert "one_leader" in {name for name, _, _ in explored.breaches}


def test_it_stops_where_there_is_too_much_and_says_so():
    explored = explore(Setting(), honest(Setting()), depth=9, most=50)
    assert not explored.whole
    assert sum(explored.states) > 50
