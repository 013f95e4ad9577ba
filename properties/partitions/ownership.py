"""Ownership in generated groups: the assignments of earlier generations, and the partitions that members still report.

Also groups of three members in different racks, of which one reads one of two topics and is far from all replicas. In other
groups racks and different subscriptions seldom conflict, and then with many partitions.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TypeAlias

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.properties.choices import Choices
from kassay.properties.partitions.owners import partition_counts

Dealt: TypeAlias = dict[str, list[TopicPartition]]


@dataclass(frozen=True, slots=True)
class Past:
    """The last generation and the changes since.

    The `joined` members were not there. A member that `missed` generations reports its partitions of the generation before
    these. `gone` is the number of members that left. `counts` are the partitions of the topics then, None if they are
    unchanged. With `everybody` all members subscribed to all topics. `contested` is the number of partitions that a second
    member reports too. `ways` are the weights of WAYS, `order` is one of ORDERS.
    """

    joined: Collection[str] = ()
    missed: Mapping[str, int] = field(default_factory=dict)
    gone: int = 0
    counts: Mapping[str, int] | None = None
    everybody: bool = False
    contested: int = 0
    ways: Mapping[str, int] = field(default_factory=lambda: {"in turn": 1})
    order: str = "dealt"
    generation: int = 5


def choose_claims(choices: Choices, group: Group, past: Past) -> Group:
    """Return the group with the owned partitions that follow from its past."""
    there = [member.id for member in group.members if member.id not in past.joined]
    if past.gone:
        there = choices.pick_order([*there, *(f"\n gone {at}" for at in range(past.gone))])
    dealt = [
        _deal(choices, group, past, [name for name in there if past.missed.get(name, 0) <= ago])
        for ago in range(1 + max(past.missed.values(), default=0))
    ]
    _add_contested(choices, group, past, dealt[0])
    report = ORDERS[past.order]

    def claiming(member: Member) -> Member:
        if member.id in past.joined:
            return member
        ago = past.missed.get(member.id, 0)
        owned = tuple(report(choices, dealt[ago].get(member.id, [])))
        return with_claims(member, owned, past.generation - ago)

    return replace(group, members=tuple(map(claiming, group.members)))


def with_claims(member: Member, owned: tuple[TopicPartition, ...], generation: int | None) -> Member:
    """Return the member with other owned partitions; many times as fast as `replace`."""
    return Member(
        member.id, member.topics, owned, generation, member.instance_id, member.rack, member.user_data
    )


def _deal(choices: Choices, group: Group, past: Past, present: Sequence[str]) -> Dealt:
    """Deal each topic's partitions to its subscribers that were present."""
    dealt: Dealt = {name: [] for name in present}
    if not present:
        return dealt
    way = WAYS[choices.pick_weighted(past.ways)]
    readers = None if past.everybody else _find_readers(group, present)
    turn = choices.below(len(present))
    for name, count in (past.counts or partition_counts(group)).items():
        takers = present if readers is None else readers.get(name, ())
        if takers:
            for partition, owner in zip(
                Topic(name, count), way(choices, takers, count, dealt, turn), strict=True
            ):
                dealt[owner].append(partition)
            turn += count
    return dealt


def _find_readers(group: Group, present: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Return the present subscribers of each topic, in their order; former members subscribed to all topics."""
    topics = {member.id: member.topics for member in group.members}
    everything = tuple(topic.name for topic in group.topics)
    alike: dict[tuple[str, ...], list[str]] = {}
    for name in present:
        alike.setdefault(topics.get(name, everything), []).append(name)
    crowds: dict[str, list[list[str]]] = {}
    for read, crowd in alike.items():
        for topic in dict.fromkeys(read):
            crowds.setdefault(topic, []).append(crowd)
    place = {name: at for at, name in enumerate(present)}
    return {
        topic: those[0] if len(those) == 1 else sorted(chain.from_iterable(those), key=place.__getitem__)
        for topic, those in crowds.items()
    }


def _add_contested(choices: Choices, group: Group, past: Past, dealt: Dealt) -> None:
    """Let members report partitions of others as well."""
    holders = [m.id for m in group.members if dealt.get(m.id)] if past.contested else []
    for _ in range(past.contested if holders else 0):
        partition = choices.pick(dealt[owner := choices.pick(holders)])
        rivals = [
            m.id for m in group.members if m.id in dealt and m.id != owner and partition.topic in m.topics
        ]
        if rivals and partition not in dealt[rival := choices.pick(rivals)]:
            dealt[rival].append(partition)


Way: TypeAlias = Callable[[Choices, Sequence[str], int, Dealt, int], Sequence[str]]
"""A function of the subscribers of a topic, its number of partitions, the partitions dealt before and the turn; it returns the
owners.
"""


def _deal_evenly(
    _choices: Choices, readers: Sequence[str], count: int, dealt: Dealt, _turn: int
) -> Sequence[str]:
    """Return the owners if each partition goes to the subscriber with the fewest partitions."""
    loads = {reader: len(dealt[reader]) for reader in readers}
    owners = []
    for _ in range(count):
        owners.append(min(loads, key=loads.__getitem__))
        loads[owners[-1]] += 1
    return owners


WAYS: Mapping[str, Way] = {
    "evenly": _deal_evenly,
    "in turn": lambda _, readers, count, _dealt, turn: [
        readers[(turn + n) % len(readers)] for n in range(count)
    ],
    "in runs": lambda _, readers, count, _dealt, _turn: [
        readers[n * len(readers) // count] for n in range(count)
    ],
    "anyhow": lambda choices, readers, count, _dealt, _turn: [choices.pick(readers) for _ in range(count)],
    "to the first": lambda _, readers, count, _dealt, _turn: [readers[0]] * count,
}
"""Way of dealing -> the owners of a topic's partitions."""

ORDERS: Mapping[str, Callable[[Choices, list[TopicPartition]], Sequence[TopicPartition]]] = {
    "dealt": lambda _, owned: owned,
    "backwards": lambda _, owned: owned[::-1],
    "by number": lambda _, owned: sorted(owned, key=lambda claim: (claim.partition, claim.topic)),
    "shuffled": lambda choices, owned: choices.pick_order(owned),
}
"""Order of reporting (KAFKA-16277) -> the owned partitions in that order."""


SCATTERED = 24
"""The maximum number of different partitions in scattered claims."""
VANISHED = "vanished"
"""A topic that is reported although it does not exist."""
_WAYS = {"evenly": 2, "in turn": 1, "in runs": 1, "anyhow": 1, "to the first": 1}
_ORDERS = {"dealt": 2, "backwards": 1, "by number": 1, "shuffled": 1}


def _add_vanished_claims(choices: Choices, group: Group) -> Group:
    """Let members still report partitions and topics that do not exist any more."""
    counts = {name: count + choices.below(4) for name, count in partition_counts(group).items()}
    return choose_claims(
        choices, group, Past(counts=counts | {VANISHED: 1 + choices.below(3)}, everybody=True)
    )


def _add_sticky_claims(_: Choices, group: Group) -> Group:
    """Let members join one by one, each with a fair share of the last partitions of every other; the last one has just joined.

    So the last topics are with the last members, as sticky assignors leave them.
    """
    first, *others = group.members
    held = {first.id: [p for topic in group.topics for p in topic if topic.name in first.topics]}
    for member in others[:-1]:
        held[member.id] = []
        for giver in [*held][:-1]:
            rest = [p for p in held[giver] if p.topic not in member.topics]
            some = [p for p in held[giver] if p.topic in member.topics]
            keeps = max(0, len(some) - len(held[giver]) // len(held))
            held[giver] = [*rest, *some[:keeps]]
            held[member.id] += some[keeps:]
    members = (with_claims(m, tuple(held.get(m.id, ())), 5 if m.id in held else None) for m in group.members)
    return replace(group, members=tuple(members)) if others else group


def _add_any_claims(choices: Choices, group: Group) -> Group:
    """Let members join, leave, miss generations or resubscribe, and topics change; or not."""
    ids = _ids(group)
    kind = choices.below(8)
    joined = frozenset(() if kind < 3 else (choices.pick(ids),) if kind < 6 else choices.some(ids))
    missed = dict.fromkeys(choices.some(ids), 1) if choices.chance(20) else {}
    missed |= dict.fromkeys(filter(missed.__contains__, choices.some(ids) if missed else ()), 2)
    counts = partition_counts(group)
    if counts and choices.chance(30):
        name = choices.pick(list(counts))
        counts[name] = max(0, counts[name] + choices.pick((-1, 1, -2, 2, 3)))
    if choices.chance(10):
        counts[VANISHED] = 1 + choices.below(3)
    past = Past(
        joined, missed, choices.below(3), counts, everybody=choices.chance(12), contested=int(choices.chance(8)),
        ways=_WAYS, order=choices.pick_weighted(_ORDERS), generation=2 + choices.below(4),
    )  # fmt: skip
    return choose_claims(choices, group, past)


def _add_scattered_claims(choices: Choices, group: Group) -> Group:
    """Let members report partitions of any generation, twice, of unsubscribed topics, and in half the groups of deleted ones."""
    beyond = choices.below(2)
    known = [
        TopicPartition(topic.name, n)
        for topic in group.topics
        for n in range(min(topic.partitions + beyond, 8))
    ]
    if beyond and choices.chance(40):
        known.insert(0, TopicPartition(VANISHED, choices.below(3)))
    known = known[:SCATTERED]
    members = []
    for member in group.members:
        owned = choices.some(known)
        if choices.chance(60):  # half as many
            owned = owned[choices.below(2) :: 2]
        members.append(with_claims(member, owned, choices.pick((1, 1, 1, 2, 2, 3, None, 0))))
    return replace(group, members=tuple(members))


CLAIMS: Mapping[str, Callable[[Choices, Group], Group]] = {
    "none": lambda _, group: group,
    "even": lambda choices, group: choose_claims(choices, group, Past()),
    "newcomers": lambda choices, group: choose_claims(
        choices, group, Past(joined=frozenset(choices.part(_ids(group)) if len(group.members) > 1 else ()))
    ),
    # The last member of the list.
    "joined": lambda choices, group: choose_claims(
        choices, group, Past(joined=frozenset(_ids(group)[1:][-1:]))
    ),
    "leavers": lambda choices, group: choose_claims(
        choices, group, Past(gone=1 + choices.below(len(group.members)))
    ),
    "uneven": lambda choices, group: choose_claims(choices, group, Past(ways={"anyhow": 1})),
    # Some members have missed the last generation, and report their earlier partitions (KAFKA-12984).
    "stale": lambda choices, group: choose_claims(
        choices, group, Past(missed=dict.fromkeys(choices.part(_ids(group)), 1))
    ),
    # Two members claim the same partition in the same generation (KAFKA-7026).
    "contested": lambda choices, group: choose_claims(choices, group, Past(contested=1 + choices.below(3))),
    "vanished": _add_vanished_claims,
    # All members subscribed to all topics in the last generation, and still report their partitions.
    "resubscribed": lambda choices, group: choose_claims(choices, group, Past(everybody=True)),
    "scaled out": _add_sticky_claims,
    "anyhow": _add_any_claims,
    "scattered": _add_scattered_claims,
}
"""Kind of owned partitions -> the function that adds them."""


def _ids(group: Group) -> list[str]:
    return [member.id for member in group.members]


RACKS = ("r0", "r1", "r2")
MOST_PARTITIONS = 16


def choose_distant_group(choices: Choices) -> Group:
    """Choose a group with a distant member: replicas are in one or both of the other members' racks, or in an unknown rack."""
    far = choices.pick(RACKS)
    near = tuple(rack for rack in RACKS if rack != far)
    homes = (near, near[::-1], near[:1], near[1:], (None,))
    topics = tuple(
        Topic(name, count, tuple(choices.pick(homes) for _ in range(count)))
        for name in ("t0", "t1")
        for count in [1 + choices.below(MOST_PARTITIONS)]
    )
    read = choices.pick((("t0",), ("t1",)))
    members = tuple(
        Member(f"m{n}", read if rack == far else ("t0", "t1"), rack=rack)
        for n, rack in enumerate(choices.pick_order(RACKS))
    )
    return Group(topics, members)
