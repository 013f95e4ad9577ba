"""Mutants that break a law: each an honest assignor with one mistake, named for it."""

from dataclasses import replace
from itertools import count

from mutants.honest import by_topic, filled, kept, moved, sticky, tidy

from kassay.model import Assignment, AssignorError, Group, TopicPartition
from kassay.properties.laws import slot
from kassay.properties.partitions.owners import owners, subscribers
from kassay.properties.partitions.rounds import next_generation

Given = dict[str, list[TopicPartition]]


def gives_up_on_an_empty_subscription(group: Group) -> Assignment:
    """Divides by the number of topics that a member subscribes to."""
    if not all(member.topics for member in group.members):
        raise AssignorError("ArithmeticException: / by zero")
    return sticky(group)


def gives_up_on_vanished_claims(group: Group) -> Assignment:
    """Looks a claimed partition up in the metadata and does not find it."""
    existing = {partition for topic in group.topics for partition in topic}
    for member in group.members:
        for partition in member.owned:
            if partition not in existing:
                raise AssignorError(f"NullPointerException: {partition}")
    return sticky(group)


def gives_up_on_odd_names(group: Group) -> Assignment:
    """Writes member ids in Latin-1."""
    for member in group.members:
        try:
            member.id.encode("latin-1")
        except UnicodeEncodeError as error:
            raise AssignorError(str(error)) from None
    return sticky(group)


def gives_up_on_missing_racks(group: Group) -> Assignment:
    """Compares a replica's rack without asking whether it has one."""
    if any(rack is None for topic in group.topics for near in topic.racks or () for rack in near):
        raise AssignorError("NullPointerException: rack")
    return sticky(group)


_calls = count()


def remembers_its_calls(group: Group) -> Assignment:
    """Starts dealing where the last call stopped."""
    ids = sorted(member.id for member in group.members)
    return _dealt(group, ids, next(_calls))


def shuffles_its_lists(group: Group) -> Assignment:
    """Lists the same partitions in another order every second time."""
    step = -1 if next(_calls) % 2 else 1
    return {member: given[::step] for member, given in by_topic(group).items()}


def serves_in_order_of_arrival(group: Group) -> Assignment:
    """Deals to the members in the order in which they are listed."""
    return _dealt(group, [member.id for member in group.members], 0)


def leaves_contested_to_the_last(group: Group) -> Assignment:
    """Leaves a contested partition with the owner that is listed last."""
    given = {member: list(these) for member, these in sticky(group).items()}
    readers = subscribers(group)
    for partition, owned_by in owners(group).items():
        holder = next((member for member, these in given.items() if partition in these), None)
        last = [owner for owner in owned_by if owner in readers.get(partition.topic, ())][-1:]
        if holder in owned_by and last and last[0] != holder:
            moved(given, [(partition, holder, last[0])])
    return given


def deals_topics_as_listed(group: Group) -> Assignment:
    """Deals the topics in the order of the metadata."""
    return _dealt(group, sorted(member.id for member in group.members), 0)


def prefers_first_subscriptions(group: Group) -> Assignment:
    """Gives a topic first to those that list it first in their subscription."""
    group_topics = {member.id: list(member.topics) for member in group.members}
    plain = tidy(group)
    given: Given = {member.id: [] for member in plain.members}
    for topic, readers in zip(plain.topics, subscribers(plain).values(), strict=True):
        readers.sort(key=lambda reader: group_topics[reader].index(topic.name))
        for partition in topic if readers else ():
            given[readers[partition.partition % len(readers)]].append(partition)
    return given


def keeps_what_is_reported_first(group: Group) -> Assignment:
    """Lets everybody keep the first of its claims, up to an even share, and deals out the rest (KAFKA-16277)."""
    plain, full = tidy(group), sticky(group)
    claims = {member.id: member.owned for member in group.members}
    given = {member: [p for p in claims[member] if p in own][:1] for member, own in full.items()}
    return filled(plain, given)


def deals_by_hash(group: Group) -> Assignment:
    """Deals to the members in the order of their ids' hashes."""
    plain = tidy(group)
    return _dealt(plain, sorted((m.id for m in plain.members), key=slot), 0)


def hashes_topics(group: Group) -> Assignment:
    """Begins each topic with the member that its name's hash points to."""
    plain = tidy(group)
    given: Given = {member.id: [] for member in plain.members}
    for topic, readers in zip(plain.topics, subscribers(plain).values(), strict=True):
        for partition in topic if readers else ():
            given[readers[(slot(topic.name) + partition.partition) % len(readers)]].append(partition)
    return given


def turns_with_generations(group: Group) -> Assignment:
    """Begins to deal one member further in each generation."""
    plain = tidy(group)
    return _dealt(plain, [member.id for member in plain.members], next_generation(group))


def swaps_two(group: Group) -> Assignment:
    """Swaps a partition of two members whenever both subscribe to both topics, though the loads stay the same."""
    given = {member: list(these) for member, these in sticky(group).items()}
    topics = {member.id: member.topics for member in group.members}
    for one, other in zip(list(given), list(given)[1:], strict=False):
        for mine in given[one][:1]:
            for yours in given[other][:1]:
                if mine.topic in topics[other] and yours.topic in topics[one]:
                    moved(given, [(mine, one, other), (yours, other, one)])
                    return given
    return given


def withholds_for_ever(group: Group) -> Assignment:
    """Keeps back partitions without an owner as well as ones to revoke."""
    owned_by = owners(group)
    if not owned_by:
        return sticky(group)
    return {
        member: [p for p in given if member in owned_by.get(p, ())] for member, given in sticky(group).items()
    }


def hands_over_one_at_a_time(group: Group) -> Assignment:
    """Lets owners revoke one partition per rebalance, without regard to balance."""
    target, owned_by = sticky(group), owners(group)
    held = {partition: member for member, given in target.items() for partition in given}
    leaving = sorted(p for p, member in held.items() if p in owned_by and member not in owned_by[p])
    given = {member: [p for p in these if p not in leaving] for member, these in target.items()}
    for partition in leaving[1:]:
        given[owned_by[partition][0]].append(partition)
    return given


def takes_turns(group: Group) -> Assignment:
    """Answers forwards and backwards by turns."""
    plain = tidy(group)
    ids = [member.id for member in plain.members]
    return _dealt(plain, ids[::-1] if next_generation(group) % 2 else ids, 0)


def starts_over(group: Group) -> Assignment:
    """Starts over without owners if some partitions have none."""
    return sticky(_without_claims(group) if _idle(group) else group)


def moves_one_more(group: Group) -> Assignment:
    """Swaps, when partitions lie idle, two more than balance asks for."""
    return swaps_two(group) if _idle(group) else sticky(group)


def keeps_the_first_topics(group: Group) -> Assignment:
    """Lets owners keep their share from the first topics, so that a newcomer gets the last ones (KAFKA-16277)."""
    plain = tidy(group)
    share = -(-sum(topic.partitions for topic in plain.topics) // len(plain.members))
    return filled(plain, {member: sorted(these)[:share] for member, these in kept(plain).items()})


def sorts_static_members_by_id(group: Group) -> Assignment:
    """Puts static members in order by their member ids, which change with every restart (KAFKA-8355)."""
    return by_topic(group)


_seen: list[tuple[TopicPartition, ...]] = [()]


def takes_the_last_claims_for_everybodys(group: Group) -> Assignment:
    """Keeps claims where all groups see them: who makes none is taken to own what was last claimed (aiokafka #1175)."""
    owned = [m.owned or _seen[0] for m in group.members]
    _seen[0] = owned[-1] if owned else ()
    members = (replace(m, owned=claims) for m, claims in zip(group.members, owned, strict=True))
    return sticky(replace(group, members=tuple(members)))


def _idle(group: Group) -> bool:
    """Return True if some partitions have owners and other subscribed ones have none."""
    claimed = {partition for member in group.members for partition in member.owned}
    read = {name for member in group.members for name in member.topics}
    return bool(claimed) and any(
        p not in claimed for topic in group.topics if topic.name in read for p in topic
    )


def _without_claims(group: Group) -> Group:
    return Group(
        group.topics,
        tuple(replace(member, owned=(), generation=None) for member in group.members),
    )


def _dealt(group: Group, ids: list[str], start: int) -> Assignment:
    """Deal the partitions of the topics in order to their subscribers, in turn."""
    given: Given = {member: [] for member in ids}
    readers = subscribers(group)
    for topic in group.topics:
        turns = [member for member in ids if member in readers[topic.name]]
        for partition in topic if turns else ():
            given[turns[start % len(turns)]].append(partition)
            start += 1
    return given


def reads_from_afar(group: Group) -> Assignment:
    """Lets the members of a new group take each other's place where racks are known."""
    answer = sticky(group)
    alike = len({frozenset(member.topics) for member in group.members}) == 1
    if alike and any(topic.racks for topic in group.topics) and not any(m.owned for m in group.members):
        names = [member.id for member in group.members]
        return {name: answer[other] for name, other in zip(names, [*names[1:], names[0]], strict=True)}
    return answer
