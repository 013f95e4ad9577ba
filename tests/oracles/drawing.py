"""Random groups and problems, small enough to be counted out, with every trap in them."""

from dataclasses import replace
from functools import partial
from itertools import permutations
from random import Random

import numpy as np
from second_opinions import random_problems

from kassay.model import Assignment, Group, Member, Topic, TopicPartition
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import Problem
from kassay.oracles.partitions.levels import LEVELS

COSTS = ("moves", "cross-rack")
"""The levels that random problems are drawn with; a further level has its costs in groups alone."""
tiny = partial(random_problems.tiny, names=COSTS)
synthetic = partial(random_problems.synthetic, names=COSTS)
"""Random problems whose levels have the names that questions about partitions use."""

ORDERS = [",".join(order) for n in (1, 2, 3) for order in permutations((BALANCE, *COSTS), n)]
"""Questions whose levels are loads and costs."""
FLOWS = [name for name, level in LEVELS.items() if not level.weighs]
SPREAD = [",".join(order) for n in (1, 2, 3) for order in permutations(FLOWS, n) if TOPIC_SPREAD in order]
"""Those that ask for the spread of topics."""
QUESTIONS = [
    *ORDERS, *SPREAD, "balance,topic-spread,moves,cross-rack", "cross-rack,moves,topic-spread,balance", "co-partition", "co-partition,moves,cross-rack", "co-partition,moves", "redundancy",
    "copies=2,cross-rack", "copies=2,cross-rack,balance,moves", "copies=3,balance,moves",
    "shared", "shared,balance", "shared,moves", "shared,cross-rack,balance,moves",
]  # fmt: skip


def group(r: Random, members: int = 4, topics: int = 3, total: int = 6) -> Group:
    """Topics that nobody reads or that are empty, idle members, stale, contradicting and vanished claims, unknown racks."""
    racks = r.choice([["a"], ["a", "b"], ["a", "b", "c"]])
    left = total
    drawn = []
    for t in range(r.randint(1, topics)):
        count = min(left, r.randint(0, 4))
        left -= count
        known = r.random() < 0.75
        near = tuple(
            tuple(r.choice([*racks, *racks, None]) for _ in range(r.randint(0, 2))) for _ in range(count)
        )
        drawn.append(Topic(f"t{t}", count, near if known else None))
    count = r.randint(0, members) if r.random() < 0.05 else r.randint(1, members)
    everything, claiming = r.random() < 0.4, r.choice([0, 0.5, 1.2])
    joined = []
    for m in range(count):
        topics_ = tuple(t.name for t in drawn if everything or r.random() < 0.7) + ("gone",) * (
            r.random() < 0.1
        )
        claimable = [
            TopicPartition(t.name, n) for t in drawn for n in range(t.partitions + (r.random() < 0.05))
        ]
        owned = tuple(p for p in claimable if r.random() < claiming / count)
        generation = r.choice([None, 1, 2]) if r.random() < 0.3 else 2
        rack = r.choice([*racks, *racks, None, ""])
        joined.append(Member(f"m{m}", topics_, owned, generation, None, rack))
    return Group(tuple(drawn), tuple(joined))


def asking(r: Random, text: str) -> Group:
    """A group for a question: where that is one of share groups, some partitions may not be given."""
    of = group(r)
    if not text.startswith("shared"):
        return of
    some = ({n for n in range(topic.partitions) if r.random() < 0.2} for topic in of.topics)
    topics = zip(of.topics, some, strict=True)
    return replace(of, topics=tuple(replace(topic, unassignable=tuple(n)) for topic, n in topics))


def assignment(r: Random, of: Group) -> Assignment:
    """Any legal assignment of one copy each."""
    given: dict[str, list[TopicPartition]] = {member.id: [] for member in of.members}
    for topic in of.topics:
        readers = [member.id for member in of.members if topic.name in member.topics]
        for partition in topic if readers else ():
            given[r.choice(readers)].append(partition)
    return given


def a_large_group() -> Group:
    """150 members with different subscriptions of five topics of 400 partitions, in three racks."""
    racks = ("a", "b", "c")
    topics = tuple(
        Topic(f"t{t}", 400, tuple((racks[n % 3], racks[(n + t) % 3]) for n in range(400))) for t in range(5)
    )
    members = tuple(
        Member(
            f"m{m:03}", tuple(f"t{t}" for t in range(5) if (m + t) % 3),
            (TopicPartition(f"t{m % 5}", m),) if (m + m % 5) % 3 else (), 1, rack=racks[m % 7 % 3],
        )
        for m in range(150)
    )  # fmt: skip
    return Group(topics, members)


def to_the_first(group: Group) -> dict[str, list]:
    """Gives everything to the first subscriber."""
    given = {member.id: [] for member in group.members}
    for topic in group.topics:
        readers = [member.id for member in group.members if topic.name in member.topics]
        if readers:
            given[readers[0]] += list(topic)
    return given


def dearer(of: Problem, cost: int) -> Problem:
    """The problem with one cost across racks for all partitions and racks."""
    moves, cross_rack = of.levels
    return replace(of, levels=(moves, replace(cross_rack, table=np.full_like(cross_rack.table, cost))))
