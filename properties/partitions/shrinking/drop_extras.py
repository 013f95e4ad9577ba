"""Drop extras: groups with less user data, fewer hosts and less configuration."""

from collections.abc import Iterator
from dataclasses import replace

from kassay.model import Group
from kassay.model.config import UNCONFIGURED
from kassay.properties.partitions.edits import with_member, with_topic


def drop_extras(group: Group) -> Iterator[Group]:
    """Leave out user data, hosts, and parts of the configuration: of everybody, then one by one."""
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
    if hostless != group.topics:
        yield replace(group, topics=hostless)
    for at, member in enumerate(group.members):
        if member.user_data is not None:
            yield with_member(group, at, bare[at])
            yield with_member(group, at, replace(member, user_data=member.user_data[:-1]))
    for at, topic in enumerate(group.topics):
        if topic.hosts is not None:
            yield with_topic(group, at, hostless[at])
