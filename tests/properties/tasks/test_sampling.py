"""Sampled applications are what was asked for, and the same for equal settings and seeds."""

from hashlib import blake2b

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whole import share

from kassay.model.tasks import RUNNING, UNKNOWN
from kassay.properties.tasks.applications import KINDS, NUMBERS, USUAL, draw, size
from kassay.properties.tasks.situations import vanished_task
from kassay.reference.java.strings import uuid_hash

SMALL = {"clients": 8, "subtopologies": 4, "partitions": 9, "tasks_per_thread": 3, "racks": 4}


def limits(name):
    least, most = NUMBERS[name][0], SMALL.get(name, min(NUMBERS[name][1], 5))
    return st.tuples(st.integers(least, most), st.integers(least, most)).map(lambda pair: tuple(sorted(pair)))


RANGES = st.fixed_dictionaries({}, optional={name: limits(name) for name in NUMBERS})
MIXES = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(kinds).map(lambda kind: {kind: 1}) for name, kinds in KINDS.items()}
)


@settings(max_examples=share(40, 400), deadline=None)
@given(RANGES, MIXES, st.integers(0, 2**63 - 1))
def test_applications_are_what_was_asked_for(ranges, mixes, seed):
    mixes = mixes | {"shape": {"asked": 1}}
    timeline = draw(ranges, mixes, seed)
    start, within = timeline.start, {**USUAL, **ranges}
    clients, threads, tasks = size(start)
    subtopologies = {task.id.subtopology for task in start.tasks}
    racks = {rack for topic in start.topics for near in topic.racks or () for rack in near if rack}
    each = within["tasks_per_thread"]

    def kept(name, number):
        return within[name][0] <= number <= within[name][1]

    assert kept("clients", clients)
    assert all(kept("threads", client.threads) for client in start.clients)
    assert len(subtopologies) <= within["subtopologies"][1]
    if each[0]:
        assert each[0] * threads <= tasks <= each[1] * threads
    elif not each[1]:
        assert kept("subtopologies", len(subtopologies))
        assert all(kept("partitions", topic.partitions) for topic in start.topics)
    assert kept("standbys", start.settings.num_standby_replicas)
    assert kept("warmups", start.settings.max_warmup_replicas)
    assert len(racks) <= within["racks"][1]
    assert all(kept("tags", len(client.tags)) for client in start.clients)
    assert kept("churn", len(timeline.events))
    assert start.settings.rack_aware_assignment_strategy == next(iter(mixes.get("strategy", ["none"])))


@settings(max_examples=share(40, 400), deadline=None)
@given(RANGES, MIXES, st.integers(0, 2**63 - 1))
def test_equal_settings_and_seeds_give_equal_applications_in_whatever_order(ranges, mixes, seed):
    turned = dict(reversed(ranges.items())), dict(reversed(mixes.items()))
    assert draw(ranges, mixes, seed) == draw(*turned, seed)


def test_draws_are_the_same_on_every_machine():
    """A digest of draws of every kind; if it changes, sweeps that were begun cannot be gone on with."""
    mixes = {name: dict.fromkeys(kinds, 1) for name, kinds in KINDS.items()}
    ranges = {"racks": (0, 3), "standbys": (0, 2), "tags": (0, 2), "clients": (1, 9)}
    drawn = "\n".join(repr(draw(ranges, mixes, seed).start) for seed in range(300))
    assert blake2b(drawn.encode(), digest_size=8).hexdigest() == "23e6bd89ba642465"


def lags(start):
    return [lag for client in start.clients for lag in client.lags.values()]


def active(start):
    return [task for client in start.clients for task in client.active]


@pytest.mark.parametrize(
    ("kinds", "shown"),
    [
        ({"history": "none"}, lambda a: not active(a) and min(lags(a)) > 0),
        ({"history": "even"}, lambda a: len(active(a)) == len(a.tasks) and RUNNING in lags(a)),
        ({"history": "joined"}, lambda a: any(not client.active for client in a.clients)),
        ({"history": "left"}, lambda a: len(active(a)) < len(a.tasks)),
        ({"history": "uneven"}, lambda a: len({len(client.active) for client in a.clients}) > 1),
        ({"history": "restarted"}, lambda a: not active(a) and any(client.standby for client in a.clients)),
        ({"history": "behind"}, lambda a: a.settings.acceptable_recovery_lag + 1 in lags(a)),
        ({"history": "unknown"}, lambda a: UNKNOWN in lags(a)),
        ({"history": "contested"}, lambda a: len(active(a)) > len(set(active(a)))),
        ({"history": "edges"}, lambda a: a.settings.acceptable_recovery_lag in lags(a)),
        ({"history": "changed"}, vanished_task),
        ({"known_racks": "all"}, lambda a: all(c.rack for c in a.clients) and all(t.racks for t in a.topics)),
        ({"known_racks": "some clients"}, lambda a: len({c.rack is None for c in a.clients}) == 2),
        (
            {"known_racks": "some topics"},
            lambda a: any(topic.racks is None or None in topic.racks[0] for topic in a.topics),
        ),
        ({"known_racks": "none"}, lambda a: not any(client.rack for client in a.clients)),
        ({"stateful": "some"}, lambda a: len({task.stateful for task in a.tasks}) == 2),
        ({"stateful": "none"}, lambda a: not any(task.stateful for task in a.tasks)),
        ({"thread_counts": "mixed"}, lambda a: len({client.threads for client in a.clients}) > 1),
        ({"order": "shuffled"}, lambda a: [c.order for c in a.clients] != sorted(c.order for c in a.clients)),
        ({"names": "random"}, lambda a: all(client.id[14] == "4" for client in a.clients)),
        ({"names": "negative"}, lambda a: any(min(client.order) < 0 for client in a.clients)),
        ({"names": "colliding"}, lambda a: len({uuid_hash(c.id) for c in a.clients}) < len(a.clients)),
        ({"names": "hostile"}, lambda a: any(topic.name[1:] not in "0123456789" for topic in a.topics)),
    ],
)
def test_each_kind_is_met_in_most_applications(kinds, shown):
    ranges = {
        "clients": (3, 6),
        "threads": (1, 4),
        "subtopologies": (3, 3),
        "partitions": (4, 8),
        "racks": (2, 3),
        "standbys": (0, 1),
    }
    mixes = {name: {kind: 1} for name, kind in kinds.items()}
    assert sum(map(bool, (shown(draw(ranges, mixes, seed).start) for seed in range(60)))) > 30


def test_tasks_for_each_thread_are_spread_over_the_subtopologies():
    numbers = {"clients": (3, 3), "threads": (2, 2), "subtopologies": (4, 4), "tasks_per_thread": (3, 3)}
    tasks = draw(numbers, {}, 1).start.tasks
    assert [sum(task.id.subtopology == n for task in tasks) for n in range(4)] == [5, 5, 4, 4]
