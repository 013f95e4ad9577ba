"""Doubling: applications that grow by doubling, by which it is told how the time of an answer grows.

Growth: the tasks that an application gets when partitions are added to a topic that it reads.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from uuid import UUID

from kassay.model import Topic, TopicPartition
from kassay.model.tasks import Application, Client, Settings, Task, TaskId
from kassay.properties.tasks.rounds import Assign

RACKS = 3


def clients_alike(_: Assign, size: int, strategy: str = "none") -> Application:
    """Make an application of clients with two threads, four stateful tasks for each, and three racks (KAFKA-15022)."""
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
        Settings(rack_aware_assignment_strategy=strategy),
        (Topic("in", tasks, racks), Topic("log", tasks, racks)),
    )


GROWING: Mapping[str, Callable[[Assign, int], Application]] = {
    "clients alike": clients_alike,
    "clients alike, min_traffic": partial(clients_alike, strategy="min_traffic"),
}
"""What grows -> its application for an assignor and a size, which is doubled each time."""


def altered(application: Application, topic: Topic) -> Application:
    """Return the application with a topic altered; with the same if nobody reads the topic, or it would lose partitions.

    Each new partition of a source topic is read by a new task, whose number it is, with those of the subtopology's other source
    topics that have it, too (PartitionGrouper). A stateful one gets a partition of each changelog: Kafka does not add these
    itself, but stops the application until somebody has. They are empty, so all clients are caught up.
    """
    topics = {known.name: known for known in application.topics}
    if topic.name not in topics or topic.partitions < topics[topic.name].partitions:
        return application
    new = range(topics[topic.name].partitions, topic.partitions)
    topics[topic.name] = topic
    tasks = {task.id: task for task in application.tasks}
    first = {task.id.subtopology: task for task in reversed(application.tasks)}
    for subtopology, like in sorted(first.items()):
        members = [task for task in application.tasks if task.id.subtopology == subtopology]
        sources = dict.fromkeys(read.topic for task in members for read in task.inputs)
        changelogs = dict.fromkeys(read.topic for task in members for read in task.changelogs)
        for partition in new if topic.name in sources else ():
            at = TaskId(subtopology, partition)
            if at not in tasks:
                inputs = [name for name in sources if topics[name].partitions > partition]
                for name in changelogs:
                    topics[name] = at_least(topics[name], partition + 1)
                read, kept = (
                    tuple(TopicPartition(name, partition) for name in names) for names in (inputs, changelogs)
                )
                tasks[at] = Task(at, like.stateful, read, kept, like.weight)
    empty = {at: 0 for at, task in tasks.items() if task.stateful}
    return replace(
        application,
        tasks=tuple(tasks.values()),
        topics=tuple(topics.values()),
        clients=tuple(replace(c, lags={**empty, **c.lags}) for c in application.clients),
    )


def at_least(topic: Topic, partitions: int) -> Topic:
    """Return a topic with at least so many partitions; the replicas of new ones are in the racks of the first ones in turn."""
    if topic.partitions >= partitions:
        return topic
    racks = topic.racks
    spread = (
        None if racks is None else tuple(racks[n % len(racks)] if racks else () for n in range(partitions))
    )
    return Topic(topic.name, partitions, spread)
