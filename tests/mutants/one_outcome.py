"""Mutants that break an invariant: each an honest assignor with one mistake, named for it."""

from collections import Counter
from dataclasses import replace

from mutants.honest import by_topic, cooperative, copied, filled, kept, sticky, tidy, together

from kassay.model import Assignment, Group, TopicPartition
from kassay.properties.partitions.owners import owners, partition_counts, subscribers

Given = dict[str, list[TopicPartition]]


def forgets_the_last_partition(group: Group) -> Assignment:
    """Counts the partitions of a topic one too short."""
    last = {
        TopicPartition(topic.name, topic.partitions - 1) for topic in group.topics if topic.partitions > 1
    }
    return {member: [p for p in given if p not in last] for member, given in sticky(group).items()}


def reads_one_subscription(group: Group) -> Assignment:
    """Takes the first member's subscription for the group's."""
    known = set(group.members[0].topics)
    return {member: [p for p in given if p.topic in known] for member, given in sticky(group).items()}


def drops_contested(group: Group) -> Assignment:
    """Takes a partition with two owners from both and then forgets it."""
    contested = {partition for partition, owned_by in owners(group).items() if len(owned_by) > 1}
    return {member: [p for p in given if p not in contested] for member, given in sticky(group).items()}


def believes_everybody(group: Group) -> Assignment:
    """Lets every claimant keep what it claims, so that contested partitions have two owners (KAFKA-7026)."""
    given = {member: list(these) for member, these in sticky(group).items()}
    counts = partition_counts(group)
    for member in group.members:
        for partition in member.owned:
            if partition.topic in member.topics and partition.partition < counts.get(partition.topic, 0):
                given[member.id] += [partition] if partition not in given[member.id] else []
    return given


def lists_what_is_kept_again(group: Group) -> Assignment:
    """Adds to each list what its member keeps, though it is there already."""
    claims = {member.id: set(member.owned) for member in group.members}
    return {
        member: [*given, *(p for p in given if p in claims[member])]
        for member, given in sticky(group).items()
    }


def gives_to_strangers_of_the_topic(group: Group) -> Assignment:
    """Evens the loads without looking at subscriptions."""
    given = {member: list(these) for member, these in sticky(group).items()}
    heavy, light = max(given, key=lambda m: len(given[m])), min(given, key=lambda m: len(given[m]))
    if len(given[heavy]) > len(given[light]) + 1:
        given[light].append(given[heavy].pop())
    return given


def keeps_what_is_unsubscribed(group: Group) -> Assignment:
    """Leaves a partition with its owner that no longer subscribes to the topic."""
    given = {member: list(these) for member, these in sticky(group).items()}
    counts = partition_counts(group)
    for partition, owned_by in owners(group).items():
        if partition.partition < counts.get(partition.topic, 0):
            for member in group.members:
                if member.id == owned_by[0] and partition.topic not in member.topics:
                    given = {name: [p for p in these if p != partition] for name, these in given.items()}
                    given[member.id].append(partition)
    return given


def keeps_what_has_vanished(group: Group) -> Assignment:
    """Leaves claimed partitions with their owners, whether they exist or not."""
    given = {member: list(these) for member, these in sticky(group).items()}
    counts = partition_counts(group)
    for partition, owned_by in owners(group).items():
        if partition.partition >= counts.get(partition.topic, 0):
            given[owned_by[0]].append(partition)
    return given


def counts_from_one(group: Group) -> Assignment:
    """Numbers the partitions of a topic from 1."""
    return {
        member: [TopicPartition(p.topic, p.partition + 1) for p in given]
        for member, given in sticky(group).items()
    }


def omits_the_idle(group: Group) -> Assignment:
    """Leaves members without partitions out of the result."""
    return {member: given for member, given in sticky(group).items() if given}


def names_the_static_by_instance(group: Group) -> Assignment:
    """Answers with the instance ids of static members."""
    names = {member.id: member.instance_id or member.id for member in group.members}
    return {names[member]: given for member, given in sticky(group).items()}


def fills_the_least_loaded(group: Group) -> Assignment:
    """Gives each partition to the least loaded subscriber, topic by topic, and evens nothing afterwards."""
    group = tidy(group)
    return filled(group, {member.id: [] for member in group.members})


def improves_by_single_moves(group: Group) -> Assignment:
    """Evens the loads by single moves only, as AbstractStickyAssignor does."""
    group = tidy(group)
    given = filled(group, kept(group))
    readers = subscribers(group)
    while move := _single_move(given, readers):
        partition, giver, taker = move
        given[giver].remove(partition)
        given[taker].append(partition)
    return given


def _single_move(given: Given, readers: dict[str, list[str]]) -> tuple[TopicPartition, str, str] | None:
    for giver, these in given.items():
        for partition in these:
            for taker in readers[partition.topic]:
                if len(these) >= len(given[taker]) + 2:
                    return partition, giver, taker
    return None


def never_evens(group: Group) -> Assignment:
    """Keeps owned partitions and fills up, but takes nothing from any member."""
    group = tidy(group)
    return filled(group, kept(group))


def one_too_many(group: Group) -> Assignment:
    """Hands out one share of the rounded-up size too many (KAFKA-15170)."""
    given = {member: list(these) for member, these in sticky(group).items()}
    if len({frozenset(member.topics) for member in group.members}) == 1 and len(given) > 2:
        loads = Counter({member: len(these) for member, these in given.items()})
        most = max(loads.values())
        rich = [member for member in given if loads[member] == most]
        poor = [member for member in given if loads[member] == most - 1]
        if len(rich) > 1 and len(poor) > 1:
            given[rich[0]].append(given[poor[0]].pop()) if given[poor[0]] else None
    return given


def shares_from_the_first(group: Group) -> Assignment:
    """Cuts each topic into runs of the rounded-up length, so that the last ones come away empty-handed."""
    group = tidy(group)
    given: Given = {member.id: [] for member in group.members}
    for topic, readers in zip(group.topics, subscribers(group).values(), strict=True):
        for partition in topic if readers else ():
            given[readers[partition.partition // -(-topic.partitions // len(readers))]].append(partition)
    return given


def shares_the_sum_alone(group: Group) -> Assignment:
    """Puts all partitions that the same members read end to end and cuts that into even runs: even in sum, not by topic."""
    group = tidy(group)
    given: Given = {member.id: [] for member in group.members}
    alike: dict[tuple[str, ...], list[TopicPartition]] = {}
    for topic, readers in zip(group.topics, subscribers(group).values(), strict=True):
        alike.setdefault(tuple(readers), []).extend(topic if readers else ())
    for crowd, partitions in alike.items():
        for at, partition in enumerate(partitions):
            given[crowd[at * len(crowd) // len(partitions)]].append(partition)
    return given


def deals_by_twos(group: Group) -> Assignment:
    """Deals each topic round its readers by twos, so that the first may have two more of it than the last."""
    group = tidy(group)
    given: Given = {member.id: [] for member in group.members}
    for topic, readers in zip(group.topics, subscribers(group).values(), strict=True):
        for partition in topic if readers else ():
            given[readers[partition.partition // 2 % len(readers)]].append(partition)
    return given


def hands_over_at_once(group: Group) -> Assignment:
    """Gives partitions to new owners in the round in which the old ones lose them."""
    return sticky(group)


def forgets_older_owners(group: Group) -> Assignment:
    """Withholds only what owners of the newest generation must give up."""
    newest = max((member.generation or 0 for member in group.members), default=0)
    target, careful = sticky(group), cooperative(group)
    older = {p for m in group.members if (m.generation or 0) < newest for p in m.owned}
    return {
        member: [p for p in given if p in careful[member] or p in older] for member, given in target.items()
    }


def lets_the_overruled_keep(group: Group) -> Assignment:
    """Gives a partition to a member with an outdated claim while its owner must still revoke it."""
    owned_by = owners(group)
    given = {member: list(these) for member, these in cooperative(group).items()}
    counts = partition_counts(group)
    for member in group.members:
        for partition in member.owned:
            current = owned_by[partition]
            exists = partition.topic in member.topics and partition.partition < counts.get(partition.topic, 0)
            if exists and member.id not in current:
                for owner in current:
                    given[owner] = [p for p in given[owner] if p != partition]
                given[member.id].append(partition)
    return given


def believes_the_oldest(group: Group) -> Assignment:
    """Settles contradictions between generations the wrong way round."""
    claims = [member.generation or 0 for member in group.members]
    turned = (replace(member, generation=max(claims) - (member.generation or 0)) for member in group.members)
    return sticky(replace(group, members=tuple(turned)))


def strides_through_topics(group: Group) -> Assignment:
    """Deals each topic to its subscribers in turn, beginning with the first, instead of cutting it into runs."""
    group = tidy(group)
    given: Given = {member.id: [] for member in group.members}
    for topic, readers in zip(group.topics, subscribers(group).values(), strict=True):
        for partition in topic if readers else ():
            given[readers[partition.partition % len(readers)]].append(partition)
    return given


def begins_each_topic_elsewhere(group: Group) -> Assignment:
    """Cuts each topic into runs, the first of which goes to another member with each topic (sarama #2245)."""
    group = tidy(group)
    given: Given = {member.id: [] for member in group.members}
    for at, (topic, readers) in enumerate(zip(group.topics, subscribers(group).values(), strict=True)):
        for partition in topic if readers else ():
            run = partition.partition * len(readers) // topic.partitions
            given[readers[(run + at) % len(readers)]].append(partition)
    return given


def begins_each_join_elsewhere(group: Group) -> Assignment:
    """Gives partitions to the readers of their topic in turn, beginning with another one for each topic."""
    given: Given = {member.id: [] for member in group.members}
    for at, (topic, readers) in enumerate(zip(group.topics, subscribers(group).values(), strict=True)):
        for partition in topic if readers else ():
            given[readers[(partition.partition + at) % len(readers)]].append(partition)
    return given


def forgets_the_last_join(group: Group) -> Assignment:
    """Co-partitions the topics of all sets but the last one."""
    config = replace(group.config, joined_topics=group.config.joined_topics[:-1])
    return together(replace(group, config=config))


def joins_who_reads_any(group: Group) -> Assignment:
    """Cuts joined topics alike, though their readers differ."""
    return by_topic(group)


def copies_once(group: Group) -> Assignment:
    """Gives each partition to one member only."""
    return copied(group, copies=1)


def copies_to_one_member(group: Group) -> Assignment:
    """Gives both copies of a partition to one member."""
    return {member: [p for p in given for _ in range(2)] for member, given in by_topic(group).items()}


def copies_thrice(group: Group) -> Assignment:
    """Gives each partition to three members."""
    return copied(group, copies=3)


def looks_at_no_racks(group: Group) -> Assignment:
    """Gives partitions without an owner to the next member, in any rack."""
    return sticky(group)
