"""Move tasks between clients so that less is read across racks, as assignors of applications may ask for (KIP-924, KIP-925).

Other than Kafka's own assignors do, this counts changelogs for active tasks too, exchanges standbys by the strategy that is set,
takes a partition whose replicas partly have no rack, and wants both costs set, although those given count. The order of clients
counts. Tags do not keep a standby where it is: Kafka asks whether it may move from a client to that same client.

Source: TaskAssignmentUtils.optimizeRackAwareActiveTasks and optimizeRackAwareStandbyTasks of kafka-streams 4.3.
"""

from collections.abc import Callable, Sequence

from kassay.model import TopicPartition
from kassay.model.tasks import Application, Task, TaskId
from kassay.reference.streams.client_state import States
from kassay.reference.streams.rack_aware.graph import Graph
from kassay.reference.streams.rack_aware.optimise import Price, exchange_standbys, network, reassign


def optimise_rack_aware_active_tasks(
    application: Application, clients: States, tasks: Sequence[TaskId], traffic: int, overlap: int
) -> None:
    """Assign active tasks anew at the least cost, where racks are asked for and known."""
    if can_perform(application, _all):
        price = Price(application.racks(_all), traffic, overlap)
        solve = network(application.settings.rack_aware_assignment_strategy, Graph, tasks)
        reassign(list(clients.values()), tasks, lambda state: state.active, price, solve)


def optimise_rack_aware_standby_tasks(
    application: Application, clients: States, traffic: int, overlap: int
) -> None:
    """Exchange standbys between clients of different racks, where racks are asked for and known."""
    standbys = {task for state in clients.values() for task in state.standby}
    if standbys and can_perform(application, _changelogs):
        price = Price(application.racks(_changelogs), traffic, overlap)
        solve = network(application.settings.rack_aware_assignment_strategy, Graph, standbys)
        exchange_standbys(clients, price, lambda *_: True, solve)


def can_perform(application: Application, read: Callable[[Task], Sequence[TopicPartition]]) -> bool:
    """Say whether racks are asked for with both costs, and known of all clients and of all partitions that `read` names."""
    settings = application.settings
    return (
        settings.rack_aware_assignment_strategy != "none"
        and settings.rack_aware_assignment_traffic_cost is not None
        and settings.rack_aware_assignment_non_overlap_cost is not None
        and all(client.rack for client in application.clients)
        and all(any(racks) for partitions in application.racks(read).values() for racks in partitions)
    )


def _all(task: Task) -> Sequence[TopicPartition]:
    """Return all partitions of a task, a source that is a changelog too once."""
    return tuple(dict.fromkeys((*task.inputs, *task.changelogs)))


def _changelogs(task: Task) -> Sequence[TopicPartition]:
    return task.changelogs
