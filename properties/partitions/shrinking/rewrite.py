"""Repair: groups in which less is amiss, so that what is still amiss in the smallest one matters.

Merge: groups in which one member, topic or partition stands for two, where leaving out either would lose too much.

Canonicalise: groups of the same size in order and under plain names.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from kassay.model import INT32_MAX, Group, Member, Topic, TopicPartition
from kassay.properties.minimise import distance, inversions, renamings
from kassay.properties.partitions.owners import partition_counts, topic_names, with_member, with_topic
from kassay.properties.partitions.shrinking.drop import rack_names, with_rack_names


def oddities(group: Group) -> int:
    """Return how much is amiss: claims to what does not exist or is not subscribed to, subscriptions to nothing.

    Also subscriptions that are empty or name a topic twice.
    """
    counts = partition_counts(group)
    odd = 0
    for member in group.members:
        topics = set(member.topics)
        odd += (len(member.topics) - len(topics)) if topics else 1
        odd += len(topics.difference(counts))
        for partition in member.owned:
            odd += partition.partition >= counts.get(partition.topic, 0)
            odd += partition.topic not in topics
    return odd


def repair(group: Group) -> Iterator[Group]:
    """Let claimed partitions and subscribed topics exist, owners subscribe to what they claim, and all to something."""
    needed: dict[str, int] = {}
    for member in group.members:
        for name in member.topics:
            needed.setdefault(name, 0)
        for partition in member.owned:
            needed[partition.topic] = max(needed.get(partition.topic, 0), partition.partition + 1)
    for name, count in needed.items():
        yield from _with_partitions(group, name, count)
    for at, member in enumerate(group.members):
        missing = dict.fromkeys(p.topic for p in member.owned if p.topic not in member.topics)
        if missing:
            yield with_member(group, at, replace(member, topics=(*member.topics, *missing)))
        if not member.topics:
            others = [other.topics for other in group.members if other.topics]
            for topics in dict.fromkeys([*others, *((topic.name,) for topic in group.topics[:1])]):
                yield with_member(group, at, replace(member, topics=topics))


def _with_partitions(group: Group, name: str, count: int) -> Iterator[Group]:
    """Let a topic have at least this many partitions."""
    for at, topic in enumerate(group.topics):
        if topic.name == name:
            if topic.partitions < count <= INT32_MAX:
                racks = None if topic.racks is None else topic.racks + ((),) * (count - topic.partitions)
                yield with_topic(group, at, Topic(name, count, racks))
            return
    if count <= INT32_MAX:
        yield replace(group, topics=(*group.topics, Topic(name, count)))


MOST = 6
"""Pairs of members, topics or racked partitions of a topic are merged where there are at most this many."""
MOST_PARTITIONS = 1_000
"""No topic is made larger than this."""


def merge_members(group: Group) -> Iterator[Group]:
    """Give a member the subscription and the claims of another one, which is left out."""
    if len(group.members) <= MOST:
        for one, other in combinations(group.members, 2):
            topics = tuple(dict.fromkeys(one.topics + other.topics))
            both = replace(one, topics=topics, owned=tuple(dict.fromkeys(one.owned + other.owned)))
            yield replace(
                group, members=tuple(both if m is one else m for m in group.members if m is not other)
            )


def merge_topics(group: Group) -> Iterator[Group]:
    """Give a topic the subscribers of another one and, behind its own, its partitions."""
    if len(group.topics) <= MOST:
        for one, other in combinations(group.topics, 2):
            if one.partitions + other.partitions <= MOST_PARTITIONS:
                yield _merged(group, one, other)


def merge_partitions(group: Group) -> Iterator[Group]:
    """Give a partition the replicas of the next one, which is left out with the claims to it."""
    for at, topic in enumerate(group.topics):
        if topic.racks is not None and topic.partitions <= MOST:
            for number in range(topic.partitions - 1):
                both = (*topic.racks[number], *topic.racks[number + 1])
                racks = (*topic.racks[:number], both, *topic.racks[number + 2 :])
                less = Topic(topic.name, topic.partitions - 1, racks)
                gone = TopicPartition(topic.name, number + 1)
                yield replace(
                    with_topic(group, at, less),
                    members=tuple(_without_claim(member, gone) for member in group.members),
                )


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


def _without_claim(member: Member, gone: TopicPartition) -> Member:
    """Leave out a claim; those to the partitions behind move down."""
    return replace(
        member,
        owned=tuple(
            TopicPartition(p.topic, p.partition - 1) if p.topic == gone.topic and p > gone else p
            for p in member.owned
            if p != gone
        ),
    )


def disorder(group: Group) -> tuple[int, ...]:
    """Return how far a group is from plain names (members m0, m1, ..., topics t0, t1, ...) and from their order."""
    return (
        *distance(_names(group)),
        inversions([member.id for member in group.members]),
        inversions([topic.name for topic in group.topics]),
        sum(inversions(member.topics) for member in group.members),
        sum(inversions(member.owned) for member in group.members),
    )


def canonical_order(group: Group) -> Iterator[Group]:
    """Put members, topics, subscriptions and claims in order: all, each kind alone, then neighbours."""
    members = tuple(sorted(group.members, key=lambda member: member.id))
    topics = tuple(sorted(group.topics, key=lambda topic: topic.name))
    tidy = {
        m.id: replace(m, topics=tuple(sorted(m.topics)), owned=tuple(sorted(m.owned))) for m in group.members
    }
    candidates = [
        replace(group, topics=topics, members=tuple(tidy[member.id] for member in members)),
        replace(group, topics=topics, members=members),
        replace(group, members=members),
        replace(group, topics=topics),
    ]
    for at, member in enumerate(group.members):
        neat = tidy[member.id]
        candidates += (
            with_member(group, at, neat),
            with_member(group, at, replace(member, topics=neat.topics)),
        )
    for candidate in dict.fromkeys(candidates):
        if candidate != group:
            yield candidate
    for at in range(len(group.members) - 1):
        if group.members[at].id > group.members[at + 1].id:
            swapped = (group.members[at + 1], group.members[at])
            yield replace(group, members=(*group.members[:at], *swapped, *group.members[at + 2 :]))


def canonical_names(group: Group) -> Iterator[Group]:
    """Give plain names of the same order to members, topics, instances and racks: to all, to a kind, to a single one."""
    for renaming in renamings({kind: sorted(named) for kind, named in _names(group).items()}):
        yield _renamed(group, renaming)


def _names(group: Group) -> dict[str, Sequence[str]]:
    """Return the names of members, topics, instances and racks, by the letter of plain ones."""
    return {
        "m": [member.id for member in group.members],
        "t": topic_names(group),
        "i": [m.instance_id for m in group.members if m.instance_id is not None],
        "r": rack_names(group),
    }


def _renamed(group: Group, new: dict[str, dict[str, str]]) -> Group:
    people, topics, instances = new.get("m", {}), new.get("t", {}), new.get("i", {})
    return with_rack_names(
        replace(
            group,
            config=group.config.renamed(topics),
            topics=tuple(replace(topic, name=topics.get(topic.name, topic.name)) for topic in group.topics),
            members=tuple(
                replace(
                    m,
                    id=people.get(m.id, m.id),
                    topics=tuple(topics.get(name, name) for name in m.topics),
                    owned=tuple(TopicPartition(topics.get(p.topic, p.topic), p.partition) for p in m.owned),
                    instance_id=None
                    if m.instance_id is None
                    else instances.get(m.instance_id, m.instance_id),
                )
                for m in group.members
            ),
        ),
        new.get("r", {}),
    )
