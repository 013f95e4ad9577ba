"""Rebalances: the group after an assignment, and the assignments until they repeat."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from kassay.model import INT32_MAX, Assignment, Group, TopicPartition
from kassay.properties.partitions.owners import NO_GENERATION, generation

ROUNDS = 8
"""The number of rebalances within which an assignor must converge."""

Assign = Callable[[Group], Assignment]


def apply_assignment(group: Group, assignment: Assignment) -> Group:
    """Return the group as its members rejoin after an assignment: each owns its assigned partitions, in the next generation.

    A partition assigned to a member twice is owned once, and partition numbers outside 0 to 2^31-1 are dropped. Partitions
    assigned to unknown members are lost.
    """
    following = next_generation(group)
    return replace(
        group,
        members=tuple(
            replace(member, owned=list_claimable(assignment.get(member.id, ())), generation=following)
            for member in group.members
        ),
    )


def build_follow_up(group: Group, assignment: Assignment) -> Group | None:
    """Return the group of the follow-up rebalance; None if no partition waits to be revoked, or others are unassigned.

    A partition waits if it is unassigned and its owner must revoke it first (KIP-429).
    """
    wanted = {topic for member in group.members for topic in member.topics}
    every = set(chain.from_iterable(topic for topic in group.topics if topic.name in wanted))
    missing = every.difference(*assignment.values())
    waits = missing and not missing.difference(*(member.owned for member in group.members))
    return apply_assignment(group, assignment) if waits else None


def next_generation(group: Group) -> int:
    """Return the generation after the highest one; after 2^31-1 it starts again at 1, as in Kafka."""
    highest = max(map(generation, group.members), default=NO_GENERATION)
    return 1 if highest == INT32_MAX else max(highest, 0) + 1


def list_claimable(given: Sequence[TopicPartition]) -> tuple[TopicPartition, ...]:
    """Return the partitions that a member can report: each once, without impossible numbers."""
    return tuple([p for p in dict.fromkeys(given) if 0 <= p[1] <= INT32_MAX])


def is_same(one: Assignment, other: Assignment) -> bool:
    """Return True if two assignments are equal but for the order of partitions."""
    return one == other or (
        one.keys() == other.keys() and all(sorted(one[member]) == sorted(other[member]) for member in one)
    )


@dataclass(frozen=True, slots=True)
class Settled:
    """The end of a sequence of rebalances: the last group, the last assignment and the number of rebalances.

    `rounds` counts the assignments up to the first one that repeats; it is None if none does within ROUNDS. Then `period` is
    the number of rebalances after which the last assignment came back, which makes an endless cycle; it is None if the last
    assignment was new.
    """

    group: Group
    assignment: Assignment
    rounds: int | None
    period: int | None = None


def settle(assign: Assign, group: Group) -> Settled:
    """Feed back an assignor's assignments until one repeats, at most ROUNDS times."""
    answers = [assign(group)]
    for number in range(1, ROUNDS + 1):
        group = apply_assignment(group, answers[-1])
        following = assign(group)
        if is_same(answers[-1], following):
            return Settled(group, following, number)
        answers.append(following)
    earlier = answers[-2::-1]
    # Compare the lists with their order, which members report too: then the rest differs only in the generation.
    period = earlier.index(answers[-1]) + 1 if answers[-1] in earlier else None
    return Settled(group, answers[-1], None, period)
