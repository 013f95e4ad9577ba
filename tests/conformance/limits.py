"""Mutants with limits and shortcuts: correct assignors that read a part of a group, or take the first of something for all."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from conformance.scale import (
    Base,
    Break,
    build_base,
    claim_as,
    count_partitions,
    date_as,
    even_along,
    exchange_two,
    rack_as,
    read_as,
    serve_arrivals,
    tolerate_two,
)
from mutants import honest
from mutants.sharing import in_turn

from kassay.conformance.fixtures import Declared
from kassay.families.shape import Assign
from kassay.model import Assignment, Group, Member, Topic, TopicPartition

Read = Callable[[Group], Group]
"""A misreading of a group."""


def _build_misreading(name: str, read: Read) -> Break:
    """Return the mutant that asks the correct assignor about the misread group."""

    def mutant(assign: Assign, group: Group) -> Assignment:
        return assign(read(group))

    mutant.__name__ = name
    return mutant


def _build_spoiler(name: str, when: Callable[[Group], bool], spoil: Break) -> Break:
    """Return the mutant that spoils the answer to some groups."""

    def mutant(assign: Assign, group: Group) -> Assignment:
        return spoil(assign, group) if when(group) else assign(group)

    mutant.__name__ = name
    return mutant


def _count_as(count: Callable[[int], int], group: Group) -> Group:
    topics = (
        replace(t, partitions=count(t.partitions), racks=None if t.racks is None else t.racks[: count(t.partitions)])
        for t in group.topics
    )  # fmt: skip
    return replace(group, topics=tuple(topics))


def _wrap_claims(most: int, group: Group) -> Group:
    """Return the group with claims of the partitions whose numbers have the same lowest bits."""
    members = (
        replace(m, owned=tuple({TopicPartition(t, number % most): None for t, number in m.owned}))
        for m in group.members
    )
    return replace(group, members=tuple(members))


def _forget_claims_after(most: int, group: Group) -> Group:
    every = [(member.id, nth) for member in group.members for nth, _ in enumerate(member.owned)][:most]
    return claim_as(group, lambda _at, member, nth, _p: (member.id, nth) in {*every})


def _keep_topics(most: int, group: Group) -> Group:
    known = {topic.name for topic in group.topics[:most]}
    alone = replace(group, topics=group.topics[:most])
    return claim_as(
        read_as(alone, lambda _at, member: [t for t in member.topics if t in known]),
        lambda _at, _member, _nth, p: p.topic in known,
    )


def _take_first(
    of: Callable[[Group], Sequence[Member | Topic]],
    feature: Callable[[Member | Topic], Hashable],
    take: Read,
    most: int,
    group: Group,
) -> Group:
    """Take the feature of the first member or topic for all, if the first `most` have the same and more follow."""
    every = of(group)
    return take(group) if len(every) > most and len({*map(feature, every[:most])}) == 1 else group


_read_alike = partial(
    _take_first,
    lambda group: group.members,
    lambda member: frozenset(member.topics),
    lambda group: read_as(group, lambda _at, _member: group.members[0].topics),
)
_count_alike = partial(
    _take_first,
    lambda group: group.topics,
    lambda topic: topic.partitions,
    lambda group: _count_as(lambda _: group.topics[0].partitions, group),
)


def _read_ends(group: Group) -> Group:
    """Take the list of the first of six or more members for all, if the last one has the same."""
    first, *_, last = [frozenset(member.topics) for member in group.members] or [None, None]
    alike = len(group.members) >= 6 and first == last
    return read_as(group, lambda _at, _member: group.members[0].topics) if alike else group


def _read_names(name: Callable[[str], str], group: Group) -> Group:
    """Return the group in which topics with one short name are taken for each other."""

    def read(_at: int, member: Member) -> Iterable[str]:
        wanted = {*map(name, member.topics)}
        return [topic.name for topic in group.topics if name(topic.name) in wanted]

    return read_as(group, read)


def _cut_ids(most: int, assign: Assign, group: Group) -> Assignment:
    """Give nothing to a member if the id of a later one begins with the same letters."""
    answer = assign(group)
    last = {member[:most]: member for member in answer}
    return {member: given if last[member[:most]] == member else [] for member, given in answer.items()}


def _keep_racks(most: int, group: Group) -> Group:
    every = sorted({r for t in group.topics for rs in t.racks or () for r in rs if r is not None})[:most]
    return rack_as(group, lambda _at, rack: rack in every)


def _keep_racks_of_partitions(most: int, group: Group) -> Group:
    topics = (
        t if t.racks is None else replace(t, racks=tuple(rs if at < most else () for at, rs in enumerate(t.racks)))
        for t in group.topics
    )  # fmt: skip
    return replace(group, topics=tuple(topics))


def _keep_racks_of_members(most: int, group: Group) -> Group:
    members = (m if at < most else replace(m, rack=None) for at, m in enumerate(group.members))
    return replace(group, members=tuple(members))


def _to_signed(bits: int, number: int) -> int:
    return (number + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


READING: Mapping[str, Read] = {
    "counts_500_partitions": partial(_count_as, lambda count: min(count, 500)),
    "counts_1000_partitions": partial(_count_as, lambda count: min(count, 1000)),
    "counts_partitions_by_nine_bits": partial(_count_as, lambda count: count % 512),
    "counts_partitions_by_ten_bits": partial(_count_as, lambda count: count % 1024),
    "reads_32_topics": lambda group: read_as(group, lambda _at, member: member.topics[:32]),
    "knows_32_topics": partial(_keep_topics, 32),
    "takes_the_list_of_five_for_all": partial(_read_alike, 5),
    "takes_the_list_of_ten_for_all": partial(_read_alike, 10),
    "takes_the_list_of_16_for_all": partial(_read_alike, 16),
    "takes_the_list_of_both_ends_for_all": _read_ends,
    "takes_the_count_of_ten_topics_for_all": partial(_count_alike, 10),
    "takes_the_count_of_32_topics_for_all": partial(_count_alike, 32),
    "reads_32_letters_of_topics": partial(_read_names, lambda name: name[:32]),
    "reads_topics_in_any_case": partial(_read_names, str.lower),
}
"""Mutant -> how it misreads topics and subscriptions."""
OWNING: Mapping[str, Read] = {
    "owns_numbers_below_512": lambda group: claim_as(group, lambda _at, _m, _nth, p: p.partition < 512),
    "owns_numbers_below_1000": lambda group: claim_as(group, lambda _at, _m, _nth, p: p.partition < 1000),
    "owns_numbers_of_nine_bits": partial(_wrap_claims, 512),
    "remembers_64_claims": lambda group: claim_as(group, lambda _at, _m, nth, _p: nth < 64),
    "forgets_the_first_claim_of_ten_members": lambda group: claim_as(
        group, lambda at, _m, nth, _p: at or nth or len(group.members) < 10
    ),
}
"""Mutant -> how it misreads claims."""
COUNTING: Mapping[str, Read] = {
    "remembers_128_claims": lambda group: claim_as(group, lambda _at, _m, nth, _p: nth < 128),
    "remembers_256_claims_of_all": partial(_forget_claims_after, 256),
}
"""Likewise; they count claims of partitions that are gone."""
DATING: Mapping[str, Callable[[int], int]] = {
    "dates_by_20_bits": lambda date: date % 2**20,
    "dates_by_24_bits": lambda date: date % 2**24,
    "dates_by_24_bits_with_a_sign": partial(_to_signed, 24),
    "dates_by_30_bits": lambda date: date % 2**30,
    "dates_by_six_digits": lambda date: date % 10**6,
    "dates_the_next_generation": lambda date: _to_signed(32, date + 1),
    "dates_twice_as_late": lambda date: _to_signed(32, 2 * date),
    "takes_the_largest_date_for_none": lambda date: -1 if date == 2**31 - 1 else date,
    "dates_at_most_a_billion": lambda date: min(date, 10**9),
}
"""Mutant -> how it misreads a generation."""
RACKS: Mapping[str, Read] = {
    "looks_at_six_replicas": lambda group: rack_as(group, lambda at, _rack: at < 6),
    "knows_ten_racks": partial(_keep_racks, 10),
    "sees_racks_of_64_partitions": partial(_keep_racks_of_partitions, 64),
    "sees_racks_of_256_partitions": partial(_keep_racks_of_partitions, 256),
    "places_ten_members": partial(_keep_racks_of_members, 10),
}
"""Mutant -> how it misreads racks."""
SPOILING: Mapping[str, tuple[Callable[[Group], bool], Break]] = {
    "tolerates_two_from_500_partitions": (lambda group: count_partitions(group) >= 500, tolerate_two),
    "tolerates_two_from_100_for_each": (
        lambda group: count_partitions(group) >= 100 * len(group.members),
        tolerate_two,
    ),
    "serves_arrivals_from_16": (lambda group: len(group.members) >= 16, serve_arrivals),
    "reads_32_letters_of_members": (lambda _: True, partial(_cut_ids, 32)),
}
"""Mutant -> the groups whose answer it spoils, and how."""
EXCHANGING: Mapping[str, tuple[Callable[[Group], bool], Break]] = {
    "exchanges_from_500_partitions": (lambda group: count_partitions(group) >= 500, exchange_two),
    "exchanges_from_30_topics": (lambda group: len(group.topics) >= 30, exchange_two),
}
"""Likewise; all loads stay as they are."""


def _build_misreadings(*tables: Mapping[str, Read]) -> tuple[Break, ...]:
    return tuple(_build_misreading(name, read) for table in tables for name, read in table.items())


def _build_spoilers(*tables: Mapping[str, tuple[Callable[[Group], bool], Break]]) -> tuple[Break, ...]:
    return tuple(_build_spoiler(name, *how) for table in tables for name, how in table.items())


def list_limited_bases(family: str) -> list[Base]:
    """Return the correct assignors of a family, each with its mutants with limits; none of other families."""
    calm = ("again", "left_out", "order", "names", "repeat")
    every = (lambda _: True,)
    chained = tuple(
        _build_spoiler(f"evens_along_{most}", *every, partial(even_along, most)) for most in (5, 8)
    )
    sticky = Base(honest.sticky, Declared(("loads", "moves", *calm)), chained)
    if family == "consumer":
        dating = {name: partial(date_as, date=date) for name, date in DATING.items()}
        read = _build_misreadings(READING, OWNING, COUNTING, dating, RACKS)
        arrivals = _build_spoiler(
            "deals_arrivals_from_ten", lambda group: len(group.members) >= 10, serve_arrivals
        )
        return [
            build_base("consumer/optimal", *read, *_build_spoilers(SPOILING, EXCHANGING)),
            build_base("consumer/roundrobin", arrivals),
            sticky,
        ]
    if family == "broker":
        declared = Declared(("loads", "cross_rack", "moves", *calm))
        optimal = build_base("consumer/optimal").assign
        read = _build_misreadings(READING, OWNING, RACKS)
        return [Base(optimal, declared, (*read, *_build_spoilers(SPOILING, EXCHANGING))), sticky]
    if family == "share":
        declared = Declared(("loads", "sharing", "idle", *calm))
        return [Base(in_turn, declared, (*_build_misreadings(READING), *_build_spoilers(SPOILING)))]
    return []
