"""Topologies: subtopologies with their source topics and changelogs, and the tasks that these make."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from kassay.model.partitions import Topic, TopicPartition
from kassay.model.tasks import Task, TaskId
from kassay.properties.choices import Choices
from kassay.properties.partitions.generating.names import topic_names
from kassay.properties.partitions.generating.racks import replica_racks
from kassay.properties.settings import Settings


def topology(
    choices: Choices, settings: Settings, threads: int, racks: Sequence[str], *, hostile: bool
) -> tuple[list[Task], list[Topic]]:
    """Choose the tasks of an application with so many threads, and the topics that they read; source topics and changelogs."""
    counts: list[int] = []
    subtopologies = list(_subtopologies(choices, settings, threads, counts))
    names = topic_names(choices, len(counts), hostile=hostile)
    replicas = settings.number(choices, "replication") if racks else 0
    topics = [
        Topic(name, count, replica_racks(choices, settings, racks, count, replicas))
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


def _subtopologies(
    choices: Choices, settings: Settings, threads: int, counts: list[int]
) -> Iterator[tuple[list[int], list[int]]]:
    """Yield of each subtopology the places of its source topics and of its changelogs in `counts`, to which these are added."""
    sizes = _sizes(choices, settings, threads)
    stateful = STATEFUL[settings.kind(choices, "stateful")](choices, range(len(sizes)))
    for at, size in enumerate(sizes):
        sources = SOURCES[settings.kind(choices, "sources")](choices, counts, size)
        largest = max(sources, key=counts.__getitem__)
        changelogs = []
        if at in stateful:
            changelogs = CHANGELOGS[settings.kind(choices, "changelogs")](choices, counts, largest)
        yield sources, changelogs


def _sizes(choices: Choices, settings: Settings, threads: int) -> list[int]:
    """Choose how many partitions the largest source topic of each subtopology has."""
    number = settings.number(choices, "subtopologies")
    tasks = threads * settings.number(choices, "tasks_per_thread")
    if not tasks:
        return [settings.number(choices, "partitions") for _ in range(number)]
    number = min(number, tasks)
    return [tasks // number + (at < tasks % number) for at in range(number)]


def _added(counts: list[int], *more: int) -> list[int]:
    counts += more
    return list(range(len(counts) - len(more), len(counts)))


def _several(choices: Choices, counts: list[int], size: int) -> list[int]:
    return _added(counts, *[size] * (2 + choices.below(2)))


def _uneven(choices: Choices, counts: list[int], size: int) -> list[int]:
    """Two topics, the second one with fewer partitions where that is possible (a merge of two streams)."""
    return _added(counts, size, max(1, size - 1 - choices.below(3)))


def _shared(choices: Choices, counts: list[int], size: int) -> list[int]:
    """A topic that an earlier subtopology reads or writes too, with one of its own or without."""
    earlier = [choices.pick(range(len(counts)))] if counts else []
    own = _added(counts, size) if not earlier or choices.below(2) else []
    return [*own, *earlier]


STATEFUL: Mapping[str, Callable[[Choices, range], Sequence[int]]] = {
    "all": lambda _, subtopologies: subtopologies,
    "some": lambda choices, subtopologies: choices.part(subtopologies),
    "none": lambda *_: (),
}
"""Kind of statefulness -> which subtopologies are stateful."""

SOURCES: Mapping[str, Callable[[Choices, list[int], int], list[int]]] = {
    "one": lambda _, counts, size: _added(counts, size),
    "several": _several,
    "uneven": _uneven,
    "shared": _shared,
}
"""Kind of source topics -> their places, of a subtopology with so many partitions."""

CHANGELOGS: Mapping[str, Callable[[Choices, list[int], int], list[int]]] = {
    "one": lambda _, counts, source: _added(counts, counts[source]),
    "several": lambda choices, counts, source: _several(choices, counts, counts[source]),
    "source": lambda _choices, _counts, source: [source],
    "both": lambda _, counts, source: [source, *_added(counts, counts[source])],
}
"""Kind of changelogs -> their places, of a subtopology with its largest source topic, which may be one of them."""
