"""Min-cost flow as of 3.6: cycles are searched for from each node in turn, and a search may fail.

Nodes other than the first are taken to be far away, not out of reach, and an edge that still shortens a way in the last pass is
not gone along: where nothing leads to its end, Kafka's class fails with a NullPointerException.

Source: Graph of kafka-streams 3.6 (KIP-925).
"""

from kassay.model.assignor import AssignorError
from kassay.reference.streams.rack_aware.graph import Edge, Graph, Watch, cycle_behind, push, still_shortening

FAR = 2**31 - 1


class Graph36(Graph):
    """A graph with a flow that is made cheapest as by 3.6."""

    def minimise(self) -> None:
        """Cancel a negative cycle from each node that shows one, until none does; raises AssignorError where this never ends."""
        edges = self.residual()
        watch = Watch(edges)
        nodes = sorted({edge.start for edge in edges})
        found = True
        while found:
            found = False
            for node in nodes:
                if cycle := _negative_cycle(edges, nodes, node):
                    push(cycle)
                    found = True
            if found:
                watch.cancelled()


def _negative_cycle(edges: list[Edge], nodes: list[int], source: int) -> list[Edge]:
    """Return a cycle of negative cost found from a node; empty where there is none."""
    distance = dict.fromkeys(nodes, FAR) | {source: 0}
    before: dict[int, Edge] = {}
    last = still_shortening(edges, distance, before, len(nodes) - 1)
    if last is None:
        return []
    try:
        return cycle_behind(last.end, before)
    except KeyError:
        raise AssignorError("NullPointerException") from None
