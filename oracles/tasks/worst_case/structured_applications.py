"""Applications with structure, to begin a search with: random changes of a small one seldom come to such.

Each combines where the inputs and the changelogs of tasks have their replicas (in runs, in turn, the one against the other) with
racks of one client or several, and, where the question asks for it, with who held what.

Every placement of a few tasks on a few clients of one thread, as arrays, so that all are judged at once.

Ways in which an application doubles.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, product
from typing import TypeAlias
from uuid import UUID

import numpy as np

from kassay.model import Topic, TopicPartition
from kassay.model.tasks import RUNNING, Application, Client, TaskAssignment, TaskId
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.errors import ImpossibleError, TooLargeError
from kassay.oracles.tasks.encoding import holders_of
from kassay.oracles.worst_case.spaces import Content, Kind, Numbers, Shape
from kassay.properties.tasks.racks import changelogs, inputs, partitions_across

Rule: TypeAlias = Callable[[int, int, int], int]
"""From a task's number, how many tasks there are and how many places, to a place, or a negative one for all or none of them."""

RULES: Mapping[str, Rule] = {
    "in runs": lambda number, tasks, places: number * places // tasks,
    "in runs, backwards": lambda number, tasks, places: places - 1 - number * places // tasks,
    "in turn": lambda number, _tasks, places: number % places,
    "in turn, one on": lambda number, _tasks, places: (number + 1) % places,
    "everywhere": lambda _number, _tasks, _places: -1,
}
"""In which rack a partition has its only replica, or which client held the task."""


def seeds(
    kind: Kind[Application], *, claims: bool, clients: int = 4, tasks: int = 8
) -> Iterator[Application]:
    """Yield structured applications of up to so many clients and tasks: with owners where there are claims, else with racks."""
    sizes = product(
        (c for c in (2, 3, 4) if c <= clients), (t for t in (2, 3, 4, 6, 8) if t <= tasks), (1, 2)
    )
    for (members, items, parts), one, other in product(sizes, RULES.values(), RULES.values()):
        if items < parts:
            continue
        for racks in (0,) if claims else sorted({2, members}):
            yield kind.group(_shape((members, items, parts, racks), one, other))


def _shape(counts: tuple[int, int, int, int], one: Rule, other: Rule) -> Shape:
    members, items, parts, racks = counts
    contents: list[list[Content]] = [[] for _ in range(parts)]
    for number in range(items):
        places = tuple(rule(number, items, racks or members) for rule in (one, other))
        near = tuple(_near(place, racks) for place in places)
        active, standby = (-1, -1) if racks else places
        owners = active, standby if standby != active else -1
        contents[number * parts // items].append((near, owners))
    reads = tuple(range(parts))
    return Shape(
        tuple((reads, m % racks if racks else -1) for m in range(members)), tuple(map(tuple, contents))
    )


def _near(place: int, racks: int) -> Numbers:
    if not racks:
        return ()
    return (place,) if place >= 0 else tuple(range(racks))


MOST = 500_000
"""How many placements are counted out at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Placements:
    """All placements: the clients of each task's copies, the active one first, and what follows from that alone.

    `active` and `copies` count what each client has; `actives` numbers where the active tasks are.
    """

    owners: Ints
    active: Ints
    copies: Ints
    actives: Ints

    @property
    def squares(self) -> tuple[Ints, Ints]:
        """How uneven the loads are: the sums of their squares, of active tasks and of all copies."""
        return (self.active**2).sum(axis=1), (self.copies**2).sum(axis=1)


@cache
def placements(tasks: int, clients: int, standbys: int) -> Placements:
    """Return every placement of tasks with so many standbys each; raises TooLargeError where there are more than MOST."""
    ways = [
        (active, *others)
        for active in range(clients)
        for others in combinations([c for c in range(clients) if c != active], standbys)
    ]
    if len(ways) ** tasks > MOST:
        raise TooLargeError(f"there are {len(ways) ** tasks} placements; {MOST} are counted out at most")
    chosen = np.indices((len(ways),) * tasks).reshape(tasks, -1).T
    owners = np.array(ways, np.int64)[chosen]
    active, copies = (
        np.stack([(held == c).reshape(len(held), -1).sum(axis=1) for c in range(clients)], axis=1)
        for held in (owners[:, :, 0], owners)
    )
    return Placements(owners, active, copies, owners[:, :, 0] @ clients ** np.arange(tasks))


def of(application: Application) -> Placements:
    """Return the placements of an application; raises ImpossibleError where tasks or clients differ in state or threads."""
    if not all(task.stateful for task in application.tasks) or any(
        c.threads != 1 for c in application.clients
    ):
        raise ImpossibleError("placements: all tasks must be stateful, and all clients have one thread")
    clients = len(application.clients)
    return placements(
        len(application.tasks), clients, min(application.settings.num_standby_replicas, clients - 1)
    )


def settled(application: Application, given: TaskAssignment) -> list[list[int]] | None:
    """Return the places of each task's clients, the active one first; None where an answer is not complete and legal, or provisional."""
    clients = [client.id for client in application.clients]
    wanted = min(application.settings.num_standby_replicas, len(clients) - 1)
    standbys = [wanted * task.stateful for task in application.tasks]
    return holders_of([task.id for task in application.tasks], clients, standbys, given)


def traffic(application: Application, every: Placements) -> tuple[Ints, Ints]:
    """Return what active tasks, and what standbys, read across racks in each placement."""
    names = [client.id for client in application.clients]
    found = []
    for read, held in ((inputs, every.owners[:, :, :1]), (changelogs, every.owners[:, :, 1:])):
        across = partitions_across(application, read)
        cost = np.array([[across(name, task.id) for name in names] for task in application.tasks], np.int64)
        place = np.arange(len(application.tasks))[:, None]
        found.append(cost[place, held].sum(axis=(1, 2)))
    return found[0], found[1]


def least(kept: Ints, *levels: Ints) -> Ints:
    """Return which of the placements kept, as numbers, are least in the levels, one after the other."""
    for level in levels:
        own = level[kept]
        kept = kept[own == own.min(initial=own[0])] if len(kept) else kept
    return kept


def _more_tasks(application: Application, times: int) -> Application:
    """Repeat every subtopology's tasks, with what they read and who held them, one run after the other."""
    widths: dict[int, int] = {}
    for task in application.tasks:
        widths[task.id.subtopology] = max(widths.get(task.id.subtopology, 0), task.id.partition + 1)
    counts = {topic.name: topic.partitions for topic in application.topics}
    return _copied(
        application,
        times,
        lambda task, n: TaskId(task.subtopology, task.partition + n * widths[task.subtopology]),
        lambda read, n: TopicPartition(read.topic, read.partition + n * counts[read.topic]),
        tuple(
            replace(topic, partitions=topic.partitions * times, racks=topic.racks and topic.racks * times)
            for topic in application.topics
        ),
    )


def _more_subtopologies(application: Application, times: int) -> Application:
    """Repeat every subtopology with its topics, each copy named after the one before."""
    width = 1 + max((task.id.subtopology for task in application.tasks), default=0)
    return _copied(
        application,
        times,
        lambda task, n: TaskId(task.subtopology + n * width, task.partition),
        lambda read, n: TopicPartition(f"{read.topic}.{n:03}", read.partition),
        tuple(
            replace(topic, name=f"{topic.name}.{n:03}") for topic in application.topics for n in range(times)
        ),
    )


def _copied(
    application: Application,
    times: int,
    task_of: Callable[[TaskId, int], TaskId],
    read_of: Callable[[TopicPartition, int], TopicPartition],
    topics: tuple[Topic, ...],
) -> Application:
    tasks = tuple(
        replace(
            task,
            id=task_of(task.id, n),
            inputs=tuple(read_of(read, n) for read in task.inputs),
            changelogs=tuple(read_of(read, n) for read in task.changelogs),
        )
        for n in range(times)
        for task in application.tasks
    )

    def of(held: tuple[TaskId, ...]) -> tuple[TaskId, ...]:
        return tuple(sorted(task_of(task, n) for task in held for n in range(times)))

    clients = tuple(
        replace(
            client,
            active=of(client.active),
            standby=of(client.standby),
            lags={task_of(task, n): lag for n in range(times) for task, lag in client.lags.items()},
        )
        for client in application.clients
    )
    return replace(application, tasks=tasks, clients=clients, topics=topics)


def _more_clients(application: Application, times: int) -> Application:
    """Repeat every client with its threads, rack and tags; only the first of each held anything, the others are as caught up."""
    return replace(
        application,
        clients=tuple(
            _clone(client, n, client if not n else replace(client, active=(), standby=()))
            for n in range(times)
            for client in application.clients
        ),
    )


def _more_of_both(application: Application, times: int) -> Application:
    """Repeat clients and tasks; clone n held what the original did, of run n."""
    larger, number = _more_tasks(application, times), len(application.tasks)
    run = {task.id: place // max(1, number) for place, task in enumerate(larger.tasks)}
    return replace(
        larger,
        clients=tuple(
            _clone(
                client,
                n,
                replace(
                    client,
                    active=tuple(task for task in client.active if run[task] == n),
                    standby=tuple(task for task in client.standby if run[task] == n),
                ),
            )
            for n in range(times)
            for client in larger.clients
        ),
    )


def _clone(client: Client, n: int, holding: Client) -> Client:
    """Return clone n of a client; no task is active there but those that it held."""
    lags = {
        task: 0 if lag == RUNNING and task not in holding.active else lag for task, lag in client.lags.items()
    }
    return replace(holding, id=str(UUID(int=UUID(client.id).int + (n << 40))), lags=lags)


WAYS: dict[str, Callable[[Application, int], Application]] = {
    "tasks": _more_tasks,
    "subtopologies": _more_subtopologies,
    "clients": _more_clients,
    "clients and tasks": _more_of_both,
}
"""What doubles -> how."""
