"""Give tasks to clients that are caught up, keep loads even, and let tasks warm up where they are to go (KIP-441).

It reads no previous assignment: tasks stay where they are because their lags are least there.

Source: HighAvailabilityTaskAssignor of kafka-streams 4.3, which decides alike since 3.3 without racks and since 3.7 with them;
in 3.6 with another Graph.

Give tasks to clients that are caught up, and let those for whom they are meant warm up first (KIP-441).

Source: TaskMovement of kafka-streams 4.3.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kassay.model import Assignor, AssignorError
from kassay.model.partitions import INT64_MAX
from kassay.model.tasks import RUNNING, Application, TaskAssignment, TaskId
from kassay.reference.java.priority_queue import PriorityQueue
from kassay.reference.promises import COMMON_TO_TASK_ASSIGNORS
from kassay.reference.streams.client_state import ClientState, States, assignment, balance, states
from kassay.reference.streams.find_client import ConstrainedPrioritySet
from kassay.reference.streams.rack_aware.graph import Graph
from kassay.reference.streams.rack_aware.optimise import (
    STATELESS_OVERLAP,
    STATELESS_TRAFFIC,
    costs,
    is_enabled,
    optimise_active,
    optimise_standby,
)
from kassay.reference.streams.standby import keeps_spread, place_by_load, place_by_tags, same_tags


@dataclass(slots=True)
class Movements:
    """The clients that are caught up on each task, and the number of warm-ups left. Below 0, it was exceeded."""

    caught_up: Mapping[TaskId, frozenset[str]]
    warmups_left: int
    warmups: dict[str, set[TaskId]] = field(default_factory=dict)


def movements(application: Application, clients: States) -> Movements:
    """Return the clients that are caught up on each stateful task."""
    acceptable = application.settings.acceptable_recovery_lag
    near: dict[TaskId, list[str]] = {task.id: [] for task in application.tasks if task.stateful}
    for name, state in clients.items():
        for task, lag in state.client.lags.items():
            if task in near and (lag == RUNNING or acceptable == INT64_MAX or 0 <= lag <= acceptable):
                near[task].append(name)
    return Movements(
        {task: frozenset(names) for task, names in near.items()}, application.settings.max_warmup_replicas
    )


def move_active(known: Movements, clients: States) -> int:
    """Make active where it is caught up what its own client would have to restore first; return how many tasks need it."""
    waiting = [
        (len(known.caught_up[task]), task, state)
        for state in clients.values()
        for task in sorted(state.active)
        if _needs_move(known, task, state, clients)
    ]
    by_load = ConstrainedPrioritySet(clients)
    for _, task, owner in sorted(waiting, key=lambda each: each[:2]):
        near = known.caught_up[task]
        swap = by_load.poll(lambda s: s.client.id in near and task in s.standby)  # noqa: B023 - called at once
        found = swap or by_load.poll(lambda s: s.client.id in near)  # noqa: B023
        if found is None:
            found = _find_nearer(task, owner, clients)[0]
            swap = found if task in found.standby else None
        owner.active.remove(task)
        if swap is not None:
            swap.standby.remove(task)
            owner.standby.add(task)
        elif _can_warm_up(known):
            owner.standby.add(task)
            known.warmups.setdefault(owner.client.id, set()).add(task)
        found.active.add(task)
        by_load.offer(found, owner)
    return len(waiting)


def move_standby(known: Movements, clients: States) -> int:
    """Keep standbys where they are caught up, in the same way; return how many were moved."""
    waiting: PriorityQueue[tuple[TaskId, ClientState]] = PriorityQueue(
        lambda each: (len(known.caught_up[each[0]]), each[0])
    )
    for state in clients.values():
        for task in sorted(state.standby):
            if task not in known.warmups.get(state.client.id, ()) and _needs_move(
                known, task, state, clients
            ):
                waiting.offer((task, state))
    by_load, moved = ConstrainedPrioritySet(clients), 0
    while waiting:
        task, owner = waiting.poll()
        near = known.caught_up[task]
        found = by_load.poll(lambda s: s.client.id in near and not s.holds(task))  # noqa: B023 - called at once
        if found is None:
            found = next((s for s in _find_nearer(task, owner, clients) if not s.holds(task)), None)
        if found is None:
            continue
        if not _can_warm_up(known):
            owner.standby.remove(task)
        found.standby.add(task)
        by_load.offer(found, owner)
        moved += 1
    return moved


def _can_warm_up(known: Movements) -> bool:
    """Take one warm-up of those left, and say whether there was one."""
    known.warmups_left -= 1
    return known.warmups_left >= 0


def _needs_move(known: Movements, task: TaskId, owner: ClientState, clients: States) -> bool:
    """Return True if the client of a task is not caught up while another one lags less."""
    if owner.client.id in known.caught_up[task]:
        return False
    return min(state.client.lags[task] for state in clients.values()) < owner.client.lags[task]


def _find_nearer(task: TaskId, owner: ClientState, clients: States) -> list[ClientState]:
    """Return the clients before the owner in the order of lags."""
    ordered = sorted(clients.values(), key=lambda state: state.client.lags[task])
    return ordered[: ordered.index(owner)]


TRAFFIC, OVERLAP = 10, 1
"""The costs of stateful tasks where none are set."""


def assign(application: Application, *, graph: type[Graph] | None = Graph) -> TaskAssignment:
    """Assign the tasks of an application.

    Raises AssignorError where there are tasks but no clients. `graph` finds what costs least across racks; None looks at no racks, as before 3.6.
    """
    clients = states(application)
    racks = graph if is_enabled(application) else None
    assign_active_stateful(application, clients, racks)
    assign_standbys(application, clients, racks)
    known = movements(application, clients)
    needed = move_active(known, clients) + move_standby(known, clients)
    assign_stateless(application, clients, racks)
    return assignment(clients, probing=needed > 0)


def assign_active_stateful(application: Application, clients: States, racks: type[Graph] | None) -> None:
    """Deal the stateful tasks out in turn, even the loads, and then optimise for racks."""
    owners = list(clients.values())
    stateful = sorted(task.id for task in application.tasks if task.stateful)
    if stateful and not owners:
        raise AssignorError("NoSuchElementException")
    for n, task in enumerate(stateful):
        owners[n % len(owners)].active.add(task)
    balance(clients, lambda state: state.active)
    if racks is not None:
        optimise_active(application, clients, stateful, *costs(application.settings, TRAFFIC, OVERLAP), racks)


def assign_standbys(application: Application, clients: States, racks: type[Graph] | None) -> None:
    """Place the standbys, by tags where there are any, even the loads, and then optimise for racks."""
    settings = application.settings
    if not settings.num_standby_replicas:
        return
    stateful = sorted(task.id for task in application.tasks if task.stateful)
    tags = settings.rack_aware_assignment_tags
    if tags:
        place_by_tags(clients, stateful, settings.num_standby_replicas, tags)
    else:
        place_by_load(clients, stateful, settings.num_standby_replicas)
    balance(clients, _standby, same_tags if tags else lambda *_: True)
    if racks is not None:
        allowed = keeps_spread if tags else lambda *_: True
        optimise_standby(application, clients, *costs(settings, TRAFFIC, OVERLAP), allowed, racks)


def assign_stateless(application: Application, clients: States, racks: type[Graph] | None) -> None:
    """Give each stateless task to the client with the fewest active tasks for its threads, and then optimise for racks alone."""
    stateless = sorted(task.id for task in application.tasks if not task.stateful)
    if stateless and not clients:
        raise AssignorError("NullPointerException")
    for task in stateless:
        min(clients.values(), key=lambda state: (state.active_load, state.order)).active.add(task)
    if racks is not None:
        optimise_active(application, clients, stateless, STATELESS_TRAFFIC, STATELESS_OVERLAP, racks)


def _standby(state: ClientState) -> set[TaskId]:
    return state.standby


HIGH_AVAILABILITY = Assignor(
    "streams/high-availability",
    assign,
    COMMON_TO_TASK_ASSIGNORS
    | {
        "rack_aware_keeps_counts",
        "active_balanced",
        "total_balanced",
        "distinct_tags",
        "caught_up",
        "least_to_restore",
        "subtopologies_spread",
        "client_order_independent",
        "task_order_independent",
        "renaming_independent",
        "thread_scale_independent",
        "rack_aware_no_more_traffic",
        "settles",
        "settles_in_time",
        "probing_ends",
        "stable",
        "keeps_running",
        "warm_ups_in_order",
    },
    "HighAvailabilityTaskAssignor of Kafka 4.3; KIP-441, KIP-708, KIP-925",
    {
        "active_balanced": frozenset({"mixed_threads+uneven_tasks"}),
        "total_balanced": frozenset({"mixed_threads", "mixed_state", "tags", "missing_tag", "idle_tag"}),
        "distinct_tags": frozenset({"missing_tag", "several_tags"}),
        "caught_up": frozenset({"unknown_lag"}),
        "least_to_restore": frozenset({"unknown_lag"}),
        "keeps_running": frozenset({"unknown_lag"}),
        "crash_free": frozenset({"overflowing_costs"}),
        "rack_aware_no_more_traffic": frozenset({"odd_costs", "overflowing_costs"}),
    },
    limits=frozenset({"rack_aware_no_more_traffic", "caught_up", "least_to_restore", "keeps_running"}),
)
