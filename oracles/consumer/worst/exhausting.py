"""Every group of a few members, partitions, topics and racks, once each up to what racks are called."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations, product

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.oracles.consumer.worst.judging import Assign, Case, judged

Sets = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Space:
    """What varies: up to so many members, partitions in all, topics and racks; subscriptions and claims if wished.

    Every topic has partitions and subscribers, every member a subscription; with racks every member is in one
    and every partition has replicas in one or more; with claims each partition has one owner or none, among
    all members. Members and topics are told apart by their names, as ties are broken by names.
    """

    members: int
    partitions: int
    topics: int = 1
    racks: int = 0
    mixed: bool = False
    claims: bool = False

    def __str__(self) -> str:
        parts = [
            count(self.members, "member"),
            count(self.partitions, "partition"),
            count(self.topics, "topic"),
        ]
        parts += [count(self.racks, "rack")] * bool(self.racks)
        parts += ["mixed subscriptions"] * self.mixed + ["claims"] * self.claims
        return f"{', '.join(parts[:-1])} and {parts[-1]}"


@dataclass(frozen=True, slots=True)
class Exhausted:
    """What trying out a space proved: for each number of members and partitions that was done wholly, the worst case.

    None stands for a size at which the assignor is never worse than the optimum. `tried` counts groups,
    `skipped` those without a judgement.
    """

    space: Space
    worst: dict[tuple[int, int], Case | None]
    tried: int
    skipped: int

    @property
    def sentence(self) -> str:
        """What is proved, in words."""
        members, partitions = _largest_block(set(self.worst))
        if not members:
            return "nothing was tried out wholly"
        within = [case for (m, p), case in self.worst.items() if case and m <= members and p <= partitions]
        worst = max((case.gap for case in within), default=0)
        done = Space(
            members, partitions, self.space.topics, self.space.racks, self.space.mixed, self.space.claims
        )
        return f"no gap above {worst} up to {done}"


def exhaust_space(assign: Assign, text: str, space: Space, tries: int = 100_000) -> Exhausted:
    """Judge an assignor on every group of a space, the smallest sizes first, and stop after `tries` groups."""
    worst: dict[tuple[int, int], Case | None] = {}
    tried = skipped = 0
    sizes = sorted(
        product(range(1, space.members + 1), range(1, space.partitions + 1)), key=lambda mp: (sum(mp), mp)
    )
    for members, partitions in sizes:
        found: Case | None = None
        for group in groups(space, members, partitions):
            if tried == tries:
                return Exhausted(space, worst, tried, skipped)
            tried += 1
            case = judged(assign, text, group)
            skipped += case is None
            if case and case.gap > (found.gap if found else 0):
                found = case
        worst[members, partitions] = found
    return Exhausted(space, worst, tried, skipped)


def groups(space: Space, members: int, partitions: int) -> Iterator[Group]:
    """Yield every group of a space with exactly so many members and partitions."""
    for topics in range(1, min(space.topics, partitions) + 1):
        for cuts in combinations(range(1, partitions), topics - 1):
            counts = [b - a for a, b in zip((0, *cuts), (*cuts, partitions), strict=True)]
            for subscriptions in _subscriptions(members, topics, mixed=space.mixed):
                for home, near in _racks(members, partitions, space.racks):
                    for owners in product(range(-1, members if space.claims else 0), repeat=partitions):
                        yield _group(counts, subscriptions, home, near, owners)


def _subscriptions(members: int, topics: int, *, mixed: bool) -> Iterator[tuple[Sets, ...]]:
    everything = tuple(range(topics))
    if not mixed:
        yield (everything,) * members
        return
    some = [chosen for size in range(1, topics + 1) for chosen in combinations(everything, size)]
    for subscriptions in product(some, repeat=members):
        if {topic for chosen in subscriptions for topic in chosen} == set(everything):
            yield subscriptions


def _racks(members: int, partitions: int, racks: int) -> Iterator[tuple[Sets, tuple[Sets, ...]]]:
    """Yield the members' racks and the partitions' sets of racks, of those that differ in names only the first."""
    if not racks:
        yield (), ()
        return
    sets = [chosen for size in range(1, racks + 1) for chosen in combinations(range(racks), size)]
    renamings = list(permutations(range(racks)))
    for home in product(range(racks), repeat=members):
        same = []
        for naming in renamings:
            renamed = tuple(naming[rack] for rack in home)
            if renamed < home:
                break
            if renamed == home:
                same.append(naming)
        else:
            for near in product(sets, repeat=partitions):
                if all(
                    tuple(tuple(sorted(naming[r] for r in each)) for each in near) >= near for naming in same
                ):
                    yield home, near


def _group(
    counts: list[int], subscriptions: tuple[Sets, ...], home: Sets, near: tuple[Sets, ...], owners: Sets
) -> Group:
    starts = [sum(counts[:t]) for t in range(len(counts))]
    racks = [tuple(f"r{rack}" for rack in each) for each in near]
    topics = tuple(
        Topic(f"t{t}", count, tuple(racks[start : start + count]) if near else None)
        for t, (start, count) in enumerate(zip(starts, counts, strict=True))
    )
    partitions = [
        TopicPartition(topic.name, number) for topic in topics for number in range(topic.partitions)
    ]
    claimed = any(owner >= 0 for owner in owners)
    return Group(
        topics,
        tuple(
            Member(
                f"m{m}", tuple(f"t{t}" for t in chosen),
                tuple(p for p, owner in zip(partitions, owners, strict=True) if owner == m),
                1 if claimed else None, rack=f"r{home[m]}" if home else None,
            )
            for m, chosen in enumerate(subscriptions)
        ),
    )  # fmt: skip


def _largest_block(done: set[tuple[int, int]]) -> tuple[int, int]:
    """Return members and partitions up to which everything was done, the block with the most sizes in it."""
    blocks = [
        (m, p) for m, p in done if all((a, b) in done for a in range(1, m + 1) for b in range(1, p + 1))
    ]
    return max(blocks, key=lambda block: (block[0] * block[1], block), default=(0, 0))


def count(number: int, noun: str) -> str:
    """Write a number of things."""
    return f"{number} {noun}" + ("s" if number != 1 else "")
