"""Give tasks to clients that are caught up, and let those for whom they are meant warm up first (KIP-441).

Source: TaskMovement of kafka-streams 4.3.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kassay.model.partitions import INT64_MAX
from kassay.model.tasks import RUNNING, Application, TaskId
from kassay.reference.java.priority_queue import PriorityQueue
from kassay.reference.streams.client_state import ClientState, States
from kassay.reference.streams.find_client import ConstrainedPrioritySet


@dataclass(slots=True)
class Movements:
    """Who is caught up on which task, and how many warm-ups may still be made; below 0, none has been for a while."""

    caught_up: Mapping[TaskId, frozenset[str]]
    warmups_left: int
    warmups: dict[str, set[TaskId]] = field(default_factory=dict)


def movements(application: Application, clients: States) -> Movements:
    """Say for each stateful task who is caught up."""
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
            found = _nearer(task, owner, clients)[0]
            swap = found if task in found.standby else None
        owner.active.remove(task)
        if swap is not None:
            swap.standby.remove(task)
            owner.standby.add(task)
        elif _may_warm_up(known):
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
            found = next((s for s in _nearer(task, owner, clients) if not s.holds(task)), None)
        if found is None:
            continue
        if not _may_warm_up(known):
            owner.standby.remove(task)
        found.standby.add(task)
        by_load.offer(found, owner)
        moved += 1
    return moved


def _may_warm_up(known: Movements) -> bool:
    """Take one warm-up of those left, and say whether there was one."""
    known.warmups_left -= 1
    return known.warmups_left >= 0


def _needs_move(known: Movements, task: TaskId, owner: ClientState, clients: States) -> bool:
    """Say whether a task's client is not caught up while another one lags less."""
    if owner.client.id in known.caught_up[task]:
        return False
    return min(state.client.lags[task] for state in clients.values()) < owner.client.lags[task]


def _nearer(task: TaskId, owner: ClientState, clients: States) -> list[ClientState]:
    """Return the clients before the owner in the order of lags."""
    ordered = sorted(clients.values(), key=lambda state: state.client.lags[task])
    return ordered[: ordered.index(owner)]
