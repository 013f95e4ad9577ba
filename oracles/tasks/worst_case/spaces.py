"""What an application is as numbers, and which of them are tried out completely for which level."""

from collections.abc import Mapping
from functools import partial
from uuid import UUID

from kassay.model import Topic, TopicPartition
from kassay.model.tasks import RUNNING, Application, Client, Settings, Task, TaskId
from kassay.oracles.tasks.question import SUBTOPOLOGIES
from kassay.oracles.worst_case.spaces import Content, Kind, Numbers, Shape, Space

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
