"""Ways in which an application doubles."""

from collections.abc import Callable
from dataclasses import replace
from uuid import UUID

from kassay.model import Topic, TopicPartition
from kassay.model.tasks import RUNNING, Application, Client, TaskId


def _more_tasks(application: Application, times: int) -> Application:
    """Repeat every subtopology's tasks, with what they read and who held them, one run after the other."""
    widths: dict[int, int] = {}
    for task in application.tasks:
        widths[task.id.subtopology] = max(widths.get(task.id.subtopology, 0), task.id.partition + 1)
    counts = {topic.name: topic.partitions for topic in application.topics}
    return _copied(
        application,
        times,
        lambda task, n: TaskId(task.subtopology, task.partition + n * widths[task.subtopology]),
        lambda read, n: TopicPartition(read.topic, read.partition + n * counts[read.topic]),
        tuple(
            replace(topic, partitions=topic.partitions * times, racks=topic.racks and topic.racks * times)
            for topic in application.topics
        ),
    )


def _more_subtopologies(application: Application, times: int) -> Application:
    """Repeat every subtopology with its topics, each copy named after the one before."""
    width = 1 + max((task.id.subtopology for task in application.tasks), default=0)
    return _copied(
        application,
        times,
        lambda task, n: TaskId(task.subtopology + n * width, task.partition),
        lambda read, n: TopicPartition(f"{read.topic}.{n:03}", read.partition),
        tuple(
            replace(topic, name=f"{topic.name}.{n:03}") for topic in application.topics for n in range(times)
        ),
    )


def _copied(
    application: Application,
    times: int,
    task_of: Callable[[TaskId, int], TaskId],
    read_of: Callable[[TopicPartition, int], TopicPartition],
    topics: tuple[Topic, ...],
) -> Application:
    tasks = tuple(
        replace(
            task,
            id=task_of(task.id, n),
            inputs=tuple(read_of(read, n) for read in task.inputs),
            changelogs=tuple(read_of(read, n) for read in task.changelogs),
        )
        for n in range(times)
        for task in application.tasks
    )

    def of(held: tuple[TaskId, ...]) -> tuple[TaskId, ...]:
        return tuple(sorted(task_of(task, n) for task in held for n in range(times)))

    clients = tuple(
        replace(
            client,
            active=of(client.active),
            standby=of(client.standby),
            lags={task_of(task, n): lag for n in range(times) for task, lag in client.lags.items()},
        )
        for client in application.clients
    )
    return replace(application, tasks=tasks, clients=clients, topics=topics)


def _more_clients(application: Application, times: int) -> Application:
    """Repeat every client with its threads, rack and tags; only the first of each held anything, the others are as caught up."""
    return replace(
        application,
        clients=tuple(
            _clone(client, n, client if not n else replace(client, active=(), standby=()))
            for n in range(times)
            for client in application.clients
        ),
    )


def _more_of_both(application: Application, times: int) -> Application:
    """Repeat clients and tasks; clone n held what the original did, of run n."""
    larger, number = _more_tasks(application, times), len(application.tasks)
    run = {task.id: place // max(1, number) for place, task in enumerate(larger.tasks)}
    return replace(
        larger,
        clients=tuple(
            _clone(
                client,
                n,
                replace(
                    client,
                    active=tuple(task for task in client.active if run[task] == n),
                    standby=tuple(task for task in client.standby if run[task] == n),
                ),
            )
            for n in range(times)
            for client in larger.clients
        ),
    )


def _clone(client: Client, n: int, holding: Client) -> Client:
    """Return clone n of a client; no task is active there but those that it held."""
    lags = {
        task: 0 if lag == RUNNING and task not in holding.active else lag for task, lag in client.lags.items()
    }
    return replace(holding, id=str(UUID(int=UUID(client.id).int + (n << 40))), lags=lags)


WAYS: dict[str, Callable[[Application, int], Application]] = {
    "tasks": _more_tasks,
    "subtopologies": _more_subtopologies,
    "clients": _more_clients,
    "clients and tasks": _more_of_both,
}
"""What doubles -> how."""
