"""Give tasks back to the clients that had them, as far as their share allows, and spread the rest by load.

It reads no lags. Orders of Java's hash maps decide between equals, also between clients with nothing to do yet.

Pairs of tasks on one client are recorded, so that other pairs are put together next time.

Source: LegacyStickyTaskAssignor of kafka-streams 4.3 with its TaskPairs, named StickyTaskAssignor before 3.8. It gives the same answers
since 3.5 without racks, and since 3.7 with racks; 3.6 has another Graph.
"""

from collections.abc import Iterable, Sequence

from kassay.model import Assignor, AssignorError
from kassay.model.tasks import Application, TaskAssignment, TaskId
from kassay.reference.promises import COMMON_TO_TASK_ASSIGNORS
from kassay.reference.streams.client_state import (
    ClientState,
    assignment,
    client_order,
    compute_copy_capacity,
    sort_by_map,
    states,
    task_order,
)
from kassay.reference.streams.find_client import StickyState, find_client, map_previous_task_assignment
from kassay.reference.streams.rack_aware.graph import Graph
from kassay.reference.streams.rack_aware.optimise import (
    STATELESS_OVERLAP,
    STATELESS_TRAFFIC,
    costs,
    is_enabled,
    optimise_active,
    optimise_standby,
)

TRAFFIC, OVERLAP = 1, 10
"""The costs of stateful tasks where none are set."""


def assign(
    application: Application, *, must_preserve_active: bool = False, graph: type[Graph] | None = Graph
) -> TaskAssignment:
    """Assign the tasks of an application; raises AssignorError if there are no clients, with the words used since 3.4.1.

    If active tasks must be preserved, all go back to their previous clients. `graph` finds the flow with the least traffic across
    racks; None ignores racks, as before 3.6.
    """
    if not application.clients:
        raise AssignorError("IllegalStateException: `totalCapacity` should never be zero.")
    clients = states(application)
    ordered = sort_by_map(application, clients)
    known = map_previous_task_assignment(ordered, len(application.tasks), has_more_available_capacity)
    racks = graph if is_enabled(application) else None
    assign_active(application, known, list(ordered), must_preserve_active=must_preserve_active)
    stateful_costs = costs(application.settings, TRAFFIC, OVERLAP)
    if racks is not None:
        stateful, stateless = (
            sorted(task.id for task in application.tasks if task.stateful is wanted)
            for wanted in (True, False)
        )
        optimise_active(application, clients, stateful, *stateful_costs, racks)
        optimise_active(application, clients, stateless, STATELESS_TRAFFIC, STATELESS_OVERLAP, racks)
    stateful_tasks = task_order(task.id for task in application.tasks if task.stateful)
    assign_standby(application, known, stateful_tasks)
    if racks is not None:
        optimise_standby(application, clients, *stateful_costs, lambda *_: True, racks)
    return assignment(clients, probing=False)


def assign_active(
    application: Application, known: StickyState, among: Sequence[str], *, must_preserve_active: bool
) -> None:
    """Assign active tasks: first where they were active, then where they were standbys, the rest where find_client says.

    `among` are all clients, in the order in which they are asked for the rest.
    """
    every = [task.id for task in application.tasks]
    share = len(every) // sum(state.client.threads for state in known.clients.values())

    def has_unfulfilled_quota(state: ClientState) -> bool:
        return len(state.active) < share * state.client.threads

    for task in task_order(known.previous_active):
        state = known.clients[known.previous_active[task]]
        if task in every and (must_preserve_active or has_unfulfilled_quota(state)):
            _give(known, task, state)
    unassigned = [
        task
        for task in task_order(task_order(every), compute_copy_capacity(len(every)))
        if not any(task in state.active for state in known.clients.values())
    ]
    left = []
    for task in unassigned:
        had = [known.clients[name] for name in known.previous_standby.get(task, ())]
        found = next((state for state in had if has_unfulfilled_quota(state)), None)
        if found is None:
            left.append(task)
        else:
            _give(known, task, found)
    for task in sorted(left):
        _give(known, task, find_client(known, task, among))


def assign_standby(application: Application, known: StickyState, tasks: Iterable[TaskId]) -> None:
    """Assign the standbys of tasks, one task after the other, as far as there are clients without the task."""
    for task in tasks:
        for _ in range(application.settings.num_standby_replicas):
            without = [
                name
                for name, state in known.clients.items()
                if task not in state.active and task not in state.standby
            ]
            if not without:
                break
            state = find_client(known, task, client_order(without, known.clients))
            known.pairs.add_pairs(task, state.active | state.standby)
            state.standby.add(task)


def has_more_available_capacity(one: ClientState, other: ClientState) -> bool:
    """Return True if one client has less load than the other, or the same load and more threads."""
    mine, theirs = one.load, other.load
    if mine != theirs:
        return mine < theirs
    return one.client.threads > other.client.threads


def _give(known: StickyState, task: TaskId, state: ClientState) -> None:
    known.pairs.add_pairs(task, state.active | state.standby)
    state.active.add(task)


LEGACY_STICKY = Assignor(
    "streams/legacy-sticky",
    assign,
    COMMON_TO_TASK_ASSIGNORS
    | {
        "rack_aware_keeps_counts",
        "subtopologies_spread",
        "rack_aware_no_more_traffic",
        "probing_ends",
        "settles",
    },
    "LegacyStickyTaskAssignor of Kafka 4.3; KIP-925",
    {
        "crash_free": frozenset({"overflowing_costs"}),
        "rack_aware_no_more_traffic": frozenset({"odd_costs", "overflowing_costs"}),
        "settles": frozenset({"rack_strategy"}),
    },
    limits=frozenset({"rack_aware_no_more_traffic"}),
)
