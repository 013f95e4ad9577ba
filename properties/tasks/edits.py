"""Edits: an application with other settings, tasks, partitions or names, with all that refers to them."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from kassay.model.partitions import Topic, TopicPartition
from kassay.model.tasks import RUNNING, Application, Client, Task, TaskId

Names = Mapping[str, str]


def with_settings(application: Application, **changes: Any) -> Application:
    """Return the application with some settings changed, by their fields."""
    return replace(application, settings=replace(application.settings, **changes))


def only_tasks(application: Application, kept: Collection[TaskId]) -> Application:
    """Return the application with these of its tasks alone, and what they read; what exists no longer stays."""
    left = _with_vanished(application, {task: task for task in kept})
    return read_alone(
        replace(
            application,
            tasks=tuple(task for task in application.tasks if task.id in kept),
            clients=tuple(_of(client, left) for client in application.clients),
        )
    )


def renumbered(application: Application, new: Mapping[TaskId, TaskId]) -> Application:
    """Return the application in which some tasks have other numbers; what exists no longer keeps its own."""
    new = {task.id: new.get(task.id, task.id) for task in application.tasks}
    every = _with_vanished(application, new)
    return replace(
        application,
        tasks=tuple(replace(task, id=new[task.id]) for task in application.tasks),
        clients=tuple(_of(client, every) for client in application.clients),
    )


def _with_vanished(application: Application, new: Mapping[TaskId, TaskId]) -> Mapping[TaskId, TaskId]:
    """Add what clients ran and exists no longer, as far as no task that exists comes to its number."""
    known, taken = {task.id for task in application.tasks}, set(new.values())
    ran = {
        task
        for client in application.clients
        for tasks in (client.active, client.standby, *client.consumers.values())
        for task in tasks
    }
    gone = {task: task for task in ran if task not in known and task not in taken}
    return {**new, **gone}


def stateless(application: Application, which: Collection[TaskId]) -> Application:
    """Return the application with these tasks stateless: without changelogs, lags and standbys.

    What reads nothing but changelogs reads them from then on.
    """

    def changed(client: Client) -> Client:
        return replace(
            client,
            standby=tuple(task for task in client.standby if task not in which),
            lags={task: lag for task, lag in client.lags.items() if task not in which},
        )

    tasks = tuple(
        Task(task.id, inputs=task.inputs or task.changelogs) if task.id in which else task
        for task in application.tasks
    )
    return read_alone(replace(application, tasks=tasks, clients=tuple(map(changed, application.clients))))


def reading(
    application: Application,
    new: Callable[[TopicPartition], TopicPartition | None],
    topics: tuple[Topic, ...],
) -> Application:
    """Return the application whose tasks read other partitions, of these topics, or none where `new` says none."""

    def read(partitions: tuple[TopicPartition, ...]) -> tuple[TopicPartition, ...]:
        return tuple(dict.fromkeys(found for one in partitions if (found := new(one)) is not None))

    tasks = tuple(
        Task(task.id, task.stateful, read(task.inputs), read(task.changelogs)) for task in application.tasks
    )
    return replace(application, tasks=tasks, topics=topics)


def read_alone(application: Application) -> Application:
    """Return the application with the partitions alone that its tasks read, those behind the others moved down."""
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
        Topic(
            topic.name,
            len(kept[topic.name]),
            None if topic.racks is None else tuple(topic.racks[n] for n in kept[topic.name]),
        )
        for topic in application.topics
        if topic.name in kept
    )
    return reading(application, lambda one: TopicPartition(one.topic, place[one]), topics)


def renamed(application: Application, new: Mapping[str, Names]) -> Application:
    """Return the application under other names: topics ("t"), racks ("r"), tags ("k"), their values ("v") and consumers ("m").

    Clients ("c") too. Two racks or values may get one name.
    """
    clients, topics, racks, consumers = (new.get(kind, {}) for kind in "ctrm")
    keys, values = new.get("k", {}), new.get("v", {})

    def known(rack: str | None) -> str | None:
        return None if rack is None else racks.get(rack, rack)

    settings = application.settings
    asked = tuple(keys.get(tag, tag) for tag in settings.rack_aware_assignment_tags)
    changed = replace(
        application,
        clients=tuple(
            replace(
                client,
                id=clients.get(client.id, client.id),
                rack=known(client.rack),
                tags=tuple((keys.get(key, key), values.get(value, value)) for key, value in client.tags),
                consumers={consumers.get(name, name): sums for name, sums in client.consumers.items()},
            )
            for client in application.clients
        ),
        settings=replace(settings, rack_aware_assignment_tags=asked),
    )
    if not topics and not racks:
        return changed
    return reading(
        changed,
        lambda one: TopicPartition(topics.get(one.topic, one.topic), one.partition),
        tuple(
            Topic(
                topics.get(topic.name, topic.name),
                topic.partitions,
                None if topic.racks is None else tuple(tuple(map(known, near)) for near in topic.racks),
            )
            for topic in application.topics
        ),
    )


def not_having_run(client: Client, gone: Collection[TaskId]) -> Client:
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


def _of(client: Client, new: Mapping[TaskId, TaskId]) -> Client:
    """Return the client with what it says of these tasks alone, under their new numbers."""
    return replace(
        client,
        active=tuple(new[task] for task in client.active if task in new),
        standby=tuple(new[task] for task in client.standby if task in new),
        lags={new[task]: lag for task, lag in client.lags.items() if task in new},
        consumers={
            name: {new[task]: offsets for task, offsets in sums.items() if task in new}
            for name, sums in client.consumers.items()
        },
    )
