"""For each situation of the streams family applications that are in it, and a plain one that is in few."""

from dataclasses import replace

from kassay.model.partitions import Topic, TopicPartition
from kassay.model.tasks import INT64_MAX, RUNNING, UNKNOWN, Application, Client, Settings, Task, TaskId

A, B, C, D = (f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2, 3, 4))
NEGATIVE = "80000000-0000-0000-0000-000000000000"
ONE, TWO = TaskId(0, 0), TaskId(0, 1)
IN, STORE = (Topic(name, 2, (("x",), ("y",))) for name in ("in", "store"))


def client(name, *, active=(), standby=(), lag=0, **others):
    """Return a client with a thread that lags as far on both tasks, but on what it runs."""
    lags = {task: RUNNING if task in active else lag for task in (ONE, TWO)}
    return Client(name, **{"threads": 1, "active": active, "standby": standby, "lags": lags, **others})


def reading(number, **others):
    """Return the stateful task of a partition, with what it reads."""
    reads = {"inputs": (TopicPartition("in", number),), "changelogs": (TopicPartition("store", number),)}
    return Task(TaskId(0, number), **{"stateful": True, **reads, **others})


BOTH = reading(0), reading(1)


def having(*clients, tasks=BOTH, topics=(IN, STORE), **settings):
    return Application(tasks, clients or PLAIN.clients, Settings(**settings), topics)


PLAIN = Application(BOTH, (client(A, active=(ONE,)), client(B, active=(TWO,))), Settings(), (IN, STORE))
OF_PLAIN = {"stateful_only", "restorable"}
STATELESS = tuple(reading(n, stateful=False, changelogs=()) for n in (0, 1))


def placed(*racks, strategy="min_traffic", **settings):
    """Return clients in these racks with a strategy."""
    clients = (replace(c, rack=rack) for c, rack in zip(PLAIN.clients, racks, strict=True))
    return having(*clients, rack_aware_assignment_strategy=strategy, **settings)


def tagged(*tags, wanted=("zone",), **settings):
    """Return clients with these tags."""
    clients = (replace(c, tags=own) for c, own in zip(PLAIN.clients, tags, strict=True))
    return having(*clients, num_standby_replicas=1, rack_aware_assignment_tags=wanted, **settings)


def without_racks(topic):
    return replace(topic, racks=None)


Z1, Z2, DISK = ("zone", "1"), ("zone", "2"), ("disk", "1")
EXAMPLES = {
    "single_client": [having(client(A, active=(ONE, TWO)))],
    "more_clients_than_tasks": [having(*PLAIN.clients, client(C))],
    "more_threads_than_tasks": [having(*PLAIN.clients, client(C)), having(client(A, threads=3))],
    "mixed_threads": [having(client(A), client(B, threads=2))],
    "negative_id": [having(client(NEGATIVE), client(B)), having(client(f"{A[:19]}f000-000000000000"))],
    "permuted_clients": [having(client(B), client(A)), having(client(A), client(NEGATIVE))],
    "hash_order": [having(client(A), client("00000000-0000-0000-0000-000000000010"))],
    "stateless_only": [having(tasks=STATELESS)],
    "stateful_only": [PLAIN],
    "mixed_state": [having(tasks=(reading(0), STATELESS[1]))],
    "several_subtopologies": [having(tasks=(*BOTH, Task(TaskId(1, 0))))],
    "uneven_subtopologies": [having(tasks=(*BOTH, Task(TaskId(1, 0))))],
    "uneven_tasks": [having(*PLAIN.clients, client(C))],
    "permuted_tasks": [having(tasks=(reading(1), reading(0)))],
    "several_inputs": [
        having(tasks=(reading(0, inputs=(TopicPartition("in", 0), TopicPartition("in", 1))), reading(1)))
    ],
    "several_changelogs": [
        having(tasks=(reading(0, changelogs=(TopicPartition("in", 0), TopicPartition("in", 1))), reading(1)))
    ],
    "source_changelog": [having(tasks=(reading(0, changelogs=(TopicPartition("in", 0),)), reading(1)))],
    "unlogged_state": [having(tasks=(reading(0, changelogs=()), reading(1)))],
    "standbys": [having(num_standby_replicas=1)],
    "more_standbys_than_clients": [having(num_standby_replicas=2)],
    "one_warmup": [having(max_warmup_replicas=1)],
    "tags": [tagged((Z1,), (Z2,))],
    "several_tags": [tagged((Z1,), (Z1,), wanted=("zone", "disk"))],
    "missing_tag": [tagged((Z1,), ())],
    "idle_tag": [tagged((Z1, DISK), (Z1,))],
    "custom_costs": [
        placed("x", "y", rack_aware_assignment_traffic_cost=1),
        placed("x", "y", rack_aware_assignment_non_overlap_cost=1),
    ],
    "odd_costs": [
        *(placed("x", "y", rack_aware_assignment_traffic_cost=cost) for cost in (0, -1)),
        placed("x", "y", rack_aware_assignment_non_overlap_cost=-1),
    ],
    "overflowing_costs": [
        placed("x", "y", rack_aware_assignment_traffic_cost=2**31 - 1),
        placed("x", "y", rack_aware_assignment_traffic_cost=-(2**31)),
        placed("x", "y", rack_aware_assignment_non_overlap_cost=2**31 - 10),
        placed(
            "x", "y", rack_aware_assignment_traffic_cost=2**30, rack_aware_assignment_non_overlap_cost=2**30
        ),
    ],
    "racks": [placed("x", None)],
    "partial_racks": [placed("x", None)],
    "unknown_topic_racks": [
        replace(placed("x", "y"), topics=topics)
        for topics in ((without_racks(IN), STORE), (IN, replace(STORE, racks=(("x",), (None,)))))
    ],
    "rack_strategy": [
        placed("x", "y"),
        replace(placed("x", "y"), topics=(IN, without_racks(STORE))),  # without standbys nobody reads it
    ],
    "min_traffic": [placed("x", "y")],
    "balance_subtopology": [placed("x", "y", strategy="balance_subtopology")],
    "idle_strategy": [
        placed("x", None),
        placed("x", ""),
        replace(placed("x", "y", num_standby_replicas=1), topics=(IN, without_racks(STORE))),
        replace(placed("x", "y"), topics=(replace(IN, racks=(("x", None), ("y",))), STORE)),
    ],
    "strategy_with_some_racks": [
        replace(placed("x", "y"), topics=(replace(IN, racks=(("x", None), ("y",))), STORE))
    ],
    "distant_client": [placed("x", "z")],
    "new_application": [having(client(A), client(B))],
    "newcomer": [
        having(client(A, active=(ONE, TWO)), client(B)),
        having(client(A), client(B, standby=(ONE,))),
    ],
    "orphaned_task": [having(client(A, active=(ONE,)), client(B, standby=(TWO,)))],
    "double_claim": [having(client(A, active=(ONE,)), client(B, active=(ONE,)))],
    "vanished_task": [
        having(client(A, active=(ONE, TaskId(0, 9))), client(B)),
        having(client(A), client(B, standby=(TaskId(9, 0),))),
    ],
    "double_running": [having(client(A, active=(ONE,)), client(B, lags={ONE: RUNNING, TWO: 0}))],
    "uneven_holdings": [having(client(A, active=(ONE, TWO)), client(B))],
    "behind": [having(client(A), client(B, lag=10_001))],
    "uneven_lags": [having(client(A), client(B, lag=10_001)), having(client(A), client(B, lag=UNKNOWN))],
    "caught_up_nowhere": [having(client(A, lag=UNKNOWN), client(B, lag=10_001))],
    "restorable": [having(client(A, active=(ONE,)), client(B, lag=10_000))],
    "unknown_lag": [having(client(A, active=(ONE, TWO)), client(B, lag=UNKNOWN))],
    "unlimited_lag": [having(acceptable_recovery_lag=INT64_MAX)],
}
