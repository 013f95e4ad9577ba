"""Choose the client for a task: the one that had it, unless that one is full while another has room.

Source: LegacyStickyTaskAssignor and the public StickyTaskAssignor of kafka-streams 4.3, which differ in who has more room.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kassay.model.tasks import TaskId
from kassay.reference.streams.client_state import ClientState, States
from kassay.reference.streams.hash_orders import client_order, copied
from kassay.reference.streams.task_pairs import TaskPairs


@dataclass(slots=True)
class Known:
    """The clients in the order of their map, who had which task, which tasks have met, and when a client has more room."""

    clients: States
    more_room: Callable[[ClientState, ClientState], bool]
    previous_active: dict[TaskId, str]
    previous_standby: dict[TaskId, list[str]]
    pairs: TaskPairs


def map_previous_task_assignment(
    clients: States, tasks: int, more_room: Callable[[ClientState, ClientState], bool]
) -> Known:
    """Note who had each task; where several say that it was active with them, the last one counts."""
    active: dict[TaskId, str] = {}
    standby: dict[TaskId, list[str]] = {}
    for name, state in clients.items():
        for task in sorted(state.client.active):
            active[task] = name
        for task in state.client.standby:
            standby.setdefault(task, []).append(name)
    sets = {task: client_order(names, clients) for task, names in standby.items()}
    return Known(clients, more_room, active, sets, TaskPairs(tasks))


def find_client(known: Known, task: TaskId, within: Sequence[str]) -> ClientState:
    """Return the client for a task, of those within."""
    if len(within) == 1:
        return known.clients[within[0]]
    previous = _with_previous_task(known, task, within)
    if previous is None:
        return _of_all(known, task, within)
    if not _should_balance_load(known, previous):
        return previous
    standby = _with_previous_standby(known, task, within)
    if standby is None or _should_balance_load(known, standby):
        return _of_all(known, task, within)
    return standby


def _with_previous_task(known: Known, task: TaskId, within: Sequence[str]) -> ClientState | None:
    previous = known.previous_active.get(task)
    if previous is not None and previous in within:
        return known.clients[previous]
    return _with_previous_standby(known, task, within)


def _with_previous_standby(known: Known, task: TaskId, within: Sequence[str]) -> ClientState | None:
    had = known.previous_standby.get(task, [])
    again = client_order(had, known.clients, copied(len(had)))
    return least_loaded(known, task, [name for name in again if name in within])


def _of_all(known: Known, task: TaskId, within: Sequence[str]) -> ClientState:
    found = least_loaded(known, task, within)
    assert found is not None, "there is a client within"
    return found


def least_loaded(known: Known, task: TaskId, names: Sequence[str]) -> ClientState | None:
    """Return the first client with nothing, else one with little load where the task meets a new one, else with the least load."""
    return _find_least_loaded(known, task, names, check_task_pairs=True) or _find_least_loaded(
        known, task, names, check_task_pairs=False
    )


def _find_least_loaded(
    known: Known, task: TaskId, names: Sequence[str], *, check_task_pairs: bool
) -> ClientState | None:
    least = None
    for name in names:
        state = known.clients[name]
        if not state.active and not state.standby:
            return state
        if (least is None or known.more_room(state, least)) and (
            not check_task_pairs or known.pairs.has_new_pair(task, state.active | state.standby)
        ):
            least = state
    return least


def _should_balance_load(known: Known, state: ClientState) -> bool:
    """Say whether a client has a task for each thread, and another one has more room."""
    return state.count >= state.client.threads and any(
        known.more_room(other, state) for other in known.clients.values()
    )
