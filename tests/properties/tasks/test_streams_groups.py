"""Streams groups: threads of applications, timelines, smaller groups, and the laws that Kafka's issues ask for."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from whole import share

from kassay.model.streams_group import GroupSettings, MemberTasks, StreamsGroup, StreamsMember, Subtopology
from kassay.model.tasks import RUNNING, UNKNOWN, Application, Client, Task, TaskId
from kassay.properties.minimise import minimise
from kassay.properties.streams_group import INVARIANTS, LAWS, MEASURES
from kassay.properties.tasks.applications import draw
from kassay.properties.tasks.members.processes import (
    KINDS,
    NUMBERS,
    USUAL,
    apply_answer,
    build_application,
    build_group,
    group_by_process,
)
from kassay.properties.tasks.members.shrinking import smaller
from kassay.properties.tasks.strategies import applications, play, timelines
from kassay.properties.tasks.timelines import Join, Restart, Scale, Stop, Timeline
from kassay.reference import ASSIGNORS
from kassay.reference.releases import behaviours

STICKY = ASSIGNORS["streams-group/sticky"].assign
RELEASES = {str(one): one.assign for one in behaviours("streams-group/sticky")}
P, Q, R = (f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2, 3))
T0, T1 = TaskId(0, 0), TaskId(0, 1)
TASKS = (Task(T0, stateful=True), Task(T1, stateful=True))


def client(name, threads=1, **fields):
    return Client(name, threads, **{"lags": {T0: UNKNOWN, T1: UNKNOWN}, **fields})


def fresh(members, partitions, standbys):
    """Return a new group of members in processes of their own."""
    every = tuple(StreamsMember(f"m{n}", f"p{n}") for n in range(members))
    return StreamsGroup((Subtopology(0, partitions, stateful=True),), every, GroupSettings(standbys))


def test_threads_of_an_application_are_members_that_report_what_is_on_its_disk():
    runs = client(P, 2, active=(T0,), lags={T0: RUNNING, T1: 30}, consumers={"x": {}, "y": {T0: 0}}, rack="r")
    idle = client(Q, lags={T0: 100, T1: 100})
    found = build_group(Application(TASKS, (runs, idle)))
    assert found.subtopologies == (Subtopology(0, 2, stateful=True),)
    assert found.members == (
        StreamsMember("x", P, offsets={T1: 70}, end_offsets={T1: 100}, rack="r"),
        StreamsMember("y", P, (T0,), rack="r"),
        StreamsMember(f"{Q}-1", Q),
    )


@settings(max_examples=share(60, 600), deadline=None)
@given(applications())
def test_its_processes_are_the_applications_clients(application):
    again = build_application(build_group(application))
    there = {task.id for task in application.tasks}  # a client may have run what is gone
    for one, other in zip(application.clients, again.clients, strict=True):
        assert (one.id, one.threads, set(one.active) & there, set(one.standby) & there) == (
            other.id, other.threads, set(other.active), set(other.standby),
        )  # fmt: skip


def test_processes_that_come_back_have_nothing_assigned_but_their_disk():
    start = Application(TASKS, (client(P), client(Q)))
    events = (Stop(Q), Restart(Q, 0), Join(client(R)), Scale(P, 2))
    stages = list(play(STICKY, Timeline(start, events)))
    assert [[len(of) for of in stage.processes.values()] for stage in stages] == [
        [1, 1], [1], [1, 1], [1, 1, 1], [2, 1, 1],
    ]  # fmt: skip
    (back,) = stages[2].processes[Q]
    assert (back.active, back.standby) == ((), ())
    assert set(back.offsets) == {T0}  # the one that it ran, by the order of processes in a hash map
    assert back.offsets == back.end_offsets
    (newcomer,) = stages[3].processes[R]
    assert (newcomer.active, newcomer.offsets) == ((), {})


@settings(max_examples=share(30, 300), deadline=None)
@given(timelines())
def test_members_hold_what_they_were_given(timeline):
    """But for a process that is scaled: its threads share anew what it had."""
    before = None
    for event, group in zip((None, *timeline.events), play(STICKY, timeline), strict=True):
        if before is not None:
            answer, ids = STICKY(before), {member.id for member in before.members}
            tasks = set(group.tasks())
            scaled = event.client if isinstance(event, Scale) else None
            for member in group.members:
                if member.id in ids and member.active and member.process_id != scaled:
                    assert set(member.active) <= set(answer[member.id].active) & tasks
        before = group


def test_sums_become_as_plain_as_their_order_allows():
    far = tuple(replace(one, offsets={T0: 2**62 - n, T1: 7}) for n, one in enumerate(fresh(2, 2, 1).members))
    group = replace(fresh(2, 2, 1), members=far)

    def holds(each):
        sums = [one.offsets[T0] for one in each.members if T0 in one.offsets]
        return len(sums) == 2 and sums[0] > sums[1]

    assert [one.offsets for one in minimise(group, holds, smaller).group.members] == [{T0: 1}, {T0: 0}]


def test_sampled_groups_follow_from_their_seed():
    limits = {**USUAL, "clients": (3, 3), "threads": (2, 2), "churn": (2, 2)}
    assert {*limits} == {*NUMBERS}
    one, again = (draw(limits, {"history": {"even": 1}}, 5) for _ in range(2))
    assert one == again
    assert [len(members) for members in build_group(one.start).processes.values()] == [2, 2, 2]
    assert "strategy" not in KINDS


def test_what_an_answer_gives_takes_effect_once_in_one_role():
    group = replace(
        fresh(2, 2, 1), members=(StreamsMember("m0", "p0", offsets={T0: 1}), StreamsMember("m1", "p1"))
    )
    wrong = {"m0": MemberTasks((T0, T0), (T0, T1)), "stranger": MemberTasks((T1,))}
    joined = apply_answer(group, wrong)
    assert (joined.members[0].active, joined.members[0].standby) == ((T0,), (T1,))
    assert joined.members[0].offsets == {}
    assert joined.members[1].active == ()
    assert "(no member) stranger" in group_by_process(group, wrong).clients


def test_moves_between_threads_of_a_process_cost_no_state():
    members = StreamsMember("m0", "p0", (T0,)), StreamsMember("m1", "p0")
    group = StreamsGroup((Subtopology(0, 1, stateful=True),), members)
    answer = {"m0": MemberTasks(), "m1": MemberTasks((T0,))}
    found = {
        name: MEASURES[name](group, answer) for name in ("active_moves", "member_moves", "not_caught_up")
    }
    assert found == {"active_moves": 0, "member_moves": 1, "not_caught_up": 0}


@pytest.mark.parametrize(("release", "kept"), [("4.3.0 to 4.3.1", False), ("4.4.0", True)])
def test_state_is_found_again_since_4_4(release, kept):
    """KAFKA-20719: m0 runs 0_1, and does so again after a restart, where its state is."""
    group = fresh(2, 2, 0)
    group = replace(group, members=(replace(group.members[0], active=(T1,)), group.members[1]))
    said = list(LAWS["restart_keeps_state"](RELEASES[release], group))
    assert (said == []) is kept, said


@pytest.mark.parametrize(
    ("release", "kept"),
    [("4.2.0 to 4.2.1", False), ("4.2.2", True), ("4.3.0 to 4.3.1", False), ("4.4.0", True)],
)
def test_standbys_stay_though_another_one_has_become_active(release, kept):
    """KAFKA-20899: of a task and two standbys in four processes, a standby moves in the next rebalance."""
    assert (list(LAWS["stable"](RELEASES[release], fresh(4, 1, 2))) == []) is kept


def test_two_copies_in_a_process_are_seen_whoever_holds_them():
    group = StreamsGroup(
        (Subtopology(0, 1, stateful=True),),
        (StreamsMember("m0", "p"), StreamsMember("m1", "p"), StreamsMember("m2", "q")),
        GroupSettings(1),
    )
    beside = {"m0": MemberTasks((T0,)), "m1": MemberTasks((), (T0,)), "m2": MemberTasks()}
    apart = {**beside, "m1": MemberTasks(), "m2": MemberTasks((), (T0,))}
    for name in ("one_copy_per_process", "enough_standbys"):
        assert list(INVARIANTS[name](group, beside))
        assert not list(INVARIANTS[name](group, apart))
