"""Situations of groups of topics and members: each public function is one, in the order in which they are listed.

Proportions come first, then claims, racks (KIP-881), what is configured or sent in addition, static members, and names.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from kassay.model import Group, TopicPartition
from kassay.model.config import UNCONFIGURED
from kassay.model.hosts import locate_racks
from kassay.model.joins import find_joins
from kassay.properties.partitions.owners import (
    NO_GENERATION,
    generation,
    list_able,
    partition_counts,
    subscribers,
)
from kassay.reference.java.strings import string_hash, string_order


def single_member(group: Group) -> bool:
    """The group has one member."""
    return len(group.members) == 1


def _uneven(group: Group) -> int:
    readers = subscribers(group)
    return sum(bool(readers[t.name]) and t.partitions % len(readers[t.name]) > 0 for t in group.topics)


def uneven_split(group: Group) -> bool:
    """A topic's partitions do not divide evenly among its subscribers."""
    return _uneven(group) > 0


def uneven_splits(group: Group) -> bool:
    """Two topics' partitions do not divide evenly among their subscribers."""
    return _uneven(group) > 1


def idle_members(group: Group) -> bool:
    """More members subscribe to something that exists than there are partitions for them, so that some must idle."""
    read = {name for member in group.members for name in member.topics}
    return len(list_able(group)) > sum(topic.partitions for topic in group.topics if topic.name in read)


def mixed_subscriptions(group: Group) -> bool:
    """Two members subscribe to different topics."""
    return len({frozenset(member.topics) for member in group.members}) > 1


def no_subscription(group: Group) -> bool:
    """A member subscribes to nothing."""
    return any(not member.topics for member in group.members)


def no_subscription_first(group: Group) -> bool:
    """A member that subscribes to nothing is listed before all that subscribe to something."""
    subscribes = [bool(member.topics) for member in group.members]
    return any(subscribes) and not subscribes[0]


def repeated_topic(group: Group) -> bool:
    """A member lists a topic twice in its subscription."""
    return any(len(set(member.topics)) < len(member.topics) for member in group.members)


def unknown_topic(group: Group) -> bool:
    """A member subscribes to a topic that does not exist."""
    known = partition_counts(group)
    return any(name not in known for member in group.members for name in member.topics)


def unread_topic(group: Group) -> bool:
    """A topic with partitions has no subscriber."""
    readers = subscribers(group)
    return any(topic.partitions and not readers[topic.name] for topic in group.topics)


def empty_topic(group: Group) -> bool:
    """A subscribed topic has no partitions."""
    readers = subscribers(group)
    return any(not topic.partitions and readers[topic.name] for topic in group.topics)


def copartitioned_topics(group: Group) -> bool:
    """Two topics have equally many partitions and the same subscribers, at least two (KIP-881)."""
    seen: set[tuple[int, tuple[str, ...]]] = set()
    readers = subscribers(group)
    for topic in group.topics:
        key = (topic.partitions, tuple(readers[topic.name]))
        if topic.partitions and len(key[1]) > 1:
            if key in seen:
                return True
            seen.add(key)
    return False


def permuted_members(group: Group) -> bool:
    """The members are not listed in the order of their ids."""
    ids = [member.id for member in group.members]
    return ids != sorted(ids)


def permuted_topics(group: Group) -> bool:
    """The topics are not listed in the order of their names."""
    names = [topic.name for topic in group.topics]
    return names != sorted(names)


MANY_MEMBERS, MANY_PARTITIONS = 50, 200


def large_group(group: Group) -> bool:
    """The group has 50 members or more."""
    return len(group.members) >= MANY_MEMBERS


def many_partitions(group: Group) -> bool:
    """The group's topics have 200 partitions or more in all."""
    return sum(topic.partitions for topic in group.topics) >= MANY_PARTITIONS


def first_generation(group: Group) -> bool:
    """No member claims anything."""
    return not any(member.owned for member in group.members)


def newcomer(group: Group) -> bool:
    """Some members claim partitions, and another one with a subscription claims nothing."""
    return not first_generation(group) and any(member.topics and not member.owned for member in group.members)


def orphaned_partition(group: Group) -> bool:
    """Some members own partitions, and a partition of a subscribed topic has no owner."""
    claimed = {partition for member in group.members for partition in member.owned}
    read = {name for member in group.members for name in member.topics}
    return bool(claimed) and any(
        partition not in claimed for topic in group.topics if topic.name in read for partition in topic
    )


def uneven_claims(group: Group) -> bool:
    """One member claims at least two partitions more than another, so that balance forces moves."""
    claims = [len(member.owned) for member in group.members]
    return max(claims, default=0) >= min(claims, default=0) + 2


def unsorted_claims(group: Group) -> bool:
    """A member lists its claims in another order than by topic and partition (KAFKA-16277)."""
    return any(one > other for member in group.members for one, other in pairwise(member.owned))


def stale_claim(group: Group) -> bool:
    """A member claims partitions of an older generation than another member's, or of none (KAFKA-12984)."""
    generations = {generation(member) for member in group.members if member.owned}
    return len(generations) > 1


def double_claim(group: Group) -> bool:
    """Two members claim one partition with the same generation (KAFKA-7026)."""
    seen: set[tuple[TopicPartition, int]] = set()
    for member in group.members:
        for partition in member.owned:
            claim = (partition, generation(member))
            if claim in seen:
                return True
            seen.add(claim)
    return False


def overruled_claim(group: Group) -> bool:
    """Two members claim one partition with different generations, so that one of them has lost it."""
    seen: dict[TopicPartition, int] = {}
    return any(
        seen.setdefault(partition, generation(member)) != generation(member)
        for member in group.members
        for partition in member.owned
    )


def claim_without_generation(group: Group) -> bool:
    """A member claims partitions without telling a generation, as clients before Kafka 3.4 do."""
    return any(member.owned and member.generation is None for member in group.members)


def unsubscribed_owner(group: Group) -> bool:
    """A member claims an existing partition of a topic to which it does not subscribe."""
    counts = partition_counts(group)
    return any(
        p.topic not in member.topics and p.partition < counts.get(p.topic, 0)
        for member in group.members
        for p in member.owned
    )


def stale_unsubscribed_owner(group: Group) -> bool:
    """A member claims an existing partition of a topic that it does not subscribe to, of an older generation than others."""
    newest = max(map(generation, group.members), default=NO_GENERATION)
    late = tuple(member for member in group.members if generation(member) < newest)
    return unsubscribed_owner(replace(group, members=late))


def vanished_partition(group: Group) -> bool:
    """A member claims a partition that its topic no longer has."""
    counts = partition_counts(group)
    return any(p.topic in counts and p.partition >= counts[p.topic] for m in group.members for p in m.owned)


def vanished_topic(group: Group) -> bool:
    """A member claims a partition of a topic that no longer exists."""
    counts = partition_counts(group)
    return any(partition.topic not in counts for member in group.members for partition in member.owned)


def _replica_racks(group: Group) -> set[str]:
    return {rack for topic in group.topics for near in topic.racks or () for rack in near if rack is not None}


def racks(group: Group) -> bool:
    """A member tells its rack, and some replica's rack is known."""
    group = locate_racks(group)
    replicas = (rack for topic in group.topics for near in topic.racks or () for rack in near)
    return any(member.rack for member in group.members) and any(rack is not None for rack in replicas)


def _as_read(group: Group) -> tuple[Group, ...]:
    """Return the group as assignors see it: without and with racks derived from host names."""
    return (group,) if group.config.rack_from_host is None else (group, locate_racks(group))


def partial_racks(group: Group) -> bool:
    """Some members tell their rack and others do not."""
    return any(len({bool(member.rack) for member in each.members}) > 1 for each in _as_read(group))


def replica_without_rack(group: Group) -> bool:
    """A replica has no rack though another replica of the same topic has one."""
    return any(
        None in near and any(rack is not None for other in topic.racks for rack in other)
        for topic in group.topics
        if topic.racks
        for near in topic.racks
    )


def partition_without_racks(group: Group) -> bool:
    """No replica of a partition has a known rack, though one of another partition of the same topic has."""
    return any(
        not all(known) and any(known)
        for each in _as_read(group)
        for topic in each.topics
        for known in [[any(rack is not None for rack in near) for near in topic.racks or ()]]
    )


def topic_without_racks(group: Group) -> bool:
    """The racks of one topic's replicas are unknown, and the racks of another topic's replicas are known."""
    return len({topic.racks is None for topic in group.topics if topic.partitions}) > 1


def empty_rack(group: Group) -> bool:
    """A member's rack is the empty string, which means that it has none."""
    return any(member.rack == "" for member in group.members)


def empty_replica_rack(group: Group) -> bool:
    """A replica's rack is the empty string, which to Kafka is a rack like others."""
    return "" in _replica_racks(group)


def distant_member(group: Group) -> bool:
    """A member is in a rack that has no replica at all."""
    group = locate_racks(group)
    known = _replica_racks(group)
    return bool(known) and any(member.rack and member.rack not in known for member in group.members)


def _racks_decide(group: Group) -> bool:
    near = [
        frozenset(rack for rack in racks if rack is not None)
        for topic in group.topics
        for racks in (topic.racks or ((),) * topic.partitions)
    ]
    homes = {member.rack for member in group.members if member.rack}
    return any(homes & here for here in near) and len(set(near)) > 1


def racks_decide(group: Group) -> bool:
    """Racks can change the outcome: a member shares a rack with some replica, but not with one of every partition.

    A partition without known racks is in none.
    """
    return any(map(_racks_decide, _as_read(group)))


def user_data(group: Group) -> bool:
    """The group states the user data of a member, which replaces the data of its assignor."""
    return any(member.user_data is not None for member in group.members)


def racks_by_host(group: Group) -> bool:
    """Racks are derived from host names, by a rule of the configuration."""
    return locate_racks(group) != group


def joined_topics(group: Group) -> bool:
    """Subscribed topics are joined."""
    return bool(find_joins(group))


def unjoinable(group: Group) -> bool:
    """Joined topics have unequal partition counts, or no member subscribes to all of them."""
    return any(join.wrong for join in find_joins(group))


def other_strategy(group: Group) -> bool:
    """Topics that are not joined are to be assigned by another strategy than in turn."""
    return group.config.other_topics_assignor != UNCONFIGURED.other_topics_assignor


def static_members(group: Group) -> bool:
    """A member is static: it has a group.instance.id (KIP-345)."""
    return any(member.instance_id is not None for member in group.members)


def mixed_static(group: Group) -> bool:
    """A dynamic member's id sorts before a static member's, though static members come first to Kafka."""
    static = [member.id for member in group.members if member.instance_id is not None]
    return any(member.instance_id is None and member.id < max(static, default="") for member in group.members)


def permuted_instances(group: Group) -> bool:
    """The instance ids of static members sort in another way than their member ids."""
    static = sorted(
        (member.id, member.instance_id) for member in group.members if member.instance_id is not None
    )
    instances = [instance for _, instance in static if instance is not None]
    return instances != sorted(instances)


_ORDINARY = re.compile(r"[A-Za-z0-9._-]{1,249}")


def hostile_name(group: Group) -> bool:
    """A member id holds something else than letters, digits, dots, underscores and hyphens, or is very long."""
    return any(not _ORDINARY.fullmatch(member.id) for member in group.members)


def hostile_rack(group: Group) -> bool:
    """A member's rack holds something else than letters, digits, dots, underscores and hyphens."""
    return any(member.rack and not _ORDINARY.fullmatch(member.rack) for member in group.members)


_PARTITION = re.compile(r".*-[0-9]+", re.DOTALL)


def partition_like_topic(group: Group) -> bool:
    """A topic's name looks like another's partition, such as t-1 and t."""
    names = {topic.name for topic in group.topics}
    return any(_PARTITION.fullmatch(name) and name[: name.rindex("-")] in names for name in names)


def astral_name(group: Group) -> bool:
    """A member id has a character beyond U+FFFF, two units in Java's strings."""
    return any(char > "\uffff" for member in group.members for char in member.id)


def utf16_order(group: Group) -> bool:
    """Two member ids sort in one way by UTF-16 units (Java) and in the other by code points (Python)."""
    ids = [member.id for member in group.members]
    return sorted(ids) != sorted(ids, key=string_order)


def _collide(names: Iterable[str]) -> bool:
    hashes = [string_hash(name) for name in names]
    return len(set(hashes)) < len(hashes)


def hash_collision(group: Group) -> bool:
    """Two member ids have the same String.hashCode in Java."""
    return _collide(member.id for member in group.members)


def topic_hash_collision(group: Group) -> bool:
    """Two topics have the same String.hashCode in Java."""
    return _collide(topic.name for topic in group.topics)


def withheld_partition(group: Group) -> bool:
    """A member claims a partition that may not be given yet."""
    withheld = {(topic.name, number) for topic in group.topics for number in topic.unassignable}
    return any(partition in withheld for member in group.members for partition in member.owned)
