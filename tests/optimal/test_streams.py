"""streams/optimal: best in every level, the same answer however it is asked, warm-ups on the way, and gaps of 0 at rest."""

import json
import math
import os
import subprocess
import sys
from dataclasses import replace
from random import Random
from uuid import UUID

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from second_opinions.every_placement import placements
from whole import share

from kassay.errors import SkippedError
from kassay.families.optimal import ASSIGNORS
from kassay.families.optimal.streams import assign
from kassay.families.optimal.streams import target as targets
from kassay.families.optimal.streams.target import (
    HISTORY,
    assign_interim,
    choose_objectives,
    compute_even_counts,
    find_target,
    normalize,
)
from kassay.model import AssignorError, Topic, TopicPartition
from kassay.model.tasks import Application, Client, Settings, Task, TaskAssignment, TaskId
from kassay.model.tasks_json import write_assignment, write_group
from kassay.oracles.assignment.active_standby.check import compute_values
from kassay.oracles.assignment.active_standby.optimum import solve_by_item
from kassay.oracles.assignment.own_levels import BALANCE, TOTAL_BALANCE
from kassay.oracles.errors import TooLargeError
from kassay.oracles.tasks.encoding import decode_answer, encode_application, encode_owners
from kassay.oracles.tasks.levels import COLD, LEVELS
from kassay.oracles.tasks.optima import compute_optima
from kassay.oracles.tasks.optimum import find_best
from kassay.properties.tasks.measures import tasks_moved
from kassay.properties.tasks.rounds import apply_answer, settle, to_restore
from kassay.properties.tasks.strategies import applications
from kassay.reference.streams import high_availability

usual = settings(deadline=None, max_examples=share(6, 150))


def small(application, most=60):
    return len(application.tasks) * len(application.clients) <= most


def measured(application, level, answer):
    if level == COLD:
        return to_restore(application, answer)
    if level not in (BALANCE, TOTAL_BALANCE):
        return LEVELS[level].measure(application, answer)
    roles = slice(1) if level == BALANCE else slice(2)
    given_ = [(client.threads, answer.clients[client.id]) for client in application.clients]
    whole = math.lcm(*(threads for threads, _ in given_))
    return sum(sum(map(len, tasks[roles])) ** 2 * whole // threads for threads, tasks in given_)


@usual
@given(application=applications())
def test_no_placement_is_better_in_any_level(application):
    """Solved task by task with two other solvers; what the levels are worth is measured on the assignment."""
    assume(small(application))
    found = find_target(application)
    assume(found.judged is not None)
    levels = found.asked.levels
    best, _ = solve_by_item(found.case.problem, levels)
    assert found.judged.proved
    assert found.judged.worth == compute_values(found.case.problem, levels, best)
    answer = decode_answer(found.case, found.judged.owners)
    assert found.judged.worth == tuple(measured(found.application, level, answer) for level in levels)


def test_nor_is_one_among_all_placements():
    """Three tasks of three kinds on three clients, one of which has state: every placement is measured, tag by tag."""
    topic = Topic("t", 3, (("a",), ("b",), ("c", "a")))
    tasks = tuple(
        Task(TaskId(0, n), n < 2, (TopicPartition("t", n),), (TopicPartition("t", n),) * (n < 2))
        for n in range(3)
    )
    lags = {TaskId(0, 0): 0, TaskId(0, 1): 50_000}
    clients = tuple(
        Client(str(UUID(int=n)), 1 + n % 2, lags=lags if n == 2 else dict.fromkeys(lags, 90_000), rack=rack)
        for n, rack in enumerate("abc")
    )
    for strategy in ("none", "min_traffic"):
        for standbys in (0, 1, 2):
            config = Settings(num_standby_replicas=standbys, rack_aware_assignment_strategy=strategy)
            application = normalize(Application(tasks, clients, config, (topic,)))
            levels = choose_objectives(application).levels
            least = min(
                tuple(measured(application, level, each) for level in levels)
                for each in placements(application)
            )
            assert find_target(application).judged.worth == least


def shuffled(application, r):
    def any_order(some_):
        return tuple(r.sample(some_, len(some_)))

    clients = [
        replace(
            client, active=any_order(client.active), standby=any_order(client.standby), tags=any_order(client.tags),
            lags=dict(any_order([*client.lags.items()])),
        )
        for client in application.clients
    ]  # fmt: skip
    tasks = [
        replace(task, inputs=any_order(task.inputs), changelogs=any_order(task.changelogs))
        for task in application.tasks
    ]
    topics = [
        replace(topic, racks=topic.racks and tuple(map(any_order, topic.racks)))
        for topic in application.topics
    ]
    return Application(any_order(tasks), any_order(clients), application.settings, any_order(topics))


@usual
@given(application=applications(), seed=st.integers(0, 2**32))
def test_who_is_given_what_does_not_depend_on_any_order(application, seed):
    assert assign(shuffled(application, Random(seed))) == assign(application)


ASKING = """
import json, sys
from kassay.model.tasks_json import read_group, write_assignment
from kassay.families.optimal import ASSIGNORS
assign = ASSIGNORS["streams/optimal"].assign
print(json.dumps([write_assignment(assign(read_group(one))) for one in json.load(sys.stdin)]))
"""


def new(clients=12, partitions=30, **config):
    """Two subtopologies with state on new clients in three racks."""
    racks = tuple((f"r{n % 3}", f"r{(n + 1) % 3}") for n in range(partitions))
    ids = [TaskId(s, n) for s in (0, 1) for n in range(partitions)]
    tasks = tuple(
        Task(of, True, (TopicPartition("in", of.partition),), (TopicPartition(f"log-{of.subtopology}", of.partition),))
        for of in ids
    )  # fmt: skip
    fresh = tuple(
        Client(str(UUID(int=n)), 2, lags=dict.fromkeys(ids, 80_000), rack=f"r{n % 3}") for n in range(clients)
    )
    topics = tuple(Topic(name, partitions, racks) for name in ("in", "log-0", "log-1"))
    return Application(tasks, fresh, Settings(rack_aware_assignment_strategy="min_traffic", **config), topics)


def joined(application):
    """The application runs, and its first client has just joined."""
    first, *others = application.clients
    running = replace(application, clients=tuple(others))
    running = apply_answer(running, assign(running))
    return replace(running, clients=(first, *running.clients))


def test_neither_the_process_nor_its_hash_seed_matters():
    asked = [joined(new()), joined(new(5, 8, num_standby_replicas=1))]
    expected = json.dumps([write_assignment(assign(each)) for each in asked])
    ran = subprocess.run(
        [sys.executable, "-c", ASKING], input=json.dumps([write_group(each) for each in asked]),
        capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": "1"},
    )  # fmt: skip
    assert ran.stdout.strip() == expected


@usual
@given(application=applications())
def test_at_rest_all_gaps_of_its_levels_are_0(application):
    """On the application itself, with its threads and racks as they are; a gap in joint is asked for where racks come before tags."""
    assume(small(application, 100))
    settled = settle(assign, application)
    assert settled.rounds is not None
    rested = settled.application
    over = {gap.level: gap.over for gap in compute_optima(rested).gaps(settled.answer)}
    assert over[BALANCE] == 0
    assert (
        over.get("moves", 0) <= 0
    )  # tags and shares come before even loads of all copies, which may take moves
    config = rested.settings
    if config.rack_aware_assignment_strategy == "balance_subtopology" or not rested.tasks:
        return  # shares of subtopologies come before its other levels
    if config.rack_aware_assignment_strategy == "min_traffic" and not config.rack_aware_assignment_tags:
        assert over["joint"] == 0
    asked = find_target(rested).asked
    case = encode_application(rested, asked)
    own = compute_values(case.problem, asked.levels, encode_owners(case, settled.answer))
    assert own == find_best(case, asked).worth


@usual
@given(application=applications())
def test_its_answer_at_rest_is_the_only_optimum(application):
    """So whoever leads next, with whatever rule for ties, answers the same: ids that sort the other way round change nothing."""
    assume(
        small(application, 100)
        and application.settings.rack_aware_assignment_strategy != "balance_subtopology"
    )
    settled = settle(assign, application)
    assume(set(HISTORY) <= set(find_target(settled.application).asked.levels))
    ordered = [client.id for client in normalize(settled.application).clients]
    other = {name: str(UUID(int=len(ordered) - n)) for n, name in enumerate(ordered)}
    clients = tuple(replace(client, id=other[client.id]) for client in settled.application.clients)
    again = assign(replace(settled.application, clients=clients))
    assert again.clients == {other[name]: held for name, held in settled.answer.clients.items()}


def test_a_new_application_is_settled_in_one_round():
    assert settle(assign, new(4, 6, num_standby_replicas=1)).rounds == 1


def test_who_joins_takes_over_its_share_and_nothing_else_moves():
    fresh = new(6, 15)
    alone = replace(fresh, settings=replace(fresh.settings, rack_aware_assignment_strategy="none"))
    for application, moved in ((joined(alone), 5), (joined(fresh), 6)):  # one more for the least traffic
        settled = settle(assign, application)
        assert settled.rounds == 4  # five tasks, two at a time, and the last answer
        assert len(settled.answer.clients[application.clients[0].id].active) == 5
        asked, judged = find_target(application).asked.levels, find_target(application).judged
        assert dict(zip(asked, judged.worth, strict=True))["moves"] == moved
        assert tasks_moved(assign, application) == moved < tasks_moved(high_availability.assign, application)


def test_a_large_application_is_placed_without_its_history():
    application = new(40, 20, num_standby_replicas=3)
    answer = assign(application)
    found = find_target(apply_answer(application, answer))
    assert found.judged.proved
    assert not set(HISTORY).intersection(found.asked.levels)
    assert assign_interim(found) == answer


@usual
@given(items=st.integers(0, 12), slots=st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_counts_have_the_least_squares_by_threads(items, slots):
    def splits(left, places):
        if places == 1:
            return [(left,)]
        return [(n, *rest) for n in range(left + 1) for rest in splits(left - n, places - 1)]

    whole = 60  # all threads divide it
    counts = compute_even_counts(items, slots)
    every = splits(items, len(slots))

    def by_threads(n, k):
        return sum((n // k + (place < n % k)) ** 2 for place in range(k))

    for cost in (lambda n, k: whole * n * n // k, by_threads):
        assert sum(map(cost, counts, slots)) == min(sum(map(cost, each, slots)) for each in every)


def test_what_is_not_proved_is_not_given(monkeypatch):
    application = new(2, 2, num_standby_replicas=1)
    best = targets.find_best

    def fail(*_):
        raise TooLargeError("numbers leave 64 bits")

    def unproved(case, asked, deadline):
        judged = best(case, asked, deadline)
        return replace(judged, least=(judged.least[0] - 1, *judged.least[1:]))

    monkeypatch.setattr(targets, "find_best", fail)
    with pytest.raises(AssignorError, match="no optimum is proved: numbers leave 64 bits"):
        assign(application)
    with pytest.raises(SkippedError, match="no optimum is proved: numbers leave 64 bits"):
        ASSIGNORS["streams/optimal"].assign(application)  # it is declined
    monkeypatch.setattr(targets, "find_best", unproved)
    with pytest.raises(AssignorError, match="no optimum is proved: the certificate proves"):
        assign(application)


def test_a_time_that_is_over_is_an_error():
    with pytest.raises(AssignorError, match="no optimum is proved"):
        assign(new(8, 20, num_standby_replicas=2), time_limit_s=0)


def test_tasks_without_clients_are_an_error():
    with pytest.raises(AssignorError, match="no optimum is proved: clients: is empty"):
        assign(Application((Task(TaskId(0, 0)),), ()))
    assert assign(Application((), ())) == TaskAssignment({}, probing=False)
