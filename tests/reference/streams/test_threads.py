"""What the step from clients to threads promises, on drawn clients; and Kafka's own answers where they hang on Java's order."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.model.tasks import RUNNING, Client, Given, TaskId
from kassay.reference.streams.client_state import task_hash, task_order
from kassay.reference.streams.threads import Consumers, assign_role, assign_threads

FEW = settings(max_examples=40)
ID = "00000000-0000-0000-0000-000000000001"


@st.composite
def clients(draw: st.DrawFn) -> tuple[Client, Given, Consumers]:
    """A client with its tasks and what each of its consumers had of all stateful tasks."""
    stateful = [TaskId(0, number) for number in range(draw(st.integers(0, 8)))]
    stateless = [TaskId(1, number) for number in range(draw(st.integers(0, 5)))]
    names = [f"c{number}" for number in range(draw(st.integers(1, 4)))]
    had: dict[str, list[TaskId]] = {name: [] for name in names}
    for task in stateful:
        for name in draw(st.lists(st.sampled_from(names), max_size=2, unique=True)):
            had[name].append(task)
    lags = {task: draw(st.sampled_from((RUNNING, 0, 5))) for task in stateful}
    roles = [draw(st.sampled_from(("active", "standby", "none"))) for _ in stateful]
    active = [task for task, role in zip(stateful, roles, strict=True) if role == "active"]
    standby = [task for task, role in zip(stateful, roles, strict=True) if role == "standby"]
    return Client(ID, len(names), lags=lags), Given((*active, *stateless), tuple(standby)), had


@FEW
@given(clients())
def test_each_task_is_given_once_in_its_role(drawn: tuple[Client, Given, Consumers]) -> None:
    client, tasks, consumers = drawn
    threads = assign_threads(client, tasks, consumers)
    assert list(threads) == sorted(consumers)
    assert sorted(task for each in threads.values() for task in each.active) == sorted(tasks.active)
    assert sorted(task for each in threads.values() for task in each.standby) == sorted(tasks.standby)
    assert all(task in client.lags for each in threads.values() for task in each.stateful)
    assert not any(task in client.lags for each in threads.values() for task in each.stateless)


@FEW
@given(clients())
def test_counts_differ_by_one_at_most_after_each_role(drawn: tuple[Client, Given, Consumers]) -> None:
    client, tasks, consumers = drawn
    totals = [0] * len(consumers)
    for role in zip(*assign_threads(client, tasks, consumers).values(), strict=True):
        totals = [total + len(given) for total, given in zip(totals, role, strict=True)]
        assert max(totals) - min(totals) <= 1


@FEW
@given(clients(), st.data())
def test_loads_add_up(drawn: tuple[Client, Given, Consumers], data: st.DataObject) -> None:
    client, tasks, consumers = drawn
    load = {name: 3 + data.draw(st.integers(0, 1)) for name in consumers}
    given, after = assign_role(tasks.active, consumers, client.lags, load, stateful=True)
    assert after == {name: load[name] + len(given[name]) for name in consumers}
    assert sum(after.values()) == sum(load.values()) + len(tasks.active)


@FEW
@given(clients())
def test_a_thread_keeps_what_it_had_where_its_share_allows(drawn: tuple[Client, Given, Consumers]) -> None:
    client, tasks, consumers = drawn
    active = [task for task in tasks.active if task in client.lags]
    given, _ = assign_role(task_order(active), consumers, client.lags, {}, stateful=True)
    claims = [task for had in consumers.values() for task in had]
    for name, had in consumers.items():
        if all(claims.count(task) == 1 for task in had):
            its = set(had) & set(active)
            assert len(its & set(given[name])) >= min(len(its), len(active) // len(consumers))


@FEW
@given(clients())
def test_what_is_even_stays_as_it_is(drawn: tuple[Client, Given, Consumers]) -> None:
    client, tasks, consumers = drawn
    active = task_order(task for task in tasks.active if task in client.lags)
    once, _ = assign_role(active, consumers, client.lags, {}, stateful=True)
    again, _ = assign_role(active, once, client.lags, {}, stateful=True)
    assert {name: set(given) for name, given in again.items()} == {
        name: set(given) for name, given in once.items()
    }


def test_a_thread_keeps_its_least_lags_first() -> None:
    tasks = [TaskId(0, number) for number in range(4)]
    lags = dict(zip(tasks, (7, 5, RUNNING, 5), strict=True))
    given, _ = assign_role(tasks, {"a": tasks, "b": ()}, lags, {}, stateful=True)
    assert given == {"a": [TaskId(0, 2), TaskId(0, 1)], "b": [TaskId(0, 0), TaskId(0, 3)]}


def test_a_thread_gets_one_more_of_what_it_had() -> None:
    tasks = [TaskId(0, number) for number in range(3)]
    given, _ = assign_role(tasks, {"a": (), "b": tasks}, dict.fromkeys(tasks, 0), {}, stateful=True)
    assert given == {"a": [tasks[1]], "b": [tasks[0], tasks[2]]}


def test_new_tasks_are_dealt_out_in_turn() -> None:
    tasks = [TaskId(0, number) for number in range(4)]
    given, _ = assign_role(tasks, {"a": (), "b": ()}, dict.fromkeys(tasks, 0), {}, stateful=True)
    assert given == {"a": [tasks[0], tasks[2]], "b": [tasks[1], tasks[3]]}


def test_stateless_tasks_are_dealt_out_whoever_had_them() -> None:
    tasks = [TaskId(0, number) for number in range(4)]
    lags = dict.fromkeys(tasks, 0)
    given, _ = assign_role(tasks, {"a": tasks[2:], "b": tasks[:2]}, lags, {"a": 1, "b": 0}, stateful=False)
    assert given == {"a": [TaskId(0, 0), TaskId(0, 3)], "b": [TaskId(0, 1), TaskId(0, 2)]}


def test_the_last_tasks_go_as_they_lie_in_the_heap() -> None:
    """The order in which a set of tasks iterates decides, even though tasks have an order of their own."""
    tasks = [TaskId(0, number) for number in range(3)]
    consumers: Consumers = {"a": (), "b": (), "c": (), "d": ()}
    ascending, _ = assign_role(tasks, consumers, {}, {}, stateful=False)
    other, _ = assign_role([tasks[2], tasks[0], tasks[1]], consumers, {}, {}, stateful=False)
    assert ascending == {"a": [tasks[0]], "b": [tasks[1]], "c": [tasks[2]], "d": []}
    assert other == {"a": [tasks[0]], "b": [tasks[2]], "c": [tasks[1]], "d": []}


def test_uneven_loads_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^load: too uneven"):
        assign_role([TaskId(0, 0)], {"a": (), "b": ()}, {}, {"a": 5}, stateful=False)


def test_tasks_hash_and_iterate_as_in_java() -> None:
    assert task_hash(TaskId(0, 0)) == 29791
    assert task_hash(TaskId(0, 31)) == task_hash(TaskId(1, 0))
    assert [task.subtopology for task in task_order(TaskId(number, 0) for number in range(4))] == [1, 2, 3, 0]


def test_tasks_of_one_slot_iterate_as_in_java() -> None:
    """Recorded: so many share a slot that it becomes a tree, in which tasks of one hash are compared."""
    partitions = (405, 310, 279, 376, 281, 250, 155, 188, 93, 190, 31, 128)
    order = [task.subtopology for task in task_order(map(TaskId._make, enumerate(partitions)))]
    assert order == [4, 0, 1, 2, 3, 5, 6, 7, 8, 9, 11, 10]
