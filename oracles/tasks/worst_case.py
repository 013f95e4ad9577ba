"""The search for the worst answers of a task assignor in the last level of a question.

It enumerates all tiny applications of a space, then applications with structure, changes these at random, and doubles the worst ones.

Random changes of a small application seldom lead to structure. An application with structure combines the replicas of inputs and
changelogs (in runs, in turn, one shifted against the other) with racks of one client or several. If the question is about owners, it has
previous owners instead.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import product
from random import Random
from typing import TypeAlias
from uuid import UUID

from kassay.model import Topic, TopicPartition
from kassay.model.tasks import RUNNING, Application, Client, Settings, Task, TaskAssignment, TaskId
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.tasks.encoding import encode_application, find_holders
from kassay.oracles.tasks.levels import LEVELS
from kassay.oracles.tasks.optimum import build_answer as answer_of
from kassay.oracles.tasks.optimum import find_best
from kassay.oracles.tasks.question import SUBTOPOLOGIES, parse_question
from kassay.oracles.worst_case import Content, Ground, Judge, Kind, Numbers, Shape, Space, measure_answers
from kassay.properties.tasks.measures import rack_aware
from kassay.properties.tasks.shrinking import smaller

Rule: TypeAlias = Callable[[int, int, int], int]
"""From a task's number, the number of tasks and of places to a place, negative for all or none of them."""

RULES: Mapping[str, Rule] = {
    "in runs": lambda number, tasks, places: number * places // tasks,
    "in runs, backwards": lambda number, tasks, places: places - 1 - number * places // tasks,
    "in turn": lambda number, _tasks, places: number % places,
    "in turn, one on": lambda number, _tasks, places: (number + 1) % places,
    "everywhere": lambda _number, _tasks, _places: -1,
}
"""The rack of a partition's only replica, or the previous client of the task."""


def generate_seeds(
    kind: Kind[Application], *, claims: bool, clients: int = 4, tasks: int = 8
) -> Iterator[Application]:
    """Yield applications with structure up to this size: with owners if there are claims, else with racks."""
    sizes = product(
        (c for c in (2, 3, 4) if c <= clients), (t for t in (2, 3, 4, 6, 8) if t <= tasks), (1, 2)
    )
    for (members, items, parts), one, other in product(sizes, RULES.values(), RULES.values()):
        if items < parts:
            continue
        for racks in (0,) if claims else sorted({2, members}):
            yield kind.group(_build_shape((members, items, parts, racks), one, other))


def _build_shape(counts: tuple[int, int, int, int], one: Rule, other: Rule) -> Shape:
    members, items, parts, racks = counts
    contents: list[list[Content]] = [[] for _ in range(parts)]
    for number in range(items):
        places = tuple(rule(number, items, racks or members) for rule in (one, other))
        every = tuple(range(racks))
        near = tuple((place,) if racks and place >= 0 else every for place in places)
        active, standby = (-1, -1) if racks else places
        owners = active, standby if standby != active else -1
        contents[number * parts // items].append((near, owners))
    reads = tuple(range(parts))
    return Shape(
        tuple((reads, m % racks if racks else -1) for m in range(members)), tuple(map(tuple, contents))
    )


def find_settled_holders(application: Application, given: TaskAssignment) -> list[list[int]] | None:
    """Return the places of each task's clients, the active one first; None if an answer is provisional, or not complete and legal."""
    clients = [client.id for client in application.clients]
    wanted = min(application.settings.num_standby_replicas, len(clients) - 1)
    standbys = [wanted * task.stateful for task in application.tasks]
    return find_holders([task.id for task in application.tasks], clients, standbys, given)


def _duplicate_tasks(application: Application, times: int) -> Application:
    """Repeat every subtopology's tasks, with what they read and who held them, one run after the other."""
    widths: dict[int, int] = {}
    for task in application.tasks:
        widths[task.id.subtopology] = max(widths.get(task.id.subtopology, 0), task.id.partition + 1)
    counts = {topic.name: topic.partitions for topic in application.topics}
    return _copy_tasks(
        application,
        times,
        lambda task, n: TaskId(task.subtopology, task.partition + n * widths[task.subtopology]),
        lambda read, n: TopicPartition(read.topic, read.partition + n * counts[read.topic]),
        tuple(
            replace(topic, partitions=topic.partitions * times, racks=topic.racks and topic.racks * times)
            for topic in application.topics
        ),
    )


def _duplicate_subtopologies(application: Application, times: int) -> Application:
    """Repeat every subtopology with its topics, each copy named after the one before."""
    width = 1 + max((task.id.subtopology for task in application.tasks), default=0)
    return _copy_tasks(
        application,
        times,
        lambda task, n: TaskId(task.subtopology + n * width, task.partition),
        lambda read, n: TopicPartition(f"{read.topic}.{n:03}", read.partition),
        tuple(
            replace(topic, name=f"{topic.name}.{n:03}") for topic in application.topics for n in range(times)
        ),
    )


def _copy_tasks(
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


def _duplicate_clients(application: Application, times: int) -> Application:
    """Repeat every client with its threads, rack and tags; only the first of each held anything, the others are as caught up."""
    return replace(
        application,
        clients=tuple(
            _build_clone(client, n, client if not n else replace(client, active=(), standby=()))
            for n in range(times)
            for client in application.clients
        ),
    )


def _duplicate_both(application: Application, times: int) -> Application:
    """Repeat clients and tasks; clone n held what the original did, of run n."""
    larger, number = _duplicate_tasks(application, times), len(application.tasks)
    run = {task.id: place // max(1, number) for place, task in enumerate(larger.tasks)}
    return replace(
        larger,
        clients=tuple(
            _build_clone(
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


def _build_clone(client: Client, n: int, holding: Client) -> Client:
    """Return clone n of a client; no task is active there but those that it held."""
    lags = {
        task: 0 if lag == RUNNING and task not in holding.active else lag for task, lag in client.lags.items()
    }
    return replace(holding, id=str(UUID(int=UUID(client.id).int + (n << 40))), lags=lags)


WAYS: dict[str, Callable[[Application, int], Application]] = {
    "tasks": _duplicate_tasks,
    "subtopologies": _duplicate_subtopologies,
    "clients": _duplicate_clients,
    "clients and tasks": _duplicate_both,
}
"""The feature that doubles -> the larger application."""


MIN_TRAFFIC, BALANCE_SUBTOPOLOGY = "min_traffic", "balance_subtopology"


def build_application(shape: Shape, strategy: str = MIN_TRAFFIC, standbys: int = 1) -> Application:
    """Return the application of a shape: every task has state and `standbys` standbys, every client one thread.

    A task reads one input partition and has one changelog partition, with the racks of the shape in this order. Its owners are
    the clients that ran it and that had its standby. All clients are caught up. Without racks, no strategy is set.
    """
    racks = any(rack >= 0 for _, rack in shape.members)
    ids = [[TaskId(s, n) for n in range(len(contents))] for s, contents in enumerate(shape.parts)]
    held: list[list[list[TaskId]]] = [[[] for _ in shape.members] for _ in range(2)]
    for own, contents in zip(ids, shape.parts, strict=True):
        for task, (_, owners) in zip(own, contents, strict=True):
            for role, owner in enumerate(owners):
                if owner >= 0:
                    held[role][owner].append(task)
    every = [task for own in ids for task in own]
    clients = tuple(
        Client(
            str(UUID(int=c + 1)), 1, tuple(active), tuple(standby),
            dict.fromkeys(every, 0) | dict.fromkeys(active, RUNNING), (), f"r{rack}" if racks else None,
        )
        for c, ((_, rack), active, standby) in enumerate(zip(shape.members, *held, strict=True))
    )  # fmt: skip
    topics = [
        Topic(
            f"{name}{s}",
            len(contents),
            tuple(tuple(f"r{rack}" for rack in near[read]) for near, _ in contents) if racks else None,
        )
        for s, contents in enumerate(shape.parts)
        for read, name in enumerate(("in", "log"))
    ]
    tasks = tuple(
        Task(
            task,
            True,
            (TopicPartition(f"in{task.subtopology}", task.partition),),
            (TopicPartition(f"log{task.subtopology}", task.partition),),
        )
        for task in every
    )
    settings = Settings(
        num_standby_replicas=standbys, rack_aware_assignment_strategy=strategy if racks else "none"
    )
    return Application(tasks, clients, settings, tuple(topics))


def find_shape(application: Application) -> Shape:
    """Return the shape that such an application was made of."""
    racks = any(client.rack for client in application.clients)
    known = {topic.name: topic.racks for topic in application.topics}
    owner = [
        {task: c for c, client in enumerate(application.clients) for task in getattr(client, role)}
        for role in ("active", "standby")
    ]
    parts: list[list[Content]] = []
    for task in application.tasks:
        if task.id.subtopology == len(parts):
            parts.append([])
        near = [known[p.topic] or () for p in (*task.inputs, *task.changelogs)]
        named = (of[task.id.partition] if of else () for of in near)
        read = tuple(tuple(int(rack[1:]) for rack in of if rack) for of in named)
        parts[-1].append((read, tuple(of.get(task.id, -1) for of in owner)))
    members = tuple(
        (tuple(range(len(parts))), int(client.rack[1:]) if racks and client.rack else -1)
        for client in application.clients
    )
    return Shape(members, tuple(map(tuple, parts)))


def compute_size(application: Application) -> tuple[int, int, int]:
    """Return the size of an application: clients, tasks, subtopologies."""
    subtopologies = {task.id.subtopology for task in application.tasks}
    return len(application.clients), len(application.tasks), len(subtopologies)


NOUNS = ("client", "task", "subtopology")
KIND = Kind(NOUNS, read=2, roles=2, group=build_application)
SPREAD = Kind(NOUNS, read=2, roles=2, group=partial(build_application, strategy=BALANCE_SUBTOPOLOGY))
"""Applications whose strategy bounds the tasks of a subtopology on one client (KIP-925, 4.B.II)."""
SPACES: Mapping[str, Space[Application]] = {
    "owners": Space(KIND, members=3, items=4, claims=True),
    "racks": Space(KIND, members=3, items=4, racks=2),
    SUBTOPOLOGIES: Space(SPREAD, members=3, items=3, parts=2, racks=2),
}
"""The feature that the last level of a question is about, or a first contract -> the space of applications that are all tried."""

RACKS, MOST_SUBTOPOLOGIES = 3, 3
NOBODY: Numbers = (-1, -1)


def mutate(r: Random, group: Application) -> Application:
    """Return an application with one to three random changes, and the same strategy."""
    shape = find_shape(group)
    for _ in range(r.choice((1, 1, 2, 3))):
        shape = r.choice(CHANGES)(r, shape)
    return build_application(shape, group.settings.rack_aware_assignment_strategy)


def build_seedling(kind: Kind[Application]) -> Application:
    """Return the application that a search starts from: two clients in two racks, two tasks."""
    near: tuple[Content, ...] = ((((0,), (0,)), NOBODY), (((1,), (1,)), NOBODY))
    return kind.group(Shape((((0,), 0), ((0,), 1)), (near,)))


def _leave(r: Random, shape: Shape) -> Shape:
    gone = r.randrange(len(shape.members))
    if len(shape.members) == 1:
        return shape

    left = {m: m - (m > gone) for m in range(-1, len(shape.members))} | {gone: -1}
    parts = tuple(
        tuple((near, tuple(left[owner] for owner in owners)) for near, owners in contents)
        for contents in shape.parts
    )
    return Shape(tuple(member for m, member in enumerate(shape.members) if m != gone), parts)


def _add_task(r: Random, shape: Shape) -> Shape:
    like = r.choice(r.choice(shape.parts))[0], NOBODY
    if len(shape.parts) < MOST_SUBTOPOLOGIES and r.random() < 0.2:
        reads = tuple(range(len(shape.parts) + 1))
        return Shape(tuple((reads, rack) for _, rack in shape.members), (*shape.parts, (like,)))
    at = r.randrange(len(shape.parts))
    return _with_part(shape, at, (*shape.parts[at], like))


def _drop_task(r: Random, shape: Shape) -> Shape:
    at = r.randrange(len(shape.parts))
    gone = r.randrange(len(shape.parts[at]))
    left = tuple(content for n, content in enumerate(shape.parts[at]) if n != gone)
    if left:
        return _with_part(shape, at, left)
    if len(shape.parts) == 1:
        return shape
    reads = tuple(range(len(shape.parts) - 1))
    return Shape(
        tuple((reads, rack) for _, rack in shape.members), (*shape.parts[:at], *shape.parts[at + 1 :])
    )


def _move(r: Random, shape: Shape) -> Shape:
    at = r.randrange(len(shape.members))
    reads, rack = shape.members[at]
    moved = reads, r.randrange(RACKS) if rack >= 0 else rack
    return replace(shape, members=(*shape.members[:at], moved, *shape.members[at + 1 :]))


def _replicate(r: Random, shape: Shape) -> Shape:
    def otherwise(content: Content) -> Content:
        near, owners = list(content[0]), content[1]
        racks = sorted(r.sample(range(RACKS), r.randint(1, 2)))
        near[r.randrange(len(near))] = tuple(racks) if shape.members[0][1] >= 0 else ()
        return tuple(near), owners

    return _with_some_task(r, shape, otherwise)


def _change_owner(r: Random, shape: Shape) -> Shape:
    def otherwise(content: Content) -> Content:
        role, owner = r.randrange(len(NOBODY)), r.randrange(-1, len(shape.members))
        owners = [-1 if each == owner else each for each in content[1]]
        owners[role] = owner
        return content[0], tuple(owners)

    return _with_some_task(r, shape, otherwise)


def _with_some_task(r: Random, shape: Shape, otherwise: Callable[[Content], Content]) -> Shape:
    at = r.randrange(len(shape.parts))
    contents = list(shape.parts[at])
    n = r.randrange(len(contents))
    contents[n] = otherwise(contents[n])
    return _with_part(shape, at, tuple(contents))


def _with_part(shape: Shape, at: int, contents: tuple[Content, ...]) -> Shape:
    return replace(shape, parts=(*shape.parts[:at], contents, *shape.parts[at + 1 :]))


CHANGES: tuple[Callable[[Random, Shape], Shape], ...] = (
    lambda r, shape: replace(shape, members=(*shape.members, r.choice(shape.members))),
    _leave, _add_task, _add_task, _drop_task, _move, _replicate, _replicate, _replicate, _change_owner, _change_owner,
)  # fmt: skip
"""The random changes; more likely ones stand twice or more."""


def build_ground(text: str) -> Ground[Application]:
    """Return the ground of the search for the worst in a question's last level."""
    level = text.rpartition(",")[2]
    space = SPACES[SUBTOPOLOGIES if SUBTOPOLOGIES in parse_question(text).contracts else LEVELS[level].about]
    structured = list(generate_seeds(space.kind, claims=space.claims))
    return Ground(
        space, structured, lambda: build_seedling(space.kind), mutate, _list_smaller, WAYS, (4, 8), (16, 64)
    )


def judge(assign: Callable[[Application], TaskAssignment], text: str) -> Judge[Application]:
    """Return the judge of an assignor in the last level of a question; provisional answers are not compared."""
    asked, last = parse_question(text), text.rpartition(",")[2]
    of = LEVELS[last].measure

    def measured(application: Application, given: TaskAssignment) -> int | None:
        return None if find_settled_holders(application, given) is None else of(application, given)

    def optimum(application: Application) -> int:
        case = encode_application(application, asked)
        found = answer_of(application, asked, case, find_best(case, asked), words=False)
        if last not in found.values:
            raise UnsolvedError(f"{asked}: {last} is not proved")
        return found.values[last]

    return Judge(measure_answers(assign, measured), optimum, compute_size)


def _list_smaller(application: Application) -> Iterator[Application]:
    """Yield smaller applications that are as rack-aware: an assignor that ignores racks says nothing about them."""
    aware, strategy = rack_aware(application), application.settings.rack_aware_assignment_strategy
    for each in smaller(application):
        if rack_aware(each) == aware and each.settings.rack_aware_assignment_strategy == strategy:
            yield each
