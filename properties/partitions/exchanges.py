"""Exchanges of partitions between members after which more of them are with their owners.

An exchange shows that a move was not forced.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from kassay.model import Assignment, Group, TopicPartition
from kassay.model.hosts import locate_racks
from kassay.properties.partitions.owners import Holdings, holdings, owners, subscribers

Move = tuple[TopicPartition, str, str]
"""A partition, its giver and its taker."""


def find_improving_chain(held: Holdings, readers: Mapping[str, Sequence[str]]) -> list[Move]:
    """Return a shortest chain of moves from one of the most loaded members to one with at least two less, or [].

    Breadth-first searches from each member, in descending load, that enter every member once: a member reached from
    a heavier start needs no further visit. Linear in the number of subscriptions and of partitions held.
    """
    loads = {member: len(given) for member, given in held.items()}
    least = min(loads.values(), default=0)
    search = _Search(held, readers)
    for start in sorted(loads, key=loads.__getitem__, reverse=True):
        if loads[start] < least + 2:
            break
        came: dict[str, Move] = {}
        for move in search.moves_from(start):
            taker = move[2]
            came[taker] = move
            if loads[taker] + 2 <= loads[start]:
                chain = [came[taker]]
                while chain[-1][1] in came:
                    chain.append(came[chain[-1][1]])
                return chain[::-1]
    return []


class _Search:
    """Breadth-first searches that hand partitions on and together enter every member once."""

    def __init__(self, held: Holdings, readers: Mapping[str, Sequence[str]]) -> None:
        self.held = held
        self.sets = {member: frozenset(given) for member, given in held.items()}
        self.waiting = dict(readers)  # subscribers of each topic that may not have been entered
        self.entered: set[str] = set()

    def moves_from(self, start: str) -> Iterator[Move]:
        """Yield the move by which each member is entered; nothing if the start was entered before."""
        queue = deque([start] if start not in self.entered else ())
        self.entered.add(start)
        while queue:
            giver = queue.popleft()
            for partition in self.held[giver]:
                for taker in self._takers(partition):
                    queue.append(taker)
                    yield partition, giver, taker

    def _takers(self, partition: TopicPartition) -> list[str]:
        """Enter the subscribers that do not hold the partition themselves (two may, by mistake or as copies)."""
        waiting = [member for member in self.waiting[partition.topic] if member not in self.entered]
        takers = [member for member in waiting if partition not in self.sets[member]]
        self.waiting[partition.topic] = (
            [] if len(takers) == len(waiting) else [m for m in waiting if partition in self.sets[m]]
        )
        self.entered.update(takers)
        return takers


Pool: TypeAlias = tuple[str, frozenset[str | None] | None, TopicPartition | None]
"""Partitions that the same members can take: of one topic; near one set of racks, if that matters; or a single one."""
Node: TypeAlias = str | Pool | int
"""A member, a pool between members, or a load: the members that hold at least that."""


class Arc(NamedTuple):
    """A step of an exchange, what it costs in owners' partitions, and the partition that a member hands on."""

    price: int
    start: Node
    end: Node
    partition: TopicPartition | None = None


def find_exchange(group: Group, assignment: Assignment) -> list[Move]:
    """Return moves after which more partitions are with their owners and the loads are at least as balanced, or [].

    This is a negative cycle in the exchange graph of the members. To hand a partition to another subscriber costs 1 if the
    giver owned it, less 1 if the taker did. An arc to a member with more partitions costs nothing. A member does not hand on a
    partition that it has near to a member that has not (KIP-881). Found by the Bellman-Ford relaxation, on a graph as large as
    the subscriptions and the assignment.
    """
    held = holdings(group, assignment)
    owned_by = owners(group)
    if not any(
        owned_by.get(p) and member not in owned_by[p] for member, given in held.items() for p in given
    ):
        return []
    arcs = [*_list_hand_overs(group, held, owned_by), *_list_climbs(held)]
    cost: dict[Node, int] = dict.fromkeys((node for arc in arcs for node in (arc.start, arc.end)), 0)
    came: dict[Node, Arc] = {}
    relaxed = True
    while relaxed:
        relaxed = False
        for arc in arcs:
            if cost[arc.start] + arc.price < cost[arc.end]:
                cost[arc.end] = cost[arc.start] + arc.price
                came[arc.end] = arc
                relaxed = True
        cycle = _find_cycle(came)
        if cycle:
            return list(_list_moves(cycle))
    return []


def _list_hand_overs(
    group: Group, held: Holdings, owned_by: Mapping[TopicPartition, Sequence[str]]
) -> Iterator[Arc]:
    """Yield the arcs from members to those that can take a partition of theirs, past pools or, to its owners, directly."""
    readers, group = subscribers(group), locate_racks(group)
    racks = {topic.name: topic.racks for topic in group.topics}
    home = {member.id: member.rack for member in group.members}
    holders: dict[TopicPartition, list[str]] = {}
    for member, given in held.items():
        for partition in given:
            holders.setdefault(partition, []).append(member)
    pools: dict[Pool, None] = {}
    for partition, holding in holders.items():
        known = racks[partition.topic]
        near = frozenset(() if known is None else known[partition.partition]) - {None}
        current = owned_by.get(partition, [])
        for giver in holding:
            local = near if near and _is_local(near, home[giver]) else None
            pool = (partition.topic, local, partition if len(holding) > 1 else None)
            pools[pool] = None
            yield Arc(int(giver in current), giver, pool, partition)
            for taker in current:
                if (
                    taker not in holding
                    and taker in readers[partition.topic]
                    and _is_local(local, home[taker])
                ):
                    yield Arc(int(giver in current) - 1, giver, taker, partition)
    for pool in pools:
        topic, local, single = pool
        for taker in readers[topic]:
            if _is_local(local, home[taker]) and (single is None or taker not in holders[single]):
                yield Arc(0, pool, taker)


def _is_local(near: frozenset[str | None] | None, rack: str | None) -> bool:
    """Return True if a member in this rack reads nothing across racks; None stands for anywhere."""
    return near is None or not rack or rack in near


def _list_climbs(held: Holdings) -> Iterator[Arc]:
    """Yield the arcs from each member, past loads, to those that hold more."""
    loads = {member: len(given) for member, given in held.items()}
    for member, load in loads.items():
        yield Arc(0, member, load + 1)
        yield Arc(0, load, member)
    for load in range(max(loads.values())):
        yield Arc(0, load, load + 1)


def _find_cycle(came: dict[Node, Arc]) -> list[Arc]:
    """Return the arcs of a cycle among those by which the nodes were last reached, or []."""
    done: set[Node] = set()
    for start in came:
        trail: dict[Node, None] = {}
        node = start
        while node in came and node not in done and node not in trail:
            trail[node] = None
            node = came[node].start
        if node in trail:
            cycle = [came[node]]
            while cycle[-1].start != node:
                cycle.append(came[cycle[-1].start])
            return cycle[::-1]
        done.update(trail)
    return []


def _list_moves(cycle: list[Arc]) -> Iterator[Move]:
    for arc, following in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
        if arc.partition is not None:
            taker = arc.end if isinstance(arc.end, str) else following.end
            assert isinstance(arc.start, str)
            assert isinstance(taker, str)
            yield arc.partition, arc.start, taker
