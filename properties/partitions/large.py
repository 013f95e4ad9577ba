"""Generators of large groups of topics and members, and of groups with integers at the limits of the machine's."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from kassay.model import Group, Member, TopicPartition
from kassay.properties.choices import BITS, COUNTS, DIGITS, EDGES, Choices, Settings, list_edges
from kassay.properties.partitions.events import ANY, SIZES, USUAL
from kassay.properties.partitions.groups import generate_group
from kassay.properties.partitions.ownership import choose_distant_group, with_claims

CLAIMS = {"none": 2, "even": 1, "joined": 2, "stale": 1, "uneven": 1}
FEW = {**USUAL, "members": (2, 6), "racks": (1, 4)}
NONE = {"none": 1}


def choose_large_group(
    choices: Choices,
    numbers: Mapping[str, tuple[int, int]],
    kinds: Mapping[str, Mapping[str, int]] = MappingProxyType({}),
    extras: Mapping[str, int] = NONE,
) -> Group:
    """Choose a group of some numbers, kinds and optional fields, few members and topics otherwise."""
    chosen = {**ANY, "claims": CLAIMS, **kinds, "extras": extras}
    return generate_group(choices, Settings({**FEW, **numbers}, chosen, {}))


def choose_large_topic(choices: Choices, counts: Sequence[int], extras: Mapping[str, int] = NONE) -> Group:
    """Choose a group that has a topic of many partitions, and seldom many members."""
    most = choices.pick(counts)
    members = (20, 40) if choices.chance(12) else FEW["members"]
    numbers = {"topics": (1, 2), "partitions": (0, most), "members": members}
    return choose_large_group(choices, numbers, {"sizes": {"hot": 1}}, extras)


def choose_many_topics(choices: Choices, extras: Mapping[str, int] = NONE) -> Group:
    """Choose a group of many topics, in half the groups all of one size."""
    most = 1 + choices.below(6)
    least = most if choices.chance(50) else 1
    return choose_large_group(choices, {"topics": (10, 30), "partitions": (least, most)}, extras=extras)


def choose_many_racks(choices: Choices, extras: Mapping[str, int] = NONE) -> Group:
    """Choose a group of five to eight racks, partitions with up to six replicas, and members in known racks."""
    numbers = {"racks": (5, 8), "replication": (1, 6), "partitions": (1, 12), "members": (4, 10)}
    kinds = {"racks": {"plain": 1}, "replicas": {"in turn": 1, "anywhere": 1}, "homes": {"anywhere": 1}}
    return choose_large_group(choices, numbers, kinds, extras)


def choose_weighted_group(choices: Choices) -> Group:
    """Choose a small group whose weights and capacities are around limits; no property reads them, but an assignor may."""
    group = choose_large_group(choices, {"partitions": (1, 6)})
    topics = tuple(
        replace(topic, weights=tuple(choices.pick((0, *EDGES)) for _ in topic)) for topic in group.topics
    )
    members = tuple(
        replace(member, capacity=choices.pick(EDGES) if choices.chance(50) else None)
        for member in group.members
    )
    return replace(group, topics=topics, members=members, weight_unit="records")


def choose_edge_group(choices: Choices, edges: Sequence[int] = EDGES) -> Group:
    """Choose a small group whose newest generation is one of these edges, and claims to partitions around limits that do not exist.

    Claims of several generations contradict each other, so that the newest one counts.
    """
    kinds = {**ANY, "claims": {"scattered": 2, "stale": 1, "anyhow": 1}, "extras": {"none": 1}}
    numbers = {**USUAL, **SIZES["small"], "members": (2, 6), "partitions": (1, 6)}
    group = generate_group(choices, Settings(numbers, kinds, {}))
    newest = max((m.generation for m in group.members if m.generation is not None), default=0)
    shift = choices.pick(edges) - newest
    vanished = choices.some(group.members) if choices.chance(40) else ()

    def moved(member: Member) -> Member:
        owned = member.owned
        if member in vanished and member.topics:
            far = TopicPartition(choices.pick(member.topics), choices.pick(edges))
            owned = (*(claim for claim in owned if claim != far), far)
        later = None if member.generation is None else member.generation + shift
        return with_claims(member, owned, later)

    changed = replace(group, members=tuple(map(moved, group.members)))
    return _let_claim_late(choices, changed, newest + shift) if choices.chance(75) else changed


def _let_claim_late(choices: Choices, group: Group, newest: int) -> Group:
    """Let a member claim up to three partitions of an owner in the newest generation, one generation too late."""
    pairs = [
        (owner, rival, shared)
        for owner in group.members
        for rival in group.members
        if owner is not rival
        and (
            shared := [
                claim for claim in owner.owned if claim.topic in rival.topics and claim not in rival.owned
            ]
        )
    ]
    if not pairs:
        return group
    owner, rival, shared = choices.pick(pairs)
    late = (*rival.owned, *shared[: 1 + choices.below(3)])
    changed = {
        owner.id: with_claims(owner, owner.owned, newest),
        rival.id: with_claims(rival, late, newest - 1),
    }
    return replace(group, members=tuple(changed.get(member.id, member) for member in group.members))


def list_large_kinds(extras: Mapping[str, int] = NONE) -> dict[str, Callable[[Choices], Group]]:
    """Return for each kind of large groups the function that chooses one with these optional fields, by weight."""
    return {
        **{
            f"partitions {kind}": partial(choose_large_topic, counts=counts, extras=extras)
            for kind, counts in COUNTS.items()
        },
        **{
            f"members to {most}": partial(
                choose_large_group,
                numbers={"members": (least, most), "topics": (1, 3), "partitions": (10, 40)},
                extras=extras,
            )
            for least, most in ((17, 32), (33, 40))
        },
        "topics": partial(choose_many_topics, extras=extras),
        "racks": partial(choose_many_racks, extras=extras),
        "integers of some digits": partial(choose_edge_group, edges=DIGITS),
        **{f"integers of {bits} bits": partial(choose_edge_group, edges=list_edges(bits)) for bits in BITS},
    }


LARGE: Mapping[str, Callable[[Choices], Group]] = {**list_large_kinds(), "weights": choose_weighted_group}
"""Kind of large groups of consumers -> the function that chooses one."""


def choose_directed_group(choices: Choices, extras: Mapping[str, int]) -> Group:
    """Choose a group in which racks and subscriptions conflict, one around limits, or one of 7 to 20 members."""
    kind = choices.below(3)
    if kind == 0:
        return choose_distant_group(choices)
    if kind == 1:
        return choose_edge_group(choices)
    return choose_large_group(choices, {**SIZES["medium"], "members": (7, 20)}, extras=extras)


def _count_racks(group: Group) -> int:
    return len({rack for topic in group.topics for near in topic.racks or () for rack in near} - {None})


DIMENSIONS: Mapping[str, tuple[int, Callable[[Group], int]]] = {
    "members": (20, lambda group: len(group.members)),
    "topics": (10, lambda group: len(group.topics)),
    "partitions of a topic": (
        256, lambda group: max((topic.partitions for topic in group.topics), default=0)
    ),
    "racks": (5, _count_racks),
    "generation": (32_768, lambda group: max((member.generation or 0 for member in group.members), default=0)),
    "number of an owned partition": (
        256, lambda group: max((claim.partition for member in group.members for claim in member.owned), default=0)
    ),
}  # fmt: skip
"""Dimension of a group -> the number from which it is large, and the function that finds it."""
