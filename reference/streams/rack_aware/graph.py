"""Min-cost flow by cancelling negative cycles in the order of Kafka's Graph, so that the same one of equally cheap flows is found.

Nodes are whole numbers; edges are visited in the order of their ends. Since 3.7, a cycle is searched from an additional node,
from which every node is reached at no cost. In each pass every edge may shorten a path. There is one more pass than nodes:
an edge that still shortens a path in the last one follows a negative cycle.

In 3.6, cycles are searched from each node in turn. The other nodes count as far away, not as unreachable, and an edge that shortens a
path in the last pass is not followed. If no edge leads to its end, Kafka's class fails with a NullPointerException.

Known defect, reproduced: costs have 32 bits, and -2^31 is its own negative. Such an edge is cheap in both directions, so that
cycles over it may be cancelled endlessly: Kafka never returns, and this class raises AssignorError.

Source: Graph of kafka-streams 4.3 and 3.6 (KIP-925).
"""

from collections import deque
from dataclasses import dataclass, field

from kassay.errors import AssignorError
from kassay.reference.java.strings import int32

ENDLESS = "no answer: the same cycles are cancelled again and again"
LEAST = -(2**31)
"""The least cost there is: its opposite is itself."""


@dataclass(eq=False, slots=True)
class Edge:
    """An edge of the residual graph with its remaining capacity; `flow` is the flow of the edge, 0 for a reverse edge."""

    start: int
    end: int
    cost: int
    residual: int
    flow: int
    forward: bool = True
    back: "Edge" = field(init=False, repr=False)


class Graph:
    """A graph with a flow. There is at most one edge between two nodes."""

    def __init__(self) -> None:
        self._edges: dict[tuple[int, int], Edge] = {}

    def add_edge(self, start: int, end: int, capacity: int, cost: int, flow: int = 0) -> None:
        """Add an edge with its capacity, its cost for each unit and its flow."""
        edge = Edge(start, end, cost, capacity - flow, flow)
        edge.back = Edge(end, start, int32(-cost), flow, 0, forward=False)
        edge.back.back = edge
        self._edges[start, end] = edge

    def flow(self, start: int, end: int) -> int:
        """Return what flows along an edge."""
        return self._edges[start, end].flow

    def maximise(self, source: int, sink: int) -> int:
        """Add to the flow, along shortest ways, until it is the greatest from source to sink; return how much was added."""
        leaving: dict[int, list[Edge]] = {}
        for edge in self.residual():
            leaving.setdefault(edge.start, []).append(edge)
        total = 0
        while way := _find_path(leaving, source, sink):
            total += push(way)
        return total

    def minimise(self) -> None:
        """Cancel negative cycles until no such cycle is left: then no flow of this amount costs less.

        Raises AssignorError if this never ends.
        """
        edges = self.residual()
        watch = Watch(edges)
        nodes = {edge.start for edge in edges}
        while cycle := _find_cycle(edges, nodes):
            push(cycle)
            watch.count_cancelled()

    def residual(self) -> list[Edge]:
        """Return all edges and all ways back, in the order of their starts and ends."""
        both = [each for edge in self._edges.values() for each in (edge, edge.back)]
        return sorted(both, key=lambda edge: (edge.start, edge.end))


class Watch:
    """A detector of endless cancelling, which happens only over an edge of cost -2^31.

    It compares the remaining capacities with those after the last power of two of steps, so that it finds a period of any length.
    """

    def __init__(self, edges: list[Edge]) -> None:
        self._edges = edges if any(edge.cost == LEAST for edge in edges) else []
        self._cancelled = 0
        self._before: list[int] = []

    def count_cancelled(self) -> None:
        """Count a cycle as cancelled; raises AssignorError where the same is left as once before."""
        if not self._edges:
            return
        self._cancelled += 1
        now = [edge.residual for edge in self._edges]
        if now == self._before:
            raise AssignorError(ENDLESS)
        if self._cancelled.bit_count() == 1:
            self._before = now


def push(edges: list[Edge]) -> int:
    """Send along a way or a cycle as much as it takes, and return how much that is."""
    amount = min(edge.residual for edge in edges)
    for edge in edges:
        edge.residual -= amount
        edge.back.residual += amount
        if edge.forward:
            edge.flow += amount
        elif edge.back.flow >= amount:
            edge.back.flow -= amount
    return amount


def _find_path(leaving: dict[int, list[Edge]], source: int, sink: int) -> list[Edge]:
    """Return a path with the fewest edges, found breadth first with neighbours in ascending order; empty without a path."""
    before: dict[int, Edge] = {}
    seen, waiting = {source}, deque([source])
    while waiting and sink not in seen:
        for edge in leaving.get(waiting.popleft(), ()):
            if edge.residual > 0 and edge.end not in seen:
                seen.add(edge.end)
                before[edge.end] = edge
                waiting.append(edge.end)
    way, node = [], sink
    while sink in seen and node != source:
        way.append(before[node])
        node = before[node].start
    return way


def _find_cycle(edges: list[Edge], nodes: set[int]) -> list[Edge]:
    """Return a cycle of negative cost found by the passes of Bellman and Ford; empty without such a cycle."""
    before: dict[int, Edge] = {}
    last = find_shortening(edges, dict.fromkeys(nodes, 0), before, len(nodes))
    if last is None:
        return []
    before[last.end] = last
    return trace_cycle(last.end, before)


def find_shortening(
    edges: list[Edge], distance: dict[int, int], before: dict[int, Edge], passes: int
) -> Edge | None:
    """Shorten paths in `passes` passes, recording the last edge of each, and return the first edge that would still shorten one.

    The edges of a node are skipped while its distance has not changed: they cannot shorten anything.
    """
    leaving: dict[int, list[tuple[int, int, Edge]]] = {}
    for edge in edges:
        if edge.residual:
            leaving.setdefault(edge.start, []).append((edge.end, edge.cost, edge))
    seen: dict[int, int] = {}
    for _ in range(passes):
        shortened = False
        for start, its in leaving.items():
            so_far = distance[start]
            if seen.get(start) == so_far:
                continue
            seen[start] = so_far
            for end, cost, edge in its:
                if so_far + cost < distance[end]:
                    distance[end] = so_far + cost
                    before[end] = edge
                    shortened = True
        if not shortened:
            return None
    every = (edge for edge in edges if edge.residual)
    return next((edge for edge in every if distance[edge.start] + edge.cost < distance[edge.end]), None)


def trace_cycle(node: int, before: dict[int, Edge]) -> list[Edge]:
    """Return the cycle that the ways to a node come from."""
    seen: set[int] = set()
    while node not in seen:
        seen.add(node)
        node = before[node].start
    cycle = [before[node]]
    while cycle[-1].start != node:
        cycle.append(before[cycle[-1].start])
    return cycle


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
                if cycle := _find_cycle_3_6(edges, nodes, node):
                    push(cycle)
                    found = True
            if found:
                watch.count_cancelled()


def _find_cycle_3_6(edges: list[Edge], nodes: list[int], source: int) -> list[Edge]:
    """Return a cycle of negative cost found from a node; empty without such a cycle."""
    distance = dict.fromkeys(nodes, FAR) | {source: 0}
    before: dict[int, Edge] = {}
    last = find_shortening(edges, distance, before, len(nodes) - 1)
    if last is None:
        return []
    try:
        return trace_cycle(last.end, before)
    except KeyError:
        raise AssignorError("NullPointerException") from None
