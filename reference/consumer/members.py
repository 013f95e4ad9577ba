"""The order in which client-side assignors walk through members and topics, and who subscribes to what.

Source: AbstractPartitionAssignor and its MemberInfo (KIP-345).

Racks as client-side assignors see them: which count, and when they matter at all (KIP-881).

Source: AbstractPartitionAssignor and its `useRackAwareAssignment`, 3.5 to 4.4.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import chain, groupby
from operator import attrgetter

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.reference.java.hash_map import hash_order
from kassay.reference.java.strings import string_hash, string_order


def sort_members(members: Iterable[Member]) -> list[Member]:
    """Sort members: static ones first, by instance id, then dynamic ones by member id."""
    members = list(members)
    static = {string_order(m.instance_id): m for m in members if m.instance_id is not None}
    return [
        *map(static.__getitem__, sorted(static)),
        *sort_by_id(m for m in members if m.instance_id is None),
    ]


def sort_by_id(members: Iterable[Member]) -> list[Member]:
    """Sort members by member id, as releases did that knew no static members."""
    return sorted(members, key=lambda member: string_order(member.id))


def apply_leader_order(group: Group) -> Group:
    """Return a group as its leader's assignor receives it. The result does not depend on the order of the members.

    The members are in the order of a HashMap of their ids. Claims are grouped by topic, in the order of a HashMap of
    their topics, as in the user data of StickyAssignor.
    Source: ConsumerCoordinator.onLeaderElected, StickyAssignor.serializeTopicPartitionAssignment.
    """
    members = {member.id: member for member in group.members}
    return replace(
        group,
        members=tuple(
            # Claims of one topic keep their order.
            replace(members[name], owned=_group_by_topic(members[name].owned))
            if len({claim.topic for claim in members[name].owned}) > 1
            else members[name]
            for name in hash_order(members, string_hash, order_of=string_order)
        ),
    )


def _group_by_topic(claims: Iterable[TopicPartition]) -> tuple[TopicPartition, ...]:
    topics: dict[str, list[TopicPartition]] = {}
    for claim in claims:
        topics.setdefault(claim.topic, []).append(claim)
    return tuple(
        chain.from_iterable(map(topics.__getitem__, hash_order(topics, string_hash, order_of=string_order)))
    )


def topics_in_map_order(members: Iterable[Member], topics: Collection[str]) -> list[str]:
    """Order topics as Kafka's map of their metadata iterates: by hash, filled in the order of a set of names."""
    subscriptions = dict.fromkeys(member.topics for member in members)
    subscribed = hash_order(chain.from_iterable(subscriptions), string_hash, order_of=string_order)
    return hash_order((name for name in subscribed if name in topics), string_hash, order_of=string_order)


def subscribers(members: Iterable[Member]) -> dict[str, list[Member]]:
    """Return each topic's subscribers, each once, in the order given.

    Topics may share a list. Members of equal subscriptions are looked at once for all of them.
    """
    members = list(members)
    place = {member.id: number for number, member in enumerate(members)}
    alike: dict[tuple[str, ...], list[Member]] = {}
    for topics, crowd in groupby(members, attrgetter("topics")):
        alike.setdefault(topics, []).extend(crowd)
    crowds_of: dict[str, list[int]] = {}
    crowds = list(alike.values())
    for number, topics in enumerate(alike):
        for topic in dict.fromkeys(topics):
            crowds_of.setdefault(topic, []).append(number)
    merged: dict[tuple[int, ...], list[Member]] = {}
    found: dict[str, list[Member]] = {}
    for topic, numbers in crowds_of.items():
        key = tuple(numbers)
        if key not in merged:
            readers = [member for number in numbers for member in crowds[number]]
            merged[key] = sorted(readers, key=lambda member: place[member.id])
        found[topic] = merged[key]
    return found


Racks = frozenset[str]


def find_rack(member: Member) -> str | None:
    """Return the rack of a member; None for an empty client.rack."""
    return member.rack or None


def list_racks(topic: Topic) -> list[Racks]:
    """Return the racks of each of a topic's partitions: of all replicas that have one, also of offline ones.

    The empty string counts as a replica's rack, though no member matches it.
    """
    if topic.racks is None:
        return [frozenset()] * topic.partitions
    known = {racks: frozenset(rack for rack in racks if rack is not None) for racks in set(topic.racks)}
    return list(map(known.__getitem__, topic.racks))


def is_rack_aware(members: Iterable[Member], partitions: Collection[Racks]) -> bool:
    """Return True if racks matter: the rack of some member has a replica, and not every partition is in all racks."""
    different = set(partitions)
    there = frozenset().union(*different)
    if not any(find_rack(member) in there for member in members):
        return False
    return any(racks != there for racks in different)
