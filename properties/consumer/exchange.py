"""Exchanges: partitions handed round among members so that more of them are with their owners again."""

from collections.abc import Sequence

from kassay.model import Assignment, Group, TopicPartition
from kassay.properties.consumer.balance import Move
from kassay.properties.consumer.claims import owners
from kassay.properties.consumer.holdings import Holdings, holdings, subscribers

Arc = tuple[int, str, str, TopicPartition | None]
"""What a step costs in owners' partitions, its giver and taker, and the partition; None: the taker's load is greater."""


def undoing(group: Group, assignment: Assignment) -> list[Move]:
    """Return moves after which more partitions are with their owners and the loads are at least as even, or [].

    A negative cycle in the exchange graph of the members: an arc hands a partition to another subscriber and costs 1 if
    the giver owned it, less 1 if the taker did; an arc without a partition goes from a member to one that holds more
    and costs nothing, so that a chain may also end with one who held less than its beginner. Arcs that take
    a partition out of its owner's rack are left out. Found by Bellman and Ford's relaxation.
    """
    held = holdings(group, assignment)
    owned_by = owners(group)
    if not any(
        owned_by.get(p) and member not in owned_by[p] for member, given in held.items() for p in given
    ):
        return []
    arcs = _arcs(group, held, owned_by)
    cost = dict.fromkeys(held, 0)
    came: dict[str, Arc] = {}
    for _ in held:
        relaxed = False
        for arc in arcs:
            price, giver, taker, _ = arc
            if cost[giver] + price < cost[taker]:
                cost[taker] = cost[giver] + price
                came[taker] = arc
                relaxed = True
        cycle = _cycle(came)
        if cycle:
            return [
                (partition, giver, taker) for _, giver, taker, partition in cycle if partition is not None
            ]
        if not relaxed:
            return []
    return []


def _arcs(group: Group, held: Holdings, owned_by: dict[TopicPartition, list[str]]) -> list[Arc]:
    readers = subscribers(group)
    racks = {topic.name: topic.racks for topic in group.topics}
    home = {member.id: member.rack for member in group.members}
    sets = {member: set(given) for member, given in held.items()}
    best: dict[tuple[str, str], Arc] = {}
    for giver, given in held.items():
        for partition in given:
            current: Sequence[str] = owned_by.get(partition, ())
            known = racks[partition.topic]
            near = () if known is None else known[partition.partition]
            for taker in readers[partition.topic]:
                if partition in sets[taker] or (
                    home[giver] in near and home[taker] and home[taker] not in near
                ):
                    continue
                price = (giver in current) - (taker in current)
                if (giver, taker) not in best or price < best[giver, taker][0]:
                    best[giver, taker] = (price, giver, taker, partition)
    for light, given in held.items():
        for heavy, more in held.items():
            if len(more) > len(given) and best.get((light, heavy), (1,))[0] > 0:
                best[light, heavy] = (0, light, heavy, None)
    return list(best.values())


def _cycle(came: dict[str, Arc]) -> list[Arc]:
    """Return the arcs of a cycle among those by which the members were last reached, or []."""
    done: set[str] = set()
    for start in came:
        trail: dict[str, None] = {}
        member = start
        while member in came and member not in done and member not in trail:
            trail[member] = None
            member = came[member][1]
        if member in trail:
            steps = [member]
            while came[steps[-1]][1] != member:
                steps.append(came[steps[-1]][1])
            return [came[step] for step in reversed(steps)]
        done.update(trail)
    return []
