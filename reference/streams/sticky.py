"""Give tasks back to the clients that had them, and spread the rest by load, as the public assignor for applications does (KIP-924).

It differs from the legacy sticky assignor in these points:

- Threads do not decide between clients of equal load. Standbys are for tasks that list changelogs.
- Kafka visits the tasks that get standbys in the order of their identity hashes, which varies from run to run. Here it is the order of a Java
  machine in which all objects have one identity hash (-XX:hashCode=2).
- With racks, both costs must be set (although given ones count), active tasks also cost their changelogs, and standbys are exchanged by the
  set strategy. A partition may have some replicas without a rack. The order of clients counts. Tags do not keep a standby on its
  client: Kafka asks if it may move from a client to the same client.

Kafka validates an assignment before it is sent. It does not detect tasks without a client. An answer cannot express that a
client has a task in both roles: here such a task counts as active.

Source: org.apache.kafka.streams.processor.assignment.assignors.StickyTaskAssignor of kafka-streams 3.8 to 4.3, and its TaskAssignmentUtils:
validateTaskAssignment, optimizeRackAwareActiveTasks, optimizeRackAwareStandbyTasks, identityAssignment and
defaultStandbyTaskAssignment (KIP-924, KIP-925).
"""

from collections.abc import Callable, Sequence
from enum import Enum
from functools import cache

from kassay.model import Assignor, AssignorError, TopicPartition
from kassay.model.tasks import Application, Task, TaskAssignment, TaskId
from kassay.reference.java.hash_map import hash_order
from kassay.reference.promises import COMMON_TO_TASK_ASSIGNORS
from kassay.reference.streams.client_state import (
    ClientState,
    States,
    assignment,
    client_order,
    sort_by_map,
    states,
    task_order,
    with_changelogs,
)
from kassay.reference.streams.find_client import map_previous_task_assignment
from kassay.reference.streams.legacy_sticky import OVERLAP, TRAFFIC, assign_active, assign_standby
from kassay.reference.streams.rack_aware.graph import Graph
from kassay.reference.streams.rack_aware.optimise import (
    STATELESS_OVERLAP,
    STATELESS_TRAFFIC,
    Price,
    costs,
    exchange_standbys,
    network,
    reassign,
)
from kassay.reference.streams.standby import place_by_load, place_by_tags


class AssignmentError(Enum):
    """The errors of an assignment, by Kafka's names."""

    NONE = "NONE"
    UNKNOWN_TASK_ID = "UNKNOWN_TASK_ID"
    ACTIVE_TASK_ASSIGNED_MULTIPLE_TIMES = "ACTIVE_TASK_ASSIGNED_MULTIPLE_TIMES"
    INVALID_STANDBY_TASK = "INVALID_STANDBY_TASK"
    MISSING_PROCESS_ID = "MISSING_PROCESS_ID"
    UNKNOWN_PROCESS_ID = "UNKNOWN_PROCESS_ID"


def validate_task_assignment(application: Application, answer: TaskAssignment) -> AssignmentError:
    """Return what is found first: in tasks, client by client; then in standbys; then in clients."""
    stateful = {task.id: task.stateful for task in application.tasks}
    active: set[TaskId] = set()
    standby: set[TaskId] = set()
    for given in answer.clients.values():
        its_active = set(given.active)
        for task in task_order((*given.active, *given.standby)):
            if task not in stateful:
                return AssignmentError.UNKNOWN_TASK_ID
            if task in its_active and task in active:
                return AssignmentError.ACTIVE_TASK_ASSIGNED_MULTIPLE_TIMES
        active |= its_active
        standby |= set(given.standby) - its_active
    known = {client.id for client in application.clients}
    if not all(stateful[task] for task in standby):
        return AssignmentError.INVALID_STANDBY_TASK
    if known - set(answer.clients):
        return AssignmentError.MISSING_PROCESS_ID
    if set(answer.clients) - known:
        return AssignmentError.UNKNOWN_PROCESS_ID
    return AssignmentError.NONE


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
    """Return True if a strategy and both costs are set, and the racks of all clients and of all partitions of `read` are known."""
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


def identity(application: Application) -> States:
    """Return the clients with the tasks that they had."""
    clients = states(application)
    for state in clients.values():
        state.active |= set(state.client.active)
        state.standby |= set(state.client.standby)
    return clients


def assign_default_standbys(application: Application, clients: States) -> None:
    """Give each task that lists changelogs its standbys: with tags on clients with other ones, else on the least loaded clients.

    With tags Kafka gives each task that is active one standby even where none are configured.
    """
    settings, tasks = application.settings, task_order(with_changelogs(application))
    if settings.rack_aware_assignment_tags:
        tags = settings.rack_aware_assignment_tags
        place_by_tags(clients, tasks, settings.num_standby_replicas, tags)
    else:
        place_by_load(clients, tasks, settings.num_standby_replicas)


def assign(application: Application, *, must_preserve_active: bool = False) -> TaskAssignment:
    """Assign the tasks of an application; raises AssignorError if there are no clients.

    If active tasks must be preserved, all go back to their previous clients, racks are ignored, and the answer asks for another
    rebalance.
    """
    if not application.clients:
        raise AssignorError("ArithmeticException: / by zero")
    clients = sort_by_map(application, states(application))
    known = map_previous_task_assignment(clients, len(application.tasks), _has_less_load)
    among = client_order(clients, clients)  # a set of them, filled in the order of their map
    assign_active(application, known, among, must_preserve_active=must_preserve_active)
    stateful_costs = costs(application.settings, TRAFFIC, OVERLAP)
    if not must_preserve_active:
        stateful, stateless = (
            sorted(task.id for task in application.tasks if task.stateful is wanted)
            for wanted in (True, False)
        )
        optimise_rack_aware_active_tasks(application, clients, stateful, *stateful_costs)
        optimise_rack_aware_active_tasks(
            application, clients, stateless, STATELESS_TRAFFIC, STATELESS_OVERLAP
        )
    assign_standby(application, known, _with_standbys(application))
    if not must_preserve_active:
        optimise_rack_aware_standby_tasks(application, clients, *stateful_costs)
    return assignment(clients, probing=must_preserve_active)


def _has_less_load(one: ClientState, other: ClientState) -> bool:
    return one.load < other.load


def _with_standbys(application: Application) -> list[TaskId]:
    """Return the tasks that list changelogs, in the order of a set of their infos, which have all one identity hash."""
    infos = with_changelogs(application)
    return [infos[n] for n in _identity_order(len(infos))]


@cache
def _identity_order(size: int) -> tuple[int, ...]:
    return tuple(hash_order(range(size), lambda _: 1))


STICKY = Assignor(
    "streams/sticky",
    assign,
    COMMON_TO_TASK_ASSIGNORS
    | {
        "rack_aware_keeps_counts",
        "rack_aware_no_more_traffic",
        "probing_ends",
        "settles",
    },
    "assignors.StickyTaskAssignor of Kafka 4.3; KIP-924, KIP-925",
    {
        "crash_free": frozenset({"overflowing_costs"}),
        "enough_standbys": frozenset({"unlogged_state"}),
        "rack_aware_no_more_traffic": frozenset({"odd_costs", "overflowing_costs"}),
        "settles": frozenset({"rack_strategy", "strategy_with_some_racks"}),
    },
    limits=frozenset({"enough_standbys", "rack_aware_no_more_traffic"}),
)
