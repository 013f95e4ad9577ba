"""The search for an answer with the same connectors whose tasks are as even, move as little, and spread connectors better."""

from collections.abc import Callable

from kassay.model.workers import Cluster, WorkAssignment
from kassay.oracles.answers import Dominated
from kassay.oracles.partitions.dominated import dominance as of_partitions
from kassay.oracles.workers.levels.connector_spread import CONNECTOR_SPREAD
from kassay.oracles.workers.levels.level import CONNECTORS, TASKS
from kassay.oracles.workers.optimum import joined, kinds, split
from kassay.properties.workers.rounds import asks_again


def dominance(cluster: Cluster) -> Callable[[WorkAssignment], Dominated | None]:
    """Return what says of an answer whether it is dominated.

    The result is None if the answer asks for another round, or its tasks are not complete and legal. The better answer has the same
    connectors, so it need not be an optimum of any question. Raises as :func:`kassay.oracles.partitions.dominated.dominance`.
    """
    judge = of_partitions(kinds(cluster).tasks)

    def dominated(answer: WorkAssignment) -> Dominated | None:
        given = None if asks_again(answer) else split(cluster, answer)
        found = None if given is None else judge(given[TASKS])
        if given is None or found is None:
            return None
        better = found.better and joined(cluster, {CONNECTORS: given[CONNECTORS], TASKS: found.better})
        return Dominated(CONNECTOR_SPREAD.name, found.value, found.least, found.verdict, better)

    return dominated
