"""All that can happen to a small group up to some steps: nothing new breaks, and mutants are found."""

import msgspec
import pytest
from msgspec.structs import replace
from simulation.catching import FILE, MUTANTS, apply_mutant, honest
from simulation.changes import change_responses
from whole import seed_of_the_day, some

from kassay.protocol.simulation.exhaustive import explore
from kassay.protocol.simulation.schedule import Schedule, Setting
from kassay.reference.group.messages import JoinGroupResponse

CAUGHT = msgspec.json.decode(FILE.read_bytes())
BY_CLOCKS = {"works_without_lease"}
"""A lease is kept by time, which does not count here."""
OTHERWISE = {
    "refused_writes_count": (("refused-write", "failover"), 2, 1),
    "commits_while_states_are_awaited": (("hang",), 1, 2),
    "static_members_are_dropped": (("stall",), 2, 2),
    "late_writes_spread_old_states": (("late-states",), 1, 2),
}
"""Mutant -> faults, number of faults and members, if fewer than in its smallest schedule are enough here."""
DEPTH, MOST = 12, some(5_000, 40_000)
PARTS = some(6, 1)


def new(explored):
    """Return what broke and is of no known defect."""
    return [one for one in explored.breaches if not one[3]]


@pytest.mark.parametrize(
    ("coordinator", "members", "depth"),
    [("proposal", 2, some(8, 14)), ("kafka@4.4.0", 2, some(8, 14)), ("proposal", 3, some(6, 10))],
)
def test_nothing_new_breaks_whatever_the_order(coordinator, members, depth):
    setting = Setting(coordinator=coordinator, members=members)
    explored = explore(setting, honest(setting), depth=depth)
    assert explored.whole
    assert new(explored) == []
    assert len(explored.states) == depth + 1


@pytest.mark.parametrize("coordinator", ["proposal", "kafka@4.4.0"])
def test_it_begins_with_a_group_that_has_formed_and_counts_members(coordinator):
    setting = Setting(coordinator=coordinator)
    begun = explore(setting, honest(setting), depth=0)
    assert begun.groups == {("Stable", 2): 1}
    explored = explore(setting, honest(setting), depth=7, kinds=("leave",))
    assert sum(explored.groups.values()) == sum(explored.states)
    assert explored.groups["Stable", 2] > 1
    assert {("Joining", 1), ("Joining", 2), ("AwaitSync", 1)} <= explored.groups.keys()


@change_responses(JoinGroupResponse)
def foreign_strategy(_before, _after, _event, response):
    """A strategy is chosen that no member supports."""
    return replace(response, protocol="foreign")


def test_what_breaks_while_the_group_forms_takes_no_step():
    setting = Setting(members=1)
    explored = explore(setting, foreign_strategy(honest(setting)), depth=6, first=True)
    assert explored.breaches[0][0] == "eventually_converges"
    assert (
        "supported_strategy",
        "m0-0 supports own, but the generation has foreign",
        0,
        "",
    ) in explored.breaches


def exploring(name):
    """Return what a mutant is looked for with: the setting, the faults, and how many of them."""
    schedule = msgspec.convert(CAUGHT[name]["schedule"], Schedule)
    kinds = tuple(dict.fromkeys(fault.kind for fault in schedule.faults))
    faults, members = len(schedule.faults), schedule.setting.members
    kinds, faults, members = OTHERWISE.get(name, (kinds, faults, members))
    return replace(schedule.setting, members=members), kinds, faults


@pytest.mark.parametrize(
    "name",
    [*CAUGHT][seed_of_the_day() % PARTS :: PARTS],
)
def test_a_mutant_is_found_and_nothing_of_the_machines_as_they_are(name):
    setting, kinds, faults = exploring(name)
    how = {"depth": DEPTH, "kinds": kinds, "faults": faults, "first": True}
    explored = explore(setting, apply_mutant(MUTANTS[name])(setting), most=MOST, **how)
    assert bool(new(explored)) == (name not in BY_CLOCKS)
    assert new(explore(setting, honest(setting), most=sum(explored.states), **how)) == []


def test_it_stops_where_there_is_too_much_and_says_so():
    explored = explore(Setting(), honest(Setting()), depth=9, most=50)
    assert not explored.whole
    assert sum(explored.states) > 50
