"""Edits of applications: other settings, tasks, partitions or names, with everything that refers to them."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from kassay.model.partitions import Topic, TopicPartition
from kassay.model.tasks import RUNNING, Application, Client, Task, TaskId
from kassay.properties.minimise import with_each

Names = Mapping[str, str]


def with_settings(application: Application, **changes: Any) -> Application:
    """Return the application with some settings changed, by their fields."""
    return replace(application, settings=replace(application.settings, **changes))


def keep_tasks(application: Application, kept: Collection[TaskId]) -> Application:
    """Return the application with only these tasks and the partitions that they read; vanished tasks stay."""
    tasks = (task for task in application.tasks if task.id in kept)
    return drop_unread(_with_tasks(application, tuple(tasks), {task: task for task in kept}))


def renumber_tasks(application: Application, new: Mapping[TaskId, TaskId]) -> Application:
    """Return the application with other numbers for some tasks; vanished tasks keep their numbers."""
    new = {task.id: new.get(task.id, task.id) for task in application.tasks}
    return _with_tasks(application, tuple(replace(task, id=new[task.id]) for task in application.tasks), new)


def _with_tasks(
    application: Application, tasks: tuple[Task, ...], new: Mapping[TaskId, TaskId]
) -> Application:
    """Return the application with other tasks, whose clients mention only these, under their new numbers.

    Tasks that vanished before stay, unless a task that exists has their number now.
    """
    known, taken = {task.id for task in application.tasks}, set(new.values())
    ran = {
        task
        for client in application.clients
        for own in (client.active, client.standby, *client.consumers.values())
        for task in own
    }
    every = {**new, **{task: task for task in ran if task not in known and task not in taken}}
    clients = (
        replace(
            client,
            active=tuple(every[task] for task in client.active if task in every),
            standby=tuple(every[task] for task in client.standby if task in every),
            lags={every[task]: lag for task, lag in client.lags.items() if task in every},
            consumers={
                name: {every[task]: offsets for task, offsets in sums.items() if task in every}
                for name, sums in client.consumers.items()
            },
        )
        for client in application.clients
    )
    return replace(application, tasks=tasks, clients=tuple(clients))


def make_stateless(application: Application, which: Collection[TaskId]) -> Application:
    """Return the application with these tasks stateless: without changelogs, lags and standbys.

    A task that reads only changelogs reads them as inputs from then on.
    """
    tasks = (
        Task(task.id, inputs=task.inputs or task.changelogs) if task.id in which else task
        for task in application.tasks
    )
    clients = (
        replace(
            client,
            standby=tuple(task for task in client.standby if task not in which),
            lags={task: lag for task, lag in client.lags.items() if task not in which},
        )
        for client in application.clients
    )
    return drop_unread(replace(application, tasks=tuple(tasks), clients=tuple(clients)))


def replace_partitions(
    application: Application, new: Callable[[TopicPartition], TopicPartition], topics: tuple[Topic, ...]
) -> Application:
    """Return the application whose tasks read other partitions, of these topics."""

    def read(partitions: tuple[TopicPartition, ...]) -> tuple[TopicPartition, ...]:
        return tuple(dict.fromkeys(map(new, partitions)))

    tasks = (
        Task(task.id, task.stateful, read(task.inputs), read(task.changelogs)) for task in application.tasks
    )
    return replace(application, tasks=tuple(tasks), topics=topics)


def drop_unread(application: Application) -> Application:
    """Return the application with only the partitions that its tasks read; the partitions behind gaps move down."""
    numbers: dict[str, set[int]] = {}
    for task in application.tasks:
        for topic, number in (*task.inputs, *task.changelogs):
            numbers.setdefault(topic, set()).add(number)
    if all(topic.partitions == len(numbers.get(topic.name, ())) for topic in application.topics):
        topics = tuple(topic for topic in application.topics if topic.name in numbers)
        return replace(application, topics=topics)
    kept = {name: sorted(read) for name, read in numbers.items()}
    place = {TopicPartition(name, n): at for name, read in kept.items() for at, n in enumerate(read)}
    topics = tuple(
        Topic(topic.name, len(left), None if topic.racks is None else tuple(topic.racks[n] for n in left))
        for topic in application.topics
        if (left := kept.get(topic.name)) is not None
    )
    return replace_partitions(application, lambda one: TopicPartition(one.topic, place[one]), topics)


def rename(application: Application, new: Mapping[str, Names]) -> Application:
    """Return the application under other names.

    Kinds are clients ("c"), topics ("t"), racks ("r"), tags ("k"), values of tags ("v") and consumers ("m"). Two racks or values
    may get one name.
    """
    clients, topics, racks, consumers, keys, values = (new.get(kind, {}) for kind in "ctrmkv")

    def rename_rack(rack: str | None) -> str | None:
        return None if rack is None else racks.get(rack, rack)

    asked = tuple(keys.get(tag, tag) for tag in application.settings.rack_aware_assignment_tags)
    changed = with_each(
        with_settings(application, rack_aware_assignment_tags=asked),
        "clients",
        lambda client: replace(
            client,
            id=clients.get(client.id, client.id),
            rack=rename_rack(client.rack),
            tags=tuple((keys.get(key, key), values.get(value, value)) for key, value in client.tags),
            consumers={consumers.get(name, name): sums for name, sums in client.consumers.items()},
        ),
    )
    if not topics and not racks:
        return changed
    return replace_partitions(
        changed,
        lambda one: TopicPartition(topics.get(one.topic, one.topic), one.partition),
        tuple(
            Topic(
                topics.get(topic.name, topic.name),
                topic.partitions,
                None if topic.racks is None else tuple(tuple(map(rename_rack, near)) for near in topic.racks),
            )
            for topic in application.topics
        ),
    )


def forget_tasks(client: Client, gone: Collection[TaskId]) -> Client:
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
