"""Drop features: groups whose members and topics carry less: fewer and lower claims, generations, instance ids, racks."""

from collections.abc import Iterator
from dataclasses import replace

from kassay.model import Group, TopicPartition
from kassay.properties.minimise import parts
from kassay.properties.partitions.edits import with_member, with_topic


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
