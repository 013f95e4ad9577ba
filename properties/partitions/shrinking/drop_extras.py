"""Drop extras: groups with less user data, fewer hosts and less configuration."""

from collections.abc import Iterator
from dataclasses import replace

from kassay.model import Group, Topic
from kassay.model.config import UNCONFIGURED
from kassay.properties.partitions.edits import with_member, with_topic


def drop_extras(group: Group) -> Iterator[Group]:
    """Leave out user data, hosts, ids, what may not be given, and parts of the configuration: of everybody, then one by one."""
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
