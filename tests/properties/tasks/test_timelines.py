"""Timelines: what each event does, and that clients hold what the assignor gave."""

from dataclasses import replace
from hashlib import sha256
from itertools import islice

import pytest
from classes.groups.random_applications import applications
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.model import AssignorError
from kassay.model.tasks import (
    RUNNING,
    UNKNOWN,
    Application,
    Client,
    Given,
    Settings,
    Task,
    TaskAssignment,
    TaskId,
)
from kassay.model.tasks_json import write_group
from kassay.properties.choices import from_seed
from kassay.properties.tasks.history import EVENTS, USUAL, choose_events
from kassay.properties.tasks.timelines import (
    CleanUp,
    Configure,
    Join,
    Leave,
    Probe,
    Relocate,
    Restart,
    Restore,
    Scale,
    Stop,
    Timeline,
    play,
)
from kassay.reference.streams import high_availability

T = TaskId(0, 0)
IDS = [f"00000000-0000-0000-0000-00000000000{n}" for n in range(1, 5)]
A = Client(IDS[0], 1, (T,), lags={T: RUNNING})
B = Client(IDS[1], 1, standby=(T,), lags={T: 20})
START = Application((Task(T, stateful=True),), (A, B))


def keep(application):
    """Let everybody keep what it runs."""
    kept = {client.id: Given(client.active, client.standby) for client in application.clients}
    return TaskAssignment(kept, probing=False)


def played(*events, assign=keep, restored=0, written=0):
    return list(play(assign, Timeline(START, events, restored, written)))


def test_a_probing_rebalance_lets_copies_restore_and_tasks_write():
    assert played(Probe()) == [START, START]
    assert played(Probe(), restored=None)[-1].clients == (A, replace(B, lags={T: 0}))
    behind = [step.clients[1].lags[T] for step in played(*[Probe()] * 4, restored=10, written=1)]
    assert behind == [20, 11, 2, 1, 1]


def test_records_are_counted_upwards():
    with pytest.raises(ValueError, match="Give 0 or more records"):
        Timeline(START, (), written=-1)


NEW = Client(IDS[2], 2)


@pytest.mark.parametrize(
    ("events", "clients"),
    [
        ([], (A, B)),
        ([Join(NEW)], (A, B, replace(NEW, lags={T: 20}))),
        ([Join(replace(NEW, lags={T: 3}))], (A, B, replace(NEW, lags={T: 3}))),
        ([Join(Client(IDS[1], 9))], (A, B)),
        ([Leave(A.id)], (B,)),
        ([Leave(A.id), Leave(B.id)], (B,)),  # the last one stays
        ([Leave("nobody")], (A, B)),
        ([Relocate(B.id, "r")], (A, replace(B, rack="r"))),
        ([Scale(B.id, 3)], (A, replace(B, threads=3))),
        ([Restart(A.id, 70)], (A, B)),
        ([CleanUp(B.id), CleanUp(A.id)], (A, B)),
    ],
)
def test_what_an_event_does_to_clients(events, clients):
    assert played(*events)[-1] == replace(START, clients=clients)


def test_who_restarts_has_its_state_on_disk():
    back = played(Stop(A.id), Probe(), Restart(A.id, 70))[-1].clients[1]
    assert back == replace(A, active=(), standby=(T,), lags={T: 70})
    assert played(Stop(A.id), Restart(A.id, 0), Restart(A.id, 0))[-1].clients[1].lags == {T: 0}
    assert len(played(Leave(A.id), Restart(A.id, 70))[-1].clients) == 1
    assert len(played(Leave(B.id), Stop(A.id), Restart(A.id, 70))[-1].clients) == 1


def test_a_client_restores_what_it_holds():
    assert [played(Restore(B.id, n))[-1].clients[1].lags[T] for n in (None, 5, 50)] == [0, 15, 0]
    slow = replace(START, clients=(replace(A, lags={T: 30}), replace(B, standby=(), lags={T: UNKNOWN})))
    for records, lag in ((None, RUNNING), (30, RUNNING), (29, 1)):
        last = list(play(keep, Timeline(slow, (Restore(A.id, records), Restore(B.id)), restored=0)))[1]
        assert last.clients[0].lags[T] == lag
    assert list(play(keep, Timeline(slow, (Restore(B.id),), restored=0)))[-1].clients[1].lags[T] == UNKNOWN


def test_state_that_nobody_needs_is_deleted():
    idle = replace(B, standby=())
    start = replace(START, clients=(A, idle, Client(IDS[2], 1, lags={T: 90})))
    (_, last) = play(keep, Timeline(start, (CleanUp(B.id),), restored=0))
    assert last.clients[1].lags == {T: 90}


def test_clients_and_settings_change():
    assert played(Configure(Settings(5)))[-1].settings == Settings(5)
    start = replace(START, clients=(A, replace(B, threads=2, consumers={"x": {T: 4}, "y": {}})))
    more, fewer = (list(play(keep, Timeline(start, (Scale(B.id, n),), 0)))[-1].clients[1] for n in (3, 1))
    assert more.consumers == {"x": {T: 4}, "y": {}, f"{B.id}-1": {}}
    assert fewer.consumers == {"x": {T: 4}}


def test_the_application_on_which_an_assignor_gives_up_was_yielded():
    def fails(_):
        raise AssignorError("no")

    stages = play(fails, Timeline(START, (Probe(),)))
    assert next(stages) == START
    with pytest.raises(AssignorError):
        next(stages)


def test_standbys_that_always_lag_too_far_are_probed_for_ever():
    """The active task writes more between two rebalances than acceptable.recovery.lag: its warm-up is never caught up."""
    running, cold = (
        Client(name, 1, lags={TaskId(0, n): lag for n in range(2)})
        for name, lag in ((IDS[0], RUNNING), (IDS[1], 900))
    )
    start = Application(
        tuple(Task(TaskId(0, n), stateful=True) for n in range(2)),
        (running, cold),
        Settings(acceptable_recovery_lag=9),
    )
    for written, ends in ((9, True), (10, False)):
        *_, last = play(high_availability.assign, Timeline(start, (Probe(),) * 20, written=written))
        assert high_availability.assign(last).probing is not ends


def seeded(seed):
    (start,) = islice(applications(seed, "min_traffic"), 1)
    choices = from_seed(seed)
    return Timeline(
        start, choose_events(choices, start, 8), choices.pick((None, 20_000)), choices.pick((0, 500))
    )


def test_a_seed_gives_the_same_timeline_everywhere():
    """A digest of what happens and of the application at the end, which stood in for it when this was written."""
    digest = sha256()
    for seed in range(5):
        timeline = seeded(seed)
        *_, last = play(high_availability.assign, timeline)
        digest.update(f"{timeline.events} {write_group(last)}".encode())
    assert digest.hexdigest()[:16] == "d02d7373e1b308ab"


def test_every_kind_of_event_comes_up():
    start = seeded(1).start
    assert set(USUAL) == set(EVENTS)
    drawn = {type(event) for seed in range(60) for event in choose_events(from_seed(seed), start, 5)}
    assert len(drawn) == len(EVENTS) + 1, "a client that stopped restarts, too"
    assert choose_events(from_seed(1), start, 3, {"leave": 1})[0] == Leave(
        choose_events(from_seed(1), start, 3, {"leave": 1})[0].client
    )


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6))
def test_clients_hold_what_they_were_given(seed):
    timeline = seeded(seed)
    before = None
    for application in play(high_availability.assign, timeline):
        answer = before and high_availability.assign(before).clients
        stayed = {client.id for client in before.clients} if before else ()
        for client in application.clients:
            if client.id in stayed:
                assert (client.active, client.standby) == answer[client.id]
            running = {task for task, lag in client.lags.items() if lag == RUNNING}
            assert before is None or running <= set(client.active)
        before = application
