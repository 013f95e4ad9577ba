"""The choice of a client for a task: its previous client, unless that one is full while another one has room.

LegacyStickyTaskAssignor and the public StickyTaskAssignor differ in which client has more room. The heap of clients by load returns
the first client that may have a task. A client whose load changes is removed and put in again, one after the other. The heap may
then be out of order, and not return the client with the least load.

Source: LegacyStickyTaskAssignor, StickyTaskAssignor and ConstrainedPrioritySet of kafka-streams 4.3.
"""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from kassay.model.tasks import TaskId
from kassay.reference.java.priority_queue import PriorityQueue
from kassay.reference.streams.client_state import ClientState, States, client_order, compute_copy_capacity


class TaskPairs:
    """The pairs of tasks seen on one client so far, given the number of all tasks."""

    def __init__(self, tasks: int) -> None:
        self._left = tasks * (tasks - 1) // 2
        self._met: dict[TaskId, set[TaskId]] = {}

    def has_new_pair(self, task: TaskId, others: AbstractSet[TaskId]) -> bool:
        """Return True if the task has not been seen with one of the others; False after all pairs have been seen."""
        return self._left != 0 and not others <= self._met.get(task, set())

    def add_pairs(self, task: TaskId, others: AbstractSet[TaskId]) -> None:
        """Note that the task is now with the others."""
        met = self._met.setdefault(task, set())
        new = others - met
        self._left -= len(new)
        met |= new
        for other in new:
            self._met.setdefault(other, set()).add(task)


@dataclass(slots=True)
class StickyState:
    """The clients in the order of their map, who had which task, which tasks have met, and when a client has more room."""

    clients: States
    more_room: Callable[[ClientState, ClientState], bool]
    previous_active: dict[TaskId, str]
    previous_standby: dict[TaskId, list[str]]
    pairs: TaskPairs


def map_previous_task_assignment(
    clients: States, tasks: int, more_room: Callable[[ClientState, ClientState], bool]
) -> StickyState:
    """Note who had each task; where several say that it was active with them, the last one counts."""
    active: dict[TaskId, str] = {}
    standby: dict[TaskId, list[str]] = {}
    for name, state in clients.items():
        for task in sorted(state.client.active):
            active[task] = name
        for task in state.client.standby:
            standby.setdefault(task, []).append(name)
    sets = {task: client_order(names, clients) for task, names in standby.items()}
    return StickyState(clients, more_room, active, sets, TaskPairs(tasks))


def find_client(known: StickyState, task: TaskId, within: Sequence[str]) -> ClientState:
    """Return the client for a task, of those within."""
    if len(within) == 1:
        return known.clients[within[0]]
    previous = _with_previous_task(known, task, within)
    if previous is None:
        return _choose_any(known, task, within)
    if not _should_balance_load(known, previous):
        return previous
    standby = _with_previous_standby(known, task, within)
    if standby is None or _should_balance_load(known, standby):
        return _choose_any(known, task, within)
    return standby


def _with_previous_task(known: StickyState, task: TaskId, within: Sequence[str]) -> ClientState | None:
    previous = known.previous_active.get(task)
    if previous is not None and previous in within:
        return known.clients[previous]
    return _with_previous_standby(known, task, within)


def _with_previous_standby(known: StickyState, task: TaskId, within: Sequence[str]) -> ClientState | None:
    had = known.previous_standby.get(task, [])
    again = client_order(had, known.clients, compute_copy_capacity(len(had)))
    return find_least_loaded(known, task, [name for name in again if name in within])


def _choose_any(known: StickyState, task: TaskId, within: Sequence[str]) -> ClientState:
    found = find_least_loaded(known, task, within)
    assert found is not None, "there is a client within"
    return found


def find_least_loaded(known: StickyState, task: TaskId, names: Sequence[str]) -> ClientState | None:
    """Return the first client with nothing, else one with little load where the task meets a new one, else with the least load."""
    return _find_least_loaded(known, task, names, check_task_pairs=True) or _find_least_loaded(
        known, task, names, check_task_pairs=False
    )


def _find_least_loaded(
    known: StickyState, task: TaskId, names: Sequence[str], *, check_task_pairs: bool
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


def _should_balance_load(known: StickyState, state: ClientState) -> bool:
    """Return True if a client has a task for each thread, and another one has more room."""
    return state.count >= state.client.threads and any(
        known.more_room(other, state) for other in known.clients.values()
    )


class ConstrainedPrioritySet:
    """The clients, each once, with the least load first, of equals the one with the lower id."""

    def __init__(self, clients: States) -> None:
        self._clients = clients
        self._queue: PriorityQueue[ClientState] = PriorityQueue(lambda state: (state.load, state.order))
        for state in clients.values():
            self.offer(state)

    def poll(self, allowed: Callable[[ClientState], bool]) -> ClientState | None:
        """Remove and return the first allowed client; None if no client is allowed."""
        refused: list[str] = []
        found = None
        while len(self._queue) and found is None:
            state = self._queue.poll()
            if allowed(state):
                found = state
            else:
                refused.append(state.client.id)
        self.offer(*(self._clients[name] for name in client_order(refused, self._clients)))
        return found

    def offer(self, *states: ClientState) -> None:
        """Put clients in, one after the other, each where its load is now."""
        for state in states:
            self._queue.remove(state)
            self._queue.offer(state)
