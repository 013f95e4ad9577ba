"""Optional fields of generated groups: user data, hosts, joins, ids, unassignable partitions, weights and capacities."""

from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from struct import pack

from kassay.model import Config, Group, Member, Topic
from kassay.model.config import OTHERS
from kassay.properties.choices import Choices

SORTS = ("heavy tail", "even", "mostly none", "few values")
"""The distributions of weights: the reciprocal of a uniform number, within a tenth of each other, four of five 0, or from 1 to 4."""
UNIT = 1000


def add_weights(r: Random, group: Group, sort: str = "heavy tail", unit: str | None = "records") -> Group:
    """Return the group with integer weights of all partitions, drawn by one of SORTS."""
    topics = tuple(
        replace(topic, weights=tuple(_draw_weight(r, sort) for _ in range(topic.partitions)))
        for topic in group.topics
    )
    return replace(group, topics=topics, weight_unit=unit)


def add_capacities(r: Random, group: Group) -> Group:
    """Return the group with capacities, about a fair share of all weight, for one or more members."""
    total = sum(weight or 0 for topic in group.topics for weight in topic.weights or ())
    share = total // max(len(group.members), 1)
    chosen = r.randrange(len(group.members)) if group.members else 0
    members = tuple(
        replace(m, capacity=share * r.randint(6, 14) // 10) if n == chosen or r.random() < 0.6 else m
        for n, m in enumerate(group.members)
    )
    return replace(group, members=members)


def _draw_weight(r: Random, sort: str) -> int:
    if sort == "heavy tail":
        return UNIT * 1000 // r.randint(1, 1000)
    if sort == "even":
        return r.randint(UNIT * 9 // 10, UNIT)
    if sort == "few values":
        return r.randint(1, 4)
    return r.randint(1, UNIT) if r.random() < 0.2 else 0


RULE = r"[^.]+\.([^.]*)\.example"
"""The rack in a generated host name: its second label."""


def _add_user_data(choices: Choices, group: Group) -> Group:
    """Add user data to some members: a previous assignment as StickyAssignor writes it, complete or cut, or a few bytes."""

    def told(member: Member) -> bytes:
        kind = choices.below(4)
        if kind == 0:
            return bytes(choices.below(256) for _ in range(choices.below(8)))
        entries = b"".join(
            pack(">h", len(claim.topic.encode())) + claim.topic.encode() + pack(">ii", 1, claim.partition)
            for claim in member.owned
        )
        whole = pack(">i", len(member.owned)) + entries + pack(">i", choices.below(4))
        return whole[: choices.below(len(whole))] if kind == 1 else whole

    chosen = set(choices.part([member.id for member in group.members]))
    return replace(
        group,
        members=tuple(replace(m, user_data=told(m)) if m.id in chosen else m for m in group.members),
    )


def _move_racks_to_hosts(choices: Choices, group: Group) -> Group:
    """Move all racks to host names, by a rule. A group without racks gets two."""

    def host(at: object, rack: str | None) -> str:
        return f"host-{at}" if rack is None else f"host-{at}.{rack}.example"

    if not any(topic.racks for topic in group.topics):
        racks = ("a", "b")
        group = replace(
            group,
            topics=tuple(replace(t, racks=tuple((choices.pick(racks),) for _ in t)) for t in group.topics),
            members=tuple(replace(m, rack=choices.pick(racks)) for m in group.members),
        )
    topics = (
        replace(
            topic,
            racks=None,
            hosts=topic.racks
            and tuple(tuple(host(n, rack) for n, rack in enumerate(near)) for near in topic.racks),
        )
        for topic in group.topics
    )
    members = (replace(m, rack=None, user_data=host("m", m.rack).encode()) for m in group.members)
    return Group(tuple(topics), tuple(members), Config(RULE))


def _join_topics(choices: Choices, group: Group) -> Group:
    """Join topics in pairs, mostly of equal size, and choose the assignor of the others."""
    names = choices.pick_order([topic.name for topic in group.topics])
    pairs = tuple(zip(names[::2], names[1::2], strict=False))[: 1 + choices.below(2)]
    counts = {topic.name: topic.partitions for topic in group.topics}
    for pair in pairs if choices.below(4) else ():
        counts |= dict.fromkeys(pair, max(counts[name] for name in pair))
    topics = []
    for topic in group.topics:
        # The replicas of partitions that are added are in the racks that the first ones are in.
        count, racks = counts[topic.name], topic.racks if topic.partitions else None
        spread = racks and tuple(racks[n % topic.partitions] for n in range(count))
        topics.append(Topic(topic.name, count, spread))
    others = choices.pick((OTHERS[0], *OTHERS))
    return replace(group, topics=tuple(topics), config=Config(None, pairs, others))


def _add_ids(choices: Choices, group: Group) -> Group:
    """Give topics ids: any, or small ones, whose hashes collide and which sort by number."""
    width = choices.pick((1, 16))
    first = choices.below(256)

    def printed(at: int) -> str:
        some = bytes(choices.below(256) for _ in range(width - 1))
        return urlsafe_b64encode((some + bytes([(first + at) % 256])).rjust(16, b"\0")).decode().rstrip("=")

    return replace(
        group, topics=tuple(replace(topic, id=printed(at)) for at, topic in enumerate(group.topics))
    )


def _withhold_partitions(choices: Choices, group: Group) -> Group:
    """Make some partitions unassignable; topics have ids, or not."""
    topics = tuple(
        replace(topic, unassignable=choices.some(range(topic.partitions))) for topic in group.topics
    )
    group = replace(group, topics=topics)
    return _add_ids(choices, group) if choices.chance(30) else group


def _capacities(choices: Choices, group: Group) -> Group:
    """Add weights and capacities."""
    r = Random(choices.below(2**30))
    return add_capacities(r, add_weights(r, group))


EXTRAS: Mapping[str, Callable[[Choices, Group], Group]] = {
    "none": lambda _, group: group,
    "user data": _add_user_data,
    "hosts": _move_racks_to_hosts,
    "joined": _join_topics,
    "ids": _add_ids,
    "withheld": _withhold_partitions,
    # A few partitions have most of the weight, or weights are within a tenth of each other.
    "weights": lambda choices, group: add_weights(Random(choices.below(2**30)), group),
    "even weights": lambda choices, group: add_weights(Random(choices.below(2**30)), group, "even"),
    "capacities": _capacities,
}
"""Kind of optional fields -> the function that adds them."""
