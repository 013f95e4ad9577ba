"""Racks: whether assignors may look at them, and what is read across them."""

from collections.abc import Callable, Sequence

from kassay.model.partitions import TopicPartition
from kassay.model.tasks import Application, Task, TaskAssignment, TaskId
from kassay.properties.tasks.holdings import holdings

Read = Callable[[Task], Sequence[TopicPartition]]


def inputs(task: Task) -> Sequence[TopicPartition]:
    """Return the partitions that a task reads while it is active."""
    return task.inputs


def changelogs(task: Task) -> Sequence[TopicPartition]:
    """Return the partitions that a standby reads."""
    return task.changelogs


def racks_known(application: Application) -> bool:
    """Say whether all clients tell their rack, and all replicas that tasks read, of changelogs where there are standbys."""
    read = [*application.racks(inputs).values()]
    if application.settings.num_standby_replicas:
        read += application.racks(changelogs).values()
    return all(client.rack for client in application.clients) and all(
        near and None not in near for partitions in read for near in partitions
    )


def rack_aware(application: Application) -> bool:
    """Say whether a strategy is set and all racks that it needs are known (KIP-925)."""
    return application.settings.rack_aware_assignment_strategy != "none" and racks_known(application)


def partitions_across(application: Application, read: Read) -> Callable[[str, TaskId], int]:
    """Return what counts the partitions that a client would read across racks for a task.

    Clients without a rack and partitions without any known replica rack do not count, nor does what is not of the application.
    """
    racks = application.racks(read)
    home = {client.id: client.rack for client in application.clients if client.rack}
    return lambda name, task: sum(
        name in home and any(rack is not None for rack in near) and home[name] not in near
        for near in racks.get(task, ())
    )


def crossings(application: Application, answer: TaskAssignment, role: str, read: Read) -> int:
    """Return how many partitions are read across racks for tasks in a role."""
    across = partitions_across(application, read)
    return sum(
        across(name, task)
        for name, held in holdings(application, answer).items()
        for task in getattr(held, role)
    )
