"""When racks count, what they are warned of, and how far a subtopology may pile up on a client."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.errors import SkippedError
from kassay.model import AssignorError, Topic, TopicPartition
from kassay.model.tasks import Application, Client, Settings, Task, TaskId
from kassay.reference.releases import FROM
from kassay.reference.streams import high_availability, legacy_sticky
from kassay.reference.streams.rack_aware.graph import Graph
from kassay.reference.streams.rack_aware.optimise import balance_subtopology, is_enabled, warnings
from kassay.reference.streams.sticky import can_perform

ONE, TWO = (f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2))


def application(
    *,
    racks: tuple[str | None, ...] = ("a", "b"),
    replicas: tuple[str | None, ...] = ("a",),
    **changed: object,
) -> Application:
    """Return an application of two tasks, of which each reads from the rack of the other one's client."""
    topics = (Topic("t", 2, (("b",), replicas)), Topic("c", 2, (("a",), ("b",))))
    tasks = tuple(
        Task(TaskId(0, n), True, (TopicPartition("t", n),), (TopicPartition("c", n),)) for n in range(2)
    )
    lags = {task.id: 0 for task in tasks}
    clients = tuple(
        Client(name, 1, lags=lags, rack=rack) for name, rack in zip((ONE, TWO), racks, strict=True)
    )
    set_ = Settings(
        rack_aware_assignment_strategy="min_traffic",
        rack_aware_assignment_traffic_cost=10,
        rack_aware_assignment_non_overlap_cost=1,
    )
    return Application(tasks, clients, replace(set_, **changed), topics)


@pytest.mark.parametrize(
    ("given_", "internal", "public"),
    [
        (application(), True, True),
        (application(rack_aware_assignment_strategy="none"), False, False),
        (application(racks=("a", None)), False, False),
        (application(replicas=()), False, False),
        (application(replicas=("a", None)), False, True),
        (application(rack_aware_assignment_traffic_cost=None), True, False),
        (application(rack_aware_assignment_non_overlap_cost=None), True, False),
    ],
)
def test_racks_count_where_they_are_asked_for_and_known(
    given_: Application, internal: bool, public: bool
) -> None:
    assert is_enabled(given_) is internal
    assert can_perform(given_, lambda task: task.inputs) is public
    answer = high_availability.assign(given_).clients
    assert answer[ONE].active == (TaskId(0, 1 if internal else 0),)


def test_racks_of_changelogs_count_with_standbys_alone() -> None:
    topics = application().topics
    unknown = replace(application(), topics=(topics[0], Topic("c", 2)))
    assert is_enabled(unknown)
    assert not is_enabled(replace(unknown, settings=replace(unknown.settings, num_standby_replicas=1)))


@pytest.mark.parametrize("assign", [high_availability.assign, legacy_sticky.assign])
@pytest.mark.parametrize("standbys", [0, 1])
def test_a_task_that_reads_nothing_fails_as_in_kafka(assign: object, standbys: int) -> None:
    whole = application(num_standby_replicas=standbys)
    lacking = "changelogs" if standbys else "inputs"
    tasks = (whole.tasks[0], replace(whole.tasks[1], **{lacking: ()}))
    with pytest.raises(AssignorError, match=r"^IllegalStateException: Task 0_1 has no TopicPartitions$"):
        assign(replace(whole, tasks=tasks))


@pytest.mark.parametrize("name", ["streams/high-availability", "streams/legacy-sticky"])
def test_3_6_knows_one_strategy(name: str) -> None:
    assign = FROM[name]["3.6.0"]
    assert assign(application()).clients[ONE].active == (TaskId(0, 1),)
    with pytest.raises(SkippedError, match="refuses balance_subtopology"):
        assign(application(rack_aware_assignment_strategy="balance_subtopology"))


@pytest.mark.parametrize("name", ["streams/high-availability", "streams/legacy-sticky"])
def test_before_3_6_racks_do_not_count(name: str) -> None:
    assert FROM[name]["3.3.0"](application()).clients[ONE].active == (TaskId(0, 0),)


def tagged(*tags: str, rack: str | None = "a") -> Client:
    return Client(ONE, 1, tags=tuple(("rack", tag) for tag in tags), rack=rack)


IDLE = (
    "rack.aware.assignment.strategy is min_traffic, but no client has a rack (client.rack): Kafka assigns as with none, "
    "so nothing is compared by it. Give racks of all clients and of all replicas"
)


@pytest.mark.parametrize(
    ("client", "tags", "strategy", "said"),
    [
        (tagged("a"), ("rack",), "min_traffic", []),
        (tagged("b"), ("rack",), "min_traffic", [f"client {ONE}: client.tag.rack is 'b', but client.rack is 'a'. Set them alike"]),
        (tagged(), ("rack",), "min_traffic", [f"client {ONE}: client.tag.rack is not set, but client.rack is 'a'. Set them alike"]),
        (tagged("b"), ("zone",), "min_traffic",
         ["clients have racks, but rack.aware.assignment.tags lacks 'rack'. Add it, for standbys go by tags alone"]),
        (tagged("b", rack=None), ("zone",), "min_traffic", [IDLE]),
        (tagged("b", rack=None), ("rack",), "min_traffic", [IDLE]),
        (tagged("b"), ("rack",), "none", []),
        (tagged("b"), (), "min_traffic", []),
    ],
)  # fmt: skip
def test_tags_that_say_other_than_racks_are_warned_of(
    client: Client, tags: tuple[str, ...], strategy: str, said: list[str]
) -> None:
    set_ = Settings(rack_aware_assignment_tags=tags, rack_aware_assignment_strategy=strategy)
    assert list(warnings(Application((), (client,), set_))) == said


TASKS = st.lists(st.builds(TaskId, st.integers(0, 2), st.integers(0, 5)), min_size=1, max_size=9, unique=True)


@settings(max_examples=60)
@given(TASKS, st.data())
def test_a_subtopology_is_spread_in_proportion_to_the_tasks_that_are_assigned(
    tasks: list[TaskId], data: st.DataObject
) -> None:
    """4.B.II: of the tasks listed, a client gets those of a subtopology as its share of all is, rounded up."""
    others = [task for task in (TaskId(sub, n) for sub in range(3) for n in range(6)) if task not in tasks]
    groups = [[task for task in (*tasks, *others) if task.subtopology == sub] for sub in range(3)]
    clients = data.draw(st.integers(1, 4))
    owner = {task: data.draw(st.integers(0, clients - 1)) for task in tasks}
    counts = [list(owner.values()).count(client) for client in range(clients)]
    price = {(task, client): data.draw(st.integers(0, 3)) for task in tasks for client in range(clients)}
    found = balance_subtopology(
        Graph(), sorted(tasks), groups, counts, lambda task, client: price[task, client]
    )
    assert Counter(found.values()) == Counter(owner.values())
    for (sub, client), number in Counter((task.subtopology, at) for task, at in found.items()).items():
        listed = sum(task.subtopology == sub for task in tasks)
        assert number <= -(-counts[client] * listed // len(tasks))
