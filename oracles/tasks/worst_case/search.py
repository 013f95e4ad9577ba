"""Where the worst of a task assignor is looked for, and by what it is judged: the last level of a question.

What an application is as numbers, and which of them are tried out completely for which level.

Small changes of an application, for the search: somebody or something more, less, or otherwise, in its numbers.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from random import Random
from uuid import UUID

from kassay.model import Topic, TopicPartition
from kassay.model.tasks import RUNNING, Application, Client, Settings, Task, TaskAssignment, TaskId
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.tasks.encoding import encoded
from kassay.oracles.tasks.levels import LEVELS
from kassay.oracles.tasks.optimum import answered as answer_of
from kassay.oracles.tasks.optimum import best
from kassay.oracles.tasks.question import SUBTOPOLOGIES, question
from kassay.oracles.tasks.worst_case.structured_applications import WAYS, seeds, settled
from kassay.oracles.worst_case.search import Ground
from kassay.oracles.worst_case.spaces import Content, Judge, Kind, Numbers, Shape, Space, answered
from kassay.properties.tasks.racks import rack_aware
from kassay.properties.tasks.shrinking import steps

MIN_TRAFFIC, BALANCE_SUBTOPOLOGY = "min_traffic", "balance_subtopology"


def application(shape: Shape, strategy: str = MIN_TRAFFIC, standbys: int = 1) -> Application:
    """Return the application of a shape: every task has state and one standby, or none, every client one thread.

    A task reads one input partition and has one changelog partition, with the racks of the shape in this order; its owners are
    the clients that ran it and that had its standby. All clients are caught up. Where no racks are known no strategy is set.
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
            f"{name}{s}", len(contents), tuple(_names(near[read]) for near, _ in contents) if racks else None
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


def shape_of(application: Application) -> Shape:
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
        read = tuple(_numbers(of[task.id.partition]) if of else () for of in near)
        parts[-1].append((read, tuple(of.get(task.id, -1) for of in owner)))
    members = tuple(
        (tuple(range(len(parts))), int(client.rack[1:]) if racks and client.rack else -1)
        for client in application.clients
    )
    return Shape(members, tuple(map(tuple, parts)))


def size(application: Application) -> tuple[int, int, int]:
    """Return how large an application is: clients, tasks, subtopologies."""
    subtopologies = {task.id.subtopology for task in application.tasks}
    return len(application.clients), len(application.tasks), len(subtopologies)


def _names(racks: Numbers) -> tuple[str, ...]:
    return tuple(f"r{rack}" for rack in racks)


def _numbers(racks: tuple[str | None, ...]) -> Numbers:
    return tuple(int(rack[1:]) for rack in racks if rack)


def of_inputs(shape: Shape) -> Application:
    """Return an application without standbys; changelogs are where the inputs are."""
    parts = tuple(tuple(((near, near), owners) for (near,), owners in contents) for contents in shape.parts)
    return application(Shape(shape.members, parts), standbys=0)


def _of_actives(shape: Shape) -> Application:
    """Return an application whose inputs are in the racks of the clients that run the tasks, so that these are best off there."""
    parts = tuple(
        tuple((((shape.members[owner][1],) if owner >= 0 else near, near), (owner,)) for (near,), (owner,) in contents)
        for contents in shape.parts
    )  # fmt: skip
    return application(Shape(shape.members, parts))


NOUNS = ("client", "task", "subtopology")
KIND = Kind(NOUNS, read=2, roles=2, group=application)
SPREAD = Kind(NOUNS, read=2, roles=2, group=partial(application, strategy=BALANCE_SUBTOPOLOGY))
"""Applications whose strategy bounds the tasks of a subtopology on one client (KIP-925, 4.B.II)."""
PLAIN = Kind(NOUNS, read=2, roles=0, group=application)
INPUTS = Kind(NOUNS, read=1, roles=0, group=of_inputs)
ACTIVES_GIVEN = Kind(NOUNS, read=1, roles=1, group=_of_actives)
"""New applications; those where only inputs vary; those where changelogs vary, and who runs what."""
SPACES: Mapping[str, Space[Application]] = {
    "owners": Space(KIND, members=3, items=4, claims=True),
    "racks": Space(KIND, members=3, items=4, racks=2),
    SUBTOPOLOGIES: Space(SPREAD, members=3, items=3, parts=2, racks=2),
}
"""What the last level of a question is about, or a contract that comes first -> what is tried out for it completely, as far as the tries last."""


RACKS, MOST_SUBTOPOLOGIES = 3, 3
NOBODY: Numbers = (-1, -1)


def mutate(r: Random, group: Application) -> Application:
    """Return an application that differs from this one by one to three random changes, of the same strategy."""
    shape = shape_of(group)
    for _ in range(r.choice((1, 1, 2, 3))):
        shape = r.choice(CHANGES)(r, shape)
    return application(shape, group.settings.rack_aware_assignment_strategy)


def seedling(kind: Kind[Application]) -> Application:
    """Return the application from which a search starts: two clients in two racks, two tasks."""
    near: tuple[Content, ...] = ((((0,), (0,)), NOBODY), (((1,), (1,)), NOBODY))
    return kind.group(Shape((((0,), 0), ((0,), 1)), (near,)))


def _join(r: Random, shape: Shape) -> Shape:
    return replace(shape, members=(*shape.members, r.choice(shape.members)))


def _leave(r: Random, shape: Shape) -> Shape:
    gone = r.randrange(len(shape.members))
    if len(shape.members) == 1:
        return shape

    def left(owner: int) -> int:
        return -1 if owner == gone else owner - (owner > gone)

    parts = tuple(
        tuple((near, tuple(map(left, owners))) for near, owners in contents) for contents in shape.parts
    )
    return Shape(tuple(member for m, member in enumerate(shape.members) if m != gone), parts)


def _new_task(r: Random, shape: Shape) -> Shape:
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


def _claim(r: Random, shape: Shape) -> Shape:
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
    _join, _leave, _new_task, _new_task, _drop_task, _move, _replicate, _replicate, _replicate, _claim, _claim,
)  # fmt: skip
"""What a change can be; more likely ones stand twice or more."""


def ground(text: str) -> Ground[Application]:
    """Return where to look for the worst in a question's last level."""
    level = text.rpartition(",")[2]
    space = SPACES[SUBTOPOLOGIES if SUBTOPOLOGIES in question(text).contracts else LEVELS[level].about]
    structured = list(seeds(space.kind, claims=space.claims))
    return Ground(space, structured, lambda: seedling(space.kind), mutate, _smaller, WAYS, (4, 8), (16, 64))


def judge(assign: Callable[[Application], TaskAssignment], text: str) -> Judge[Application]:
    """Return what judges an assignor by the last level of a question; answers that another rebalance is to follow are not compared."""
    asked, last = question(text), text.rpartition(",")[2]
    of = LEVELS[last].measure

    def measured(application: Application, given: TaskAssignment) -> int | None:
        return None if settled(application, given) is None else of(application, given)

    def optimum(application: Application) -> int:
        case = encoded(application, asked)
        found = answer_of(application, asked, case, best(case, asked), words=False)
        if last not in found.values:
            raise UnsolvedError(f"{asked}: {last} is not proved")
        return found.values[last]

    return Judge(answered(assign, measured), optimum, size)


def _smaller(application: Application) -> Iterator[Application]:
    """Yield what is smaller and no less rack-aware: of an assignor that may not look at racks nothing is to be learnt of them."""
    aware, strategy = rack_aware(application), application.settings.rack_aware_assignment_strategy
    for each in steps.smaller(application):
        if rack_aware(each) == aware and each.settings.rack_aware_assignment_strategy == strategy:
            yield each
