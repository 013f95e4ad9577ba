"""Shrinking of groups of topics and members: the steps that the minimiser tries.

A step is a function that yields groups; those that are not smaller are left out, see `descend`.

>>> from kassay.properties.minimise import minimise
>>> group = Group((Topic("prices", 9),), (Member("x", ("prices",)), Member("y", ())))
>>> minimise(group, lambda g: sum(t.partitions for t in g.topics) >= 2, smaller).group.topics == (Topic("t0", 2),)
True
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import combinations

from kassay.model import INT32_MAX, Group, Member, Topic, TopicPartition
from kassay.model.config import UNCONFIGURED
from kassay.properties.minimise import (
    cut,
    descend,
    in_pairs,
    left_out,
    one_by_one,
    parts,
    put,
    renamings,
    swapped,
    with_each,
    with_one,
)
from kassay.properties.partitions.owners import partition_counts, renamed, topic_names
from kassay.properties.partitions.smallest import (
    catalogue,
    disorder,
    names_by_kind,
    order_key,
    rack_names,
    size,
)

MOST = 6
"""Pairs of members, topics or racked partitions of a topic are merged where there are at most this many."""
MOST_PARTITIONS = 1_000
"""No topic is made larger than this."""


def smaller(group: Group) -> Iterator[Group]:
    """Yield groups smaller than this one by :func:`order_key`: steps, pairs of steps, then the smallest of all.

    Never one without members.
    """
    yield from in_pairs(group, steps)
    own = order_key(group)
    for its, candidate in catalogue():
        if its >= own:
            return
        yield candidate


def steps(group: Group) -> Iterator[Group]:
    """Yield the groups that are a step smaller than this one."""
    return descend(group, STEPS, size, disorder)


# Leave out members, topics, partitions or subscriptions, many at once first.


def remove_members(group: Group) -> Iterator[Group]:
    """Leave out members."""
    for less, _ in _without_members(group):
        yield less


def remove_shares(group: Group) -> Iterator[Group]:
    """Leave out members with what they claim, or with as many partitions as are their share, so that shares stay."""
    total = sum(topic.partitions for topic in group.topics)
    for less, gone in _without_members(group):
        yield _without_claimed(less, {partition for member in gone for partition in member.owned})
    for less, gone in _without_members(group):
        share = len(gone) * (total // len(group.members))
        yield _without_last(less, len(gone), range(len(group.topics)))
        for at, topic in enumerate(group.topics):
            if topic.partitions >= share > 0:
                yield _without_last(less, share, [at])


def remove_topics(group: Group) -> Iterator[Group]:
    """Leave out topics: from the metadata, the subscriptions and the claims."""
    all_names = topic_names(group)
    for part in parts(len(all_names)):
        gone = set(all_names[part])
        yield replace(
            group,
            config=group.config.without(gone),
            topics=tuple(topic for topic in group.topics if topic.name not in gone),
            members=tuple(
                replace(
                    member,
                    topics=tuple(name for name in member.topics if name not in gone),
                    owned=tuple(partition for partition in member.owned if partition.topic not in gone),
                )
                for member in group.members
            ),
        )


def remove_partitions(group: Group) -> Iterator[Group]:
    """Leave out partitions, of all topics alike or of one; those behind move down, and the claims with them."""
    most = max((topic.partitions for topic in group.topics), default=0)
    for length in (most // 2, 1) if len(group.topics) > 1 else ():
        yield _without_last(group, length, range(len(group.topics)))
    claimed = {partition.topic for member in group.members for partition in member.owned}
    for at, topic in enumerate(group.topics):
        # If partitions are alike, it does not matter which are left out.
        alike = (topic.racks, topic.hosts, topic.weights) == (None,) * 3 and topic.name not in claimed
        for part in parts(topic.partitions):
            if not alike or part.stop == topic.partitions:
                yield _without_partitions(group, at, part)


def remove_subscriptions(group: Group) -> Iterator[Group]:
    """Leave out topics of a member's subscription, with the claims to them or without."""
    for at, member in enumerate(group.members):
        for left in left_out(member.topics):
            owned = tuple(p for p in member.owned if p.topic in left)
            yield with_one(group, "members", at, topics=left, owned=owned)
            yield with_one(group, "members", at, topics=left)


def _without_members(group: Group) -> Iterator[tuple[Group, tuple[Member, ...]]]:
    """Yield the group without some of its members, and these."""
    for part in parts(len(group.members)):
        if left := cut(group.members, part):
            yield replace(group, members=left), group.members[part]


def _without_claimed(group: Group, claimed: Collection[TopicPartition]) -> Group:
    places = {topic.name: at for at, topic in enumerate(group.topics)}
    for name, number in sorted(claimed, reverse=True):
        if name in places and number < group.topics[places[name]].partitions:
            group = _without_partitions(group, places[name], slice(number, number + 1))
    return group


def _without_last(group: Group, number: int, places: Iterable[int]) -> Group:
    """Leave out a number of partitions, or all there are, at the end of the topics in these places."""
    for at in places:
        count = group.topics[at].partitions
        group = _without_partitions(group, at, slice(max(0, count - number), count))
    return group


def _without_partitions(group: Group, at: int, part: slice) -> Group:
    """Leave out partitions of a topic with the claims to them; partitions behind them move down."""
    topic = group.topics[at]
    length = part.stop - part.start

    def moved(owned: tuple[TopicPartition, ...]) -> Iterator[TopicPartition]:
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
        replace(member, owned=tuple(moved(member.owned)))
        if any(partition.topic == topic.name for partition in member.owned)
        else member
        for member in group.members
    )
    return replace(group, topics=put(group.topics, at, less), members=members)


# Let one member, topic or partition stand for two, where leaving out either would lose too much.


def merge_members(group: Group) -> Iterator[Group]:
    """Give a member the subscription and the claims of another one, which is left out."""
    if len(group.members) <= MOST:
        for one, other in combinations(group.members, 2):
            topics = tuple(dict.fromkeys(one.topics + other.topics))
            owned = tuple(dict.fromkeys(one.owned + other.owned))
            both = replace(one, topics=topics, owned=owned)
            left = tuple(both if m is one else m for m in group.members if m is not other)
            yield replace(group, members=left)


def merge_topics(group: Group) -> Iterator[Group]:
    """Give a topic the subscribers of another one and, behind its own, its partitions."""
    if len(group.topics) <= MOST:
        for one, other in combinations(group.topics, 2):
            if one.partitions + other.partitions <= MOST_PARTITIONS:
                yield _merged(group, one, other)


def _merged(group: Group, one: Topic, other: Topic) -> Group:
    racks = None
    if one.racks is not None or other.racks is not None:
        racks = (one.racks or ((),) * one.partitions) + (other.racks or ((),) * other.partitions)
    both = Topic(one.name, one.partitions + other.partitions, racks)

    def moved(partition: TopicPartition) -> TopicPartition:
        if partition.topic != other.name:
            return partition
        return TopicPartition(one.name, partition.partition + one.partitions)

    return replace(
        group,
        config=group.config.without({other.name}),
        topics=tuple(both if topic is one else topic for topic in group.topics if topic is not other),
        members=tuple(
            replace(
                member,
                topics=tuple(
                    dict.fromkeys(one.name if name == other.name else name for name in member.topics)
                ),
                owned=tuple(dict.fromkeys(map(moved, member.owned))),
            )
            for member in group.members
        ),
    )


def merge_partitions(group: Group) -> Iterator[Group]:
    """Give a partition the replicas of the next one, which is left out with the claims to it."""
    for at, topic in enumerate(group.topics):
        if topic.racks is not None and topic.partitions <= MOST:
            for number in range(topic.partitions - 1):
                both = (*topic.racks[number], *topic.racks[number + 1])
                merged = Topic(topic.name, topic.partitions, put(topic.racks, number, both))
                less = replace(group, topics=put(group.topics, at, merged))
                yield _without_partitions(less, at, slice(number + 1, number + 2))


# Leave out features: of all members or topics at once, then of one after the other.


def drop_feature(group: Group) -> Iterator[Group]:
    """Leave out, all at once, the claims, the generations, the instance ids or the racks."""
    if any(member.owned for member in group.members):
        yield with_each(group, "members", owned=(), generation=None)
    yield with_each(group, "members", generation=None)
    yield with_each(group, "members", instance_id=None)
    yield with_each(with_each(group, "topics", racks=None), "members", rack=None)


def drop_extras(group: Group) -> Iterator[Group]:
    """Leave out weights, user data, hosts, ids, what may not be given, and parts of the configuration: of everybody, then one by one."""
    yield from _drop_weights(group)
    yield from _drop_configuration(group)
    yield with_each(group, "members", user_data=None)
    for at, member in enumerate(group.members):
        for data in (None, member.user_data[:-1]) if member.user_data is not None else ():
            yield with_one(group, "members", at, user_data=data)
    yield with_each(group, "topics", hosts=None)
    yield with_each(group, "topics", id=None)
    yield with_each(group, "topics", unassignable=())
    for at, topic in enumerate(group.topics):
        if topic.hosts is not None:
            yield with_one(group, "topics", at, hosts=None)
        if topic.id is not None:
            yield with_one(group, "topics", at, id=None)
        for number in topic.unassignable:
            kept = tuple(other for other in topic.unassignable if other != number)
            yield with_one(group, "topics", at, unassignable=kept)


def _drop_weights(group: Group) -> Iterator[Group]:
    """Leave out weights and capacities; the weights of one topic; or all but one unit of a partition's weight, or half of it."""
    unlimited = with_each(group, "members", capacity=None)
    yield replace(with_each(unlimited, "topics", weights=None), weight_unit=None)
    yield unlimited
    yield replace(group, weight_unit=None)
    for at, topic in enumerate(group.topics):
        if topic.weights is not None:
            yield with_one(group, "topics", at, weights=None)
            for number, weight in enumerate(topic.weights):
                for less in dict.fromkeys((None, 0, 1, weight // 2, weight - 1)) if weight else ():
                    yield with_one(group, "topics", at, weights=put(topic.weights, number, less))
    yield from one_by_one(group, "members", "capacity")


def _drop_configuration(group: Group) -> Iterator[Group]:
    config = group.config
    if config == UNCONFIGURED:
        return
    bare, hostless = with_each(group, "members", user_data=None), with_each(group, "topics", hosts=None)
    yield Group(hostless.topics, bare.members)
    yield replace(group, config=UNCONFIGURED)
    yield replace(group, config=replace(config, rack_from_host=None))
    yield replace(group, config=replace(config, other_topics_assignor=UNCONFIGURED.other_topics_assignor))
    for joined in config.joined_topics:
        for gone in (joined, *((name,) for name in joined)):
            yield replace(group, config=config.without(gone))


def drop_claims(group: Group) -> Iterator[Group]:
    """Leave out claims of a member."""
    for at, member in enumerate(group.members):
        for left in left_out(member.owned):
            yield with_one(group, "members", at, owned=left)


def lower_claims(group: Group) -> Iterator[Group]:
    """Let a member claim a lower partition of the same topic instead of one of its own."""
    counts = partition_counts(group)
    for at, member in enumerate(group.members):
        for place, (topic, own) in enumerate(member.owned):
            for number in dict.fromkeys((0, counts.get(topic, 0), own - 1)):
                lower = TopicPartition(topic, number)
                if 0 <= number < own and lower not in member.owned:
                    yield with_one(group, "members", at, owned=put(member.owned, place, lower))


def drop_generations(group: Group) -> Iterator[Group]:
    """Leave out a member's generation, or lower generations: all to their rank, one to another's or to 0."""
    claimed = sorted({m.generation for m in group.members if m.generation is not None})
    rank = {generation: number for number, generation in enumerate(claimed)}
    ranked = (m if m.generation is None else replace(m, generation=rank[m.generation]) for m in group.members)
    yield replace(group, members=tuple(ranked))
    for at, member in enumerate(group.members):
        if member.generation is not None:
            for lower in (None, *(generation for generation in claimed if generation < member.generation)):
                yield with_one(group, "members", at, generation=lower)


def drop_instances(group: Group) -> Iterator[Group]:
    """Make a static member a dynamic one."""
    return one_by_one(group, "members", "instance_id")


def drop_racks(group: Group) -> Iterator[Group]:
    """Leave out racks: a member's, a topic's, a partition's, a single replica's; or make two racks one."""
    yield from one_by_one(group, "members", "rack")
    for at, topic in enumerate(group.topics):
        if topic.racks is not None:
            yield with_one(group, "topics", at, racks=None)
            for place, near in enumerate(topic.racks):
                for left in left_out(near):
                    yield with_one(group, "topics", at, racks=put(topic.racks, place, left))
    for one, other in combinations(rack_names(group), 2):
        yield renamed(group, {"r": {other: one}})


# Repair what is amiss, so that what is still amiss in the smallest group matters; then put names and orders into a plain form.


def repair(group: Group) -> Iterator[Group]:
    """Let claimed partitions and subscribed topics exist, owners subscribe to what they claim, and all to something."""
    yield from _let_exist(group)
    for at, member in enumerate(group.members):
        missing = dict.fromkeys(p.topic for p in member.owned if p.topic not in member.topics)
        if missing:
            yield with_one(group, "members", at, topics=(*member.topics, *missing))
        if not member.topics:
            others = [other.topics for other in group.members if other.topics]
            for topics in dict.fromkeys([*others, *((topic.name,) for topic in group.topics[:1])]):
                yield with_one(group, "members", at, topics=topics)


def _let_exist(group: Group) -> Iterator[Group]:
    """Give a topic as many partitions as members ask for by their subscriptions and claims."""
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


def canonical_order(group: Group) -> Iterator[Group]:
    """Put members, topics, subscriptions and claims in order: all, each kind alone, then neighbours."""

    def tidy(member: Member) -> Member:
        return replace(member, topics=tuple(sorted(member.topics)), owned=tuple(sorted(member.owned)))

    members = tuple(sorted(group.members, key=lambda member: member.id))
    topics = tuple(sorted(group.topics, key=lambda topic: topic.name))
    candidates = [
        replace(group, topics=topics, members=tuple(map(tidy, members))),
        replace(group, topics=topics, members=members),
        replace(group, members=members),
        replace(group, topics=topics),
    ]
    for at, neat in enumerate(map(tidy, group.members)):
        candidates.append(replace(group, members=put(group.members, at, neat)))
        candidates.append(with_one(group, "members", at, topics=neat.topics))
    yield from dict.fromkeys(candidates)
    for at, swap in enumerate(swapped(group.members)):
        if swap[at].id < swap[at + 1].id:
            yield replace(group, members=swap)


def canonical_names(group: Group) -> Iterator[Group]:
    """Give plain names of the same order to members, topics, instances and racks: to all, to a kind, to a single one."""
    for renaming in renamings({kind: sorted(named) for kind, named in names_by_kind(group).items()}):
        yield renamed(group, renaming)


STEPS = (
    remove_members, remove_shares, merge_members, remove_topics, merge_topics, drop_feature, drop_extras, repair,
    remove_partitions, merge_partitions, remove_subscriptions, drop_claims, lower_claims, drop_generations,
    drop_instances, drop_racks, canonical_order, canonical_names,
)  # fmt: skip
"""The kinds of step, in the order in which they are tried."""
