"""Give each partition to several distinct members, by default two, with optimally balanced loads.

A topic with fewer subscribers than copies goes to all of them. First each partition goes to its subscribers with the fewest
partitions so far, topics with the fewest subscribers first. Then chains of moves balance the loads until no chain improves them.
The largest load, and every other symmetric convex measure of the loads, is then minimal.
Lists are in the order of topics and partitions. Claims, racks and instance ids are not read, so nothing is sticky.

Source: the client-side assignment proposal requires "redundant partitioning", for search indexers that keep
replicas, without an algorithm, and Kafka has no such class. So the algorithm is our own. The chains come from Harvey,
Ladner, Lovász and Tamir, Semi-matchings for bipartite graphs and load balancing (2006).
"""

import heapq
from collections import deque
from collections.abc import Collection, Mapping

from kassay.model import Assignment, Assignor, Group, TopicPartition
from kassay.reference.consumer.members import subscribers
from kassay.reference.java.strings import string_order
from kassay.reference.promises import EVEN, ORDER_FREE, SOUND, STEADY, VALID

COPIES = 2
"""How many members read each partition, unless told otherwise."""

Holdings = list[dict[TopicPartition, None]]
"""The partitions of each member, by its place in the order of ids."""


def assign(group: Group, copies: int = COPIES) -> Assignment:
    """Give each partition to several distinct members, with optimally balanced loads."""
    members = sorted(group.members, key=lambda member: string_order(member.id))
    place = {member.id: number for number, member in enumerate(members)}
    readers = {topic: [place[member.id] for member in found] for topic, found in subscribers(members).items()}
    held: Holdings = [{} for _ in members]
    topics = [topic for topic in group.topics if topic.partitions and topic.name in readers]
    for topic in sorted(topics, key=lambda t: (len(readers[t.name]), -t.partitions, string_order(t.name))):
        least = [(len(held[reader]), reader) for reader in readers[topic.name]]
        heapq.heapify(least)
        for partition in topic:
            takers = [heapq.heappop(least) for _ in range(min(copies, len(least)))]
            for load, taker in takers:
                held[taker][partition] = None
                heapq.heappush(least, (load + 1, taker))
    _balance(held, readers)
    given = {member.id: held[place[member.id]] for member in group.members}
    return {
        id_: sorted(theirs, key=lambda p: (string_order(p.topic), p.partition))
        for id_, theirs in given.items()
    }


def _balance(held: Holdings, readers: Mapping[str, list[int]]) -> None:
    """Move copies along chains of members until no chain leads from a member to another one that holds two less.

    The search starts at the most loaded member. If it reaches no member with two less, no reached member is part
    of a chain from any smaller load, now or later. So a later search never enters them again.
    """
    settled: set[int] = set()
    heaviest = [(-len(of_one), member) for member, of_one in enumerate(held)]
    heapq.heapify(heaviest)
    while heaviest:
        load, start = heapq.heappop(heaviest)
        if start in settled or -load != len(held[start]):
            continue
        came, end = _search(held, readers, start, settled)
        if end is None:
            settled.update(came)
            continue
        taker = end
        while taker != start:
            partition, giver = came[taker]
            del held[giver][partition]
            held[taker][partition] = None
            taker = giver
        for changed in (start, end):
            heapq.heappush(heaviest, (-len(held[changed]), changed))


def _search(
    held: Holdings, readers: Mapping[str, list[int]], start: int, settled: Collection[int]
) -> tuple[dict[int, tuple[TopicPartition, int]], int | None]:
    """Find a shortest chain of moves from a member to one that holds two less, if there is one.

    Return how each member was reached (the partition it would be given, the giver), and the chain's end.
    """
    came: dict[int, tuple[TopicPartition, int]] = {start: (TopicPartition("", 0), start)}
    unseen: dict[str, list[int]] = {}
    queue = deque([start])
    while queue:
        giver = queue.popleft()
        for partition in held[giver]:
            topic = partition.topic
            holders: list[int] = []  # they can be reached only by another partition
            for taker in unseen.get(topic, readers[topic]):
                if taker in came or taker in settled:
                    continue
                if partition in held[taker]:
                    holders.append(taker)
                    continue
                came[taker] = (partition, giver)
                if len(held[taker]) + 2 <= len(held[start]):
                    return came, taker
                queue.append(taker)
            unseen[topic] = holders
    return came, None


def redundant(copies: int = COPIES) -> Assignor:
    """Return the assignor for a number of copies; it promises `redundant` for two, the number that property asks for.

    Raises ValueError for less than one copy.
    """
    if copies < 1:
        raise ValueError(f"copies: {copies} are too few. Give 1 or more")

    def of_copies(group: Group) -> Assignment:  # not a partial, which would be described as one
        return assign(group, copies)

    promises = VALID | EVEN | ORDER_FREE | SOUND | STEADY | {"two_rounds", "instance_isolated"}
    if copies > 1:
        promises -= {"exclusive"}
    if copies == COPIES:
        promises |= {"redundant", "joined_evenly"}
    return Assignor(
        "consumer/redundant",
        of_copies,
        promises,
        "the client-side assignment proposal",
    )


REDUNDANT = redundant()
