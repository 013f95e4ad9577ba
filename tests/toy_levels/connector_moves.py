"""The fewest connectors that leave their workers, without regard to tasks."""

from dataclasses import replace

from kassay.model.workers import NOTHING, Cluster, ConnectorTask, WorkAssignment
from kassay.oracles.partitions import levels as of_partitions
from kassay.oracles.workers.levels import CONNECTORS, Level
from kassay.properties.workers.measures import running


def connector_moves(cluster: Cluster, answer: WorkAssignment) -> int:
    names = {connector.name for connector in cluster.connectors}
    alone = {
        item: on[0]
        for item, on in running(cluster).items()
        if len(on) == 1 and not isinstance(item, ConnectorTask) and item in names
    }
    return sum(item not in answer.workers.get(on, NOTHING).connectors for item, on in alone.items())


CONNECTOR_MOVES = Level(
    words=replace(
        of_partitions.MOVES.words, name="connector-moves", one="connector moved", many="connectors moved", missed="connectors moved needlessly",
        asked="few connectors moved", heading="connectors\nmoved needlessly", worse="moves more connectors", column="connectors moved",
        counts="other", measure="", judged=None, told_as="connectors: moves",
    ),
    of=of_partitions.MOVES,
    measure=connector_moves,
    kind=CONNECTORS,
)  # fmt: skip
