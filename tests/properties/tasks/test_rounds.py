"""Rounds: what clients report after an assignment, right or wrong, finished or not."""

from dataclasses import replace

from kassay.model import Topic, TopicPartition
from kassay.model.tasks import (
    INT64_MAX,
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
from kassay.properties.tasks.rounds import (
    LOG,
    apply_answer,
    bound_rounds,
    build_follow_up,
    is_caught_up,
    is_same,
    log,
    to_restore,
)
from kassay.properties.tasks.timelines import alter_topic

S, T, STATELESS = TaskId(0, 0), TaskId(0, 1), TaskId(1, 0)
TASKS = (Task(S, stateful=True), Task(T, stateful=True), Task(STATELESS))
A, B = (f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2))
START = Application(
    TASKS, (Client(A, 1, (S, T), lags={S: RUNNING, T: RUNNING}), Client(B, 1, lags={S: 500, T: 70_000}))
)


def answer(a=((), ()), b=((), ()), probing=False, **others):
    return TaskAssignment({A: Given(*a), B: Given(*b), **others}, probing)


def lags(application):
    return [dict(client.lags) for client in application.clients]


def test_by_the_next_rebalance_all_copies_are_caught_up_and_other_state_stays_on_disk():
    following = apply_answer(START, answer(((S,), (T,)), ((STATELESS,), (S,))))
    assert lags(following) == [{S: RUNNING, T: 0}, {S: 0, T: 70_000}]
    assert [(c.active, c.standby) for c in following.clients] == [((S,), (T,)), ((STATELESS,), (S,))]
    assert lags(apply_answer(START, answer(b=((S, T), ())))) == [{S: 0, T: 0}, {S: RUNNING, T: RUNNING}]


def test_what_restores_slowly_reports_its_lag_and_only_running_tasks_write():
    swapped = answer(((S,), (T,)), ((T,), (S,)))
    following = apply_answer(START, swapped, restored=30_000, written=7)
    assert lags(following) == [{S: RUNNING, T: 0}, {S: 7, T: 40_000}], (
        "T restores, so no client writes its log"
    )
    following = apply_answer(following, swapped, restored=40_000, written=7)
    assert lags(following) == [{S: RUNNING, T: 7}, {S: 7, T: RUNNING}]
    assert lags(apply_answer(following, answer(((S,), ()), ((T,), ())), written=5)) == [
        {S: RUNNING, T: 12},
        {S: 12, T: RUNNING},
    ]


def test_an_unknown_lag_is_that_of_the_whole_log():
    unknown = replace(
        START, clients=(START.clients[0], replace(START.clients[1], lags={S: UNKNOWN, T: UNKNOWN}))
    )
    assert log(unknown, S) == LOG
    assert log(START, T) == 70_000
    following = apply_answer(unknown, answer(((S, T), ()), ((), (S,))), restored=30_000)
    assert lags(following)[1] == {S: LOG - 30_000, T: UNKNOWN}


def test_wrong_answers_take_effect_as_far_as_they_can():
    wrong = answer(((S, S, TaskId(9, 9)), (S, T, T)), **{"a stranger": Given((T,), ())})
    following = apply_answer(START, wrong).clients[0]
    assert (following.active, following.standby) == ((S,), (T,))
    assert apply_answer(START, TaskAssignment({}, probing=False)).clients[0].active == ()


def test_consumers_report_what_their_client_still_has():
    client = replace(START.clients[0], consumers={"x": {S: RUNNING, T: RUNNING}, "y": {}})
    following = apply_answer(replace(START, clients=(client,)), answer(((S,), (T,))))
    assert following.clients[0].consumers == {"x": {S: RUNNING, T: UNKNOWN}, "y": {}}


def test_an_application_joins_again_only_for_a_probing_rebalance():
    assert build_follow_up(START, answer()) is None
    assert build_follow_up(START, answer(probing=True)) == apply_answer(START, answer())


def test_answers_are_the_same_in_any_order_but_not_with_other_probing():
    assert is_same(answer(((S, T), ())), answer(((T, S), ())))
    assert not is_same(answer(((S,), (T,))), answer(((T,), (S,))))
    assert not is_same(answer(), answer(probing=True))


def test_who_is_caught_up():
    assert [lag for lag in (RUNNING, UNKNOWN, 0, 9, 10) if is_caught_up(Settings(9), lag)] == [RUNNING, 0, 9]
    assert is_caught_up(Settings(INT64_MAX), UNKNOWN)
    assert to_restore(START, answer(((S,), ()), ((T, STATELESS), (S,)))) == 1


def test_the_most_rebalances_count_every_copy_to_restore():
    def most(restored=None, **settings):
        return bound_rounds(replace(START, settings=Settings(**settings)), restored)

    assert most() == 2, "B is caught up on S"
    assert most(acceptable_recovery_lag=0, max_warmup_replicas=1) == 3
    assert most(acceptable_recovery_lag=0, max_warmup_replicas=1, num_standby_replicas=7) == 3, (
        "A is caught up"
    )
    assert most(7_000, acceptable_recovery_lag=0, max_warmup_replicas=1) == 1 + 10 + 1
    assert most(7_000, acceptable_recovery_lag=0, max_warmup_replicas=2) == 0 + 10 + 1
    assert most(60_000) == most(10**9) == 2


def test_new_partitions_bring_new_tasks():
    def at(name, n):
        return TopicPartition(name, n)

    tasks = (
        Task(S, stateful=True, inputs=(at("in", 0), at("more", 0)), changelogs=(at("log", 0),)),
        Task(STATELESS, inputs=(at("more", 0),)),
    )
    topics = (Topic("in", 1), Topic("more", 2, (("r",), ("s",))), Topic("log", 1, (("r", "s"),)))
    clients = tuple(replace(client, active=(), lags={S: 5}) for client in START.clients)
    application = Application(tasks, clients, topics=topics)
    grown = alter_topic(application, Topic("in", 2))
    assert grown.tasks == (*tasks, Task(T, True, (at("in", 1), at("more", 1)), (at("log", 1),)))
    assert grown.topics == (Topic("in", 2), topics[1], Topic("log", 2, (("r", "s"), ("r", "s"))))
    assert lags(grown) == [{S: 5, T: 0}, {S: 5, T: 0}]
    assert alter_topic(application, Topic("more", 3)).tasks[2:] == (
        Task(TaskId(0, 2), True, (at("more", 2),), (at("log", 2),)),
        Task(TaskId(1, 2), False, (at("more", 2),)),
    )
    moved = Topic("more", 2, (("s",), ("s",)))
    assert alter_topic(application, moved) == replace(application, topics=(topics[0], moved, topics[2]))
    for impossible in (Topic("elsewhere", 3), Topic("more", 1)):
        assert alter_topic(application, impossible) == application
