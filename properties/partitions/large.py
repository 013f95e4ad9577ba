"""Generators of large groups of topics and members, and of groups with integers at the limits of the machine's."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from kassay.model import Group, Member, TopicPartition
from kassay.properties.choices import BITS, COUNTS, EDGES, Choices, Settings, list_edges
from kassay.properties.partitions.events import ANY, SIZES, USUAL
from kassay.properties.partitions.groups import generate_group
from kassay.properties.partitions.ownership import with_claims

CLAIMS = {"none": 2, "even": 1, "joined": 2, "stale": 1, "uneven": 1}
FEW = {**USUAL, "members": (2, 6), "racks": (1, 4)}


def choose_large_group(
    choices: Choices, numbers: Mapping[str, tuple[int, int]], sizes: Mapping[str, int]
) -> Group:
    """Choose a group of some numbers and sizes of topics, few members and topics otherwise."""
    kinds = {**ANY, "claims": CLAIMS, "sizes": sizes, "extras": {"none": 1}}
    return generate_group(choices, Settings({**FEW, **numbers}, kinds, {}))


def choose_large_topic(choices: Choices, counts: Sequence[int]) -> Group:
    """Choose a group that has a topic of many partitions, and seldom many members."""
    most = choices.pick(counts)
    members = (20, 40) if choices.chance(12) else FEW["members"]
    numbers = {"topics": (1, 2), "partitions": (0, most), "members": members}
    return choose_large_group(choices, numbers, {"hot": 1})


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

    there = replace(group, members=tuple(map(moved, group.members)))
    return _let_claim_late(choices, there, newest + shift) if choices.chance(75) else there


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


LARGE: Mapping[str, Callable[[Choices], Group]] = {
    **{f"partitions {kind}": partial(choose_large_topic, counts=counts) for kind, counts in COUNTS.items()},
    "members": partial(
        choose_large_group,
        numbers={"members": (17, 40), "topics": (1, 3), "partitions": (10, 40)},
        sizes={"any": 1},
    ),
    "topics": partial(
        choose_large_group, numbers={"topics": (10, 30), "partitions": (1, 6)}, sizes={"any": 1}
    ),
    **{f"integers of {bits} bits": partial(choose_edge_group, edges=list_edges(bits)) for bits in BITS},
}
"""Kind of large groups -> the function that chooses one."""

DIMENSIONS: Mapping[str, tuple[int, Callable[[Group], int]]] = {
    "members": (20, lambda group: len(group.members)),
    "topics": (10, lambda group: len(group.topics)),
    "partitions of a topic": (
        256, lambda group: max((topic.partitions for topic in group.topics), default=0)
    ),
    "generation": (32_768, lambda group: max((member.generation or 0 for member in group.members), default=0)),
    "number of an owned partition": (
        256, lambda group: max((claim.partition for member in group.members for claim in member.owned), default=0)
    ),
}  # fmt: skip
"""Dimension of a group -> the number from which it is large, and the function that finds it."""
