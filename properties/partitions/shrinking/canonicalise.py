"""Canonicalise: groups of the same size in order and under plain names."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kassay.model import Group, TopicPartition
from kassay.properties.partitions.edits import with_member
from kassay.properties.partitions.holdings import topic_names
from kassay.properties.partitions.shrinking.drop_features import rack_names, with_rack_names

_PLAIN = re.compile(r"[a-z][0-9]{1,9}")


def disorder(group: Group) -> tuple[int, ...]:
    """Return how far a group is from plain names (members m0, m1, ..., topics t0, t1, ...) and from their order."""
    ids = [member.id for member in group.members]
    topics = [topic.name for topic in group.topics]
    instances = [m.instance_id for m in group.members if m.instance_id is not None]
    numbers = [
        _number(name, prefix)
        for prefix, these in (
            ("m", ids),
            ("t", topic_names(group)),
            ("i", instances),
            ("r", rack_names(group)),
        )
        for name in these
    ]
    return (
        sum(number is None for number in numbers),
        sum(number or 0 for number in numbers),
        _inversions(ids),
        _inversions(topics),
        sum(_inversions(list(member.topics)) for member in group.members),
        sum(_inversions(list(member.owned)) for member in group.members),
    )


def canonical_order(group: Group) -> Iterator[Group]:
    """Put members, topics, subscriptions and claims in order: all, each kind alone, then neighbours."""
    members = tuple(sorted(group.members, key=lambda member: member.id))
    topics = tuple(sorted(group.topics, key=lambda topic: topic.name))
    tidy = {
        m.id: replace(m, topics=tuple(sorted(m.topics)), owned=tuple(sorted(m.owned))) for m in group.members
    }
    candidates = [
        Group(topics, tuple(tidy[member.id] for member in members)),
        Group(topics, members),
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
    kinds = {
        "m": sorted(member.id for member in group.members),
        "t": sorted(topic_names(group)),
        "i": sorted(m.instance_id for m in group.members if m.instance_id is not None),
        "r": sorted(rack_names(group)),
    }
    plain = {kind: _in_rank(kind, named) for kind, named in kinds.items()}
    tried = [plain, *({kind: new} for kind, new in plain.items())]
    tried += [{kind: {name: new}} for kind, named in kinds.items() for name, new in _singly(kind, named)]
    for renaming in tried:
        if any(old != new for kind in renaming.values() for old, new in kind.items()):
            yield _renamed(group, renaming)


def _in_rank(kind: str, named: list[str]) -> dict[str, str]:
    """Return new names by rank, of one length so that they sort alike, where that makes the names plainer."""
    numbers = [_number(name, kind) for name in named]
    if None not in numbers and sum(map(int, filter(None, numbers))) <= sum(range(len(named))):
        return {}
    width = len(str(len(named) - 1))
    return {name: f"{kind}{rank:0{width}}" for rank, name in enumerate(named)}


def _singly(kind: str, named: list[str]) -> Iterator[tuple[str, str]]:
    """Yield single names and the lowest plain name that is free and lower."""
    taken = {_number(name, kind) for name in named}
    free = next(number for number in range(len(named) + 1) if number not in taken)
    for name in named:
        number = _number(name, kind)
        if number is None or number > free:
            yield name, f"{kind}{free}"


def _renamed(group: Group, new: dict[str, dict[str, str]]) -> Group:
    people, topics, instances = new.get("m", {}), new.get("t", {}), new.get("i", {})
    return with_rack_names(
        Group(
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


def _number(name: str, kind: str) -> int | None:
    """Return the number in a plain name of this kind, None where the name is not plain."""
    return int(name[1:]) if name.startswith(kind) and _PLAIN.fullmatch(name) else None


def _inversions(items: Sequence[str] | Sequence[TopicPartition]) -> int:
    """Return how many pairs are out of order."""
    rank = {item: at for at, item in enumerate(sorted(items))}
    order = [rank[item] for item in items]
    return sum(one > other for at, one in enumerate(order) for other in order[at + 1 :])
