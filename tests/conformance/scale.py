"""Mutants that only large groups show: a correct assignor with a limit, a number or a batch that is too small."""

import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from conformance.scale_of_tasks import MEMBERS, TASKS, WORKERS
from mutants.honest import filled, kept, moved, tidy
from mutants.sharing import in_turn

from kassay.conformance.fixtures import Declared, load_form
from kassay.families.assignors import ASSIGNORS
from kassay.families.shape import Assign
from kassay.model import Assignment, Group, Member, TopicPartition
from kassay.properties.partitions.exchanges import find_exchange, find_improving_chain
from kassay.properties.partitions.owners import owners, subscribers

Break = Callable[[Assign, Any], Any]
"""A mutant: asks the correct assignor about a group that it has misread, or spoils the answer."""


def read_as(group: Group, topics: Callable[[int, Member], Iterable[str]]) -> Group:
    """Return the group with other subscriptions, by the place and the member."""
    members = (replace(m, topics=tuple(topics(at, m))) for at, m in enumerate(group.members))
    return replace(group, members=tuple(members))


def claim_as(group: Group, counts: Callable[[int, Member, int, TopicPartition], bool]) -> Group:
    """Return the group with only the claims that count, by the place and the member, the place and the partition."""
    members = (
        replace(m, owned=tuple(p for nth, p in enumerate(m.owned) if counts(at, m, nth, p)))
        for at, m in enumerate(group.members)
    )
    return replace(group, members=tuple(members))


def date_as(group: Group, date: Callable[[int], int]) -> Group:
    """Return the group with generations in the order of these dates, which may be negative."""
    order = sorted({date(m.generation) for m in group.members if m.generation is not None})
    members = (
        m if m.generation is None else replace(m, generation=1 + order.index(date(m.generation)))
        for m in group.members
    )
    return replace(group, members=tuple(members))


def rack_as(group: Group, known: Callable[[int, str | None], bool]) -> Group:
    """Return the group with only the racks that are known, by their place in the list of a partition."""
    topics = (
        t
        if t.racks is None
        else replace(t, racks=tuple(tuple(r for at, r in enumerate(rs) if known(at, r)) for rs in t.racks))
        for t in group.topics
    )
    return replace(group, topics=tuple(topics))


def count_partitions(group: Group) -> int:
    """Return the number of partitions of all topics."""
    return sum(topic.partitions for topic in group.topics)


def reads_the_first_list(assign: Assign, group: Group) -> Assignment:
    """Takes the readers from the first member alone from six members on."""
    if len(group.members) < 6:
        return assign(group)
    return assign(read_as(group, lambda _at, _member: group.members[0].topics))


def passes_three_non_readers(_assign: Assign, group: Group) -> Assignment:
    """Takes the next member, reader or not, after three non-readers in a row."""
    group, readers = tidy(group), subscribers(group)
    given: dict[str, list[TopicPartition]] = {member.id: [] for member in group.members}
    ids, at = list(given), 0
    for topic in group.topics:
        for partition in topic if readers[topic.name] else ():
            for _ in range(3):
                at += ids[at % len(ids)] not in readers[topic.name]
            if len(ids) < 5:
                at = next(n for n in range(at, at + len(ids)) if ids[n % len(ids)] in readers[topic.name])
            given[ids[at % len(ids)]].append(partition)
            at += 1
    return given


def skips_a_member_every_16(_assign: Assign, group: Group) -> Assignment:
    """Passes over one member after each sixteen partitions."""
    group, readers = tidy(group), subscribers(group)
    given: dict[str, list[TopicPartition]] = {member.id: [] for member in group.members}
    ids, at, dealt = list(given), 0, 0
    for topic in group.topics:
        for partition in topic if readers[topic.name] else ():
            at = next(n for n in range(at, at + len(ids)) if ids[n % len(ids)] in readers[topic.name])
            given[ids[at % len(ids)]].append(partition)
            dealt += 1
            at += 1 + (dealt % 16 == 0)
    return given


def tolerates_two_from_20_partitions(assign: Assign, group: Group) -> Assignment:
    """Calls loads even that differ by two or three, from 20 partitions on."""
    return tolerate_two(assign, group) if count_partitions(group) >= 20 else assign(group)


def tolerate_two(assign: Assign, group: Group) -> Assignment:
    """Return the answer with a partition more for one of the most loaded members."""
    answer = {member: list(given) for member, given in assign(group).items()}
    ranked, readers = sorted(answer, key=lambda member: len(answer[member])), subscribers(group)
    for poor in ranked:
        for rich in reversed(ranked):
            for partition in answer[poor] if rich != poor else ():
                if rich in readers.get(partition.topic, ()):
                    moved(answer, [(partition, poor, rich)])
                    return answer
    return answer


def moves_ten_at_most(assign: Assign, group: Group) -> Assignment:
    """Moves no more than ten partitions of a rebalance."""
    return _keep_from(assign, group, 10)


def _keep_from(assign: Assign, group: Group, most: int) -> Assignment:
    answer = {member: list(given) for member, given in assign(group).items()}
    before = {p: member for member, given in kept(tidy(group)).items() for p in given}
    moves = [
        (p, member, before[p])
        for member in sorted(answer)
        for p in sorted(answer[member])
        if before.get(p, member) != member
    ]
    moved(answer, moves[most:])
    return answer


def dates_by_16_bits(assign: Assign, group: Group) -> Assignment:
    """Reads generations as numbers of 16 bits with a sign."""
    return assign(date_as(group, lambda date: (date + 2**15) % 2**16 - 2**15))


def dates_by_16_bits_unsigned(assign: Assign, group: Group) -> Assignment:
    """Reads generations as numbers of 16 bits without a sign."""
    return assign(date_as(group, lambda date: date % 2**16))


def dates_by_text(assign: Assign, group: Group) -> Assignment:
    """Compares generations from 1,000 on as texts."""
    rank = sorted({str(m.generation) for m in group.members if m.generation is not None})
    late = max((m.generation or 0 for m in group.members), default=0) >= 1000
    return assign(date_as(group, lambda date: rank.index(str(date)) + 1) if late else group)


def dates_by_float(assign: Assign, group: Group) -> Assignment:
    """Reads generations as floating-point numbers of 32 bits."""
    return assign(date_as(group, lambda date: int(struct.unpack("f", struct.pack("f", date))[0])))


def reads_eight_topics(assign: Assign, group: Group) -> Assignment:
    """Reads the first eight topics of a subscription."""
    return assign(read_as(group, lambda _at, member: member.topics[:8]))


def numbers_members_by_five_bits(assign: Assign, group: Group) -> Assignment:
    """Takes the subscription of a member for that of the 32nd before it."""
    return assign(read_as(group, lambda at, _member: group.members[at % 32].topics))


def numbers_topics_by_four_bits(assign: Assign, group: Group) -> Assignment:
    """Takes a topic for that which is the sixteenth before it."""
    names = [topic.name for topic in group.topics]
    alike = {name: {names[at % 16], name} & {*names} for at, name in enumerate(names)}

    def read(_at: int, member: Member) -> list[str]:
        return [*member.topics, *(n for n in names if n not in member.topics and alike[n] & {*member.topics})]

    return assign(read_as(group, read))


def owns_numbers_below_64(assign: Assign, group: Group) -> Assignment:
    """Forgets claims of partitions from number 64 on."""
    return assign(claim_as(group, lambda _at, _member, _nth, p: p.partition < 64))


def owns_numbers_below_128(assign: Assign, group: Group) -> Assignment:
    """Forgets claims of partitions from number 128 on."""
    return assign(claim_as(group, lambda _at, _member, _nth, p: p.partition < 128))


def counts_partitions_by_a_byte(assign: Assign, group: Group) -> Assignment:
    """Reads the number of partitions as a byte."""
    topics = (
        replace(t, partitions=t.partitions % 256, racks=None if t.racks is None else t.racks[: t.partitions % 256])
        for t in group.topics
    )  # fmt: skip
    return assign(replace(group, topics=tuple(topics)))


def joins_name_and_number(assign: Assign, group: Group) -> Assignment:
    """Takes two partitions with one text of name and number for the same, as t1 with 11 and t11 with 1."""
    last = {f"{p.topic}{p.partition}": p for member in group.members for p in member.owned}
    return assign(claim_as(group, lambda _at, _m, _nth, p: last[f"{p.topic}{p.partition}"] == p))


def keeps_claims_in_64_slots(assign: Assign, group: Group) -> Assignment:
    """Forgets a claim when the 64th after it comes."""
    number = {p: at for at, p in enumerate(p for member in group.members for p in member.owned)}
    return assign(claim_as(group, lambda _at, _m, _nth, p: number[p] + 64 >= len(number)))


def remembers_eight_claims(assign: Assign, group: Group) -> Assignment:
    """Reads the first eight claims of a member."""
    return assign(claim_as(group, lambda _at, _member, nth, _p: nth < 8))


def hears_eight_owners(assign: Assign, group: Group) -> Assignment:
    """Reads the claims of the first eight members."""
    return assign(claim_as(group, lambda at, _member, _nth, _p: at < 8))


def looks_at_three_replicas(assign: Assign, group: Group) -> Assignment:
    """Reads the racks of the first three replicas."""
    return assign(rack_as(group, lambda at, _rack: at < 3))


def knows_four_racks(assign: Assign, group: Group) -> Assignment:
    """Knows the first four racks by name."""
    every = sorted({r for t in group.topics for rs in t.racks or () for r in rs if r is not None})
    return assign(rack_as(group, lambda _at, rack: rack in every[:4]))


def looks_at_racks_of_20_partitions(assign: Assign, group: Group) -> Assignment:
    """Leaves racks out from 20 partitions on."""
    return assign(rack_as(group, lambda _at, _rack: count_partitions(group) < 20))


def aligns_five_topics(assign: Assign, group: Group) -> Assignment:
    """Begins the sixth topic of a set, and each later one, with the second reader."""
    answer: dict[str, list[TopicPartition]] = {member: [] for member in assign(group)}
    readers = subscribers(group)
    late = {
        topic.name
        for _, alike in groupby(
            sorted(group.topics, key=lambda t: (t.partitions, sorted(readers[t.name]), t.name)),
            key=lambda t: (t.partitions, sorted(readers[t.name])),
        )
        for topic in list(alike)[5:]
    }
    for member, given in assign(group).items():
        for p in given:
            order = sorted(readers.get(p.topic, ()))
            turn = order[(order.index(member) + 1) % len(order)] if p.topic in late else member
            answer[turn].append(p)
    return answer


def exchanges_among_twelve(assign: Assign, group: Group) -> Assignment:
    """Exchanges two partitions in each rebalance, from twelve members on."""
    return exchange_two(assign, group) if len(group.members) >= 12 else assign(group)


def exchange_two(assign: Assign, group: Group) -> Assignment:
    """Return the answer with two partitions exchanged between two members."""
    answer = {member: list(given) for member, given in assign(group).items()}
    readers = subscribers(group)
    for one in sorted(answer):
        for other in sorted(answer):
            for p in answer[one] if one < other else ():
                for q in answer[other]:
                    if other in readers.get(p.topic, ()) and one in readers.get(q.topic, ()):
                        moved(answer, [(p, one, other), (q, other, one)])
                        return answer
    return answer


def serves_arrivals_from_six(assign: Assign, group: Group) -> Assignment:
    """Takes members in the order of their arrival, from six on."""
    return serve_arrivals(assign, group) if len(group.members) >= 6 else assign(group)


def serve_arrivals(assign: Assign, group: Group) -> Assignment:
    """Return the answer for members with ids in the order of their arrival."""
    known = {member.id: f"{at:04}" for at, member in enumerate(group.members)}
    back = {new: old for old, new in known.items()}
    renamed = replace(group, members=tuple(replace(m, id=known[m.id]) for m in group.members))
    return {back[member]: given for member, given in assign(renamed).items()}


def exchanges_along_three(assign: Assign, group: Group) -> Assignment:
    """Evens loads by chains of at most three moves."""
    return even_along(3, assign, group)


def even_along(most: int, _assign: Assign, group: Group) -> Assignment:
    """Return the most even answer that chains of at most `most` moves lead to."""
    group = tidy(group)
    given, readers = filled(group, kept(group)), subscribers(group)
    while (chain := find_improving_chain(given, readers)) and len(chain) <= most:
        moved(given, chain)
    while exchange := find_exchange(group, given):
        moved(given, exchange)
    return given


def withholds_four(assign: Assign, group: Group) -> Assignment:
    """Hands all but four partitions over at once."""
    answer = {member: list(given) for member, given in assign(group).items()}
    given = {p for own in answer.values() for p in own}
    held = sorted(p for p in owners(group) if p not in given and subscribers(group).get(p.topic))
    counts = {topic.name: topic.partitions for topic in group.topics}
    for p in [p for p in held if p.partition < counts[p.topic]][4:]:
        taker = min(subscribers(group)[p.topic], key=lambda m: (len(answer[m]), m))
        answer[taker].append(p)
    return answer


def revokes_four_at_a_time(assign: Assign, group: Group) -> Assignment:
    """Takes four partitions from their members in a rebalance, and leaves the others for the next."""
    answer = {member: list(given) for member, given in assign(group).items()}
    given = {p for own in answer.values() for p in own}
    before = {p: member for member, own in kept(tidy(group)).items() for p in own}
    for p in sorted(p for p in before if p not in given)[4:]:
        answer[before[p]].append(p)
    return answer


def idles_from_the_ninth(assign: Assign, group: Group) -> Assignment:
    """Gives nothing to the ninth member and the later ones."""
    return {
        member: given if at < 8 else [] for at, (member, given) in enumerate(sorted(assign(group).items()))
    }


@dataclass(frozen=True)
class Base:
    """A correct assignor, what it aims at, and its mutants."""

    assign: Assign
    declared: Declared
    mutants: tuple[Break, ...] = ()


def build_base(name: str, *mutants: Break) -> Base:
    """Return one of kassay's assignors with its declared aims and with mutants."""
    form = load_form(name.partition("/")[0])
    return Base(ASSIGNORS[name].assign, form.declared[name], mutants)


READING = (reads_the_first_list, tolerates_two_from_20_partitions, reads_eight_topics, numbers_members_by_five_bits, numbers_topics_by_four_bits, counts_partitions_by_a_byte, serves_arrivals_from_six)  # fmt: skip
OWNING = (moves_ten_at_most, owns_numbers_below_64, owns_numbers_below_128, joins_name_and_number, keeps_claims_in_64_slots, remembers_eight_claims, hears_eight_owners, exchanges_among_twelve, exchanges_along_three)  # fmt: skip
DATING = (dates_by_16_bits, dates_by_16_bits_unsigned, dates_by_text, dates_by_float)
RACKS = (looks_at_three_replicas, knows_four_racks, looks_at_racks_of_20_partitions)


def list_bases(family: str) -> list[Base]:
    """Return the correct assignors of a family, each with its mutants; none of a family without mutants of this kind."""
    calm = ("again", "left_out", "order", "names", "repeat")
    if family == "consumer":
        return [
            build_base("consumer/optimal", *READING, *OWNING, *DATING, *RACKS),
            build_base("consumer/roundrobin", passes_three_non_readers, skips_a_member_every_16),
            build_base("consumer/range", aligns_five_topics),
            build_base("consumer/optimal-cooperative", withholds_four, revokes_four_at_a_time),
        ]
    if family == "broker":
        declared = Declared(("loads", "cross_rack", "moves", *calm))
        return [Base(ASSIGNORS["consumer/optimal"].assign, declared, (*READING, *OWNING, *RACKS))]
    if family == "share":
        declared = Declared(("loads", "sharing", "idle", *calm))
        return [Base(in_turn, declared, (*READING[:-1], idles_from_the_ninth))]
    if family == "streams":
        return [build_base("streams/high-availability", *TASKS)]
    if family == "streams-group":
        return [build_base("streams-group/sticky", *MEMBERS)]
    if family == "connect":
        return [build_base("connect/incremental-cooperative", *WORKERS)]
    return []
