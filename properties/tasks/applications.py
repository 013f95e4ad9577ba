"""Generators of applications of Kafka Streams, and of timelines, from choices and settings."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from uuid import UUID

from kassay.model.partitions import INT64_MAX, Topic, TopicPartition
from kassay.model.tasks import MOST_TAGS, Application, Client, Task, TaskId
from kassay.model.tasks import Settings as Config
from kassay.properties.choices import EDGES, Choices, Settings, build_draw, from_seed
from kassay.properties.partitions.groups import (
    choose_homes,
    choose_replica_racks,
    member_ids,
    rack_names,
    topic_names,
)
from kassay.properties.tasks.history import HISTORY, LOGS, PastClient, Scene, choose_events
from kassay.properties.tasks.rounds import Assign
from kassay.properties.tasks.timelines import Timeline


def choose_topology(
    choices: Choices, settings: Settings, threads: int, racks: Sequence[str], *, hostile: bool
) -> tuple[list[Task], list[Topic]]:
    """Choose the tasks of an application with a number of threads, and the topics that they read; source topics and changelogs."""
    counts: list[int] = []
    subtopologies = list(_choose_subtopologies(choices, settings, threads, counts))
    names = topic_names(choices, len(counts), hostile=hostile)
    replicas = settings.number(choices, "replication") if racks else 0
    topics = [
        Topic(name, count, choose_replica_racks(choices, settings, racks, count, replicas))
        for name, count in zip(names, counts, strict=True)
    ]

    def read(places: Sequence[int], number: int) -> tuple[TopicPartition, ...]:
        return tuple(TopicPartition(names[at], number) for at in places if number < counts[at])

    tasks = [
        Task(TaskId(at, number), bool(changelogs), read(sources, number), read(changelogs, number))
        for at, (sources, changelogs) in enumerate(subtopologies)
        for number in range(max(counts[source] for source in sources))
    ]
    return tasks, topics


def _choose_subtopologies(
    choices: Choices, settings: Settings, threads: int, counts: list[int]
) -> Iterator[tuple[list[int], list[int]]]:
    """Yield for each subtopology the places of its source topics and changelogs in `counts`, to which they are appended."""
    number = settings.number(choices, "subtopologies")
    if tasks := threads * settings.number(choices, "tasks_per_thread"):
        number = min(number, tasks)
        sizes = [tasks // number + (at < tasks % number) for at in range(number)]
    else:
        sizes = [settings.number(choices, "partitions") for _ in range(number)]
    stateful = STATEFUL[settings.kind(choices, "stateful")](choices, range(len(sizes)))
    for at, size in enumerate(sizes):
        sources = SOURCES[settings.kind(choices, "sources")](choices, counts, size)
        largest = max(sources, key=counts.__getitem__)
        changelogs = []
        if at in stateful:
            changelogs = CHANGELOGS[settings.kind(choices, "changelogs")](choices, counts, largest)
        yield sources, changelogs


def _append_counts(counts: list[int], *more: int) -> list[int]:
    counts += more
    return list(range(len(counts) - len(more), len(counts)))


def _append_several(choices: Choices, counts: list[int], size: int) -> list[int]:
    return _append_counts(counts, *[size] * (2 + choices.below(2)))


def _share_topic(choices: Choices, counts: list[int], size: int) -> list[int]:
    """Choose a topic that an earlier subtopology reads or writes too, with or without another topic."""
    earlier = [choices.pick(range(len(counts)))] if counts else []
    own = _append_counts(counts, size) if not earlier or choices.below(2) else []
    return [*own, *earlier]


STATEFUL: Mapping[str, Callable[[Choices, range], Sequence[int]]] = {
    "all": lambda _, subtopologies: subtopologies,
    "some": lambda choices, subtopologies: choices.part(subtopologies),
    "none": lambda *_: (),
}
"""Kind of statefulness -> which subtopologies are stateful."""

SOURCES: Mapping[str, Callable[[Choices, list[int], int], list[int]]] = {
    "one": lambda _, counts, size: _append_counts(counts, size),
    "several": _append_several,
    # The second topic has fewer partitions where that is possible (a merge of two streams).
    "uneven": lambda choices, counts, size: _append_counts(counts, size, max(1, size - 1 - choices.below(3))),
    "shared": _share_topic,
}
"""Kind of source topics -> their places, of a subtopology with a number of partitions."""

CHANGELOGS: Mapping[str, Callable[[Choices, list[int], int], list[int]]] = {
    "one": lambda _, counts, source: _append_counts(counts, counts[source]),
    "several": lambda choices, counts, source: _append_several(choices, counts, counts[source]),
    "source": lambda _choices, _counts, source: [source],
    "both": lambda _, counts, source: [source, *_append_counts(counts, counts[source])],
}
"""Kind of changelogs -> their places, of a subtopology with its largest source topic, which may be one of them."""


USUAL: Mapping[str, tuple[int, int]] = {
    "clients": (1, 6),
    "threads": (1, 2),
    "subtopologies": (1, 3),
    "partitions": (1, 6),
    "tasks_per_thread": (0, 0),
    "standbys": (0, 0),
    "warmups": (2, 2),
    "racks": (0, 0),
    "replication": (1, 3),
    "tags": (0, 0),
    "churn": (0, 0),
}
"""The default limits: `partitions` of each source topic, `churn` changes, no known racks.

`tasks_per_thread` above 0 replaces `partitions`: the subtopologies share this number for each thread evenly."""
PLAIN: Mapping[str, Mapping[str, int]] = {
    "sources": {"one": 1},
    "stateful": {"all": 1},
    "changelogs": {"one": 1},
    "thread_counts": {"equal": 1},
    "names": {"plain": 1},
    "known_racks": {"all": 1},
    "replicas": {"in turn": 1},
    "homes": {"in turn": 1},
    "tagged": {"all": 1},
    "asked tags": {"all": 1},
    "history": {"none": 1},
    "consumers": {"none": 1},
    "recovery": {"usual": 1},
    "logs": {"usual": 1},
    "strategy": {"none": 1},
    "order": {"listed": 1},
}
"""The default weights of the kinds."""
RECOVERY: Mapping[str, Sequence[int]] = {
    "usual": (10_000,), "hundred": (100,), "zero": (0,), "endless": (INT64_MAX,), "edges": EDGES
}  # fmt: skip
"""Kind of recovery -> the values of acceptable.recovery.lag."""
RECORDS: Mapping[str, Sequence[int]] = {"usual": LOGS, "edges": EDGES}
"""Kind of changelogs -> the numbers of records of a task."""

SIZES: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "small": {"threads": (1, 3), "subtopologies": (1, 4)},
    "medium": {"clients": (1, 20), "threads": (1, 4), "subtopologies": (1, 4), "partitions": (1, 10)},
    "large": {"clients": (40, 50), "threads": (1, 8), "subtopologies": (2, 4), "partitions": (8, 24)},
}
"""How large applications of any kind are."""
_WEIGHTS = {"small": 217, "medium": 36, "large": 3}
EXTRAS = {"standbys": (0, 3), "warmups": (1, 4), "racks": (1, 4), "tags": (1, 3)}
ANY_HISTORY = {
    "none": 2, "even": 3, "joined": 4, "left": 4, "uneven": 2, "restarted": 3, "behind": 3, "unknown": 2,
    "contested": 1, "edges": 4, "anyhow": 6,
}  # fmt: skip
ANY: Mapping[str, Mapping[str, int]] = {
    "sources": {"one": 6, "several": 2, "uneven": 2, "shared": 1},
    "stateful": {"some": 5, "all": 4, "none": 1},
    "changelogs": {"one": 5, "several": 2, "source": 2, "both": 1},
    "thread_counts": {"equal": 3, "mixed": 2},
    "names": {"plain": 60, "random": 14, "negative": 10, "colliding": 10, "hostile": 6},
    "known_racks": {"none": 3, "all": 5, "some clients": 1, "some topics": 1},
    "replicas": {"in turn": 1, "anywhere": 1},
    "homes": {"anywhere": 3, "in turn": 2, "some elsewhere": 1},
    "tagged": {"nobody": 5, "all": 3, "some": 2},
    "asked tags": {"all": 2, "some": 1},
    "consumers": {"none": 3, "reported": 4, "empty": 1},
    "recovery": {"usual": 5, "hundred": 2, "zero": 2, "endless": 1},
    "logs": {"usual": 1},
    "strategy": {"none": 3, "min_traffic": 4, "balance_subtopology": 3},
    "order": {"listed": 3, "clients": 2, "tasks": 1, "shuffled": 2},
}
ODDITIES = {"unknown tag": 6, "costs": 40, "huge costs": 5}


def choose_settings(
    choices: Choices, history: Mapping[str, int] = ANY_HISTORY, churn: tuple[int, int] = (0, 0)
) -> Settings:
    """Choose settings for applications of every kind: mostly small, sometimes medium, rarely large."""
    size = SIZES[choices.pick_weighted(_WEIGHTS)]
    return Settings({**USUAL, **EXTRAS, **size, "churn": churn}, {**ANY, "history": history}, ODDITIES)


SIGN = 1 << 63
"""The bit that makes half of a UUID a negative number in Java."""
VALUES = 3
"""How many values a tag has at most."""
UNKNOWN_TAG = "nobody"
"""A tag that no client has."""
Tags = tuple[tuple[str, str], ...]


def client_ids(choices: Choices, kind: str, number: int) -> list[str]:
    """Choose the clients' ids: plain ones in ascending order, or of a kind whose orders differ."""
    make = IDS.get(kind, IDS["plain"])
    return [str(UUID(int=make(choices, at))) for at in range(number)]


def choose_threads(choices: Choices, settings: Settings, clients: int) -> list[int]:
    """Choose how many threads each client has: all equal, or mixed."""
    if settings.kind(choices, "thread_counts") == "equal":
        return [settings.number(choices, "threads")] * clients
    return [settings.number(choices, "threads") for _ in range(clients)]


def choose_tags(choices: Choices, settings: Settings, clients: int) -> tuple[list[Tags], tuple[str, ...]]:
    """Choose the tags of each client, and which tags the application asks for."""
    kind = settings.kind(choices, "tagged")
    keys = [f"k{at}" for at in range(0 if kind == "nobody" else settings.number(choices, "tags"))]
    values = 1 + choices.below(VALUES) if keys else 0
    tagged = [
        tuple(
            (key, f"v{choices.below(values)}")
            for key in (choices.some(keys) if kind == "some" and keys else keys)
        )
        for _ in range(clients)
    ]
    asked = choices.some(keys) if keys and settings.kind(choices, "asked tags") == "some" else tuple(keys)
    if len(asked) < MOST_TAGS and settings.has_oddity(choices, "unknown tag"):
        asked += (UNKNOWN_TAG,)
    return tagged, asked


def _draw_random_id(choices: Choices, at: int) -> int:
    """A UUID of version 4, as clients make theirs."""
    words = from_seed(choices.below(1 << 16) << 16 | at)
    drawn = UUID(int=sum(words.below(1 << 32) << shift for shift in (0, 32, 64, 96)))
    return UUID(bytes=drawn.bytes, version=4).int


def _draw_negative_id(choices: Choices, at: int) -> int:
    """A UUID of which Java takes the first half, the second one, both or neither for a negative number."""
    high, low = choices.pick(((0, 0), (SIGN, 0), (0, SIGN), (SIGN, SIGN)))
    return high << 64 | low | at + 1


def _draw_colliding_id(choices: Choices, at: int) -> int:
    """A UUID with the hash code of others, or one that falls into the same bucket of a hash map."""
    bucket = choices.below(2) * at << 10
    return (at + 1) << 64 | (at + 1) ^ bucket


IDS: Mapping[str, Callable[[Choices, int], int]] = {
    "plain": lambda _, at: at + 1,
    "random": _draw_random_id,
    "negative": _draw_negative_id,
    "colliding": _draw_colliding_id,
}
"""Kind of names -> the number of a client's UUID; plain for other kinds."""


def consumer_ids(names: Sequence[str], threads: Sequence[int]) -> list[Sequence[str]]:
    """Divide the names of consumers among clients, one for each thread."""
    starts = [sum(threads[:at]) for at in range(len(threads))]
    return [names[start : start + number] for start, number in zip(starts, threads, strict=True)]


COSTS = (None, 0, 1, 10)
"""The costs that are set."""
HUGE = (2**31 - 1, 2**30)
"""The costs of traffic that two partitions across racks take beyond 32 bits."""


def generate_timeline(choices: Choices, settings: Settings) -> Timeline:
    """Generate an application with its events."""
    start = application(choices, settings)
    return Timeline(start, choose_events(choices, start, settings.number(choices, "churn")))


def application(choices: Choices, settings: Settings) -> Application:
    """Generate an application."""
    names, racks_are = settings.kind(choices, "names"), settings.kind(choices, "known_racks")
    number = settings.number(choices, "clients")
    counts = choose_threads(choices, settings, number)
    racks = [] if racks_are == "none" else rack_names(settings.number(choices, "racks"), hostile=False)
    hostile = names == "hostile"
    tasks, topics = choose_topology(choices, settings, sum(counts), racks, hostile=hostile)
    live = choose_homes(choices, settings, racks, number)
    if racks_are == "some clients":
        unknown = set(choices.part(range(number)))
        live = [None if at in unknown else home for at, home in enumerate(live)]
    elif racks_are == "some topics":
        unknown = set(choices.part(range(len(topics))))
        whole = choices.below(2) == 0  # or the rack of one replica
        for at in unknown:
            near = topics[at].racks
            less = None if whole or near is None else ((None, *near[0][1:]), *near[1:])
            topics[at] = replace(topics[at], racks=less)
    tagged, asked = choose_tags(choices, settings, number)
    recovery = RECOVERY[settings.kind(choices, "recovery")]
    acceptable = choices.pick(recovery) if len(recovery) > 1 else recovery[0]
    warmups, standbys = settings.number(choices, "warmups"), settings.number(choices, "standbys")
    strategy = settings.kind(choices, "strategy")
    costs = [choices.pick(COSTS) if settings.has_oddity(choices, "costs") else None for _ in range(2)]
    config = Config(acceptable, warmups, standbys, asked, strategy, *costs)
    records = RECORDS[settings.kind(choices, "logs")]
    logs = {task.id: choices.pick(records) for task in tasks if task.stateful}
    stateless = [task.id for task in tasks if not task.stateful]
    scene = Scene(logs, stateless, counts, standbys, acceptable)
    held = HISTORY[settings.kind(choices, "history")](choices, scene)
    reporting = settings.kind(choices, "consumers")
    named = [] if reporting == "none" else member_ids(choices, sum(counts), hostile=hostile)
    consumers = consumer_ids(named, counts)
    clients = [
        Client(
            name, counts[at], tuple(sorted(held[at].active)), tuple(sorted(held[at].standby)),
            held[at].lags, tagged[at], live[at], _report_offsets(consumers[at], held[at], scene, empty=reporting == "empty"),
        )
        for at, name in enumerate(client_ids(choices, names, number))
    ]  # fmt: skip
    order = settings.kind(choices, "order")
    if order in {"clients", "shuffled"}:
        clients = choices.pick_order(clients)
    if order in {"tasks", "shuffled"}:
        tasks, topics = choices.pick_order(tasks), choices.pick_order(topics)
    if settings.has_oddity(choices, "huge costs"):
        config = replace(config, rack_aware_assignment_traffic_cost=choices.pick(HUGE))
    return Application(tuple(tasks), tuple(clients), config, tuple(topics))


def size(application: Application) -> tuple[int, int, int]:
    """Count clients, threads and tasks."""
    return (
        len(application.clients),
        sum(client.threads for client in application.clients),
        len(application.tasks),
    )


def _report_offsets(
    names: Sequence[str], held: PastClient, scene: Scene, *, empty: bool
) -> dict[str, dict[TaskId, int]]:
    """Give the tasks that a client ran to its consumers in turn, with the offset sums that these report."""
    tasks = [] if empty else [*sorted(held.active), *sorted(held.standby)]
    return {
        name: {task: held.offset_sum(task, scene.logs) for task in tasks[at :: len(names)]}
        for at, name in enumerate(names)
    }


NUMBERS: Mapping[str, tuple[int, int]] = {
    "clients": (1, 10_000),
    "threads": (1, 1_000),
    "subtopologies": (1, 1_000),
    "partitions": (1, 100_000),
    "tasks_per_thread": (0, 1_000),
    "standbys": (0, 1_000),
    "warmups": (1, 1_000_000),
    "racks": (0, 1_000),
    "replication": (1, 100),
    "tags": (0, 5),
    "churn": (0, 1_000),
}
"""The widest limits of numbers, which are drawn uniformly; the usual limits are USUAL."""
KINDS: Mapping[str, Sequence[str]] = {
    "history": (
        "none", "even", "joined", "left", "uneven", "restarted", "behind", "unknown", "contested", "edges",
        "changed",
    ),
    "known_racks": ("all", "some clients", "some topics", "none"),
    "strategy": ("none", "min_traffic", "balance_subtopology"),
    "stateful": ("all", "some", "none"),
    "thread_counts": ("equal", "mixed"),
    "order": ("listed", "shuffled"),
    "names": ("plain", "random", "negative", "colliding", "hostile"),
    "shape": ("asked", "anything"),
}  # fmt: skip
"""The kinds that are drawn by weight for each application, the first kind if no weights are given. With the shape `anything`,
which `kassay check` tries, all other settings but `churn` are ignored.
"""

draw = build_draw(generate_timeline, USUAL, PLAIN, KINDS, choose_settings)


RACKS = 3


def build_equal_clients(_: Assign, size: int, strategy: str = "none") -> Application:
    """Build an application of clients with two threads, four stateful tasks for each, and three racks (KAFKA-15022)."""
    clients, tasks = 2 * size, 8 * size
    racks = tuple((f"r{at % RACKS}",) for at in range(tasks))
    ids = [TaskId(0, at) for at in range(tasks)]
    return Application(
        tuple(
            Task(at, True, (TopicPartition("in", at.partition),), (TopicPartition("log", at.partition),))
            for at in ids
        ),
        tuple(
            Client(str(UUID(int=at)), 2, lags=dict.fromkeys(ids, 0), rack=f"r{at % RACKS}")
            for at in range(clients)
        ),
        Config(rack_aware_assignment_strategy=strategy),
        (Topic("in", tasks, racks), Topic("log", tasks, racks)),
    )


GROWING: Mapping[str, Callable[[Assign, int], Application]] = {
    "clients alike": build_equal_clients,
    "clients alike, min_traffic": partial(build_equal_clients, strategy="min_traffic"),
}
"""Kind of growth -> the application for an assignor and a size, which is doubled each time."""
