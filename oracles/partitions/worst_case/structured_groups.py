"""Groups with structure, to begin a search with: random changes of a small group seldom come to such.

Each combines how topics are cut (mostly so that each leaves a remainder, which piles up), who reads them (all, or
nested: each member fewer than the one before), and, where the question asks for it, where replicas are (each member in
a rack of its own, or racks that hold exactly as much as their members can take) and who owns what.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Literal, TypeAlias

from kassay.model import Group, Member, Topic, TopicPartition

Rule: TypeAlias = Callable[[int, int, int, int], int]
"""From a topic's number, a partition's in it, how many partitions a topic has and how many members there are, to a
member's number, or a negative one for nobody."""

READS: Mapping[str, Callable[[int, int, int], bool]] = {
    "all read all": lambda _topic, _member, _members: True,
    "nested, most first": lambda topic, member, _members: topic >= member,
    "nested, most last": lambda topic, member, members: topic >= members - 1 - member,
}
"""Whether a member reads a topic; whoever would read nothing reads the last topic."""

RULES: Mapping[str, Rule] = {
    "in runs": lambda _topic, number, size, members: number * members // size,
    "in runs, backwards": lambda _topic, number, size, members: members - 1 - number * members // size,
    "in turn": lambda topic, number, size, members: (topic * size + number) % members,
    "in turn, backwards": lambda topic, number, size, members: (
        (members - 1 - topic * size - number) % members
    ),
    "one topic otherwise": lambda topic, number, size, members: (
        number * members // size if topic == 0 else members - 1 - number * members // size
    ),
    "tight, first": lambda topic, number, size, members: _tight(topic * size + number, members),
    "tight, last": lambda topic, number, size, members: _tight(topic * size + size - 1 - number, members),
}
"""To which member a partition belongs: its only replica is in that member's rack, or the member owns it."""


def _tight(place: int, members: int) -> int:
    """Give the last half of the members every other partition, in turn, and leave the rest to anybody."""
    half = members // 2
    return members - 1 - place // 2 % half if place % 2 else -1


def seeds(
    about: Literal["", "owners", "racks"], *, members: int = 8, partitions: int = 16
) -> Iterator[Group]:
    """Yield structured groups of up to so many members and partitions, with racks or owners where it is about them."""
    rules = list(RULES.values()) if about else [_nobody]
    cuts = {(topics, size) for topics in range(1, partitions + 1) for size in (1, 2, 3, partitions // topics)}
    counts = [count for count in (2, 3, 4, 6, 8) if count <= members]
    for topics, size in sorted(cut for cut in cuts if cut[0] * cut[1] <= partitions):
        for count, reads, rule in product(counts, READS.values(), rules):
            yield _group((topics, size, count), reads, rule, racks=about == "racks")


def _nobody(_topic: int, _number: int, _size: int, _members: int) -> int:
    return -1


def _group(
    counts: tuple[int, int, int], reads: Callable[[int, int, int], bool], rule: Rule, *, racks: bool
) -> Group:
    topics, size, members = counts
    names = [f"t{t:02}" for t in range(topics)]
    of = [[rule(topic, number, size, members) for number in range(size)] for topic in range(topics)]
    near = [tuple((f"r{m}",) if m >= 0 else () for m in row) if racks else None for row in of]
    owned: list[list[TopicPartition]] = [[] for _ in range(members + 1)]
    for name, row in zip(names, of, strict=True):
        for number, m in enumerate(row):
            owned[-1 if racks else m].append(TopicPartition(name, number))
    return Group(
        tuple(Topic(name, size, row) for name, row in zip(names, near, strict=True)),
        tuple(
            Member(
                f"m{m}",
                tuple(n for t, n in enumerate(names) if reads(t, m, members)) or (names[-1],),
                tuple(owned[m]),
                1 if any(owned[:-1]) else None,
                None,
                f"r{m}" if racks else None,
            )
            for m in range(members)
        ),
    )
