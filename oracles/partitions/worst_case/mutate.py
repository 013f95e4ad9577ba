"""Small changes of a group, for the search: somebody or something more, less, or otherwise."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from kassay.model import Group, Member, Topic, TopicPartition


def mutate(r: Random, group: Group) -> Group:
    """Return a group that differs from this one by one to three random changes; always with members and topics."""
    for _ in range(r.choice((1, 1, 2, 3))):
        group = r.choice(CHANGES)(r, group if any(topic.partitions for topic in group.topics) else seedling())
    return group


def mutate_weighed(r: Random, group: Group) -> Group:
    """Do the same to a group whose partitions weigh something; one of them comes to weigh otherwise, mostly."""
    weights = {topic.name: topic.weights or () for topic in group.topics}
    plain = replace(group, topics=tuple(replace(topic, weights=None) for topic in group.topics))
    changed = plain if r.random() < 0.4 else mutate(r, plain)
    topics = [
        replace(
            topic,
            weights=tuple(
                own[n] if n < len(own) else r.randint(0, HEAVIEST) for n in range(topic.partitions)
            ),
        )
        for topic in changed.topics
        for own in (weights.get(topic.name, ()),)
    ]
    at = r.randrange(len(topics))
    if (own := list(topics[at].weights or ())) and r.random() < 0.8:
        own[r.randrange(len(own))] = r.randint(0, HEAVIEST)
        topics[at] = replace(topics[at], weights=tuple(own))
    return replace(changed, topics=tuple(topics))


HEAVIEST = 20
"""What a partition weighs at most where the search makes it up."""


def seedling() -> Group:
    """Return the group from which a search starts: two members, one topic, two partitions, two racks."""
    members = tuple(Member(f"m{n:02}", ("t00",), rack=f"r{n}") for n in range(2))
    return Group((Topic("t00", 2, (("r0",), ("r1",))),), members)


def _join(r: Random, group: Group) -> Group:
    like = r.choice(group.members)
    taken = {member.id for member in group.members}
    name = next(name for name in (f"m{n:02}" for n in range(len(taken) + 1)) if name not in taken)
    owned = () if r.random() < 0.5 else like.owned
    return replace(group, members=(*group.members, replace(like, id=name, owned=owned, instance_id=None)))


def _leave(r: Random, group: Group) -> Group:
    if len(group.members) == 1:
        return group
    gone = r.choice(group.members)
    return replace(group, members=tuple(member for member in group.members if member != gone))


def _new_topic(r: Random, group: Group) -> Group:
    like = r.choice(group.topics)
    taken = {topic.name for topic in group.topics}
    name = next(name for name in (f"t{n:02}" for n in range(len(taken) + 1)) if name not in taken)
    members = tuple(
        replace(m, topics=(*m.topics, name)) if (like.name in m.topics) != (r.random() < 0.2) else m
        for m in group.members
    )
    return Group((*group.topics, replace(like, name=name)), members)


def _drop_topic(r: Random, group: Group) -> Group:
    if len(group.topics) == 1:
        return group
    gone = r.choice(group.topics).name
    return Group(
        tuple(topic for topic in group.topics if topic.name != gone),
        tuple(
            replace(
                m,
                topics=tuple(t for t in m.topics if t != gone),
                owned=tuple(p for p in m.owned if p.topic != gone),
            )
            for m in group.members
        ),
    )


def _resize(r: Random, group: Group) -> Group:
    topic = _some(r, group)
    count = max(1, topic.partitions + r.choice((-2, -1, 1, 1, 2)))
    racks = topic.racks and tuple(topic.racks[n % topic.partitions] for n in range(count))
    smaller = tuple(
        replace(m, owned=tuple(p for p in m.owned if p.topic != topic.name or p.partition < count))
        for m in group.members
    )
    return replace(_with_topic(group, replace(topic, partitions=count, racks=racks)), members=smaller)


def _subscribe(r: Random, group: Group) -> Group:
    member, topic = r.choice(group.members), r.choice(group.topics).name
    rest = tuple(name for name in member.topics if name != topic)
    return _with_member(group, replace(member, topics=rest if topic in member.topics else (*rest, topic)))


def _move(r: Random, group: Group) -> Group:
    racks = [member.rack for member in group.members] + ["r0", "r1", "r2"]
    return _with_member(group, replace(r.choice(group.members), rack=r.choice(racks)))


def _replicate(r: Random, group: Group) -> Group:
    topic = _some(r, group)
    racks = [member.rack for member in group.members if member.rack] + ["r0", "r1", "r2"]
    sets = list(topic.racks or ((racks[0],),) * topic.partitions)
    sets[r.randrange(topic.partitions)] = tuple(sorted({r.choice(racks) for _ in range(r.randint(1, 2))}))
    return _with_topic(group, replace(topic, racks=tuple(sets)))


def _claim(r: Random, group: Group) -> Group:
    topic = _some(r, group)
    partition = TopicPartition(topic.name, r.randrange(topic.partitions))
    owner = r.choice((None, *(member.id for member in group.members)))
    members = []
    for member in group.members:
        owned = tuple(p for p in member.owned if p != partition)
        mine = (*owned, partition) if member.id == owner else owned
        members.append(replace(member, owned=tuple(sorted(mine)), generation=1))
    return replace(group, members=tuple(members))


def _claim_much(r: Random, group: Group) -> Group:
    for _ in range(r.randint(2, 6)):
        group = _claim(r, group)
    return group


def _some(r: Random, group: Group) -> Topic:
    """Return any topic that has partitions."""
    return r.choice([topic for topic in group.topics if topic.partitions])


def _with_topic(group: Group, topic: Topic) -> Group:
    return replace(group, topics=tuple(topic if old.name == topic.name else old for old in group.topics))


def _with_member(group: Group, member: Member) -> Group:
    return replace(group, members=tuple(member if old.id == member.id else old for old in group.members))


CHANGES: tuple[Callable[[Random, Group], Group], ...] = (
    _join, _leave, _new_topic, _drop_topic, _resize, _resize, _subscribe, _subscribe, _move, _replicate, _replicate,
    _claim, _claim, _claim_much,
)  # fmt: skip
"""What a change can be; more likely ones stand twice."""
