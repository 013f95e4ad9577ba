"""Remove: groups with fewer members, topics, partitions or subscriptions, many at once first."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.properties.minimise import parts
from kassay.properties.partitions.edits import with_member, with_topic
from kassay.properties.partitions.holdings import topic_names


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
        alike = topic.racks is None and topic.hosts is None and topic.name not in claimed
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

    withheld = (n - length * (n >= part.stop) for n in topic.unassignable if not part.start <= n < part.stop)

    def moved(owned: tuple[TopicPartition, ...]) -> Iterator[TopicPartition]:
        for partition in owned:
            if partition.topic != topic.name or partition.partition < part.start:
                yield partition
            elif partition.partition >= part.stop:
                yield TopicPartition(topic.name, partition.partition - length)

    return replace(
        with_topic(
            group, at, Topic(topic.name, topic.partitions - length, racks, hosts, topic.id, tuple(withheld))
        ),
        members=tuple(
            replace(member, owned=tuple(moved(member.owned)))
            if any(partition.topic == topic.name for partition in member.owned)
            else member
            for member in group.members
        ),
    )
