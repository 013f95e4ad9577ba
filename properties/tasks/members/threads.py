"""Threads: an application of Kafka Streams as the streams group that its threads would be (KIP-1071).

What generates applications, and plays what happens to them, so does that for streams groups too.
"""

from collections.abc import Collection
from dataclasses import replace

from kassay.model.streams_group import (
    GroupSettings,
    StreamsAssignment,
    StreamsGroup,
    StreamsMember,
    Subtopology,
)
from kassay.model.tasks import RUNNING, UNKNOWN, Application, Client, TaskId
from kassay.properties.tasks.lags import log
from kassay.properties.tasks.members.holdings import NOTHING


def group_of(application: Application, fresh: Collection[str] = ()) -> StreamsGroup:
    """Return the streams group whose processes are the clients of an application, each with a member for every thread.

    Members are the consumers of their clients, or else are named after these; what no consumer reports is dealt to them in turn. They report
    offsets of tasks that their client has state of: who holds the task, or else the client's first member. Clients in `fresh` have
    just started: the coordinator has assigned nothing to them, and they report all that they have.
    """
    sizes: dict[int, int] = {}
    for task in application.tasks:
        sizes[task.id.subtopology] = max(sizes.get(task.id.subtopology, 0), task.id.partition + 1)
    stateful = {task.id.subtopology for task in application.tasks if task.stateful}
    logs = {task.id: log(application, task.id) for task in application.tasks if task.stateful}
    return StreamsGroup(
        tuple(Subtopology(number, size, number in stateful) for number, size in sizes.items()),
        tuple(
            member
            for client in application.clients
            for member in _members(client, logs, fresh=client.id in fresh)
        ),
        GroupSettings(
            application.settings.num_standby_replicas, application.settings.rack_aware_assignment_tags
        ),
    )


def _members(client: Client, logs: dict[TaskId, int], *, fresh: bool) -> list[StreamsMember]:
    names = list(client.consumers) or [f"{client.id}-{n}" for n in range(1, client.threads + 1)]
    of = {task: name for name, tasks in client.consumers.items() for task in tasks}
    held = [task for role in (client.active, client.standby) for task in role]
    for at, task in enumerate(task for task in held if task not in of):
        of[task] = names[at % len(names)]
    offsets = {
        task: logs[task] - max(lag, 0)
        for task, lag in client.lags.items()
        if lag != UNKNOWN and (lag != RUNNING or fresh) and max(lag, 0) < logs[task]
    }
    by_name = {
        name: {task: sum_ for task, sum_ in offsets.items() if of.get(task, names[0]) == name}
        for name in names
    }
    return [
        StreamsMember(
            name,
            client.id,
            () if fresh else tuple(task for task in client.active if of[task] == name),
            () if fresh else tuple(task for task in client.standby if of[task] == name),
            offsets=by_name[name],
            end_offsets={task: logs[task] for task in by_name[name]},
            rack=client.rack,
            tags=client.tags,
        )
        for name in names
    ]


def with_members(application: Application, answer: StreamsAssignment) -> Application:
    """Return an application whose clients' consumers are the members of an answer, with what these were given."""

    def consumers(client: Client) -> dict[str, dict[TaskId, int]]:
        names = client.consumers or [f"{client.id}-{n}" for n in range(1, client.threads + 1)]
        held = {*client.active, *client.standby}
        found: dict[str, dict[TaskId, int]] = {}
        for name in names:
            roles = answer.get(name, NOTHING)
            found[name] = {task: 0 for role in roles for task in role if task in held}
        return found

    clients = (replace(client, consumers=consumers(client)) for client in application.clients)
    return replace(application, clients=tuple(clients))
