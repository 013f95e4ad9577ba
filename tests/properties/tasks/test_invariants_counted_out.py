"""Invariants of task assignors: their definitions counted out on tiny applications."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

from hypothesis import given, settings
from mutants.tasks_tiny import legal_answer, said, tiny_application
from mutants.tiny import any_choices
from whole import share

from kassay.model.tasks import (
    INT64_MAX,
    RUNNING,
    UNKNOWN,
    Application,
)
from kassay.properties.streams import MEASURES

MANY = share(60, 300)


def drawn(choices):
    application = tiny_application(choices)
    return application, legal_answer(choices, application)._replace(probing=False)


def where(answered, role):
    found = {}
    for name, roles in answered.clients.items():
        for task in getattr(roles, role):
            found.setdefault(task, []).append(name)
    return found


@settings(max_examples=MANY, deadline=None)
@given(any_choices())
def test_active_loads_are_balanced_where_no_others_have_a_smaller_sum_of_squares(choices):
    application, answered = drawn(choices)
    threads = [client.threads for client in application.clients]
    counts = tuple(len(answered.clients[client.id].active) for client in application.clients)

    def squares(counts):
        return sum(Fraction(count * count, own) for count, own in zip(counts, threads, strict=True))

    number = len(application.tasks)
    least = min(squares(c) for c in product(range(number + 1), repeat=len(threads)) if sum(c) == number)
    assert bool(said("active_balanced", application, answered)) == (squares(counts) > least)


@settings(max_examples=MANY, deadline=None)
@given(any_choices())
def test_total_loads_are_balanced_where_no_standby_evens_two_clients(choices):
    application, answered = drawn(choices)
    application = replace(application, settings=replace(application.settings, rack_aware_assignment_tags=()))
    threads = {client.id: client.threads for client in application.clients}
    held = {name: {*roles.active, *roles.standby} for name, roles in answered.clients.items()}

    def apart(one, other, moved=0):
        return abs(
            Fraction(len(held[one]) - moved, threads[one])
            - Fraction(len(held[other]) + moved, threads[other])
        )

    evens = any(
        apart(giver, taker, 1) < apart(giver, taker)
        for giver, taker in product(held, repeat=2)
        if giver != taker and {*answered.clients[giver].standby} - held[taker]
    )
    assert bool(said("total_balanced", application, answered)) == evens


def values(application, names, key):
    tags = {client.id: dict(client.tags) for client in application.clients}
    return len({tags[name][key] for name in names if key in tags[name]})


@settings(max_examples=MANY, deadline=None)
@given(any_choices())
def test_one_tag_is_distinct_where_no_other_placement_of_as_many_standbys_has_more_values(choices):
    application, answered = drawn(choices)
    one_tag = replace(application.settings, rack_aware_assignment_tags=("zone",))
    application = replace(application, settings=one_tag)
    active, standby = where(answered, "active"), where(answered, "standby")
    attained = all(
        values(application, [*active[task], *names], "zone")
        == max(
            values(application, [*active[task], *others], "zone")
            for others in combinations({*answered.clients} - {*active[task]}, len(names))
        )
        for task, names in standby.items()
    )
    assert bool(said("distinct_tags", application, answered)) != attained


@settings(max_examples=MANY, deadline=None)
@given(any_choices())
def test_several_tags_are_distinct_where_no_standby_gains_a_value_and_costs_none(choices):
    application, answered = drawn(choices)
    keys = ("zone", "disk")
    both = replace(application.settings, rack_aware_assignment_tags=keys)
    application = replace(application, settings=both)
    active, standby = where(answered, "active"), where(answered, "standby")
    better = False
    for task, names in standby.items():
        holders = {*active[task], *names}
        before = [values(application, holders, key) for key in keys]
        for source, taker in product(names, {*answered.clients} - holders):
            after = [values(application, holders - {source} | {taker}, key) for key in keys]
            better |= after != before and all(x >= y for x, y in zip(after, before, strict=True))
    assert bool(said("distinct_tags", application, answered)) == better


@settings(max_examples=MANY, deadline=None)
@given(any_choices())
def test_standbys_and_warm_ups_are_counted(choices):
    application = tiny_application(choices)
    answered = legal_answer(choices, application)
    asked, most = application.settings.num_standby_replicas, application.settings.max_warmup_replicas
    standby = where(answered, "standby")
    lags = {client.id: client.lags for client in application.clients}
    copies = {task.id: standby.get(task.id, []) for task in application.tasks if task.stateful}
    lacking = [task for task, names in copies.items() if len(names) < asked and len(names) < len(lags) - 1]
    assert len(said("enough_standbys", application, answered)) == len(lacking)
    extra = {task: len(names) - asked for task, names in copies.items() if len(names) > asked}
    assert bool(said("warm_ups_limited", application, answered)) == (sum(extra.values()) > most)
    restoring = {t: sum(lags[name][t] not in (RUNNING, 0, 5) for name in copies[t]) for t in extra}
    idle = [task for task in extra if not answered.probing or restoring[task] < extra[task]]
    assert len(said("warm_ups_needed", application, answered)) == len(idle)
    missing = sum(max(0, min(asked, len(lags) - 1) - len(names)) for names in copies.values())
    assert MEASURES["standbys_missing"](application, answered) == missing
    assert MEASURES["warm_ups"](application, answered) == sum(extra.values())


@settings(max_examples=MANY, deadline=None)
@given(any_choices())
def test_state_is_looked_for_on_every_client(choices):
    application, answered = drawn(choices)
    lags = {client.id: client.lags for client in application.clients}
    late, nearer, behind = 0, 0, 0
    for task in application.tasks:
        if task.stateful:
            (owner,) = where(answered, "active")[task.id]
            of_task = {name: known[task.id] for name, known in lags.items()}
            near = [name for name, lag in of_task.items() if lag in (RUNNING, 0, 5)]
            behind += owner not in near
            late += bool(near) and owner not in near
            left = {name: INT64_MAX if lag == UNKNOWN else lag for name, lag in of_task.items()}
            nearer += not near and left[owner] > min(left.values())
    assert len(said("caught_up", application, answered)) == late
    assert len(said("least_to_restore", application, answered)) == nearer
    assert MEASURES["not_caught_up"](application, answered) == behind


@settings(max_examples=MANY, deadline=None)
@given(any_choices())
def test_a_client_runs_its_share_of_each_subtopology_rounded_up(choices):
    application, answered = drawn(choices)
    racks = [replace(topic, racks=(("a",),) * 3) for topic in application.topics]
    clients = tuple(replace(client, rack="a") for client in application.clients)
    strategy = replace(application.settings, rack_aware_assignment_strategy="balance_subtopology")
    application = Application(application.tasks, clients, strategy, tuple(racks))
    crowded = 0
    sizes = Counter(task.id.subtopology for task in application.tasks)
    for state in (True, False):
        every = [task.id for task in application.tasks if task.stateful is state]
        for roles in answered.clients.values():
            own = [task for task in roles.active if task in every]
            for subtopology, number in Counter(task.subtopology for task in own).items():
                share = Fraction(len(own), len(every)) * sizes[subtopology]
                crowded += number - 1 >= share
    assert len(said("subtopologies_spread", application, answered)) == crowded
