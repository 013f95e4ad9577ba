"""Convergence: Kafka's assignors keep the laws as far as stated."""

from itertools import islice

import pytest
from classes.groups.random_applications import applications
from mutants.tasks_several_runs import MUTANTS
from whole import seed_of_the_day, share

from kassay.model.tasks import (
    INT64_MAX,
    RUNNING,
    STRATEGIES,
    UNKNOWN,
    Application,
    Client,
    Given,
    Settings,
    Task,
    TaskAssignment,
    TaskId,
)
from kassay.properties.tasks import laws, measures
from kassay.properties.tasks.rounds import ROUNDS, bound_rounds, bound_rounds_for, settle, to_restore
from kassay.reference.streams import fallback_prior, high_availability, legacy_sticky

LAWS = {
    law.__name__: law
    for law in (
        laws.settles,
        laws.settles_in_time,
        laws.probing_ends,
        laws.stable,
        laws.keeps_running,
    )
}


def broken(law, assign, application):
    return next(LAWS[law](assign, application), None)


def known(application):
    return all(lag != UNKNOWN for client in application.clients for lag in client.lags.values())


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_high_availability_keeps_all_of_them_where_lags_are_known(strategy):
    for application in islice(applications(seed_of_the_day(), strategy), share(25, 600)):
        for law in LAWS:
            if law != "keeps_running" or known(application):
                assert broken(law, high_availability.assign, application) is None


T = TaskId(0, 0)
IDS = [f"00000000-0000-0000-0000-00000000000{n}" for n in range(1, 4)]
A, B, C = IDS


def running(*lags, tasks=1, **settings):
    """Return an application with tasks of state, of which each client has the same lag."""
    ids = [TaskId(0, n) for n in range(tasks)]
    return Application(
        tuple(Task(task, stateful=True) for task in ids),
        tuple(
            Client(name, 1, tuple(ids) if lag == RUNNING else (), lags=dict.fromkeys(ids, lag))
            for name, lag in zip(IDS, lags, strict=False)
        ),
        Settings(**settings),
    )


def test_a_task_with_unknown_lag_stops_running_where_it_is_caught_up():
    application = running(UNKNOWN, RUNNING)
    said = broken("keeps_running", high_availability.assign, application)
    assert said == f"0_0 becomes active on {A}, whose lag is -3, though {B} is caught up"


@pytest.mark.parametrize(
    ("tasks", "warmups", "rounds"), [(1, 2, 1), (2, 2, 2), (9, 2, 3), (9, 1, 5), (9, 4, 2)]
)
def test_settling_takes_a_rebalance_for_so_many_warm_ups_and_one_more(tasks, warmups, rounds):
    application = running(RUNNING, 50_000, tasks=tasks, max_warmup_replicas=warmups)
    settled = settle(high_availability.assign, application)
    assert to_restore(application, settled.answer) == tasks // 2
    assert settled.rounds == bound_rounds_for(application, settled.answer) == rounds
    assert settled.rounds <= bound_rounds(application)
    assert measures.rebalances(high_availability.assign, application) == rounds
    assert measures.tasks_moved(high_availability.assign, application) == tasks // 2
    assert measures.time_without_caught_up_active(high_availability.assign, application) == 0


@pytest.mark.parametrize(
    ("warmups", "restored", "rounds", "most"), [(4, 20_000, 3, 4), (1, 20_000, 9, 9), (2, 40_000, 3, 3)]
)
def test_what_restores_slowly_settles_later(warmups, restored, rounds, most):
    application = running(RUNNING, 50_000, tasks=9, max_warmup_replicas=warmups)
    settled = settle(high_availability.assign, application, restored)
    assert settled.rounds == rounds
    assert bound_rounds_for(application, settled.answer, restored) == most


def test_tasks_that_move_without_warm_ups_are_away_for_a_rebalance():
    application = running(RUNNING, 50_000, tasks=9)
    moves_at_once = MUTANTS["moves_at_once"][0]
    assert measures.rebalances(moves_at_once, application) == 1
    assert measures.tasks_moved(moves_at_once, application) == 4
    assert measures.time_without_caught_up_active(moves_at_once, application) == 4


def test_what_never_settles_is_stopped():
    application = running(RUNNING, 50_000)
    assert measures.rebalances(MUTANTS["probes_for_ever"][0], application) == ROUNDS + 1
    passed_on = settle(MUTANTS["passes_tasks_on"][0], application)
    assert (passed_on.rounds, passed_on.period) == (None, 2)
    assert broken("settles", MUTANTS["passes_tasks_on"][0], application).startswith(
        "it never converges: every 2 rebalances"
    )


def test_an_assignor_that_never_repeats_itself_is_stopped_too():
    asked = []

    def restless(application):
        asked.append(application)
        given = Given((T,) * len(asked), ())
        return TaskAssignment({A: given}, probing=False)

    assert settle(restless, running(RUNNING)).period is None
    assert "does not converge within" in broken("settles", restless, running(RUNNING))


@pytest.mark.parametrize(
    "clients", [{}, {"a stranger": Given((T,), ())}, {A: Given((T, T, TaskId(9, 9)), (T,))}]
)
def test_any_answer_can_be_judged(clients):
    def wrong(_):
        return TaskAssignment(clients, probing=False)

    application = running(RUNNING, 0)
    assert [law for law in LAWS if broken(law, wrong, application)] == []
    assert measures.rebalances(wrong, application) == 1
    assert measures.tasks_moved(wrong, application) == 0
    assert measures.time_without_caught_up_active(wrong, application) == (A not in clients)


def test_the_fallback_asks_for_ever():
    for application in islice(applications(seed_of_the_day()), share(20, 500)):
        assert broken("settles", fallback_prior.assign, application)
        assert broken("probing_ends", fallback_prior.assign, application)


def test_legacy_sticky_reads_no_lags():
    application = running(50_000, 0)
    assert broken("keeps_running", legacy_sticky.assign, application)
    assert (
        broken("keeps_running", legacy_sticky.assign, running(50_000, 0, acceptable_recovery_lag=INT64_MAX))
        is None
    )


def test_legacy_sticky_with_balance_subtopology_may_pass_tasks_to_and_fro_for_ever():
    (application,) = islice(applications(7, "balance_subtopology"), 208, 209)
    settled = settle(legacy_sticky.assign, application)
    assert (settled.rounds, settled.period) == (None, 2)
    assert "every 2 rebalances the same answers come again" in broken(
        "settles", legacy_sticky.assign, application
    )


def test_legacy_sticky_is_not_stable_where_threads_do_not_divide_the_tasks():
    tasks = tuple(Task(TaskId(0, n)) for n in range(5))
    clients = (Client(A, 2, tuple(task.id for task in tasks)), Client(B, 1))
    assert broken(
        "stable", legacy_sticky.assign, Application(tasks, clients, Settings(num_standby_replicas=1))
    )
    assert broken("stable", high_availability.assign, Application(tasks, clients)) is None
