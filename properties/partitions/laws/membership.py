"""Laws of members that leave, join, take a place or come back: only what they had or get, and what balance forces, moves.

Whether a move was forced is told by exchanges: partitions handed round members so that more are with their owners again.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from kassay.model import Assignment, Group, Member, TopicPartition
from kassay.model.hosts import located
from kassay.properties.partitions.invariants.balance import Move
from kassay.properties.partitions.laws.several_runs import NEWCOMER
from kassay.properties.partitions.owners import Holdings, holdings, owners, partings, subscribers
from kassay.properties.partitions.rounds import Assign, Settled, settle
from kassay.properties.runs import MOVES, Run, TwoRuns

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


def undoing(group: Group, assignment: Assignment) -> list[Move]:
    """Return moves after which more partitions are with their owners and the loads are at least as even, or [].

    That is a negative cycle in the exchange graph of the members: handing a partition to another subscriber costs 1 if
    the giver owned it, less 1 if the taker did; and from each member it costs nothing to go to one that holds more, which
    then hands on one for it. Nothing goes from a member that has it near to one that has not (KIP-881). Found by Bellman and Ford's relaxation, on a
    graph as large as the subscriptions and the assignment.
    """
    held = holdings(group, assignment)
    owned_by = owners(group)
    if not any(
        owned_by.get(p) and member not in owned_by[p] for member, given in held.items() for p in given
    ):
        return []
    arcs = [*_hand_overs(group, held, owned_by), *_climbs(held)]
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
        cycle = _cycle(came)
        if cycle:
            return list(_moves(cycle))
    return []


def _hand_overs(group: Group, held: Holdings, owned_by: dict[TopicPartition, list[str]]) -> Iterator[Arc]:
    """Yield the arcs from members to those that can take a partition of theirs, past pools or, to its owners, directly."""
    readers, group = subscribers(group), located(group)
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
            local = near if near and _local(near, home[giver]) else None
            pool = (partition.topic, local, partition if len(holding) > 1 else None)
            pools[pool] = None
            yield Arc(int(giver in current), giver, pool, partition)
            for taker in current:
                if taker not in holding and taker in readers[partition.topic] and _local(local, home[taker]):
                    yield Arc(int(giver in current) - 1, giver, taker, partition)
    for pool in pools:
        topic, local, single = pool
        for taker in readers[topic]:
            if _local(local, home[taker]) and (single is None or taker not in holders[single]):
                yield Arc(0, pool, taker)


def _local(near: frozenset[str | None] | None, rack: str | None) -> bool:
    """Return True if a member in this rack reads nothing across racks; None stands for anywhere."""
    return near is None or not rack or rack in near


def _climbs(held: Holdings) -> Iterator[Arc]:
    """Yield the arcs from each member, past loads, to those that hold more."""
    loads = {member: len(given) for member, given in held.items()}
    for member, load in loads.items():
        yield Arc(0, member, load + 1)
        yield Arc(0, load, member)
    for load in range(max(loads.values())):
        yield Arc(0, load, load + 1)


def _cycle(came: dict[Node, Arc]) -> list[Arc]:
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


def _moves(cycle: list[Arc]) -> Iterator[Move]:
    for arc, following in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
        if arc.partition is not None:
            taker = arc.end if isinstance(arc.end, str) else following.end
            assert isinstance(arc.start, str)
            assert isinstance(taker, str)
            yield arc.partition, arc.start, taker


def leaver_minimal(assign: Assign, group: Group) -> Iterator[str]:
    """When a member leaves a settled group, only its partitions move, and what balance forces to.

    Tried with the member that holds most and with the one that holds least, each leaving alone; the rest settles again. A
    move of another member's partition is forced unless an exchange undoes it: partitions handed round so that the loads
    stay as even as they are or become more even, nobody reads from afar what was read near, and more come back to
    their owners than are taken from them. The violation names such an exchange, so nobody is accused wrongly; without racks
    none is overlooked where the loads are balanced. Source: KIP-54, whose second aim is to keep what can be kept.
    """
    settled = settle(assign, group)
    held = holdings(settled.group, settled.assignment)
    most = max(held, key=lambda member: len(held[member]), default=None)
    least = min(held, key=lambda member: len(held[member]), default=None)
    for leaver in dict.fromkeys((most, least)) if len(held) > 1 else ():
        rest = replace(settled.group, members=tuple(m for m in settled.group.members if m.id != leaver))
        again = settle(assign, rest).assignment
        handed = undoing(rest, again)
        if handed:
            back = " and ".join(f"{partition} from {giver} to {taker}" for partition, giver, taker in handed)
            yield TwoRuns(
                f"when {leaver} leaves, moves are not forced: with loads as even, hand back {back}",
                Run("before", settled.group, settled.assignment),
                Run(f"when {leaver} has left", rest, again),
                MOVES,
                sum(parted for _, _, parted in partings(rest, again)),
            )


def replaced_minimal(assign: Assign, group: Group) -> Iterator[str]:
    """A member that takes the place of another with the same subscription is given what that one had: nobody else's partition moves.

    Tried with the member that holds most and with the one that holds least of a settled group; the new one is listed last and owns
    nothing. Source: kafka#23155, rolling restarts of members without an instance id.
    """
    settled = settle(assign, group)
    if settled.rounds is None:
        return
    held = holdings(settled.group, settled.assignment)
    most, least = (pick(held, key=lambda member: len(held[member]), default=None) for pick in (max, min))
    for gone in dict.fromkeys(m for m in settled.group.members if m.id in (most, least)):
        new = _newcomer(settled.group, gone)
        others = tuple(member for member in settled.group.members if member is not gone)
        replaced = replace(settled.group, members=(*others, new))
        answer = assign(replaced)
        takers: dict[TopicPartition, str] = {p: member for member, given in answer.items() for p in given}
        for member in others:
            for partition in held[member.id]:
                if partition not in answer.get(member.id, ()):
                    yield TwoRuns(
                        f"when {new.id} takes the place of {gone.id}, {partition} moves from {member.id} to "
                        f"{takers.get(partition, 'nobody')}",
                        Run("before", settled.group, settled.assignment),
                        Run(f"with {new.id}", replaced, answer),
                        MOVES,
                    )


def joiner_minimal(assign: Assign, group: Group) -> Iterator[str]:
    """When a member joins a settled group, partitions move only as balance forces them to.

    The newcomer subscribes to what the group's first member does, and is listed last. What is forced is told as for `leaver_minimal`.
    Source: KIP-54, whose second aim is to keep what can be kept.
    """
    settled = settle(assign, group)
    for first in settled.group.members[:1] if settled.rounds is not None else ():
        new = _newcomer(settled.group, first)
        joined = replace(settled.group, members=(*settled.group.members, new))
        again: Settled = settle(assign, joined)
        handed = undoing(joined, again.assignment)
        if handed:
            back = " and ".join(f"{partition} from {giver} to {taker}" for partition, giver, taker in handed)
            yield TwoRuns(
                f"when {new.id} joins, moves are not forced: with loads as even, hand back {back}",
                Run("before", settled.group, settled.assignment),
                Run(f"when {new.id} has joined", joined, again.assignment),
                MOVES,
                sum(parted for _, _, parted in partings(joined, again.assignment)),
            )


def _newcomer(group: Group, like: Member) -> Member:
    name = NEWCOMER
    while any(member.id == name for member in group.members):
        name += "+"
    return Member(name, like.topics, rack=like.rack)


def static_identity(assign: Assign, group: Group) -> Iterator[str]:
    """Static members of a settled group that come back under new member ids keep all that they have.

    All of them come back at once, with their claims, listed in reverse, under ids that sort the other way round. The group
    has come to rest before, so nothing else moves a partition; where it does not, `settling` speaks of it.
    Source: KIP-345; KAFKA-8355 and KAFKA-8356, where Kafka 2.3 put static members in order by their new ids.
    """
    settled = settle(assign, group)
    instances = {m.id: m.instance_id for m in settled.group.members if m.instance_id is not None}
    if settled.rounds is None or not instances:
        return
    back = _returned(settled.group, sorted(instances))
    now: dict[TopicPartition, list[str]] = {}
    answer = assign(back)
    for member, given in answer.items():
        for partition in given:
            now.setdefault(partition, []).append(member)
    came = {m.instance_id: m.id for m in back.members if m.instance_id is not None}
    for member, instance in instances.items():
        for partition in settled.assignment.get(member, ()):
            takers = now.get(partition, [])
            if came[instance] not in takers:
                where = " and ".join(takers) or "nobody"
                yield TwoRuns(
                    f"{partition} is given to instance {instance}; back as {came[instance]} instead of {member}, "
                    f"it loses {partition} to {where}",
                    Run("before", settled.group, settled.assignment),
                    Run("after the restart", back, answer),
                    MOVES,
                )


def _returned(group: Group, static: list[str]) -> Group:
    """Return the group with the members of these ids, in ascending order, under new ids in descending order."""
    prefix = "~back"  # sorts after the usual ids, also after those of dynamic members
    while any(member.id.startswith(prefix) for member in group.members):
        prefix += "+"
    width = len(str(len(static)))
    ids = {old: f"{prefix}-{len(static) - n:0{width}}" for n, old in enumerate(static)}
    members = (replace(member, id=ids.get(member.id, member.id)) for member in group.members[::-1])
    return replace(group, members=tuple(members))
