"""Invariants of task assignors: their sentences."""

from dataclasses import replace

import pytest
from families.streams_situations import BOTH, ONE, TWO, A, B, C, client, having, placed, tagged
from hypothesis import given, settings
from mutants.tasks_tiny import any_answer, said, tiny_application
from mutants.tiny import any_choices
from whole import share

from kassay.model.tasks import (
    INT64_MAX,
    UNKNOWN,
    Application,
    Client,
    Given,
    Task,
    TaskAssignment,
    TaskId,
)
from kassay.properties.streams import INVARIANTS, MEASURES

THREE = TaskId(0, 2)
HALF = Task(TWO)
MANY = share(60, 300)


def answer(*given, probing=False, names=(A, B, C)):
    """Return an answer of pairs of active tasks and standbys."""
    return TaskAssignment({name: Given(*own) for name, own in zip(names, given, strict=False)}, probing)


TWO_CLIENTS = having()
STANDBY = having(num_standby_replicas=1)
SPLIT = [((ONE,), ()), ((TWO,), ())]


@pytest.mark.parametrize(
    ("name", "application", "answered", "sentences"),
    [
        ("complete", TWO_CLIENTS, answer(((ONE,), ())), ["0_1 is active nowhere"]),
        ("complete", TWO_CLIENTS, answer(*SPLIT), []),
        ("complete", TWO_CLIENTS, answer(((ONE,), ()), ((), (TWO,))), ["0_1 is active nowhere"]),
        ("complete", TWO_CLIENTS, answer(((ONE, TWO), ()), names=("gone",)), [f"{t} is active nowhere" for t in (ONE, TWO)]),
        ("exclusive", TWO_CLIENTS, answer(((ONE,), ()), ((ONE, TWO), ())), [f"0_0 is active on {A} and {B}"]),
        ("exclusive", TWO_CLIENTS, answer(((ONE, ONE), ())), [f"0_0 is given to {A} as active 2 times"]),
        ("exclusive", TWO_CLIENTS, answer(*SPLIT), []),
        ("existing", TWO_CLIENTS, answer(((THREE,), ())), [f"{A} is given 0_2 as active, but there is no such task"]),
        ("existing", TWO_CLIENTS, answer(((), (THREE,))), [f"{A} is given 0_2 as standby, but there is no such task"]),
        ("existing", TWO_CLIENTS, answer(*SPLIT), []),
        ("every_client", TWO_CLIENTS, answer(((ONE,), ())), [f"{B} is a client, but the answer does not name it"]),
        ("every_client", TWO_CLIENTS, answer(*SPLIT, ((), ())), [f"the answer names {C}, which is no client"]),
        ("stateful_standbys", having(tasks=(BOTH[0], HALF)), answer(*SPLIT), []),
        ("stateful_standbys", having(tasks=(BOTH[0], HALF)), answer(((), (ONE, TWO))), [f"0_1 is a standby on {A}, but it is stateless"]),
        ("one_copy_per_client", TWO_CLIENTS, answer(((ONE,), (ONE,))), [f"0_0 is both active and a standby on {A}"]),
        ("one_copy_per_client", TWO_CLIENTS, answer(((), (ONE, ONE))), [f"0_0 is given to {A} as standby 2 times"]),
        ("one_copy_per_client", TWO_CLIENTS, answer(((ONE,), (TWO,)), ((TWO,), (ONE,))), []),
        ("enough_standbys", STANDBY, answer(((ONE,), ()), ((TWO,), (ONE,))), ["0_1 has 0 standbys; num.standby.replicas is 1, and there are 2 clients"]),
        ("enough_standbys", STANDBY, answer(((ONE,), (ONE, TWO)), ((TWO,), ())), ["0_0 has 0 standbys; num.standby.replicas is 1, and there are 2 clients"]),
        ("enough_standbys", having(num_standby_replicas=9), answer(((ONE,), (TWO,)), ((TWO,), (ONE,))), []),
        ("warm_ups_limited", having(max_warmup_replicas=1), answer(((ONE,), (TWO,)), ((TWO,), (ONE,))), ["0_0 and 0_1 have 2 standbys beyond num.standby.replicas 0; max.warmup.replicas is 1"]),
        ("warm_ups_limited", having(max_warmup_replicas=2), answer(((ONE,), (TWO,)), ((TWO,), (ONE,))), []),
        ("warm_ups_needed", having(client(A), client(B, lag=10_001)), answer(((ONE, TWO), ()), ((), (TWO,))), ["0_1 has 1 standby beyond num.standby.replicas, but no probing rebalance follows"]),
        ("warm_ups_needed", having(client(A), client(B, lag=10_001)), answer(((ONE, TWO), ()), ((), (TWO,)), probing=True), []),
        ("warm_ups_needed", TWO_CLIENTS, answer(((ONE, TWO), ()), ((), (TWO,)), probing=True), ["0_1 has 1 standby beyond num.standby.replicas, but of its standbys' clients 0 are not caught up"]),
        ("active_balanced", having(client(A, threads=3), client(B)), answer(((), ()), ((ONE, TWO), ())), [f"{B} has 2 active tasks on 1 thread, {A} 0 on 3 threads; more even: move one"]),
        ("active_balanced", having(client(A, threads=3), client(B)), answer(((ONE,), ()), ((TWO,), ())), []),
        ("active_balanced", TWO_CLIENTS, answer(((), ()), ((ONE, TWO), ()), probing=True), []),
        ("total_balanced", TWO_CLIENTS, answer(((ONE,), (TWO,)), ((TWO,), (ONE,))), []),
        ("total_balanced", having(client(A), client(B), client(C)), answer(((ONE, TWO), ()), ((), (ONE, TWO)), ((), ())), [f"{B} has 2 tasks on 1 thread, {C} 0 on 1 thread; more even: move standby 0_0"]),
        ("caught_up", having(client(A), client(B, lag=10_001)), answer(((), ()), ((ONE,), ())), [f"0_0 is active on {B}, which lags by 10001, though {A} is caught up; acceptable.recovery.lag is 10000"]),
        ("caught_up", having(client(A), client(B, lag=UNKNOWN)), answer(((), ()), ((ONE,), ())), [f"0_0 is active on {B}, which lags by an unknown number, though {A} is caught up; acceptable.recovery.lag is 10000"]),
        ("caught_up", having(client(A), client(B, lag=10_000)), answer(((), ()), ((ONE,), ())), []),
        ("caught_up", having(client(A), client(B, lag=UNKNOWN), acceptable_recovery_lag=INT64_MAX), answer(((), ()), ((ONE,), ())), []),
        ("caught_up", having(client(A), client(B, lag=20_000), tasks=(BOTH[0], HALF)), answer(((ONE,), ()), ((TWO,), ())), []),
        ("least_to_restore", having(client(A, lag=20_000), client(B, lag=UNKNOWN)), answer(((), ()), ((ONE,), ())), [f"0_0 is active on {B}, which lags by an unknown number; {A} lags by 20000"]),
        ("least_to_restore", having(client(A, lag=20_000), client(B, lag=30_000)), answer(((), ()), ((ONE,), ())), [f"0_0 is active on {B}, which lags by 30000; {A} lags by 20000"]),
        ("least_to_restore", having(client(A, lag=0), client(B, lag=30_000)), answer(((), ()), ((ONE,), ())), []),
        ("active_stays", TWO_CLIENTS, answer(((TWO,), ()), ((ONE,), ())), [f"0_0 was active on {A}, and now is on {B}", f"0_1 was active on {B}, and now is on {A}"][::-1]),
        ("active_stays", having(client(A, active=(ONE,)), client(B, active=(ONE,))), answer(((TWO,), ()), ((ONE,), ())), []),
        ("distinct_racks", having(*(client(n, rack=r) for n, r in ((A, "x"), (B, "x"), (C, "y")))), answer(((ONE,), ()), ((TWO,), (ONE,)), ((), ())), [f"the copies of 0_0 have 1 value of rack; one more: move the standby from {B} to {C}"]),
        ("subtopologies_spread", placed("x", "y", strategy="balance_subtopology"), answer(((ONE, TWO), ()), ((), ())), []),
        ("subtopologies_spread", placed("x", "y", strategy="min_traffic"), answer(*SPLIT), []),
    ],
)  # fmt: skip
def test_sentences(name, application, answered, sentences):
    assert said(name, application, answered) == sentences


def spread(strategy):
    """Return two clients and two subtopologies of two tasks, of which each is on one client."""
    tasks = tuple(Task(TaskId(s, p)) for s in (0, 1) for p in (0, 1))
    application = placed("x", "y", strategy=strategy)
    clients = tuple(replace(client, active=(), lags={}) for client in application.clients)
    return replace(application, tasks=tasks, clients=clients), answer(
        ((TaskId(0, 0), TaskId(0, 1)), ()), ((TaskId(1, 0), TaskId(1, 1)), ())
    )


def test_a_subtopology_on_one_client_is_crowded_only_where_that_is_asked_for():
    crowded = [
        f"{name} runs 2 of the 2 tasks of subtopology {n}; with 2 of all 4 stateless tasks its bound is 1"
        for n, name in enumerate((A, B))
    ]
    assert said("subtopologies_spread", *spread("balance_subtopology")) == crowded
    assert not said("subtopologies_spread", *spread("min_traffic"))
    application, answered = spread("balance_subtopology")
    assert not said("subtopologies_spread", application, answered._replace(probing=True))
    homeless = tuple(replace(client, rack=None) for client in application.clients)
    assert not said("subtopologies_spread", replace(application, clients=homeless), answered)


def test_tags_count_only_in_answers_that_stay():
    application = tagged((("zone", "1"),), (("zone", "1"),))
    third = client(C, tags=(("zone", "2"),))
    application = replace(application, clients=(*application.clients, third))
    near = answer(((ONE,), ()), ((TWO,), (ONE,)), ((), (TWO,)))
    assert said("distinct_tags", application, near) == [
        f"the copies of 0_0 have 1 value of zone; one more: move the standby from {B} to {C}"
    ]
    assert not said("distinct_tags", application, near._replace(probing=True))
    unset = replace(application.settings, rack_aware_assignment_tags=())
    assert not said("distinct_tags", replace(application, settings=unset), near)


@settings(max_examples=MANY, deadline=None)
@given(any_choices())
def test_whatever_is_wrong_is_said_in_words_and_numbers(choices):
    application = tiny_application(choices)
    answered = any_answer(choices, application)
    for invariant in INVARIANTS.values():
        assert all(isinstance(sentence, str) and sentence for sentence in invariant(application, answered))
    for measure in MEASURES.values():
        assert type(measure(application, answered)) is int


def test_an_application_without_clients_is_judged_too():
    nobody = Application((Task(ONE),), ())
    for invariant in INVARIANTS.values():
        assert list(invariant(nobody, TaskAssignment({}, probing=False))) in ([], ["0_0 is active nowhere"])
    for measure in MEASURES.values():
        assert measure(nobody, TaskAssignment({}, probing=False)) == 0


def test_a_clients_first_tasks_are_no_moves():
    assert not said("active_stays", having(Client(A, 1, lags={ONE: 0, TWO: 0})), answer(((ONE, TWO), ())))
