"""Canonicalise: groups of the same size in order and under plain names."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kassay.model import Group, TopicPartition
from kassay.properties.partitions.edits import with_member
from kassay.properties.partitions.holdings import topic_names
from kassay.properties.partitions.shrinking.drop_features import rack_names, with_rack_names
from kassay.properties.plain_names import distance, inversions, renamings


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
