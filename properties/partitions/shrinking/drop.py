"""Drop extras: groups with less user data, fewer hosts, weights and less configuration.

Drop features: groups whose members and topics carry less: fewer and lower claims, generations, instance ids, racks.

Remove: groups with fewer members, topics, partitions or subscriptions, many at once first.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.model.config import UNCONFIGURED
from kassay.properties.minimise import parts
from kassay.properties.partitions.owners import topic_names, with_member, with_topic


def drop_extras(group: Group) -> Iterator[Group]:
    """Leave out weights, user data, hosts, ids, what may not be given, and parts of the configuration: of everybody, then one by one."""
    yield from _weighing_less(group)
    bare = tuple(replace(member, user_data=None) for member in group.members)
    hostless = tuple(replace(topic, hosts=None) for topic in group.topics)
    config = group.config
    if config != UNCONFIGURED:
        yield Group(hostless, bare)
        yield replace(group, config=UNCONFIGURED)
        yield replace(group, config=replace(config, rack_from_host=None))
        yield replace(group, config=replace(config, other_topics_assignor=UNCONFIGURED.other_topics_assignor))
        for joined in config.joined_topics:
            yield replace(group, config=config.without(joined))
            for name in joined:
                yield replace(group, config=config.without({name}))
    if bare != group.members:
        yield replace(group, members=bare)
    for at, member in enumerate(group.members):
        if member.user_data is not None:
            yield with_member(group, at, bare[at])
            yield with_member(group, at, replace(member, user_data=member.user_data[:-1]))
    yield from _of_topics(group, hostless)


def _weighing_less(group: Group) -> Iterator[Group]:
    """Leave out weights and capacities; the weights of one topic; or all but one unit of a partition's weight, or half of it."""
    unweighed = tuple(replace(topic, weights=None) for topic in group.topics)
    unlimited = tuple(replace(member, capacity=None) for member in group.members)
    if (unweighed, unlimited, None) != (group.topics, group.members, group.weight_unit):
        yield replace(group, topics=unweighed, members=unlimited, weight_unit=None)
        yield replace(group, members=unlimited)
        yield replace(group, weight_unit=None)
    for at, topic in enumerate(group.topics):
        if topic.weights is not None:
            yield with_topic(group, at, unweighed[at])
            for number, weight in enumerate(topic.weights):
                for less in dict.fromkeys((None, 0, 1, weight // 2, weight - 1)) if weight else ():
                    weights = (*topic.weights[:number], less, *topic.weights[number + 1 :])
                    yield with_topic(group, at, replace(topic, weights=weights))
    for at, member in enumerate(group.members):
        if member.capacity is not None:
            yield with_member(group, at, unlimited[at])


def _of_topics(group: Group, hostless: tuple[Topic, ...]) -> Iterator[Group]:
    nameless = tuple(replace(topic, id=None) for topic in group.topics)
    free = tuple(replace(topic, unassignable=()) for topic in group.topics)
    for topics in (hostless, nameless, free):
        if topics != group.topics:
            yield replace(group, topics=topics)
    for at, topic in enumerate(group.topics):
        if topic.hosts is not None:
            yield with_topic(group, at, hostless[at])
        if topic.id is not None:
            yield with_topic(group, at, nameless[at])
        for number in topic.unassignable:
            kept = tuple(other for other in topic.unassignable if other != number)
            yield with_topic(group, at, replace(topic, unassignable=kept))


def drop_feature(group: Group) -> Iterator[Group]:
    """Leave out, all at once, the claims, the generations, the instance ids or the racks."""
    members = group.members
    if any(member.owned for member in members):
        yield replace(group, members=tuple(replace(m, owned=(), generation=None) for m in members))
    if any(member.generation is not None for member in members):
        yield replace(group, members=tuple(replace(m, generation=None) for m in members))
    if any(member.instance_id is not None for member in members):
        yield replace(group, members=tuple(replace(m, instance_id=None) for m in members))
    if any(m.rack is not None for m in members) or any(topic.racks is not None for topic in group.topics):
        yield replace(
            group,
            topics=tuple(replace(topic, racks=None) for topic in group.topics),
            members=tuple(replace(m, rack=None) for m in members),
        )


def drop_claims(group: Group) -> Iterator[Group]:
    """Leave out claims of a member."""
    for at, member in enumerate(group.members):
        for part in parts(len(member.owned)):
            left = member.owned[: part.start] + member.owned[part.stop :]
            yield with_member(group, at, replace(member, owned=left))


def lower_claims(group: Group) -> Iterator[Group]:
    """Let a member claim a lower partition of the same topic instead of one of its own."""
    for at, member in enumerate(group.members):
        for claim, partition in enumerate(member.owned):
            for number in dict.fromkeys((0, _count(group, partition.topic), partition.partition - 1)):
                lower = TopicPartition(partition.topic, number)
                if 0 <= number < partition.partition and lower not in member.owned:
                    owned = (*member.owned[:claim], lower, *member.owned[claim + 1 :])
                    yield with_member(group, at, replace(member, owned=owned))


def drop_generations(group: Group) -> Iterator[Group]:
    """Leave out a member's generation, or lower generations: all to their rank, one to another's or to 0."""
    members = group.members
    claimed = sorted({m.generation for m in members if m.generation is not None})
    rank = {generation: number for number, generation in enumerate(claimed)}
    if any(rank[generation] != generation for generation in claimed):
        yield replace(
            group,
            members=tuple(
                m if m.generation is None else replace(m, generation=rank[m.generation]) for m in members
            ),
        )
    for at, member in enumerate(members):
        if member.generation is not None:
            for lower in (None, *(generation for generation in claimed if generation < member.generation)):
                yield with_member(group, at, replace(member, generation=lower))


def drop_instances(group: Group) -> Iterator[Group]:
    """Make a static member a dynamic one."""
    for at, member in enumerate(group.members):
        if member.instance_id is not None:
            yield with_member(group, at, replace(member, instance_id=None))


def drop_racks(group: Group) -> Iterator[Group]:
    """Leave out racks: a member's, a topic's, a partition's, a single replica's; or make two racks one."""
    for at, member in enumerate(group.members):
        if member.rack is not None:
            yield with_member(group, at, replace(member, rack=None))
    for at, topic in enumerate(group.topics):
        if topic.racks is None:
            continue
        yield with_topic(group, at, replace(topic, racks=None))
        for place, near in enumerate(topic.racks):
            for part in parts(len(near)):
                left = near[: part.start] + near[part.stop :]
                racks = (*topic.racks[:place], left, *topic.racks[place + 1 :])
                yield with_topic(group, at, replace(topic, racks=racks))
    yield from _one_rack_less(group)


def rack_names(group: Group) -> list[str]:
    """Return all racks that are named, members' first, each once."""
    found = dict.fromkeys(m.rack for m in group.members if m.rack is not None)
    for topic in group.topics:
        found.update(dict.fromkeys(rack for near in topic.racks or () for rack in near if rack is not None))
    return list(found)


def with_rack_names(group: Group, new: dict[str, str]) -> Group:
    """Return the group with some racks under another name."""
    return replace(
        group,
        topics=tuple(
            topic
            if topic.racks is None
            else replace(
                topic,
                racks=tuple(
                    tuple(None if rack is None else new.get(rack, rack) for rack in near)
                    for near in topic.racks
                ),
            )
            for topic in group.topics
        ),
        members=tuple(
            m if m.rack is None else replace(m, rack=new.get(m.rack, m.rack)) for m in group.members
        ),
    )


def _one_rack_less(group: Group) -> Iterator[Group]:
    named = rack_names(group)
    for at, rack in enumerate(named):
        for other in named[at + 1 :]:
            yield with_rack_names(group, {other: rack})


def _count(group: Group, name: str) -> int:
    return next((topic.partitions for topic in group.topics if topic.name == name), 0)


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
        alike = (topic.racks, topic.hosts, topic.weights) == (None,) * 3 and topic.name not in claimed
        for part in parts(topic.partitions):
            if not alike or part.stop == topic.partitions:
                yield _without_partitions(group, at, part)


def remove_subscriptions(group: Group) -> Iterator[Group]:
    """Leave out topics of a member's subscription, with the claims to them or without."""
    for at, member in enumerate(group.members):
        for part in parts(len(member.topics)):
            left = member.topics[: part.start] + member.topics[part.stop :]
            yield with_member(
                group,
                at,
                replace(member, topics=left, owned=tuple(p for p in member.owned if p.topic in left)),
            )
            yield with_member(group, at, replace(member, topics=left))


def _without_members(group: Group) -> Iterator[tuple[Group, tuple[Member, ...]]]:
    members = group.members
    for part in parts(len(members)):
        left = members[: part.start] + members[part.stop :]
        if left:
            yield replace(group, members=left), members[part]


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
    topic = group.topics[at]
    length = part.stop - part.start
    racks, hosts = (
        None if entries is None else entries[: part.start] + entries[part.stop :]
        for entries in (topic.racks, topic.hosts)
    )
    weights = topic.weights and topic.weights[: part.start] + topic.weights[part.stop :]

    withheld = (n - length * (n >= part.stop) for n in topic.unassignable if not part.start <= n < part.stop)

    def moved(owned: tuple[TopicPartition, ...]) -> Iterator[TopicPartition]:
        for partition in owned:
            if partition.topic != topic.name or partition.partition < part.start:
                yield partition
            elif partition.partition >= part.stop:
                yield TopicPartition(topic.name, partition.partition - length)

    return replace(
        with_topic(
            group,
            at,
            Topic(topic.name, topic.partitions - length, racks, hosts, topic.id, tuple(withheld), weights),
        ),
        members=tuple(
            replace(member, owned=tuple(moved(member.owned)))
            if any(partition.topic == topic.name for partition in member.owned)
            else member
            for member in group.members
        ),
    )
