"""Shrinking of groups of topics and members: the steps that the shrinker tries.

A step is a function that yields groups. Groups that are not smaller are left out, see `Shrinker`.

>>> from kassay.properties.minimise import minimise
>>> group = Group((Topic("prices", 9),), (Member("x", ("prices",)), Member("y", ())))
>>> minimise(group, lambda g: sum(t.partitions for t in g.topics) >= 2, smaller).group.topics == (Topic("t0", 2),)
True
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

from kassay.model import INT32_MAX, Group, Member, Topic, TopicPartition
from kassay.model.config import UNCONFIGURED
from kassay.properties.minimise import (
    Shrinker,
    append_topic,
    cut,
    drop_each,
    drop_racks,
    drop_some,
    keep_some,
    list_lower,
    parts,
    put,
    rack_names,
    renamings,
    swap_neighbours,
    with_each,
    with_one,
)
from kassay.properties.partitions.owners import partition_counts, rename, topic_names
from kassay.properties.partitions.smallest import disorder, list_smallest, names_by_kind, size

MOST = 6
"""Pairs of members, topics or racked partitions of a topic are merged if there are at most this many."""
MOST_PARTITIONS = 1_000
"""No topic is made larger than this."""

# Leave out members, topics, partitions or subscriptions, many at once first.


def remove_members(group: Group) -> Iterator[Group]:
    """Leave out members."""
    return (replace(group, members=left) for left, _ in keep_some(group.members))


def remove_shares(group: Group) -> Iterator[Group]:
    """Leave out members with their owned partitions, or with their share of all partitions so that loads stay."""
    share_of_one = sum(topic.partitions for topic in group.topics) // len(group.members)
    for left, gone in keep_some(group.members):
        less = replace(group, members=left)
        places = {topic.name: at for at, topic in enumerate(group.topics)}
        for name, number in sorted({p for member in gone for p in member.owned}, reverse=True):
            if name in places and number < less.topics[places[name]].partitions:
                less = _cut_partitions(less, places[name], slice(number, number + 1))
        yield less
    for left, gone in keep_some(group.members):
        less = replace(group, members=left)
        share = len(gone) * share_of_one
        yield _cut_last(less, len(gone), range(len(group.topics)))
        for at, topic in enumerate(group.topics):
            if topic.partitions >= share > 0:
                yield _cut_last(less, share, [at])


def remove_topics(group: Group) -> Iterator[Group]:
    """Leave out topics: from the metadata, the subscriptions and the owned partitions."""
    all_names = topic_names(group)
    for part in parts(len(all_names)):
        gone = set(all_names[part])
        members = (
            replace(
                member,
                topics=tuple(name for name in member.topics if name not in gone),
                owned=tuple(partition for partition in member.owned if partition.topic not in gone),
            )
            for member in group.members
        )
        topics = tuple(topic for topic in group.topics if topic.name not in gone)
        yield replace(group, config=group.config.without(gone), topics=topics, members=tuple(members))


def remove_partitions(group: Group) -> Iterator[Group]:
    """Leave out partitions of all topics or of one; those behind move down, and the claims with them."""
    most = max((topic.partitions for topic in group.topics), default=0)
    for length in (most // 2, 1) if len(group.topics) > 1 else ():
        yield _cut_last(group, length, range(len(group.topics)))
    claimed = {partition.topic for member in group.members for partition in member.owned}
    for at, topic in enumerate(group.topics):
        # If partitions are alike, it does not matter which of them are left out.
        alike = (topic.racks, topic.hosts, topic.weights) == (None,) * 3 and topic.name not in claimed
        for part in parts(topic.partitions):
            if not alike or part.stop == topic.partitions:
                yield _cut_partitions(group, at, part)


def remove_subscriptions(group: Group) -> Iterator[Group]:
    """Leave out topics of a member's subscription, with its owned partitions of them or without."""
    for at, member in enumerate(group.members):
        for left in drop_some(member.topics):
            owned = tuple(p for p in member.owned if p.topic in left)
            yield with_one(group, "members", at, topics=left, owned=owned)
            yield with_one(group, "members", at, topics=left)


def _cut_last(group: Group, number: int, places: Iterable[int]) -> Group:
    """Leave out a number of partitions, or all there are, at the end of the topics in these places."""
    for at in places:
        count = group.topics[at].partitions
        group = _cut_partitions(group, at, slice(max(0, count - number), count))
    return group


def _cut_partitions(group: Group, at: int, part: slice) -> Group:
    """Leave out partitions of a topic, also where they are owned; the partitions behind them move down."""
    topic = group.topics[at]
    length = part.stop - part.start

    def move_down(owned: tuple[TopicPartition, ...]) -> Iterator[TopicPartition]:
        for partition in owned:
            if partition.topic != topic.name or partition.partition < part.start:
                yield partition
            elif partition.partition >= part.stop:
                yield TopicPartition(topic.name, partition.partition - length)

    less = replace(
        topic,
        partitions=topic.partitions - length,
        racks=topic.racks and cut(topic.racks, part),
        hosts=topic.hosts and cut(topic.hosts, part),
        weights=topic.weights and cut(topic.weights, part),
        unassignable=tuple(
            n - length * (n >= part.stop) for n in topic.unassignable if not part.start <= n < part.stop
        ),
    )
    members = tuple(
        replace(member, owned=tuple(move_down(member.owned)))
        if any(partition.topic == topic.name for partition in member.owned)
        else member
        for member in group.members
    )
    return replace(group, topics=put(group.topics, at, less), members=members)


# Merge two members, topics or partitions if leaving out either would lose too much.


def merge_members(group: Group) -> Iterator[Group]:
    """Give a member the subscription and the owned partitions of another one, which is left out."""
    for one, other in combinations(group.members, 2) if len(group.members) <= MOST else ():
        topics = tuple(dict.fromkeys(one.topics + other.topics))
        owned = tuple(dict.fromkeys(one.owned + other.owned))
        both = replace(one, topics=topics, owned=owned)
        yield replace(group, members=tuple(both if m is one else m for m in group.members if m is not other))


def merge_topics(group: Group) -> Iterator[Group]:
    """Give a topic the subscribers of another one and, behind its own, its partitions."""

    def merge(member: Member, one: Topic, other: Topic) -> Member:
        names = dict.fromkeys(one.name if name == other.name else name for name in member.topics)
        owned = dict.fromkeys(
            TopicPartition(one.name, p.partition + one.partitions) if p.topic == other.name else p
            for p in member.owned
        )
        return replace(member, topics=tuple(names), owned=tuple(owned))

    for one, other in combinations(group.topics, 2) if len(group.topics) <= MOST else ():
        if one.partitions + other.partitions <= MOST_PARTITIONS:
            both = append_topic(one, other)
            yield replace(
                group,
                config=group.config.without({other.name}),
                topics=tuple(both if topic is one else topic for topic in group.topics if topic is not other),
                members=tuple(merge(member, one, other) for member in group.members),
            )


def merge_partitions(group: Group) -> Iterator[Group]:
    """Give a partition the replicas of the next one, which is left out."""
    for at, topic in enumerate(group.topics):
        if topic.racks is not None and topic.partitions <= MOST:
            for number in range(topic.partitions - 1):
                both = (*topic.racks[number], *topic.racks[number + 1])
                merged = Topic(topic.name, topic.partitions, put(topic.racks, number, both))
                less = replace(group, topics=put(group.topics, at, merged))
                yield _cut_partitions(less, at, slice(number + 1, number + 2))


# Leave out features: of all members or topics at once, then of one after the other.


def drop_feature(group: Group) -> Iterator[Group]:
    """Leave out, all at once, the owned partitions, the generations, the instance ids or the racks."""
    if any(member.owned for member in group.members):
        yield with_each(group, "members", owned=(), generation=None)
    yield with_each(group, "members", generation=None)
    yield with_each(group, "members", instance_id=None)
    yield with_each(with_each(group, "topics", racks=None), "members", rack=None)


def drop_weights(group: Group) -> Iterator[Group]:
    """Leave out weights and capacities, or lower them."""
    unlimited = with_each(group, "members", capacity=None)
    yield replace(with_each(unlimited, "topics", weights=None), weight_unit=None)
    yield unlimited
    yield replace(group, weight_unit=None)
    for at, topic in enumerate(group.topics):
        if topic.weights is not None:
            yield with_one(group, "topics", at, weights=None)
            for number, weight in enumerate(topic.weights):
                for less in (None, *list_lower(weight, 0, 1)) if weight else ():
                    yield with_one(group, "topics", at, weights=put(topic.weights, number, less))
    yield from drop_each(group, "members", "capacity")


def drop_configuration(group: Group) -> Iterator[Group]:
    """Leave out the configuration, with user data and hosts or without, or a part of it."""
    config = group.config
    if config != UNCONFIGURED:
        bare, hostless = with_each(group, "members", user_data=None), with_each(group, "topics", hosts=None)
        yield Group(hostless.topics, bare.members)
        yield replace(group, config=UNCONFIGURED)
        yield replace(group, config=replace(config, rack_from_host=None))
        yield replace(group, config=replace(config, other_topics_assignor=UNCONFIGURED.other_topics_assignor))
        for joined in config.joined_topics:
            for gone in (joined, *((name,) for name in joined)):
                yield replace(group, config=config.without(gone))


def drop_extras(group: Group) -> Iterator[Group]:
    """Leave out user data, hosts, ids and unassignable partitions: of all, then one by one."""
    yield with_each(group, "members", user_data=None)
    for at, member in enumerate(group.members):
        for data in (None, member.user_data[:-1]) if member.user_data is not None else ():
            yield with_one(group, "members", at, user_data=data)
    empty: dict[str, Any] = {"hosts": None, "id": None, "unassignable": ()}
    for field, nothing in empty.items():
        yield with_each(group, "topics", **{field: nothing})
        yield from drop_each(group, "topics", field, nothing)
    for at, topic in enumerate(group.topics):
        for place in range(len(topic.unassignable)):
            yield with_one(group, "topics", at, unassignable=put(topic.unassignable, place))


def drop_claims(group: Group) -> Iterator[Group]:
    """Leave out owned partitions of a member."""
    for at, member in enumerate(group.members):
        for left in drop_some(member.owned):
            yield with_one(group, "members", at, owned=left)


def lower_claims(group: Group) -> Iterator[Group]:
    """Let a member own a lower partition of the same topic instead."""
    counts = partition_counts(group)
    for at, member in enumerate(group.members):
        for place, (topic, own) in enumerate(member.owned):
            for number in dict.fromkeys((0, counts.get(topic, 0), own - 1)):
                lower = TopicPartition(topic, number)
                if 0 <= number < own and lower not in member.owned:
                    yield with_one(group, "members", at, owned=put(member.owned, place, lower))


def drop_generations(group: Group) -> Iterator[Group]:
    """Leave out a member's generation, or lower generations: all to their rank, one to another member's or to 0."""
    claimed = sorted({m.generation for m in group.members if m.generation is not None})
    rank = {generation: number for number, generation in enumerate(claimed)}
    ranked = (m if m.generation is None else replace(m, generation=rank[m.generation]) for m in group.members)
    yield replace(group, members=tuple(ranked))
    for at, member in enumerate(group.members):
        if member.generation is not None:
            for lower in (None, *(generation for generation in claimed if generation < member.generation)):
                yield with_one(group, "members", at, generation=lower)


# Repair inconsistencies, so that one that stays in the smallest group matters. Then make names and orders plain.


def repair(group: Group) -> Iterator[Group]:
    """Create owned partitions and subscribed topics, subscribe owners to what they own, and all members to something."""
    needed: dict[str, int] = {}
    for member in group.members:
        for name in member.topics:
            needed.setdefault(name, 0)
        for topic, number in member.owned:
            needed[topic] = max(needed.get(topic, 0), number + 1)
    known = {topic.name: (at, topic) for at, topic in enumerate(group.topics)}
    for name, count in needed.items():
        at, one = known.get(name, (len(group.topics), Topic(name, 0)))
        if count <= INT32_MAX and (name not in known or one.partitions < count):
            racks = None if one.racks is None else one.racks + ((),) * (count - one.partitions)
            yield replace(group, topics=put(group.topics, at, Topic(name, count, racks)))
    for at, member in enumerate(group.members):
        missing = dict.fromkeys(p.topic for p in member.owned if p.topic not in member.topics)
        if missing:
            yield with_one(group, "members", at, topics=(*member.topics, *missing))
        if not member.topics:
            others = [other.topics for other in group.members if other.topics]
            for topics in dict.fromkeys([*others, *((topic.name,) for topic in group.topics[:1])]):
                yield with_one(group, "members", at, topics=topics)


def canonicalize_order(group: Group) -> Iterator[Group]:
    """Sort members, topics, subscriptions and owned partitions: all, each kind alone, then neighbours."""

    def sort_lists(member: Member) -> Member:
        return replace(member, topics=tuple(sorted(member.topics)), owned=tuple(sorted(member.owned)))

    members = tuple(sorted(group.members, key=lambda member: member.id))
    topics = tuple(sorted(group.topics, key=lambda topic: topic.name))
    candidates = [
        replace(group, topics=topics, members=tuple(map(sort_lists, members))),
        replace(group, topics=topics, members=members),
        replace(group, members=members),
        replace(group, topics=topics),
    ]
    for at, neat in enumerate(map(sort_lists, group.members)):
        candidates.append(replace(group, members=put(group.members, at, neat)))
        candidates.append(with_one(group, "members", at, topics=neat.topics))
    yield from dict.fromkeys(candidates)
    for at, swap in enumerate(swap_neighbours(group.members)):
        if swap[at].id < swap[at + 1].id:
            yield replace(group, members=swap)


SHRINKER = Shrinker(
    size, disorder,
    (
        remove_members, remove_shares, merge_members, remove_topics, merge_topics, drop_feature, drop_weights,
        drop_configuration, drop_extras, repair, remove_partitions, merge_partitions, remove_subscriptions, drop_claims, lower_claims, drop_generations,
        lambda group: drop_each(group, "members", "instance_id"),
        lambda group: drop_racks(group, "members", rack_names(group.members, group.topics), rename),
        canonicalize_order,
        lambda group: map(
            partial(rename, group), renamings({kind: sorted(named) for kind, named in names_by_kind(group).items()})
        ),
    ),
    list_smallest,
)  # fmt: skip
smaller = SHRINKER.list_smaller
