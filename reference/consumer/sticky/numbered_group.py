"""A group as the sticky assignors work on it: members and partitions by number."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, compress, repeat
from operator import not_
from typing import TypeAlias

from kassay.model import Assignment, Group, Member, Topic, TopicPartition
from kassay.reference.consumer.members import Racks, find_rack, is_rack_aware, list_racks
from kassay.reference.consumer.metadata import MemberData
from kassay.reference.java.hash_map import HashTable, hash_order
from kassay.reference.java.strings import string_hash, string_order

Given: TypeAlias = list[list[int]]
"""The partitions of each member."""

NO_GENERATION = -1


@dataclass(frozen=True, slots=True)
class NumberedGroup:
    """Members numbered by id, and partitions by topic and number; topics come as given to `number`.

    `arrival` has the members in the group's order. `spans` has the partitions of each topic, `size` in all;
    from `size` on there are those that members claim though their topic has fewer. `claimed` has what each
    member claims, in reported order, without other topics, and `generations` which generation they say that is of, NO_GENERATION
    where they say none. If racks matter (KIP-881), `racks` has a set for
    each partition and `rack` a name for each member that has one; else no member has one.
    """

    members: Sequence[Member]
    arrival: Sequence[int]
    topics: Sequence[Topic]
    spans: Sequence[range]
    size: int
    partitions: Sequence[TopicPartition]
    topic_of: Sequence[int]
    claimed: Sequence[Sequence[int]]
    generations: Sequence[int]
    rack: Sequence[str | None]
    racks: Sequence[Racks]

    def sort_aligned(self, member: int, partitions: Iterable[int]) -> list[int]:
        """Return the partitions that are in a member's rack, or all if it has none; one that does not exist is in no rack."""
        rack, racks = self.rack[member], self.racks
        if rack is None:
            return list(partitions)
        return [p for p in partitions if p < len(racks) and rack in racks[p]]

    def build_assignment(self, given: Sequence[Iterable[int]]) -> Assignment:
        """Write what each member is given."""
        name = self.partitions.__getitem__
        return {self.members[m].id: list(map(name, given[m])) for m in self.arrival}


def number_group(
    group: Group, topics: Sequence[Topic], told: Callable[[Member], MemberData], *, racks_count: bool = True
) -> NumberedGroup:
    """Give numbers to a group's members and, topic by topic, to the partitions of these topics.

    `told` finds what a member claims. Before KIP-881 racks did not count.
    """
    members = sorted(group.members, key=lambda member: string_order(member.id))
    by_id = {member.id: m for m, member in enumerate(members)}
    spans = {}
    size = 0
    for topic in topics:
        spans[topic.name] = range(size, size := size + topic.partitions)
    beyond: dict[TopicPartition, int] = {}
    claims = list(map(told, members))
    claimed = [
        _read_claims(each.partitions, spans, beyond, size)
        if member.user_data is not None or (known := _find_numbers(each.partitions, spans)) is None
        else known
        for member, each in zip(members, claims, strict=True)
    ]
    place = {topic.name: t for t, topic in enumerate(topics)}
    rack, racks = _racks(members, topics) if racks_count else ([None] * len(members), [])
    return NumberedGroup(
        members=members,
        arrival=[by_id[member.id] for member in group.members],
        topics=topics,
        spans=list(spans.values()),
        size=size,
        partitions=[*chain.from_iterable(topics), *beyond],
        topic_of=[
            *chain.from_iterable(repeat(t, topic.partitions) for t, topic in enumerate(topics)),
            *(place[claim.topic] for claim in beyond),
        ],
        claimed=claimed,
        generations=[NO_GENERATION if each.generation is None else each.generation for each in claims],
        rack=rack,
        racks=racks,
    )


def _find_numbers(claims: Iterable[TopicPartition], spans: dict[str, range]) -> list[int] | None:
    """Return the numbers of claims that are not below 0, fast; None if one of them does not exist or is not subscribed to."""
    try:
        return [spans[topic][partition] for topic, partition in claims]
    except LookupError:
        return None


def _read_claims(
    claims: Iterable[TopicPartition], spans: dict[str, range], beyond: dict[TopicPartition, int], size: int
) -> list[int]:
    claimed = []
    for claim in claims:
        topic, partition = claim
        span = spans.get(topic)
        if span is None:
            continue
        if 0 <= partition < len(span):
            claimed.append(span[partition])
        else:
            claimed.append(beyond.setdefault(claim, size + len(beyond)))
    return claimed


def _racks(members: Sequence[Member], topics: Sequence[Topic]) -> tuple[list[str | None], list[Racks]]:
    rack = [find_rack(member) for member in members]
    if any(rack):
        racks = list(chain.from_iterable(map(list_racks, topics)))
        if is_rack_aware(members, racks):
            return rack, racks
    return [None] * len(members), []


def find_unclaimed(group: NumberedGroup, kept: Collection[int]) -> list[int]:
    """Return the partitions that no member keeps, in order.

    Kafka steps through two sorted lists. It never gets past a kept claim of a partition that does not exist, or past the
    second of two claims of one partition. So all later partitions count as unclaimed. Only user data can claim a number below 0.
    """
    is_kept = mark_partitions(group, kept)
    stops = [_stop(group, p) for p in range(group.size, len(is_kept)) if is_kept[p]]
    if is_kept.count(1) < len(kept):
        stops += [p + 1 for p, times in Counter(kept).items() if times > 1]
    seen = min(stops, default=group.size)
    return [*compress(range(seen), map(not_, is_kept)), *range(seen, group.size)]


def mark_partitions(group: NumberedGroup, partitions: Iterable[int]) -> bytearray:
    """Return a byte for each partition of a group: 1 if it is among these. It takes much less time than a set of millions."""
    marks = bytearray(len(group.partitions))
    for p in partitions:
        marks[p] = 1
    return marks


def _stop(group: NumberedGroup, beyond: int) -> int:
    span = group.spans[group.topic_of[beyond]]
    return span.stop if group.partitions[beyond].partition >= 0 else span.start


def fewest_mates_first(group: NumberedGroup, partitions: list[int]) -> list[int]:
    """Sort partitions by how many members share a rack with them; those with equally many stay in order."""
    mates = Counter(group.rack)
    return sorted(partitions, key=lambda p: sum(mates[rack] for rack in group.racks[p]))


def sort_by_hash(
    group: NumberedGroup,
    without: Collection[int] = (),
    inserted: Sequence[int] | None = None,
    capacity: int | None = None,
) -> list[int]:
    """Return the members in the order in which a HashMap has their ids after some were taken out of it.

    They are inserted in the group's order or the one given. Those to take out are found in another HashMap, made for the
    number of members or the capacity given; their order matters for colliding ids.
    """
    number = {group.members[m].id: m for m in group.arrival}
    table = HashTable(string_hash, order_of=string_order)
    for m in group.arrival if inserted is None else inserted:
        table.add(group.members[m].id)
    if without:
        for name in hash_order(number, string_hash, capacity or len(number), string_order):
            if number[name] in without:
                table.remove(name)
    return [number[name] for name in table]
