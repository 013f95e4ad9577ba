"""How standby tasks are placed: by load alone, or on clients with other tags (KIP-708).

>>> from kassay.model.tasks import Application, Client, Task, TaskId
>>> from kassay.reference.streams.client_state import states
>>> from kassay.reference.streams.standby import place_by_load
>>> ids = [f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2)]
>>> clients = states(Application((), tuple(Client(name, 1) for name in ids)))
>>> place_by_load(clients, [TaskId(0, 0)], copies=1)
>>> [len(clients[name].standby) for name in ids]
[1, 0]

Source: DefaultStandbyTaskAssignor and ClientTagAwareStandbyTaskAssignor of kafka-streams 4.3.
"""

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush

from kassay.model.tasks import TaskId
from kassay.reference.streams.client_state import ClientState, States, find_least_loaded, task_order

Tag = tuple[str, str]


def place_by_load(clients: States, tasks: Iterable[TaskId], copies: int) -> None:
    """Give each task as many standbys as wanted, each to the least loaded client without the task, as far as there are any."""
    by_load = [(state.load, state.order, state) for state in clients.values()]
    heapify(by_load)
    for task in tasks:
        left, asked = copies, []
        while left and by_load:
            *_, state = heappop(by_load)
            asked.append(state)
            if not state.holds(task):
                state.standby.add(task)
                left -= 1
        for state in asked:
            heappush(by_load, (state.load, state.order, state))


def place_by_tags(clients: States, tasks: Sequence[TaskId], copies: int, keys: Sequence[str]) -> None:
    """Give each task as many standbys as wanted: first on other values of the tags named by `keys`, the rest by load alone."""
    values: dict[str, set[str]] = {}
    having: dict[Tag, list[ClientState]] = {}
    for state in clients.values():
        for tag in state.client.tags:
            values.setdefault(tag[0], set()).add(tag[1])
            having.setdefault(tag, []).append(state)
    left: dict[TaskId, int] = {}
    for task in tasks:
        remaining = copies
        for active in [state for state in clients.values() if task in state.active]:
            remaining = _on_other_tags(clients, task, active, remaining, keys, values, having)
        if remaining > 0:
            left[task] = remaining
    for task in task_order(tasks):
        if task in left:
            place_by_load(clients, [task], left[task])


def _on_other_tags(
    clients: States, task: TaskId, active: ClientState, remaining: int, keys: Sequence[str],
    values: dict[str, set[str]], having: dict[Tag, list[ClientState]],
) -> int:  # fmt: skip
    """Place copies of a task on clients that share no tag with the copies there are; return how many are left."""
    used, last = 1, active
    excluded: dict[Tag, list[ClientState]] = {}
    while True:
        for tag in last.client.tags:
            if tag[0] in keys:
                if len(values[tag[0]]) <= used:
                    excluded = {known: states for known, states in excluded.items() if known[0] != tag[0]}
                else:
                    excluded[tag] = having[tag]
        out = {id(state) for states in excluded.values() for state in states}
        found = find_least_loaded(
            clients.values(),
            lambda state: not state.holds(task) and id(state) not in out,  # noqa: B023 - called at once
        )
        if found is None:
            return remaining
        found.standby.add(task)
        used, remaining, last = used + 1, remaining - 1, found
        if remaining <= 0:
            return remaining


def same_tags(source: ClientState, destination: ClientState) -> bool:
    """Return True if a standby may move for balance: the other client has all tags of its client."""
    theirs = dict(destination.client.tags)
    return all(theirs.get(key) == value for key, value in source.client.tags)


def keeps_spread(source: ClientState, destination: ClientState, task: TaskId, clients: States) -> bool:
    """Return True if a standby may move for its rack: its copies still have as many different tags."""
    before = [state for state in clients.values() if state.holds(task)]
    after = [destination if state is source else state for state in before]
    return _different(after) >= _different(before)


def _different(states: Sequence[ClientState]) -> int:
    return len({tag for state in states for tag in state.client.tags})
