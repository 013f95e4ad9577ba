"""How the time of an assignor grows with the number of members."""

import time
from itertools import pairwise
from statistics import geometric_mean

from kassay.model import Group, Member, Topic
from kassay.targets import Target

SIZES = (100, 200, 400, 800)
PARTITIONS_PER_MEMBER = 5
TOPICS = 5
TIMES = 3


def growth(target: Target) -> float:
    """Return by how much the time is multiplied, on average, when members and partitions double."""
    _seconds(target, SIZES[0])  # lets Java compile
    seconds = [_seconds(target, size) for size in SIZES]
    return geometric_mean(later / earlier for earlier, later in pairwise(seconds))


def _seconds(target: Target, members: int) -> float:
    """Return the shortest time of an answer to members that have just joined and subscribe to the same topics."""
    names = tuple(f"t{number}" for number in range(TOPICS))
    topics = tuple(Topic(name, members * PARTITIONS_PER_MEMBER // TOPICS) for name in names)
    group = Group(topics, tuple(Member(f"m{number:05}", names) for number in range(members)))
    times = []
    for _ in range(TIMES):
        start = time.perf_counter()
        target.assign(group)
        times.append(time.perf_counter() - start)
    return min(times)
