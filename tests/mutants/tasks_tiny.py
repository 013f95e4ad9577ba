"""Tiny applications and answers, on which every definition can be counted out."""

from kassay.model.partitions import Topic, TopicPartition
from kassay.model.tasks import (
    RUNNING,
    UNKNOWN,
    Application,
    Client,
    Given,
    Settings,
    Task,
    TaskAssignment,
    TaskId,
)
from kassay.properties.choices import Choices
from kassay.properties.streams import INVARIANTS

RACKS = (None, "a", "b", "c")
TAGS = ((), ("zone",), ("zone", "disk"))
LAGS = (0, RUNNING, 5, 6, 20, 30, UNKNOWN)
STRATEGIES = ("none", "min_traffic", "balance_subtopology")


def tiny_application(choices: Choices) -> Application:
    """Make an application of up to four clients and five tasks in two subtopologies."""
    racks = tuple((choices.pick(RACKS[1:]),) for _ in range(3))
    topics = tuple(Topic(name, 3, racks if choices.chance(80) else None) for name in ("in", "store"))
    tasks = []
    for subtopology, size in enumerate(choices.pick(((2,), (1,), (3,), (2, 1), (2, 2), (3, 2), (0,)))):
        for n in range(size):
            state = choices.chance(70)
            keeps = (TopicPartition("store", n),) if state else ()
            tasks.append(Task(TaskId(subtopology, n), state, (TopicPartition("in", n),), keeps))
    ids = [task.id for task in tasks]
    settings = Settings(
        5,
        1 + choices.below(3),
        choices.below(4),
        choices.pick(TAGS),
        choices.pick(STRATEGIES),
    )
    clients = tuple(_client(choices, n, ids) for n in range(1 + choices.below(4)))
    return Application(tuple(tasks), clients, settings, topics)


def _client(choices: Choices, n: int, tasks: list[TaskId]) -> Client:
    active = choices.some(tasks)
    standby = choices.some([task for task in tasks if task not in active])
    lags = {task: choices.pick(LAGS) for task in tasks}
    tags = tuple((key, choices.pick("xyz")) for key in choices.some(("zone", "disk", "other")))
    threads = 1 + choices.below(3)
    return Client(
        f"00000000-0000-0000-0000-00000000000{n}", threads, active, standby, lags, tags, choices.pick(RACKS)
    )


def legal_answer(choices: Choices, application: Application) -> TaskAssignment:
    """Make every task active once, with some standbys where they may be."""
    given: dict[str, tuple[list[TaskId], list[TaskId]]] = {
        client.id: ([], []) for client in application.clients
    }
    for task in application.tasks:
        owner = choices.pick([*given])
        given[owner][0].append(task.id)
        for name in choices.some([name for name in given if name != owner]) if task.stateful else ():
            given[name][1].append(task.id)
    clients = {name: Given(tuple(active), tuple(standby)) for name, (active, standby) in given.items()}
    return TaskAssignment(clients, probing=choices.chance(20))


def any_answer(choices: Choices, application: Application) -> TaskAssignment:
    """Make an answer that may be wrong in any way."""
    names = [*(client.id for client in application.clients), "stranger", ""]
    tasks = [TaskId(s, p) for s in (0, 1, 2) for p in (0, 1, 2, 2**31)]

    def some() -> tuple[TaskId, ...]:
        return tuple(choices.pick(tasks) for _ in range(choices.below(5)))

    return TaskAssignment(
        {name: Given(some(), some()) for name in choices.some(names)}, probing=choices.chance(50)
    )


def said(name: str, application: Application, answered: TaskAssignment) -> list[str]:
    """Return what an invariant says of an answer."""
    return list(INVARIANTS[name](application, answered))
