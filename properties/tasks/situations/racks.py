"""Situations in the racks of clients and of what tasks read (KIP-925)."""

from kassay.model.partitions import INT32_MAX, TopicPartition
from kassay.model.tasks import Application, Task
from kassay.properties.tasks.racks import changelogs, inputs, rack_aware

USUAL_COST = 10
"""The greatest cost that an assignor of Kafka's takes where none is set."""


def racks(application: Application) -> bool:
    """A client tells its rack, and some replica's rack is known."""
    return any(client.rack for client in application.clients) and any(
        rack is not None for topic in application.topics for near in topic.racks or () for rack in near
    )


def partial_racks(application: Application) -> bool:
    """Some clients tell their rack and others do not."""
    return len({bool(client.rack) for client in application.clients}) > 1


def unknown_topic_racks(application: Application) -> bool:
    """Clients tell their racks, and of a partition that a task reads no replica's rack is known."""
    read = [*application.racks(inputs).values(), *application.racks(changelogs).values()]
    return any(client.rack for client in application.clients) and any(
        not any(rack is not None for rack in near) for partitions in read for near in partitions
    )


def rack_strategy(application: Application) -> bool:
    """A strategy is set, and all racks that it needs are known, so that racks count."""
    return rack_aware(application)


def min_traffic(application: Application) -> bool:
    """Racks count, and the strategy is min_traffic."""
    return _strategy(application) == "min_traffic"


def balance_subtopology(application: Application) -> bool:
    """Racks count, and the strategy is balance_subtopology."""
    return _strategy(application) == "balance_subtopology"


def idle_strategy(application: Application) -> bool:
    """A strategy is set, but a rack that it needs is not known, so that racks do not count."""
    strategy = application.settings.rack_aware_assignment_strategy
    return strategy != "none" and not rack_aware(application)


def strategy_with_some_racks(application: Application) -> bool:
    """A strategy is set, all clients tell their rack, and of each partition that a task reads or writes some replica's rack is known, but not all.

    There racks count for the assignors that applications ask for (KIP-924), and not for Kafka's own.
    """
    read = [*application.racks(inputs).values(), *application.racks(changelogs).values()]
    return (
        idle_strategy(application)
        and all(client.rack for client in application.clients)
        and all(any(near) for partitions in read for near in partitions)
    )


def overflowing_costs(application: Application) -> bool:
    """Racks are asked for and known, and a stateful task costs more somewhere than 32 bits can say: Kafka's sum wraps around.

    A task's cost is that of its partitions across racks, read, written or both, as assignors differ in that, and of its move. Both
    2^31 and -2^31 are too much: Kafka takes the opposite of each cost, too.
    """
    settings = application.settings
    traffic, overlap = (
        USUAL_COST if cost is None else cost
        for cost in (
            settings.rack_aware_assignment_traffic_cost,
            settings.rack_aware_assignment_non_overlap_cost,
        )
    )
    most = max((len(task.inputs) + len(task.changelogs) for task in application.tasks), default=0)
    small = abs(traffic) * most + abs(overlap) <= INT32_MAX
    homes = {client.rack for client in application.clients}
    if settings.rack_aware_assignment_strategy == "none" or small or not all(homes):
        return False
    stateful = {task.id for task in application.tasks if task.stateful}
    return any(
        abs(traffic * across + move) > INT32_MAX
        for read in (inputs, changelogs, _both)
        for task, partitions in application.racks(read).items()
        if task in stateful and all(any(near) for near in partitions)
        for across in {sum(home not in near for near in partitions) for home in homes}
        for move in (0, overlap)
    )


def distant_client(application: Application) -> bool:
    """A client is in a rack that has no replica at all, though racks of replicas are known."""
    known = {
        rack
        for topic in application.topics
        for near in topic.racks or ()
        for rack in near
        if rack is not None
    }
    return bool(known) and any(client.rack and client.rack not in known for client in application.clients)


def _both(task: Task) -> tuple[TopicPartition, ...]:
    return tuple(dict.fromkeys((*task.inputs, *task.changelogs)))


def _strategy(application: Application) -> str:
    return application.settings.rack_aware_assignment_strategy if rack_aware(application) else ""
