"""Give everything out anew: connectors, then tasks, in turn to the workers in order of their ids.

Running work and the kept state do not count: all workers stop before each round. Connectors and tasks together are balanced.

Source: org.apache.kafka.connect.runtime.distributed.EagerAssignor of Kafka 3.3 to 4.3 (connect.protocol=eager).
"""

from kassay.model import Assignor
from kassay.model.workers import Cluster, Work, WorkAssignment
from kassay.reference.connect.items import list_configured
from kassay.reference.java.strings import string_order


def assign(cluster: Cluster) -> WorkAssignment:
    """Give everything out anew: connectors, then tasks, in turn to the workers in order of their ids."""
    connectors, tasks = list_configured(cluster)
    names = [worker.id for worker in cluster.workers]
    work, number = dict.fromkeys(names, Work()), len(names)
    for turn, name in enumerate(sorted(names, key=string_order)):
        first_task = (turn - len(connectors)) % number  # tasks go on behind the worker of the last connector
        work[name] = Work(connectors[turn::number], tasks[first_task::number])
    return WorkAssignment(work, dict.fromkeys(names, Work()))


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
