"""Random applications of Kafka Streams; a seed gives the same ones everywhere."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from uuid import UUID

from kassay.model.partitions import Topic, TopicPartition
from kassay.model.tasks import INT64_MAX, RUNNING, UNKNOWN, Application, Client, Settings, Task, TaskId

RACKS = ("r0", "r1", "r2", "r3")
TAGS = ("zone", "cluster", "disk")
LAGS = (0, 5, 100, 9_999, 10_000, 10_001, 50_000, 50_000, UNKNOWN)


def applications(seed: int, strategy: str = "none") -> Iterator[Application]:
    """Yield applications without end; with a strategy other than none, all racks are known."""
    rng = random.Random(f"{seed} {strategy}")
    while True:
        yield application(rng, strategy)


VANISHED = "vanished"


def drawn(seed: int, kind: str) -> Iterator[Application]:
    """Yield applications with a strategy, or whose clients have run tasks that exist no longer, without end."""
    if kind != VANISHED:
        yield from applications(seed, kind)
        return
    rng = random.Random(f"{seed} {kind}")
    while True:
        yield with_vanished(rng, application(rng, "none"))


def with_vanished(rng: random.Random, made: Application) -> Application:
    """Let clients have run tasks of more partitions and of other subtopologies, so many that a map of them grows."""
    known = {task.id for task in made.tasks}
    names = (TaskId(rng.choice((0, 1, 2, 9, 10)), rng.choice((*range(12), 100, 1000))) for _ in range(20))
    gone = [task for task in dict.fromkeys(names) if task not in known][: rng.randint(1, 20)]

    def having(client: Client) -> Client:
        kept = [task for task in gone if rng.random() < 0.6]
        at = rng.randint(0, len(kept))
        return replace(
            client,
            active=_among(rng, client.active, kept[:at]),
            standby=_among(rng, client.standby, kept[at:]),
        )

    return replace(made, clients=tuple(map(having, made.clients)))


def _among(rng: random.Random, held: Sequence[TaskId], more: Sequence[TaskId]) -> tuple[TaskId, ...]:
    every = [*held, *more]
    return tuple(rng.sample(every, len(every)))


def application(
    rng: random.Random, strategy: str, *, most_clients: int = 7, most_partitions: int = 6
) -> Application:
    """Make one application; most are small, with a few subtopologies of a few tasks on a few clients."""
    racks = RACKS[: rng.randint(2, len(RACKS))] if strategy != "none" else ()
    topics: dict[str, list[tuple[str, ...]]] = {}
    tasks = tuple(_tasks(rng, racks, topics, most_partitions))
    names = list(dict.fromkeys(_name(rng, n) for n in range(rng.randint(1, most_clients))))
    keys = TAGS[: rng.randint(0, len(TAGS))]
    owner = {task.id: rng.choice(names) for task in tasks} if rng.random() < 0.7 else {}
    clients = tuple(_client(rng, name, tasks, owner, keys, racks) for name in names)
    tags = keys[: rng.randint(0, len(keys))] if rng.random() < 0.5 else ()
    settings = Settings(
        rng.choice((0, 100, 10_000, 10_000, INT64_MAX)), rng.randint(1, 4), rng.randint(0, 3), tags, strategy,
        *(rng.choice((None, 0, 1, 10)) for _ in range(2)),
    )  # fmt: skip
    listed = tuple(Topic(name, len(known), tuple(known)) for name, known in topics.items())
    return Application(tasks, clients, settings, listed)


def _tasks(
    rng: random.Random, racks: Sequence[str], topics: dict[str, list[tuple[str, ...]]], most: int
) -> Iterator[Task]:
    def partitions(kind: str, subtopology: int, count: int) -> Iterator[TopicPartition]:
        for n in range(count):
            known = topics.setdefault(f"{kind}{subtopology}-{n}", [])
            known.append(tuple(rng.sample(racks, rng.randint(1, 2))) if racks else ())
            yield TopicPartition(f"{kind}{subtopology}-{n}", len(known) - 1)

    for subtopology in range(rng.randint(1, 4)):
        stateful, sources, changelogs = rng.random() < 0.7, rng.randint(1, 2), rng.randint(1, 2)
        for partition in range(rng.randint(1, most)):
            state = tuple(partitions("c", subtopology, changelogs if stateful else 0))
            yield Task(
                TaskId(subtopology, partition), stateful, tuple(partitions("s", subtopology, sources)), state
            )


def _name(rng: random.Random, n: int) -> str:
    return str(UUID(int=rng.getrandbits(128) if rng.random() < 0.5 else n + 1))


def _client(
    rng: random.Random,
    name: str,
    tasks: Sequence[Task],
    owner: dict[TaskId, str],
    keys: Sequence[str],
    racks: Sequence[str],
) -> Client:
    active = tuple(task.id for task in tasks if owner.get(task.id) == name)
    stateful = [task.id for task in tasks if task.stateful]
    lags = {
        task: RUNNING
        if task in active and rng.random() < 0.9
        else rng.choice((*LAGS, rng.randint(0, 20_000)))
        for task in stateful
    }
    standby = tuple(task for task in stateful if task not in active and rng.random() < 0.2)
    tags = tuple((key, rng.choice("abc")) for key in keys)
    threads = rng.randint(1, 4) if rng.random() < 0.5 else 2
    return Client(name, threads, active, standby, lags, tags, rng.choice(racks) if racks else None)
