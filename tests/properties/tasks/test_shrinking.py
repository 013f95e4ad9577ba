"""Smaller applications: every step goes down by one order and stays legal; minimising ends in one size from every start."""

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from whole import WHOLE, share, some

from kassay.model.partitions import INT32_MAX, Topic, TopicPartition
from kassay.model.tasks import INT64_MAX, UNKNOWN, Application, Client, Settings, Task, TaskId
from kassay.model.tasks_json import write_group
from kassay.properties.choices import from_seed
from kassay.properties.minimise import minimise
from kassay.properties.tasks.applications import application, choose_settings
from kassay.properties.tasks.shrinking import smaller, steps
from kassay.properties.tasks.situations import vanished_task
from kassay.properties.tasks.smallest import size
from kassay.properties.tasks.strategies import applications
from kassay.reference.streams import high_availability, legacy_sticky
from kassay.reference.streams.rack_aware.optimise import is_enabled

FILTERED = settings(deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
LEAST = Application((), (Client("00000000-0000-0000-0000-000000000001", 1),))


@settings(FILTERED, max_examples=share(8, 200))
@given(applications().filter(lambda each: is_enabled(each) and len(each.tasks) < 9))
def test_with_a_strategy_tasks_go_on_reading(start):
    """Kafka's classes fail where a task reads nothing, or a stateful one has no changelog, and racks are asked for."""
    for candidate in steps(start):
        if candidate.settings.rack_aware_assignment_strategy != "none":
            assert all(task.inputs for task in candidate.tasks)
            assert all(task.changelogs for task in candidate.tasks if task.stateful)


def test_a_large_application_comes_down_in_few_steps():
    ids = [TaskId(0, n) for n in range(300)]
    clients = [
        Client(f"12345678-0000-0000-0000-{n:012}", 4, lags=dict.fromkeys(ids, 77)) for n in range(1, 41)
    ]
    start = Application(tuple(Task(task, stateful=True) for task in ids), tuple(clients))
    found = minimise(start, lambda each: len(each.tasks) >= 5 and len(each.clients) >= 3, smaller)
    assert size(found.group)[:4] == (3, 5, 1, 0)
    assert found.finished


def loads(answer):
    return sorted(len(given_.active) + len(given_.standby) for given_ in answer.clients.values())


def uneven(answer):
    return max(loads(answer)) - min(loads(answer)) > 1


def copies(start, **changes):
    answer = high_availability.assign(replace(start, settings=replace(start.settings, **changes)))
    return sum(len(given_.standby) for given_ in answer.clients.values())


def traffic(start, answer):
    racks = start.racks(lambda task: task.inputs)
    home = {client.id: client.rack for client in start.clients}
    return sum(
        home[name] not in near
        for name, given_ in answer.clients.items()
        for task in given_.active
        for near in racks[task]
    )


ha, sticky = high_availability.assign, legacy_sticky.assign
PREDICATES = {
    "two clients": lambda a: len(a.clients) >= 2,
    "a standby that lags": lambda a: any(c.lags[task] > 0 for c in a.clients for task in c.standby if task in c.lags),
    "one rack unknown": lambda a: [c.rack is None for c in a.clients].count(True) == 1 < len(a.clients),
    "loads of two assignors differ": lambda a: loads(sticky(a)) != loads(ha(a)),
    "probing": lambda a: ha(a).probing,
    "unknown lag": lambda a: any(UNKNOWN in client.lags.values() for client in a.clients),
    "active twice": lambda a: max(Counter(t for c in a.clients for t in c.active).values(), default=0) > 1,
    "racks matter": lambda a: is_enabled(a) and ha(a) != high_availability.assign(a, graph=None),
    "traffic is saved": lambda a: is_enabled(a) and traffic(a, ha(a)) < traffic(a, high_availability.assign(a, graph=None)),
    "uneven": lambda a: len({client.threads for client in a.clients}) == 1 and uneven(ha(a)),
    "the order matters": lambda a: sticky(a) != sticky(replace(a, clients=a.clients[::-1])),
    "warm-ups are held back": lambda a: copies(a, max_warmup_replicas=99) > copies(a),
    "tags matter": lambda a: (
        bool(a.settings.rack_aware_assignment_tags)
        and ha(a) != ha(replace(a, settings=replace(a.settings, rack_aware_assignment_tags=())))
    ),
    "a consumer reports": lambda a: any(
        task.id in sums for task in a.tasks for c in a.clients for sums in c.consumers.values()
    ),
    "a client ran what exists no longer": vanished_task,
    "a changelog is a source topic": lambda a: any(set(t.inputs) & set(t.changelogs) for t in a.tasks),
}  # fmt: skip


LENGTHY = {"warm-ups are held back", "tags matter", "uneven"}
"""Predicates of whose smallest applications there are many as small."""


@cache
def generated(seed):
    return [
        application(choices, choose_settings(choices)) for choices in map(from_seed, range(seed, seed + 200))
    ]


@pytest.mark.parametrize("name", [name for name in PREDICATES if WHOLE or name not in LENGTHY])
def test_one_size_for_each_predicate_from_every_seed(name):
    holds, found = PREDICATES[name], []
    for seed in range(0, some(400, 2_000), 200):
        start = next(filter(holds, generated(seed)))
        least = minimise(start, holds, smaller)
        assert holds(least.group)
        assert least.finished
        found.append(least.group)
    assert len(set(map(size, found))) == 1


def test_names_and_orders_become_plain():
    far = [Client(f"{n}0000000-0000-0000-8000-00000000000{n}", 3, tags=(("zone", f"z{n}"),)) for n in (9, 7)]
    start = Application((Task(TaskId(7, 9)), Task(TaskId(3, 5))), tuple(far))
    found = minimise(start, lambda a: len(a.tasks) == 2 and len({c.tags for c in a.clients}) == 2, smaller)
    written = write_group(found.group)
    assert written["tasks"] == [{"id": "0_0"}, {"id": "0_1"}]
    assert [client["id"][-4:] for client in written["clients"]] == ["0001", "0002"]
    assert sorted(str(client.get("tags")) for client in written["clients"]) == ["None", "{'k0': 'v0'}"]


def test_the_greatest_numbers_come_down():
    ids = TaskId(INT32_MAX, INT32_MAX), TaskId(0, 0)
    last = TopicPartition("t", INT32_MAX - 1)
    client = Client(LEAST.clients[0].id, INT32_MAX, ids, lags={ids[0]: INT64_MAX})
    start = Application(
        (Task(ids[0], True, (last,), (TopicPartition("u", INT32_MAX - 1),)), Task(ids[1], False, (last,))),
        (client,),
        Settings(INT64_MAX, INT32_MAX, INT32_MAX, (), "min_traffic", INT32_MAX, -INT32_MAX),
        (Topic("t", INT32_MAX), Topic("u", INT32_MAX)),
    )
    found = minimise(start, lambda a: len(a.tasks) == 2 and a.settings.max_warmup_replicas > 9, smaller)
    assert found.finished
    least = Application(
        (Task(TaskId(0, 0)), Task(TaskId(0, 1))), LEAST.clients, Settings(max_warmup_replicas=10)
    )
    assert found.group == least
