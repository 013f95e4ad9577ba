"""Random user data: StickyAssignor's of both versions as they could be, and with whatever can be wrong with them."""

import random
from collections.abc import Iterator
from dataclasses import replace
from struct import pack

from classes.groups import random_groups

from kassay.model import Group, Member, TopicPartition


def groups(seed: int) -> Iterator[Group]:
    """Yield hostile groups in which some members bring user data of their own, without end."""
    rng = random.Random(seed)
    while True:
        group = random_groups.random_group(rng)
        yield replace(group, members=tuple(_with_user_data(rng, group, member) for member in group.members))


def _with_user_data(rng: random.Random, group: Group, member: Member) -> Member:
    if rng.random() < 0.2:
        return member
    data = _previous_assignment(rng, _claims(rng, group, member))
    generation = (
        member.generation if rng.random() < 0.5 else rng.choice((None, 0, 1, 2, 5, -1, -7, 2**31 - 1))
    )
    if generation is not None:
        data = (b"" if rng.random() < 0.1 else data) + pack(">i", generation)
    kind = rng.random()
    if kind < 0.1:
        data = data[: rng.randint(0, len(data))]
    elif kind < 0.2:
        data += rng.randbytes(rng.randint(1, 6))
    elif kind < 0.3 and data:
        at = rng.randrange(len(data))
        data = data[:at] + bytes([rng.choice((0, 1, 127, 255))]) + data[at + 1 :]
    return replace(member, user_data=data)


def _claims(rng: random.Random, group: Group, member: Member) -> list[TopicPartition]:
    claims = list(member.owned)
    if rng.random() < 0.3:
        claims = [p for other in group.members for p in other.owned if rng.random() < 0.4]
    if claims and rng.random() < 0.2:
        claims.insert(rng.randint(0, len(claims)), rng.choice(claims))
    if claims and rng.random() < 0.1:
        claims.append(TopicPartition(rng.choice(claims).topic, rng.choice((-1, -3, 99, 2**31 - 1))))
    return claims


def _previous_assignment(rng: random.Random, claims: list[TopicPartition]) -> bytes:
    """Write claims topic by topic, or each as an entry of its own."""
    entries: list[tuple[str, list[int]]] = []
    alone = rng.random() < 0.3
    for topic, number in claims:
        if alone or not entries or entries[-1][0] != topic:
            entries.append((topic, []))
        entries[-1][1].append(number)
    written = (
        pack(">h", len(topic.encode())) + topic.encode() + pack(f">i{len(numbers)}i", len(numbers), *numbers)
        for topic, numbers in entries
    )
    return pack(">i", len(entries)) + b"".join(written)
