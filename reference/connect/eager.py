"""Give everything out anew: connectors, then tasks, in turn to the workers in order of their ids.

What workers run and what is remembered counts for nothing: all stop before each round. Connectors and tasks together are even.

Source: org.apache.kafka.connect.runtime.distributed.EagerAssignor of Kafka 3.3 to 4.3 (connect.protocol=eager).
"""

from itertools import cycle

from kassay.model import Assignor
from kassay.model.workers import Cluster, Work, WorkAssignment
from kassay.reference.connect.items import Items, in_order
from kassay.reference.connect.loads import Load
from kassay.reference.java.strings import string_order


def assign(cluster: Cluster) -> WorkAssignment:
    """Give everything out anew: connectors, then tasks, in turn to the workers in order of their ids."""
    loads = {worker.id: Load(worker.id) for worker in cluster.workers}
    turn = cycle(sorted(loads, key=string_order))
    configured = in_order(Items.of(cluster.configured))
    for connector in configured.connectors:
        loads[next(turn)].connectors[connector] = None
    for task in configured.tasks:
        loads[next(turn)].tasks[task] = None
    return WorkAssignment({name: load.work for name, load in loads.items()}, {name: Work() for name in loads})


EAGER = Assignor(
    name="connect/eager",
    assign=assign,
    promises=frozenset(
        {
            "complete",
            "exclusive",
            "existing",
            "every_worker",
            "delay_limited",
            "given_out_after_delay",
            "crash_free",
            "deterministic",
            "connector_order_independent",
            "settles",
            "all_run_at_rest",
            "together_even_at_rest",
            "connectors_spread_at_rest",
            "stable",
        }
    ),
    source="EagerAssignor, Kafka 3.3 to 4.3",
)
