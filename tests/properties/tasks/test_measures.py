"""Measures of task assignors agree with their definitions, counted out."""

from fractions import Fraction
from itertools import permutations

from families.streams_situations import ONE, TWO, A, B, C, client, having, placed, tagged
from hypothesis import given, settings
from mutants.tasks_tiny import any_answer, legal_answer, tiny_application
from mutants.tiny import any_choices
from whole import share

from kassay.model.tasks import Given, TaskAssignment
from kassay.properties.streams import MEASURES
from kassay.properties.tasks.measures import holdings

MANY = share(60, 300)


def measured(name, application, *given):
    clients = {client.id: Given(*own) for client, own in zip(application.clients, given, strict=False)}
    return MEASURES[name](application, TaskAssignment(clients, probing=False))


@settings(max_examples=MANY, deadline=None)
@given(any_choices())
def test_imbalance_is_between_threads_and_2_at_least_where_a_task_elsewhere_evens_two_clients(choices):
    application = tiny_application(choices)
    answer = any_answer(choices, application)
    held = holdings(application, answer)
    for name, roles in (("active_imbalance", ("active",)), ("total_imbalance", ("active", "standby"))):
        threads = []
        loads = []
        for each in application.clients:
            tasks = {task for role in roles for task in getattr(held[each.id], role)}
            loads.append((len(tasks), each.threads))
            dealt = [0] * each.threads
            for n, _ in enumerate(tasks):
                dealt[n % each.threads] += 1
            threads += dealt
        closer = any(
            n and abs(Fraction(n - 1, k) - Fraction(m + 1, j)) < abs(Fraction(n, k) - Fraction(m, j))
            for (n, k), (m, j) in permutations(loads, 2)
        )
        assert MEASURES[name](application, answer) == max(max(threads) - min(threads), 2 * closer)


@settings(max_examples=MANY, deadline=None)
@given(any_choices())
def test_moves_are_counted_task_by_task(choices):
    application = tiny_application(choices)
    answer = legal_answer(choices, application)
    active = standby = 0
    for task in (task.id for task in application.tasks):
        ran = [c.id for c in application.clients if task in c.active]
        active += bool(ran) and not any(task in answer.clients[name].active for name in ran)
        restored = [c.id for c in application.clients if task in c.standby]
        for name, roles in answer.clients.items():
            standby += bool(restored) and task in roles.standby and name not in restored and name not in ran
    assert MEASURES["active_moves"](application, answer) == active
    assert MEASURES["standby_moves"](application, answer) == standby


@settings(max_examples=MANY, deadline=None)
@given(any_choices())
def test_partitions_across_racks(choices):
    application = tiny_application(choices)
    answer = legal_answer(choices, application)
    racks = {(t.name, n): near for t in application.topics if t.racks for n, near in enumerate(t.racks)}
    counts = {"active": 0, "standby": 0}
    for each in application.clients:
        for task in application.tasks:
            for role, read in (("active", task.inputs), ("standby", task.changelogs)):
                if each.rack and task.id in getattr(answer.clients[each.id], role):
                    counts[role] += sum(each.rack not in racks.get(tuple(p), (each.rack,)) for p in read)
    assert MEASURES["cross_rack"](application, answer) == counts["active"]
    assert MEASURES["cross_rack_standby"](application, answer) == counts["standby"]


def test_nobody_reads_across_racks_that_are_not_known():
    assert measured("cross_rack", placed("x", "y"), ((TWO,), ()), ((ONE,), ())) == 2
    assert measured("cross_rack", placed("x", None), ((TWO,), ()), ((ONE,), ())) == 1
    assert measured("cross_rack", placed("x", ""), ((TWO,), ()), ((ONE,), ())) == 1


def test_collisions_are_copies_beyond_the_values_that_they_have():
    zone, disk = ("zone", "1"), ("disk", "1")
    wanted = ("zone", "disk")
    three = tagged((zone, disk), (zone, disk), wanted=wanted)
    three = having(*three.clients, client(C, tags=(zone,)), rack_aware_assignment_tags=wanted)
    copies = ((ONE,), ()), ((), (ONE,)), ((), (ONE,))
    assert measured("tag_collisions", three, *copies) == 3  # two of zone, one of disk
    assert measured("tag_collisions", three, *copies[:2]) == 2
    assert measured("tag_collisions", three, *copies[:1]) == 0
    assert measured("tag_collisions", having(*three.clients), *copies) == 0


def test_probing_is_one_or_none():
    answer = TaskAssignment({A: Given((ONE, TWO), ()), B: Given((), ())}, probing=True)
    assert MEASURES["probing"](having(), answer) == 1
    assert MEASURES["probing"](having(), answer._replace(probing=False)) == 0
