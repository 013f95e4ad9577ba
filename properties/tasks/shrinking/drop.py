"""Applications with fewer clients, tasks or topics, many at once first, and such as carry less: racks, tags, consumers, state, what was run before."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations

from kassay.model.partitions import Topic, TopicPartition
from kassay.model.tasks import RUNNING, Application, Client, Settings, TaskId
from kassay.properties.minimise import parts
from kassay.properties.tasks.edits import (
    only_tasks,
    read_alone,
    reading,
    renamed,
    renumbered,
    stateless,
    with_client,
    with_clients,
    with_settings,
    with_topic,
)
from kassay.properties.tasks.shrinking.catalogue import rack_names

MOST = 6
"""Pairs of subtopologies or topics are merged where there are at most this many."""
MOST_PARTITIONS = 1_000
"""No topic is made larger than this, and tasks are not moved behind so many."""


def remove_clients(application: Application) -> Iterator[Application]:
    """Leave out clients: alone, with the tasks that were active there, or with as many tasks as are their share."""
    clients, tasks = application.clients, sorted(task.id for task in application.tasks)
    for part in parts(len(clients)):
        left = clients[: part.start] + clients[part.stop :]
        if left:
            fewer = replace(application, clients=left)
            yield fewer
            active = {task for client in clients[part] for task in client.active}
            if active:
                yield only_tasks(fewer, set(tasks) - active)
            if share := (len(clients) - len(left)) * (len(tasks) // len(clients)):
                yield only_tasks(fewer, tasks[:-share])


def remove_tasks(application: Application) -> Iterator[Application]:
    """Leave out tasks: those of whole subtopologies, those of the highest partitions of all subtopologies, any."""
    tasks = sorted(task.id for task in application.tasks)
    for name in (lambda task: task.subtopology, lambda task: task.partition):
        yield from _without(application, tasks, name)
    for part in parts(len(tasks)):
        yield only_tasks(application, tasks[: part.start] + tasks[part.stop :])


def _without(
    application: Application, tasks: list[TaskId], number: Callable[[TaskId], int]
) -> Iterator[Application]:
    numbers = sorted(set(map(number, tasks)))
    for part in parts(len(numbers)):
        gone = set(numbers[part])
        if 1 < len(numbers) > len(gone):
            yield only_tasks(application, [task for task in tasks if number(task) not in gone])


def remove_topics(application: Application) -> Iterator[Application]:
    """Leave out topics: all, those that no task reads, any; and what no task reads of the others.

    With a strategy for racks each task goes on reading something, and each stateful one keeps a changelog.
    """
    topics = application.topics
    if topics:
        yield read_alone(application)
    for part in parts(len(topics)):
        gone = {topic.name for topic in topics[part]}
        yield from _sound(_unread(application, gone, gone))
    for topic in topics:
        yield from _sound(_unread(application, {topic.name}, ()))
        yield from _sound(_unread(application, (), {topic.name}))


def remove_reading(application: Application) -> Iterator[Application]:
    """Let one task read one partition less; or all that read a partition read another one of the same topic."""
    for at, task in enumerate(application.tasks if len(application.tasks) <= MOST else ()):
        for gone in dict.fromkeys((*task.inputs, *task.changelogs)):
            for inputs, changelogs in (({gone}, ()), ((), {gone})):
                less = replace(
                    task,
                    inputs=tuple(p for p in task.inputs if p not in inputs),
                    changelogs=tuple(p for p in task.changelogs if p not in changelogs),
                )
                if less != task:
                    tasks = (*application.tasks[:at], less, *application.tasks[at + 1 :])
                    yield from _sound(read_alone(replace(application, tasks=tasks)))
    for topic in application.topics:
        for one, other in combinations(topic, 2) if topic.partitions <= MOST else ():
            yield read_alone(reading(application, partial(_instead, one, other), application.topics))


def _instead(one: TopicPartition, other: TopicPartition, read: TopicPartition) -> TopicPartition:
    return one if read == other else read


def _unread(application: Application, inputs: Collection[str], changelogs: Collection[str]) -> Application:
    """Return the application whose tasks read these topics no more."""
    tasks = tuple(
        replace(
            task,
            inputs=tuple(p for p in task.inputs if p.topic not in inputs),
            changelogs=tuple(p for p in task.changelogs if p.topic not in changelogs),
        )
        for task in application.tasks
    )
    return read_alone(replace(application, tasks=tasks))


def _sound(application: Application) -> Iterator[Application]:
    """Yield an application unless it asks for racks of partitions that a task lacks; Kafka's classes fail there."""
    if application.settings.rack_aware_assignment_strategy == "none" or all(
        task.inputs and (task.changelogs or not task.stateful) for task in application.tasks
    ):
        yield application


def merge_topics(application: Application) -> Iterator[Application]:
    """Let tasks read the same partitions of another topic instead, or these partitions behind those of the other."""
    topics = application.topics
    for one, other in combinations(topics, 2) if len(topics) <= MOST else ():
        for kept, gone in ((one, other), (other, one)):
            if kept.partitions >= gone.partitions:
                yield _moved(application, kept, gone, 0)
        if one.partitions + other.partitions <= MOST_PARTITIONS:
            yield _moved(application, one, other, one.partitions)


def _moved(application: Application, kept: Topic, gone: Topic, behind: int) -> Application:
    """Return the application that reads the partitions of one topic, so far behind, instead of those of another one."""
    racks = kept.racks
    if behind and not kept.racks == gone.racks is None:
        racks = (kept.racks or ((),) * kept.partitions) + (gone.racks or ((),) * gone.partitions)
    both = Topic(kept.name, max(kept.partitions, behind + gone.partitions), racks)

    def new(one: TopicPartition) -> TopicPartition:
        return TopicPartition(kept.name, one.partition + behind) if one.topic == gone.name else one

    topics = tuple(both if topic is kept else topic for topic in application.topics if topic is not gone)
    return reading(application, new, topics)


def merge_subtopologies(application: Application) -> Iterator[Application]:
    """Give a subtopology the tasks of another one, behind its own."""
    tasks = [task.id for task in application.tasks]
    numbers = sorted({task.subtopology for task in tasks})
    for one, other in combinations(numbers, 2) if len(numbers) <= MOST else ():
        behind = 1 + max(task.partition for task in tasks if task.subtopology == one)
        if behind <= MOST_PARTITIONS:
            theirs = sorted(task for task in tasks if task.subtopology == other)
            moved = {task: TaskId(one, behind + at) for at, task in enumerate(theirs)}
            yield from _renumbered(application, tasks, moved)


def renumber(application: Application) -> Iterator[Application]:
    """Number subtopologies from 0, and in each of them the tasks."""
    tasks = sorted(task.id for task in application.tasks)
    yield from _renumbered(application, tasks, _dense(tasks))
    for task in tasks:
        for lower in (TaskId(0, 0), TaskId(task.subtopology, max(0, task.partition - 1))):
            if lower < task and lower not in tasks:
                yield from _renumbered(application, tasks, {task: lower})


def _dense(tasks: Collection[TaskId]) -> dict[TaskId, TaskId]:
    new: dict[TaskId, TaskId] = {}
    last = TaskId(-1, -1)
    for task in tasks:
        at = new[last] if new else TaskId(-1, -1)
        new[task] = (
            TaskId(at.subtopology, at.partition + 1)
            if task.subtopology == last.subtopology
            else TaskId(at.subtopology + 1, 0)
        )
        last = task
    return new


def _renumbered(
    application: Application, tasks: list[TaskId], new: dict[TaskId, TaskId]
) -> Iterator[Application]:
    if any(old != to for old, to in new.items()):
        yield renumbered(application, {task: new.get(task, task) for task in tasks})


def drop_feature(application: Application) -> Iterator[Application]:
    """Leave out at once: settings, racks, tags, consumers, what was run before, lags, state."""
    yield replace(application, settings=Settings())
    unknown = replace(
        with_clients(application, lambda client: replace(client, rack=None)),
        topics=tuple(replace(topic, racks=None) for topic in application.topics),
    )
    yield with_settings(unknown, rack_aware_assignment_strategy="none")
    yield unknown
    untagged = with_clients(application, lambda client: replace(client, tags=()))
    yield with_settings(untagged, rack_aware_assignment_tags=())
    yield untagged
    yield with_clients(application, lambda client: replace(client, consumers={}))
    yield with_clients(application, lambda client: replace(_idle(client), lags=dict.fromkeys(client.lags, 0)))
    yield with_clients(application, _idle)
    yield with_clients(application, lambda client: replace(client, lags=dict.fromkeys(client.lags, 0)))
    yield stateless(application, {task.id for task in application.tasks})


def drop_state(application: Application) -> Iterator[Application]:
    """Make tasks stateless."""
    stateful = sorted(task.id for task in application.tasks if task.stateful)
    for part in parts(len(stateful)):
        yield stateless(application, set(stateful[part]))


def drop_holdings(application: Application) -> Iterator[Application]:
    """Leave out what a client ran before, with what its consumers say of it."""
    for at, client in enumerate(application.clients):
        yield with_client(application, at, _idle(client))
        yield with_client(application, at, replace(client, active=(), standby=()))
        for tasks in (client.active, client.standby):
            for part in parts(len(tasks)):
                yield with_client(application, at, _without_drop_features(client, set(tasks[part])))


def drop_consumers(application: Application) -> Iterator[Application]:
    """Leave out consumers of a client, or what they report."""
    for at, client in enumerate(application.clients):
        if not client.consumers:
            continue
        yield with_client(application, at, replace(client, consumers={}))
        yield with_client(application, at, replace(client, consumers={name: {} for name in client.consumers}))
        for name, sums in client.consumers.items():
            others = {other: each for other, each in client.consumers.items() if other != name}
            yield with_client(application, at, replace(client, consumers=others))
            for task in sums:
                less = {other: offsets for other, offsets in sums.items() if other != task}
                yield with_client(
                    application, at, replace(client, consumers={**client.consumers, name: less})
                )
            if any(sums.values()):
                zero = {**client.consumers, name: dict.fromkeys(sums, 0)}
                yield with_client(application, at, replace(client, consumers=zero))


def drop_tags(application: Application) -> Iterator[Application]:
    """Leave out tags, of all clients and the settings or of one client; or make two values one."""
    asked = application.settings.rack_aware_assignment_tags
    for key in dict.fromkeys((*asked, *(key for client in application.clients for key, _ in client.tags))):
        left = tuple(tag for tag in asked if tag != key)
        less = with_clients(application, partial(_untagged, key))
        yield with_settings(less, rack_aware_assignment_tags=left)
        yield less
        yield with_settings(application, rack_aware_assignment_tags=left)
        for at, client in enumerate(application.clients):
            yield with_client(application, at, _untagged(key, client))
    values = dict.fromkeys(value for client in application.clients for _, value in client.tags)
    for one, other in combinations(values, 2):
        yield renamed(application, {"v": {other: one}})


def drop_racks(application: Application) -> Iterator[Application]:
    """Leave out racks: a client's, a topic's, a partition's, a replica's; or make two racks one."""
    for at, client in enumerate(application.clients):
        if client.rack is not None:
            yield with_client(application, at, replace(client, rack=None))
    for at, topic in enumerate(application.topics):
        if topic.racks is None:
            continue
        yield with_topic(application, at, replace(topic, racks=None))
        yield with_topic(application, at, replace(topic, racks=tuple(near[:1] for near in topic.racks)))
        for place, near in enumerate(topic.racks):
            for part in parts(len(near)):
                left = near[: part.start] + near[part.stop :]
                racks = (*topic.racks[:place], left, *topic.racks[place + 1 :])
                yield with_topic(application, at, replace(topic, racks=racks))
    for one, other in combinations(dict.fromkeys(rack_names(application)), 2):
        yield renamed(application, {"r": {other: one}})


def _idle(client: Client) -> Client:
    """Return the client as if it had run nothing; what it has restored stays."""
    return _without_drop_features(client, {*client.active, *client.standby, *client.lags})


def _without_drop_features(client: Client, gone: Collection[TaskId]) -> Client:
    """Return the client as if it had not run these tasks."""
    return replace(
        client,
        active=tuple(task for task in client.active if task not in gone),
        standby=tuple(task for task in client.standby if task not in gone),
        lags={task: 0 if task in gone and lag == RUNNING else lag for task, lag in client.lags.items()},
        consumers={
            name: {task: offsets for task, offsets in sums.items() if task not in gone}
            for name, sums in client.consumers.items()
        },
    )


def _untagged(key: str, client: Client) -> Client:
    return replace(client, tags=tuple(tag for tag in client.tags if tag[0] != key))
