"""Rounds: what a group looks like when an assignment has taken effect, and what becomes of it round by round."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kassay.model import INT32_MAX, Assignment, Group, TopicPartition
from kassay.properties.partitions.owners import NO_GENERATION, generation

ROUNDS = 8
"""How many rounds an assignor has to settle in."""

Assign = Callable[[Group], Assignment]


def after(group: Group, assignment: Assignment) -> Group:
    """Return the group as its members rejoin after an assignment: each owns what it was given, in the next generation.

    A partition given to a member twice is claimed once, and no partition number outside 0 to 2^31-1 can be claimed;
    what strangers were given is lost.
    """
    following = next_generation(group)
    return replace(
        group,
        members=tuple(
            replace(member, owned=list_claimable(assignment.get(member.id, ())), generation=following)
            for member in group.members
        ),
    )


def rejoined(group: Group, assignment: Assignment) -> Group | None:
    """Return the group as it joins again for what an assignment withholds; None if it withholds nothing or loses more.

    A partition is withheld when no member is given it while one claims it, which first has to revoke it (KIP-429).
    """
    given = {partition for given in assignment.values() for partition in given}
    wanted = {topic for member in group.members for topic in member.topics}
    missing = {p for topic in group.topics if topic.name in wanted for p in topic if p not in given}
    claimed = {partition for member in group.members for partition in member.owned}
    return after(group, assignment) if missing and missing <= claimed else None


def next_generation(group: Group) -> int:
    """Return the generation after the highest one claimed; after 2^31-1 it starts again at 1, as Kafka's does."""
    highest = max(map(generation, group.members), default=NO_GENERATION)
    return 1 if highest == INT32_MAX else max(highest, 0) + 1


def list_claimable(given: Sequence[TopicPartition]) -> tuple[TopicPartition, ...]:
    """Return the partitions that a member given these can claim: each once, and none with an impossible number."""
    return tuple(p for p in dict.fromkeys(given) if 0 <= p.partition <= INT32_MAX)


def same(one: Assignment, other: Assignment) -> bool:
    """Return True if two assignments give every member the same partitions, in any order."""
    return one == other or (
        one.keys() == other.keys() and all(sorted(one[member]) == sorted(other[member]) for member in one)
    )


@dataclass(frozen=True, slots=True)
class Settled:
    """The end of a group's rounds: the group as it last joined, the last answer and the number of rounds.

    `rounds` counts the assignments up to the first one that was given again; it is None where that did not
    happen within ROUNDS rounds. Then `period` tells after how many rounds the last answer came back, with others
    between, so that the group goes round for ever; it is None where the answer was a new one.
    """

    group: Group
    assignment: Assignment
    rounds: int | None
    period: int | None = None


def settle(assign: Assign, group: Group) -> Settled:
    """Feed an assignor's answers back until it repeats itself, at most ROUNDS times."""
    answers = [assign(group)]
    for number in range(1, ROUNDS + 1):
        group = after(group, answers[-1])
        following = assign(group)
        if same(answers[-1], following):
            return Settled(group, following, number)
        answers.append(following)
    earlier = answers[-2::-1]
    # The same lists, for their order is claimed too: then all that follows is the same but for the generation.
    period = earlier.index(answers[-1]) + 1 if answers[-1] in earlier else None
    return Settled(group, answers[-1], None, period)
