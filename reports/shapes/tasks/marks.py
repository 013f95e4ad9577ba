"""What a picture marks: for each client and task its role, whether it stays, arrives, leaves or is wrong, and who reads from afar."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kassay.model.tasks import UNKNOWN, Application, Client, Given, TaskAssignment, TaskId
from kassay.properties.tasks.racks import inputs, partitions_across

STAYS, MOVES, NEW, LEAVES, WRONG = "kept", "moved", "new", "gone", "wrong"
"""A task in a role that the client had it in; one that another client had active; one that nobody had; one that leaves; one that may
not be here."""
ACTIVE, STANDBY, WARM_UP = "active", "standby", "warm-up"


@dataclass(frozen=True, slots=True)
class Mark:
    """One task at one client: its role, what becomes of it, whether it is read across racks, and from where an active task comes."""

    role: str
    kind: str
    crossing: bool = False
    giver: str = ""


@dataclass(frozen=True, slots=True)
class Marks:
    """An application and an assignment as a picture shows them: clients down, subtopologies with their tasks across, and the marks.

    `lost` are the tasks that are active nowhere, `doubled` those active more than once, with how often. `loads` says how many
    active tasks a client gets and how many others.
    """

    clients: Sequence[str]
    racks: Mapping[str, str]
    subtopologies: Mapping[int, Sequence[TaskId]]
    at: Mapping[tuple[str, TaskId], Mark]
    lost: frozenset[TaskId]
    doubled: Mapping[TaskId, int]
    loads: Mapping[str, str]


def marks(application: Application, assignment: TaskAssignment) -> Marks:
    """Compare what clients run with what they get."""
    clients = {client.id: client for client in application.clients}
    names = [*clients, *sorted(set(assignment.clients) - set(clients))]
    tasks = {task.id: task for task in application.tasks}
    given = {name: {*roles.active, *roles.standby} for name, roles in assignment.clients.items()}
    owner = {task: client.id for client in application.clients for task in client.active}
    nothing = Given((), ())
    across = partitions_across(application, inputs)
    warm = _warm_ups(application, assignment)
    at: dict[tuple[str, TaskId], Mark] = {}
    for client in application.clients:
        for role, held in ((ACTIVE, client.active), (STANDBY, client.standby)):
            for task in held:
                if task not in given.get(client.id, ()):
                    at[client.id, task] = Mark(role, LEAVES)
    for name, roles in assignment.clients.items():
        for task in roles.standby:
            role = WARM_UP if (name, task) in warm else STANDBY
            wrong = (
                name not in clients or task not in tasks or not tasks[task].stateful or task in roles.active
            )
            at[name, task] = Mark(role, WRONG if wrong else _kind(clients[name], task, owner))
        for task in roles.active:
            wrong = name not in clients or task not in tasks or task in roles.standby
            kind = (
                WRONG if wrong else STAYS if task in clients[name].active else MOVES if task in owner else NEW
            )
            giver = (
                owner[task]
                if kind == MOVES and task not in assignment.clients.get(owner[task], nothing).active
                else ""
            )
            at[name, task] = Mark(ACTIVE, kind, across(name, task) > 0, giver)
    times = Counter(task for roles in assignment.clients.values() for task in roles.active)
    columns: dict[int, list[TaskId]] = {}
    for task in sorted({*tasks, *(task for _, task in at)}):
        columns.setdefault(task.subtopology, []).append(task)
    counts = {name: assignment.clients.get(name, nothing) for name in names}
    return Marks(
        names,
        {name: client.rack for name, client in clients.items() if client.rack},
        columns,
        at,
        frozenset(task for task in tasks if not times[task]),
        {task: number for task, number in times.items() if number > 1},
        {name: f"{len(active)}+{len(standby)}" if standby else f"{len(active)}" for name, (active, standby) in counts.items()},
    )  # fmt: skip


def _kind(client: Client, task: TaskId, owner: Mapping[TaskId, str]) -> str:
    """Say of a standby whether the client had the task in any role, another client had it, or nobody."""
    return STAYS if task in (*client.standby, *client.active) else MOVES if task in owner else NEW


def _warm_ups(application: Application, assignment: TaskAssignment) -> set[tuple[str, TaskId]]:
    """Return the copies beyond num.standby.replicas: of each task those that have most to restore."""
    lags = {client.id: client.lags for client in application.clients}
    holders: dict[TaskId, list[str]] = {}
    for name, roles in assignment.clients.items():
        for task in roles.standby:
            holders.setdefault(task, []).append(name)

    def behind(name: str, task: TaskId) -> tuple[bool, int]:
        lag = lags.get(name, {}).get(task, UNKNOWN)
        return lag == UNKNOWN, lag

    def surplus() -> Iterator[tuple[str, TaskId]]:
        for task, names in holders.items():
            ordered = sorted(names, key=lambda name: behind(name, task))
            yield from ((name, task) for name in ordered[application.settings.num_standby_replicas :])

    return set(surplus()) if assignment.probing else set()
