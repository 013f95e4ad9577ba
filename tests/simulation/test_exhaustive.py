"""All that can happen in a small group up to some steps: nothing breaks, mutants are found, and symmetry loses nothing."""

import pytest
from msgspec.structs import replace
from simulation.catching import honest
from whole import some

from kassay.reference.group.messages import JoinGroupResponse
from kassay.simulation.changing import answering
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


def foreign_strategy(machines):
    """A strategy is chosen that no member supports."""
    return answering(machines, JoinGroupResponse, lambda *of: replace(of[-1], protocol="foreign"))


def test_a_mutant_breaks_what_it_breaks_in_the_fewest_steps():
    setting = Setting(members=1)
    explored = explore(setting, foreign_strategy(honest(setting)), depth=6)
    assert explored.breaches == (("supported_strategy", "m0-0 supports own and is to work by foreign", 6),)


def test_it_stops_where_there_is_too_much_and_says_so():
    explored = explore(Setting(), honest(Setting()), depth=9, most=50)
    assert not explored.whole
    assert sum(explored.states) > 50
