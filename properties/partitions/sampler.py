"""Sampling groups by seed: the limits and weights of a sweep as settings of the generator, the same on every machine.

Doubling: groups of a few shapes that grow by doubling, by which it is told how the time of an answer grows.
"""

from collections.abc import Callable, Mapping, Sequence

from kassay.model import Group, Member, Topic
from kassay.properties.partitions.generating.events import PLAIN, USUAL, anything
from kassay.properties.partitions.generating.groups import timeline
from kassay.properties.partitions.rounds import Assign, after
from kassay.properties.settings import drawing

NUMBERS: Mapping[str, tuple[int, int]] = {
    "members": (1, 100_000),
    "topics": (0, 100_000),
    "partitions": (0, 1_000_000),
    "partitions_per_member": (0, 10_000),
    "racks": (0, 1_000),
    "replication": (1, 100),
    "static_percent": (0, 100),
    "churn": (0, 1_000),
}
"""The widest limits of what is drawn uniformly between two limits; the usual ones are USUAL."""
KINDS: Mapping[str, Sequence[str]] = {
    "subscriptions": ("all", "same", "some", "one", "pair", "odd"),
    "claims": (
        "none", "even", "newcomers", "joined", "leavers", "uneven", "stale", "contested", "vanished", "resubscribed", "scaled out",
    ),
    "sizes": ("any", "hot", "heavy"),
    "order": ("listed", "shuffled"),
    "names": ("plain", "hostile"),
    "extras": ("none", "user data", "hosts", "joined", "ids", "withheld", "weights", "even weights", "capacities"),
    "shape": ("asked", "anything"),
}  # fmt: skip
"""What is drawn by weight for each group; the first kind where none is given. A shape of `anything` is what `kassay check`
tries: all else but `churn` is drawn without regard to the settings."""

draw = drawing(timeline, USUAL, PLAIN, KINDS, anything)


def _names(number: int) -> tuple[str, ...]:
    return tuple(f"t{at:05}" for at in range(number))


def members_alike(size: int) -> Group:
    """Make a group of many members that subscribe to the same five topics (KAFKA-9987)."""
    names = _names(5)
    members = 25 * size
    topics = tuple(Topic(name, members + 1) for name in names)
    return Group(topics, tuple(Member(f"m{at:05}", names) for at in range(members)))


def partitions_lopsided(size: int) -> Group:
    """Make a group of eight members with many partitions, of which one reads a single one (KAFKA-15106)."""
    names = _names(5)
    topics = (*(Topic(name, 25 * size + (name == names[0])) for name in names), Topic("small", 1))
    most = tuple(Member(f"m{at}", (*names, "small")) for at in range(1, 8))
    return Group(topics, (Member("m0", ("small",)), *most))


def topics_unlike(size: int) -> Group:
    """Make a group of twenty members that read all of many topics but one (KAFKA-12675)."""
    names = _names(20 * size)
    topics = tuple(Topic(name, 3) for name in names)
    return Group(topics, tuple(Member(f"m{at:05}", names[:at] + names[at + 1 :]) for at in range(20)))


def members_unlike(size: int) -> Group:
    """Make a group of many members that read all of twenty topics but one (KAFKA-12675)."""
    names = _names(20)
    members = 12 * size
    topics = tuple(Topic(name, members // 4) for name in names)
    left_out = (at % len(names) for at in range(members))
    return Group(
        topics, tuple(Member(f"m{at:05}", names[:n] + names[n + 1 :]) for at, n in enumerate(left_out))
    )


def _fresh(make: Callable[[int], Group]) -> Callable[[Assign, int], Group]:
    return lambda _, size: make(size)


def _joined(make: Callable[[int], Group]) -> Callable[[Assign, int], Group]:
    """Let the members own what the assignor gives them, and one more join that subscribes as the last one does."""

    def joined(assign: Assign, size: int) -> Group:
        group = make(size)
        there = after(group, assign(group))
        return Group(there.topics, (*there.members, Member("newcomer", group.members[-1].topics)))

    return joined


SHAPES: Mapping[str, Callable[[int], Group]] = {
    "many alike": members_alike,
    "few unlike": partitions_lopsided,
    "many unlike": members_unlike,
    "many topics unlike": topics_unlike,
}

GROWING: Mapping[str, Callable[[Assign, int], Group]] = {
    name: grows
    for shape, make in SHAPES.items()
    for name, grows in ((shape, _fresh(make)), (f"{shape}, one of them new", _joined(make)))
}
"""What grows -> its group for an assignor and a size, which is doubled each time."""
