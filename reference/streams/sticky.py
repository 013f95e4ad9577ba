"""Give tasks back to the clients that had them, and spread the rest by load, as the public assignor for applications does (KIP-924).

It decides as the legacy sticky assignor does, apart from this: threads do not decide between clients of equal load; standbys are
for tasks that list changelogs; with racks, both costs have to be set, active tasks cost what their changelogs do too, and standbys
are exchanged by the strategy that is set. Kafka goes through the tasks that get standbys in the order of their identity hashes,
another one in each run: here in that of a Java machine that gives all objects one identity hash (-XX:hashCode=2).

Source: org.apache.kafka.streams.processor.assignment.assignors.StickyTaskAssignor of kafka-streams 4.3, which decides alike
since it came with 3.8.
"""

from functools import cache

from kassay.model import Assignor, AssignorError
from kassay.model.tasks import Application, TaskAssignment, TaskId
from kassay.reference.java.hash_map import hash_order
from kassay.reference.streams.client_state import (
    ClientState,
    assignment,
    client_order,
    in_map_order,
    states,
    with_changelogs,
)
from kassay.reference.streams.find_client import map_previous_task_assignment
from kassay.reference.streams.legacy_sticky import OVERLAP, TRAFFIC, assign_active, assign_standby
from kassay.reference.streams.promises import COMMON
from kassay.reference.streams.rack_aware.optimise import STATELESS_OVERLAP, STATELESS_TRAFFIC, costs
from kassay.reference.streams.task_assignment_utils import (
    optimise_rack_aware_active_tasks,
    optimise_rack_aware_standby_tasks,
)


def assign(application: Application, *, must_preserve_active: bool = False) -> TaskAssignment:
    """Assign the tasks of an application; raises AssignorError where there are no clients.

    Where active tasks must be preserved, all go back to the clients that had them, racks are not looked at, and a rebalance
    is asked for that does better.
    """
    if not application.clients:
        raise AssignorError("ArithmeticException: / by zero")
    clients = in_map_order(application, states(application))
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
    COMMON
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
