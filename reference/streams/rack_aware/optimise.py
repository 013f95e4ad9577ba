"""Move tasks between clients so that less is read across racks, without changing how many a client has (KIP-925).

Source: RackAwareTaskAssignor of kafka-streams 4.3.
"""

from collections.abc import Callable, Sequence

from kassay.model.tasks import Application, Racks, Settings, Task, TaskId
from kassay.reference.streams.client_state import ClientState, States
from kassay.reference.streams.rack_aware.graph import Graph
from kassay.reference.streams.rack_aware.networks import balance_subtopology, min_traffic

ROUNDS = 4
"""How often pairs of clients are gone through for standbys at most."""
STATELESS_TRAFFIC, STATELESS_OVERLAP = 1, 0
"""The costs of stateless tasks, whatever is set."""
Held = Callable[[ClientState], set[TaskId]]


def enabled(application: Application) -> bool:
    """Say whether racks are asked for, and known of all clients and of all that tasks read.

    With standbys the changelogs' racks have to be known too.
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
    if not tasks:
        return
    states = list(clients.values())
    racks = application.racks(lambda task: task.inputs)
    owner = {task: n for n, state in enumerate(states) for task in tasks if task in state.active}
    counts = [sum(task in state.active for task in tasks) for state in states]

    def cost(task: TaskId, client: int) -> int:
        return _cost(racks[task], states[client], owner[task] == client, traffic, overlap)

    if application.settings.rack_aware_assignment_strategy == "min_traffic":
        found = min_traffic(graph(), tasks, owner, counts, cost)
    else:
        found = balance_subtopology(graph(), tasks, subtopologies(application.tasks), counts, cost)
    _apply(found, owner, states, lambda state: state.active)


def optimise_standby(
    application: Application, clients: States, traffic: int, overlap: int,
    allowed: Callable[[ClientState, ClientState, TaskId, States], bool], graph: type[Graph],
) -> None:  # fmt: skip
    """Exchange standbys between two clients of different racks at a time, where that costs less and is allowed."""
    racks = application.racks(lambda task: task.changelogs)
    for _ in range(ROUNDS):
        moved = False
        states = list(clients.values())
        for n, one in enumerate(states):
            for two in states[n + 1 :]:
                if one.client.rack != two.client.rack:
                    moved |= _exchange(racks, clients, (one, two), traffic, overlap, allowed, graph)
        if not moved:
            return


def _exchange(
    racks: dict[TaskId, Racks], clients: States, pair: tuple[ClientState, ClientState], traffic: int, overlap: int,
    allowed: Callable[[ClientState, ClientState, TaskId, States], bool], graph: type[Graph],
) -> bool:  # fmt: skip
    one, two = pair
    from_one, from_two = (
        [task for task in sorted(a.standby) if not b.holds(task) and allowed(a, b, task, clients)]
        for a, b in ((one, two), (two, one))
    )
    if not from_one or not from_two:
        return False
    tasks = sorted([*from_one, *from_two])
    owner = {task: int(task in two.standby) for task in tasks}

    def cost(task: TaskId, client: int) -> int:
        return _cost(racks[task], pair[client], owner[task] == client, traffic, overlap)

    found = min_traffic(graph(), tasks, owner, [len(from_one), len(from_two)], cost)
    return _apply(found, owner, pair, lambda state: state.standby)


def subtopologies(tasks: Sequence[Task]) -> list[list[TaskId]]:
    """Return the tasks of each subtopology, in the order of their numbers."""
    groups: dict[int, list[TaskId]] = {}
    for task in sorted(task.id for task in tasks):
        groups.setdefault(task.subtopology, []).append(task)
    return list(groups.values())


def _cost(racks: Racks, state: ClientState, held: bool, traffic: int, overlap: int) -> int:
    return traffic * sum(state.client.rack not in replicas for replicas in racks) + (0 if held else overlap)


def _apply(
    found: dict[TaskId, int], owner: dict[TaskId, int], states: Sequence[ClientState], tasks: Held
) -> bool:
    """Give the tasks to those for whom they were found, and say whether any changed hands."""
    moved = False
    for task, client in found.items():
        if client != owner[task]:
            tasks(states[owner[task]]).remove(task)
            tasks(states[client]).add(task)
            moved = True
    return moved
