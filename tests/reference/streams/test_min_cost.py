"""Rack-aware assignment costs the least that it can (KIP-925), as trying every assignment shows, and changes nothing else."""

import random
from collections import Counter
from dataclasses import replace
from itertools import product

import pytest
from classes.groups.random_applications import application
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from whole import share

from kassay.model import AssignorError
from kassay.model.partitions import Topic, TopicPartition
from kassay.model.tasks import STRATEGIES, Application, Client, Settings, Task, TaskId
from kassay.reference import ASSIGNORS
from kassay.reference.releases import build_release
from kassay.reference.streams.client_state import ClientState, states
from kassay.reference.streams.high_availability import (
    assign_active_stateful,
    assign_standbys,
    assign_stateless,
)
from kassay.reference.streams.rack_aware.graph import Graph, Graph36
from kassay.reference.streams.rack_aware.optimise import (
    balance_subtopology,
    min_traffic,
    optimise_active,
    optimise_standby,
)
from kassay.reference.streams.standby import keeps_spread

EXAMPLES = settings(max_examples=share(30, 1_000), deadline=None)
TASKS = [TaskId(number // 3, number % 3) for number in range(5)]
PRICES = st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=5, max_size=5)
OWNERS = st.lists(st.integers(0, 2), min_size=5, max_size=5)
RACKS = st.builds(
    lambda seed, strategy: application(random.Random(seed), strategy),
    st.integers(0, 10**9),
    st.sampled_from(STRATEGIES[1:]),
)


def least(price: list[list[int]], owner: list[int], *, bounded: bool) -> int:
    """Return the least cost of all assignments with the counts that there are, bounded by subtopology too."""
    counts = Counter(owner)
    costs = []
    for at in product(range(3), repeat=len(TASKS)):
        spread = Counter((task.subtopology, client) for task, client in zip(TASKS, at, strict=True))
        sizes = Counter(task.subtopology for task in TASKS)
        within = all(n <= -(-counts[c] * sizes[sub] // len(TASKS)) for (sub, c), n in spread.items())
        if Counter(at) == counts and (within or not bounded):
            costs.append(sum(row[client] for row, client in zip(price, at, strict=True)))
    return min(costs)


@EXAMPLES
@given(PRICES, OWNERS, st.sampled_from([Graph, Graph36]))
def test_no_assignment_with_the_same_counts_costs_less(
    price: list[list[int]], owner: list[int], graph: type[Graph]
) -> None:
    owners, counts = dict(zip(TASKS, owner, strict=True)), [owner.count(client) for client in range(3)]
    try:
        found = min_traffic(
            graph(), TASKS, owners, counts, lambda task, client: price[TASKS.index(task)][client]
        )
    except AssignorError:
        assume(graph is not Graph36)
        raise
    assert Counter(found.values()) == Counter(owner)
    cost = sum(row[found[task]] for row, task in zip(price, TASKS, strict=True))
    assert cost == least(price, owner, bounded=False)


@EXAMPLES
@given(PRICES, OWNERS)
def test_none_that_spreads_subtopologies_as_much_costs_less(price: list[list[int]], owner: list[int]) -> None:
    owners, counts = dict(zip(TASKS, owner, strict=True)), [owner.count(client) for client in range(3)]
    found = balance_subtopology(
        Graph(), TASKS, [TASKS[:3], TASKS[3:]], counts, lambda task, client: price[TASKS.index(task)][client]
    )
    cost = sum(row[found[task]] for row, task in zip(price, owners, strict=True))
    assert cost == least(price, owner, bounded=True)


def test_the_example_of_the_kip_keeps_its_limits() -> None:
    """4.B.II: clients with 1, 2 and 3 threads, two subtopologies of 3 tasks each: at most 1, 1 and 2 of a subtopology."""
    tasks = [TaskId(sub, n) for sub in range(2) for n in range(3)]
    found = balance_subtopology(
        Graph(), tasks, [tasks[:3], tasks[3:]], [1, 2, 3], lambda task, _: task.subtopology
    )
    of = Counter((task.subtopology, client) for task, client in found.items())
    assert Counter(found.values()) == {0: 1, 1: 2, 2: 3}
    assert max(of[sub, 0] for sub in range(2)) == 1
    assert max(of[sub, 1] for sub in range(2)) == 1
    assert max(of[sub, 2] for sub in range(2)) == 2


def held(clients: dict[str, ClientState], role: str) -> dict[str, set[TaskId]]:
    return {name: set(getattr(state, role)) for name, state in clients.items()}


def across(drawn: Application, tasks: dict[str, set[TaskId]], *, changelogs: bool = False) -> int:
    """Count the partitions read across racks."""
    racks = drawn.racks(lambda task: task.changelogs if changelogs else task.inputs)
    rack = {client.id: client.rack for client in drawn.clients}
    return sum(rack[name] not in at for name, its in tasks.items() for task in its for at in racks[task])


@EXAMPLES
@given(RACKS, st.integers(0, 3), st.integers(0, 3))
def test_traffic_and_tasks_that_move_are_weighed_by_their_costs(
    drawn: Application, traffic: int, overlap: int
) -> None:
    """4.B.III: without a cost of traffic nothing moves; by min_traffic the weighted sum is no more than before."""
    clients = states(drawn)
    assign_active_stateful(drawn, clients, None)
    before = held(clients, "active")
    stateful = sorted(task.id for task in drawn.tasks if task.stateful)
    optimise_active(drawn, clients, stateful, traffic, overlap, Graph)
    after = held(clients, "active")
    moved = sum(len(after[name] - before[name]) for name in clients)
    assert {name: len(its) for name, its in after.items()} == {name: len(its) for name, its in before.items()}
    if drawn.settings.rack_aware_assignment_strategy == "min_traffic":
        assert traffic * across(drawn, after) + overlap * moved <= traffic * across(drawn, before)
        assert traffic or not overlap or not moved


@EXAMPLES
@given(RACKS)
def test_standbys_are_exchanged_for_less_traffic_alone(drawn: Application) -> None:
    """4.C.I: no count changes, nothing comes beside another copy, and no more is read across racks."""
    clients = states(drawn)
    assign_active_stateful(drawn, clients, None)
    assign_standbys(drawn, clients, None)
    before = held(clients, "standby")
    optimise_standby(drawn, clients, 1, 0, keeps_spread, Graph)
    after = held(clients, "standby")
    assert {name: len(its) for name, its in after.items()} == {name: len(its) for name, its in before.items()}
    assert not any(state.active & state.standby for state in clients.values())
    assert sum(map(Counter, after.values()), Counter()) == sum(map(Counter, before.values()), Counter())
    assert across(drawn, after, changelogs=True) <= across(drawn, before, changelogs=True)


@EXAMPLES
@given(RACKS)
def test_standbys_stay_as_spread_over_tags(drawn: Application) -> None:
    """4.D: with tags, an exchange leaves the copies of each task on as many different tags."""

    def tags(task: TaskId) -> int:
        return len({tag for s in clients.values() if s.holds(task) for tag in s.client.tags})

    drawn = replace(drawn, settings=replace(drawn.settings, rack_aware_assignment_tags=("zone",)))
    clients = states(drawn)
    assign_active_stateful(drawn, clients, None)
    assign_standbys(drawn, clients, None)
    before = {task.id: tags(task.id) for task in drawn.tasks}
    optimise_standby(drawn, clients, 1, 0, keeps_spread, Graph)
    assert all(tags(task) >= number for task, number in before.items())


@EXAMPLES
@given(RACKS)
def test_stateless_tasks_go_where_they_read_least_across_racks(drawn: Application) -> None:
    """4.E: counts stay those of the load; by min_traffic no more is read across racks."""
    plain, racks = states(drawn), states(drawn)
    assign_stateless(drawn, plain, None)
    assign_stateless(drawn, racks, Graph)
    before, after = held(plain, "active"), held(racks, "active")
    assert {name: len(its) for name, its in after.items()} == {name: len(its) for name, its in before.items()}
    if drawn.settings.rack_aware_assignment_strategy == "min_traffic":
        assert across(drawn, after) <= across(drawn, before)


HERE, THERE = (f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2))


def two_by_two(traffic: int) -> Application:
    """Return two tasks that read two partitions each, the first in the first client's rack, the second in the second's."""
    tasks = tuple(
        Task(
            TaskId(0, n),
            True,
            (TopicPartition("in", 2 * n), TopicPartition("in", 2 * n + 1)),
            (TopicPartition("log", n),),
        )
        for n in range(2)
    )
    lags = {task.id: 0 for task in tasks}
    clients = tuple(Client(name, 1, lags=lags, rack=rack) for name, rack in ((HERE, "a"), (THERE, "b")))
    config = Settings(
        rack_aware_assignment_strategy="min_traffic",
        rack_aware_assignment_traffic_cost=traffic,
        rack_aware_assignment_non_overlap_cost=0,
    )
    racks = Topic("in", 4, (("a",), ("a",), ("b",), ("b",))), Topic("log", 2, (("a", "b"), ("a", "b")))
    return Application(tasks, clients, config, racks)


@pytest.mark.parametrize("release", ["3.6.0", "3.7.0", "4.3.1"])
@pytest.mark.parametrize("name", ["high-availability", "legacy-sticky", "sticky"])
def test_costs_wrap_around_at_32_bits(name: str, release: str) -> None:
    """As Kafka's classes answered: two partitions at 2^30 - 1 are dear, at 2^31 - 1 cheaper than none, at 2^30 without an end."""
    if name == "sticky" and release < "3.8":
        release = "3.8.0"
    assign = build_release(ASSIGNORS[f"streams/{name}"], release).assign
    first, second = TaskId(0, 0), TaskId(0, 1)
    assert [assign(two_by_two(2**30 - 1)).clients[at].active for at in (HERE, THERE)] == [(first,), (second,)]
    assert [assign(two_by_two(2**31 - 1)).clients[at].active for at in (HERE, THERE)] == [(second,), (first,)]
    with pytest.raises(AssignorError, match=r"^no answer: the same cycles are cancelled again and again$"):
        assign(two_by_two(2**30))


COSTS = st.lists(
    st.lists(st.sampled_from([0, 1, 2**30, -(2**31), 1 - 2**31, 2**31 - 1]), min_size=3, max_size=3),
    min_size=5,
    max_size=5,
)


@EXAMPLES
@given(COSTS, OWNERS, st.sampled_from([Graph, Graph36]))
def test_whatever_tasks_cost_a_search_ends(
    price: list[list[int]], owner: list[int], graph: type[Graph]
) -> None:
    """Either no assignment costs less, or it says why there is none; only -2^31 keeps it from the least cost."""
    owners, counts = dict(zip(TASKS, owner, strict=True)), [owner.count(client) for client in range(3)]
    wraps = any(-(2**31) in row for row in price)
    try:
        found = min_traffic(
            graph(), TASKS, owners, counts, lambda task, client: price[TASKS.index(task)][client]
        )
    except AssignorError:
        if not wraps and graph is not Graph36:
            raise
        return
    assert Counter(found.values()) == Counter(owner)
    cost = sum(row[found[task]] for row, task in zip(price, TASKS, strict=True))
    assert wraps or cost == least(price, owner, bounded=False)
