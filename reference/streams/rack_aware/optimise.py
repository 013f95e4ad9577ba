"""Moves of tasks between clients for less traffic across racks, without changing the number of tasks of a client (KIP-925).

The cheapest flow of a network is an assignment of tasks. One network has the counts of clients, the other one also the counts of
subtopologies. If client tags and racks contradict each other, tags decide about standbys (4.D.III). The KIP requires a warning in
Kafka's log, which no release up to 4.3 writes. If a strategy needs an unknown rack, it changes nothing.

Source: RackAwareTaskAssignor, MinTrafficGraphConstructor and BalanceSubtopologyGraphConstructor of kafka-streams 4.3 (KIP-925,
4.B.I, 4.B.II and 4.D).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil

from kassay.model import AssignorError
from kassay.model.tasks import Application, Racks, Settings, TaskId
from kassay.reference.java.strings import int32
from kassay.reference.streams.client_state import ClientState, States
from kassay.reference.streams.rack_aware.graph import Graph

SOURCE = -1

Cost = Callable[[TaskId, int], int]
"""Of a task at a client, which is named by its place."""


def min_traffic(
    graph: Graph, tasks: Sequence[TaskId], owner: Mapping[TaskId, int], counts: Sequence[int], cost: Cost
) -> dict[TaskId, int]:
    """Return the place of each task's client at least cost, where client n gets `counts[n]` of the tasks."""
    sink = len(tasks) + len(counts)
    for n, task in enumerate(tasks):
        for client in range(len(counts)):
            graph.add_edge(n, len(tasks) + client, 1, cost(task, client), int(owner[task] == client))
        graph.add_edge(SOURCE, n, 1, 0, 1)
    for client, count in enumerate(counts):
        graph.add_edge(len(tasks) + client, sink, count, 0, count)
    graph.minimise()
    return {
        task: next(client for client in range(len(counts)) if graph.flow(n, len(tasks) + client) > 0)
        for n, task in enumerate(tasks)
    }


def balance_subtopology(
    graph: Graph,
    tasks: Sequence[TaskId],
    groups: Sequence[Sequence[TaskId]],
    counts: Sequence[int],
    cost: Cost,
) -> dict[TaskId, int]:
    """Return the same with the tasks of each group, a subtopology, spread over clients in proportion to their counts, rounded up.

    The cap is computed in floating point, as Kafka does, and may come out one too large.
    """
    clients, listed = range(len(counts)), set(tasks)
    second = len(tasks) + len(counts) * len(groups)
    sink, first = second + len(counts), 0
    node: dict[TaskId, tuple[int, int]] = {}
    for g, group in enumerate(groups):
        own = [task for task in sorted(group) if task in listed]
        node |= {task: (first + n, len(tasks) + len(counts) * g) for n, task in enumerate(own)}
        for client in clients:
            at = len(tasks) + len(counts) * g + client
            for n, task in enumerate(own):
                graph.add_edge(first + n, at, 1, cost(task, client))
            if own:
                graph.add_edge(at, second + client, ceil(counts[client] * 1.0 / len(tasks) * len(own)), 0)
        first += len(own)
    for number, _ in node.values():
        graph.add_edge(SOURCE, number, 1, 0)
    for client in clients:
        graph.add_edge(second + client, sink, counts[client], 0)
    flow = graph.maximise(SOURCE, sink)
    assert flow == len(tasks), f"{flow} of {len(tasks)} tasks find a client"
    graph.minimise()
    return {
        task: next(c for c in clients if graph.flow(number, base + c) > 0)
        for task, (number, base) in node.items()
    }


ROUNDS = 4
"""How often pairs of clients are gone through for standbys at most."""
STATELESS_TRAFFIC, STATELESS_OVERLAP = 1, 0
"""The costs of stateless tasks, which ignore the settings."""
TasksOf = Callable[[ClientState], set[TaskId]]
Allowed = Callable[[ClientState, ClientState, TaskId, States], bool]
Network = Callable[[Sequence[TaskId], Mapping[TaskId, int], Sequence[int], Cost], Mapping[TaskId, int]]
"""Tasks, their clients' places, how many each place gets, and costs -> the place of each task."""


@dataclass(frozen=True, slots=True)
class Price:
    """The cost of a task on a client: `traffic` for each partition without a replica in its rack, `overlap` if the task moves.

    Known defect, reproduced: the sum has 32 bits, so that a large cost may overflow and become negative.
    """

    racks: Mapping[TaskId, Racks]
    traffic: int
    overlap: int

    def compute(self, task: TaskId, state: ClientState, *, moves: bool) -> int:
        """Return the cost of a task at a client."""
        across = sum(state.client.rack not in replicas for replicas in self.racks[task])
        return int32(self.traffic * across + (self.overlap if moves else 0))


def is_enabled(application: Application) -> bool:
    """Return True if a strategy is set, and the racks of all clients and of all partitions that tasks read are known.

    With standbys, the racks of changelogs must be known too.
    """
    settings = application.settings
    if settings.rack_aware_assignment_strategy == "none" or not all(
        client.rack for client in application.clients
    ):
        return False
    read = [*application.racks(lambda task: task.inputs).values()]
    if settings.num_standby_replicas:
        read += application.racks(lambda task: task.changelogs).values()
    return all(racks and None not in racks for partitions in read for racks in partitions)


def costs(settings: Settings, traffic: int, overlap: int) -> tuple[int, int]:
    """Return the costs of traffic and of tasks that do not stay: as set, or else an assignor's own, which are given."""
    set_ = (settings.rack_aware_assignment_traffic_cost, settings.rack_aware_assignment_non_overlap_cost)
    return traffic if set_[0] is None else set_[0], overlap if set_[1] is None else set_[1]


def optimise_active(
    application: Application, clients: States, tasks: Sequence[TaskId], traffic: int, overlap: int, graph: type[Graph]
) -> None:  # fmt: skip
    """Assign active tasks anew at the least cost: `traffic` for each partition read across racks, `overlap` for each task moved.

    Of equally good assignments the one is taken that `graph` finds.
    """
    price = Price(application.racks(lambda task: task.inputs), traffic, overlap)
    _refuse_without_partitions(tasks, price)
    strategy = application.settings.rack_aware_assignment_strategy
    solve = network(strategy, graph, [task.id for task in application.tasks])
    reassign(list(clients.values()), tasks, lambda state: state.active, price, solve)


def optimise_standby(
    application: Application, clients: States, traffic: int, overlap: int, allowed: Allowed, graph: type[Graph]
) -> None:  # fmt: skip
    """Exchange standbys at the least cost for their changelogs, whichever strategy is set."""
    price = Price(application.racks(lambda task: task.changelogs), traffic, overlap)
    _refuse_without_partitions({task for state in clients.values() for task in state.standby}, price)
    exchange_standbys(clients, price, allowed, network("min_traffic", graph, ()))


def exchange_standbys(clients: States, price: Price, allowed: Allowed, solve: Network) -> None:
    """Exchange standbys between two clients of different racks at a time, where that costs less and is allowed."""
    for _ in range(ROUNDS):
        moved = False
        for one, two in combinations(clients.values(), 2):
            if one.client.rack != two.client.rack:
                pair = (one, two) if one.order < two.order else (two, one)
                moved |= _exchange(clients, pair, price, allowed, solve)
        if not moved:
            return


def _refuse_without_partitions(tasks: Iterable[TaskId], price: Price) -> None:
    """Fail as Kafka does where a task reads nothing that could be in a rack."""
    for task in sorted(tasks):
        if not price.racks[task]:
            raise AssignorError(f"IllegalStateException: Task {task} has no TopicPartitions")


def _exchange(
    clients: States, pair: tuple[ClientState, ClientState], price: Price, allowed: Allowed, solve: Network
) -> bool:
    one, two = pair
    from_one, from_two = (
        [task for task in a.standby if not b.holds(task) and allowed(a, b, task, clients)]
        for a, b in ((one, two), (two, one))
    )
    if not from_one or not from_two:
        return False
    return reassign(pair, sorted([*from_one, *from_two]), lambda state: state.standby, price, solve)


def network(strategy: str, graph: type[Graph], tasks: Iterable[TaskId]) -> Network:
    """Return what a strategy solves; `tasks` are those whose subtopologies are balanced, where these are."""
    if strategy == "min_traffic":
        return lambda listed, owner, counts, cost: min_traffic(graph(), listed, owner, counts, cost)
    groups: dict[int, list[TaskId]] = {}
    for task in sorted(tasks):
        groups.setdefault(task.subtopology, []).append(task)
    return lambda listed, _, counts, cost: balance_subtopology(
        graph(), listed, list(groups.values()), counts, cost
    )


def reassign(
    states: Sequence[ClientState], tasks: Sequence[TaskId], held: TasksOf, price: Price, solve: Network
) -> bool:
    """Assign tasks of one role anew to the clients that hold them, and say whether any changed hands."""
    if not tasks:
        return False
    owner = {task: n for n, state in enumerate(states) for task in tasks if task in held(state)}
    counts = [sum(task in held(state) for task in tasks) for state in states]

    def cost(task: TaskId, client: int) -> int:
        return price.compute(task, states[client], moves=owner[task] != client)

    moved = False
    for task, client in solve(tasks, owner, counts, cost).items():
        if client != owner[task]:
            held(states[owner[task]]).remove(task)
            held(states[client]).add(task)
            moved = True
    return moved


TAG = "rack"
"""The tag that is to say the same as client.rack."""


def describe_unknown_racks(application: Application) -> str | None:
    """Return the unknown racks that the set strategy needs, as a sentence; None if all are known or no strategy is set."""
    if application.settings.rack_aware_assignment_strategy == "none" or is_enabled(application):
        return None
    without = [client.id for client in application.clients if not client.rack]
    if without and len(without) == len(application.clients):
        return "no client has a rack (client.rack)"
    if without:
        return f"client {without[0]} has no rack (client.rack)"
    return "the rack of a replica that tasks read is not known"


def warnings(application: Application) -> Iterator[str]:
    """Yield a sentence where a strategy for racks is set that changes nothing, and for each client whose rack its tags do not tell."""
    settings = application.settings
    if (why := describe_unknown_racks(application)) is not None:
        yield (
            f"rack.aware.assignment.strategy is {settings.rack_aware_assignment_strategy}, but {why}: Kafka assigns as with none, "
            "so nothing is compared by it. Give racks of all clients and of all replicas"
        )
    if not settings.rack_aware_assignment_tags or settings.rack_aware_assignment_strategy == "none":
        return
    if TAG not in settings.rack_aware_assignment_tags:
        if any(client.rack for client in application.clients):
            yield f"clients have racks, but rack.aware.assignment.tags lacks {TAG!r}. Add it, for standbys go by tags alone"
        return
    for client in application.clients:
        told = dict(client.tags).get(TAG)
        if client.rack and told != client.rack:
            said = "is not set" if told is None else f"is {told!r}"
            yield f"client {client.id}: client.tag.{TAG} {said}, but client.rack is {client.rack!r}. Set them alike"
