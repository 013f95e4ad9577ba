"""Schedules are drawn, written, read, refused and made smaller."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whole import share

from kassay.errors import InputError
from kassay.protocol.simulation.campaign import (
    draw_schedule,
    list_fitting_faults,
    list_simpler_schedules,
    shrink_schedule,
)
from kassay.protocol.simulation.faults import FAULTS
from kassay.protocol.simulation.group import read_saved
from kassay.protocol.simulation.schedule import Fault, Schedule, Setting, build_saved
from kassay.protocol.simulation.steps import BEHAVIOURS
from kassay.protocol.simulation.uses import USES

SETTINGS = st.builds(
    Setting,
    use=st.sampled_from(sorted(USES)),
    coordinator=st.sampled_from(sorted(BEHAVIOURS)),
    members=st.integers(1, 5),
    partitions=st.lists(st.integers(1, 9), min_size=1, max_size=3).map(tuple),
)


@settings(max_examples=share(50, 2_000))
@given(SETTINGS, st.integers(0, 2**31), st.integers(0, 10**6))
def test_a_drawn_schedule_is_the_same_again_and_comes_back_from_its_file(setting, seed, number):
    schedule = draw_schedule(setting, list_fitting_faults(setting, None), seed, number)
    assert schedule == draw_schedule(setting, list_fitting_faults(setting, None), seed, number)
    one = build_saved(schedule, target="consumer/range", seed=seed, number=number)
    assert read_saved(msgspec.json.decode(msgspec.json.encode(one))) == one


def test_faults_of_one_time_come_back_as_they_are_listed():
    faults = (Fault(7, "stall", span=9), Fault(7, "commit"))
    one = build_saved(Schedule(Setting(), faults), target="consumer/range", seed=0, number=0)
    assert read_saved(msgspec.json.decode(msgspec.json.encode(one))).schedule.faults == faults


@settings(max_examples=share(20, 500))
@given(SETTINGS, st.integers(0, 10**6))
def test_making_a_schedule_smaller_ends_at_one_member_and_no_fault(setting, number):
    schedule = draw_schedule(setting, list_fitting_faults(setting, None), 0, number)
    least = shrink_schedule(schedule, lambda _: True)
    assert least.finished
    assert least.group.faults == ()
    assert (least.group.setting.members, least.group.setting.partitions) == (1, (1,))
    for one in list_simpler_schedules(schedule):
        assert one != schedule
        assert all(fault.who < one.setting.members for fault in one.faults)


def test_every_fault_has_words_and_its_own_sentence():
    assert all(fault.words and fault.begin.__doc__ for fault in FAULTS.values())
    assert len({fault.words for fault in FAULTS.values()}) == len(FAULTS)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"format": 2}, "format: is 2, known is 1"),
        ({"unknown": 1}, "unknown"),
        ({"schedule": {"setting": {"use": "konsumer"}}}, "schedule.setting.use: there is no 'konsumer'"),
        ({"schedule": {"setting": {"coordinator": "kafka@1"}}}, "schedule.setting.coordinator"),
        ({"schedule": {"setting": {"members": 0}}}, "schedule.setting.members"),
        ({"schedule": {"setting": {"partitions": []}}}, "schedule.setting.partitions"),
        ({"schedule": {"setting": {}, "faults": [{"at": 1, "kind": "crush"}]}}, "Did you mean crash?"),
        ({"schedule": {"setting": {}, "faults": [{"at": -1, "kind": "crash"}]}}, "schedule.faults[0].at"),
        (
            {"schedule": {"setting": {}, "faults": [{"at": 1, "kind": "crash", "who": 2}]}},
            "faults[0].who: is 2",
        ),
    ],
)
def test_a_foreign_schedule_is_refused_with_its_field(change, says):
    value = msgspec.to_builtins(build_saved(Schedule(Setting(), (Fault(1, "crash"),)))) | change
    with pytest.raises(InputError) as wrong:
        read_saved(value)
    assert says in str(wrong.value)
