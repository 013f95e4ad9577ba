"""Invariants: what can be true of one assignment of topic partitions.

>>> from kassay.model import Group, Member, Topic
>>> from kassay.properties.partitions.invariants import balanced
>>> group = Group((Topic("t", 2),), (Member("a", ("t",)), Member("b", ("t",))))
>>> list(balanced(group, {"a": list(group.topics[0]), "b": []}))
['a holds 2 partitions, b holds 0; more even: move t-0 from a to b']
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from kassay.model import Assignment, Group, Member, Topic, TopicPartition
from kassay.model.hosts import located
from kassay.model.joins import joins
from kassay.properties.partitions.exchanges import find_improving_chain
from kassay.properties.partitions.owners import (
    complete_and_legal,
    generation,
    holdings,
    owners,
    partition_counts,
    sharing,
    subscribers,
    topic_loads,
)
from kassay.properties.runs import LOADS, MOVES, READS, Violation, counted, listed

COPIES = 2
"""How many owners `redundant` asks for."""


def complete(group: Group, assignment: Assignment) -> Iterator[str]:
    """Every partition of a subscribed topic has an owner, but for those that may not be given yet.

    Source: the contract of ConsumerPartitionAssignor; a partition without an owner is read by nobody. GroupSpec.isPartitionAssignable.
    """
    given = {partition for member in group.members for partition in assignment.get(member.id, ())}
    readers = subscribers(group)
    for topic in group.topics:
        if readers[topic.name]:
            for partition in topic:
                if partition not in given and partition.partition not in topic.unassignable:
                    said = f"{partition} has no owner, though {readers[topic.name][0]} subscribes to {topic.name}"
                    yield Violation(said, partition)


def exclusive(group: Group, assignment: Assignment) -> Iterator[str]:
    """No partition has two owners, and none is given to one member twice.

    Source: the contract of ConsumerPartitionAssignor; a partition with two owners is processed twice.
    """
    owner_of: dict[TopicPartition, str] = {}
    for member in group.members:
        own: set[TopicPartition] = set()
        for partition in assignment.get(member.id, ()):
            if partition in own:
                yield Violation(f"{partition} is given to {member.id} twice", partition)
                continue
            own.add(partition)
            owner = owner_of.setdefault(partition, member.id)
            if owner != member.id:
                yield Violation(f"{partition} is given to {owner} and to {member.id}", partition)


def subscribed(group: Group, assignment: Assignment) -> Iterator[str]:
    """Partitions are given only to members that subscribe to their topic.

    Source: the contract of ConsumerPartitionAssignor; a consumer refuses what it has not subscribed to.
    """
    for member in group.members:
        topics = set(member.topics)
        for partition in assignment.get(member.id, ()):
            if partition.topic not in topics:
                said = f"{partition} is given to {member.id}, which subscribes to {listed(member.topics, ' and ')}"
                yield Violation(said, partition)


def existing(group: Group, assignment: Assignment) -> Iterator[str]:
    """Only partitions that exist are given, and none that may not be given yet.

    Source: the contract of ConsumerPartitionAssignor; claims may name partitions and topics that have vanished.
    GroupSpec.isPartitionAssignable.
    """
    counts = partition_counts(group)
    withheld = {TopicPartition(topic.name, number) for topic in group.topics for number in topic.unassignable}
    for member, given in assignment.items():
        for partition in given:
            if partition.topic not in counts:
                yield Violation(
                    f"{partition} is given to {member}, but there is no topic {partition.topic}", partition
                )
            elif not 0 <= partition.partition < counts[partition.topic]:
                count = counts[partition.topic]
                said = f"{partition} is given to {member}, but {partition.topic} has {count} partitions"
                yield Violation(said, partition)
            elif withheld and partition in withheld:
                yield Violation(f"{partition} is given to {member}, but it may not be given yet", partition)


def every_member(group: Group, assignment: Assignment) -> Iterator[str]:
    """The result names every member of the group, and nobody else.

    Source: the contract of ConsumerPartitionAssignor; the coordinator waits for an assignment of each member.
    """
    ids = {member.id for member in group.members}
    for member in group.members:
        if member.id not in assignment:
            yield Violation(f"{member.id} is a member, but the result does not name it", member.id)
    for name in assignment:
        if name not in ids:
            yield Violation(f"the result names {name}, which is no member", name)


def topic_balanced(group: Group, assignment: Assignment) -> Iterator[str]:
    """Each topic's partitions are shared evenly: its subscribers hold equally many, or differ by one.

    Source: RangeAssignor, whose shares of each topic differ by at most one.
    """
    for topic, loads in topic_loads(group, assignment).items():
        if len(loads) > 1:
            most, least = max(loads, key=loads.__getitem__), min(loads, key=loads.__getitem__)
            if loads[most] > loads[least] + 1:
                said = f"of {topic}, {most} holds {loads[most]} partitions and {least} {loads[least]}"
                yield Violation(said, topic, loads[most] - loads[least])


def cooperative(group: Group, assignment: Assignment) -> Iterator[str]:
    """No partition is given to a member while another one still owns it.

    A member owns what it claims, unless another claims the same with a higher generation. Where several own one
    partition with equal generations, any of them may keep it (keeping takes nothing from anybody), but nobody else may
    be given it before they all have lost it. A lone claim of an old generation counts: its owner may still be reading.
    Source: KIP-429. CooperativeStickyAssignor also lets a claimant whose claim is overruled keep the partition
    beside its owner; here that is a violation, for both read it until the owner has revoked it.
    """
    owned_by = owners(group)
    for member in group.members:
        for partition in assignment.get(member.id, ()):
            current = owned_by.get(partition, ())
            if current and member.id not in current:
                said = f"{partition} is given to {member.id} while {listed(current, ' and ')} still owns it"
                yield Violation(said, partition)


def redundant(group: Group, assignment: Assignment) -> Iterator[str]:
    """Every partition of a subscribed topic has exactly two distinct owners, or one if only one member subscribes.

    Source: the client-side assignment proposal's case of a group that reads each partition more than once.
    """
    readers = subscribers(group)
    owners_of: dict[TopicPartition, int] = {}
    for given in holdings(group, assignment).values():
        for partition in given:
            owners_of[partition] = owners_of.get(partition, 0) + 1
    for topic in group.topics:
        wanted = min(COPIES, len(readers[topic.name]))
        for partition in topic if wanted else ():
            found = owners_of.get(partition, 0)
            if found != wanted:
                yield Violation(f"{partition} has {found} owners instead of {wanted}", partition)


def newest_generation_wins(group: Group, assignment: Assignment) -> Iterator[str]:
    """Of two members that claim one partition, the one of an older generation does not take it from the other.

    It may be given what balance or racks take from the owner: so this is a violation only where the owner could have it
    back and the loads would be as even, or in exchange for one that it did not own, and nobody would read from afar for
    that. Source: KAFKA-12984 and librdkafka #4252: who comes back late claims what others were given meanwhile.
    """
    group = located(group)
    held = holdings(group, assignment)
    members = {member.id: member for member in group.members}
    owned_by = owners(group)
    for partition, current in owned_by.items():
        if any(partition in held[owner] for owner in current):
            continue
        late = [m for m in group.members if partition in held[m.id] and partition in m.owned]
        for taker in late:
            for owner in map(members.__getitem__, current):
                if not _can_take(group, owner, partition, taker):
                    continue
                # What the owner has without having owned it, and the taker could have in exchange.
                gained = (p for p in held[owner.id] if owner.id not in owned_by.get(p, ()))
                other = next(
                    (p for p in gained if p not in held[taker.id] and _can_take(group, taker, p, owner)), None
                )
                if len(held[owner.id]) < len(held[taker.id]) or other is not None:
                    yield Violation(
                        f"{partition} is given to {taker.id}, which claims it with generation {generation(taker)}, and not "
                        f"to {owner.id}, which claims it with {generation(owner)}; "
                        + (
                            f"{owner.id} could have it for {other}" if other else "the loads would be as even"
                        ),
                        partition,
                    )


def _can_take(group: Group, member: Member, partition: TopicPartition, giver: Member) -> bool:
    """Return True if a member can take a partition, and does not read across racks what its giver reads from its own rack."""
    known = next(topic.racks for topic in group.topics if topic.name == partition.topic)
    near = () if known is None else known[partition.partition]  # in no rack, as for racks_decide
    giver_afar = giver.rack and giver.rack not in near
    return partition.topic in member.topics and bool(not member.rack or member.rack in near or giver_afar)


def co_located(group: Group, assignment: Assignment) -> Iterator[str]:
    """Topics with equal partition counts and subscribers give each number to the same member, in consecutive ranges.

    Racks void only that the ranges are consecutive, and only for topics of which one needs them (KIP-881): a subscriber
    is in a rack with a replica of that topic, and not all of its partitions are in the same racks.
    Source: RangeAssignor, on which joins of streams rest; sarama #2245, where equal topics were cut differently.
    """
    group = located(group)
    numbers: dict[str, dict[str, list[int]]] = {topic.name: {} for topic in group.topics}
    for member, given in holdings(group, assignment).items():
        for name, number in sorted(given):
            numbers[name].setdefault(member, []).append(number)
    for readers, topics in _alike(group):
        first, *others = (topic.name for topic in topics)
        for other in others:
            for reader in readers:
                one, two = numbers[first].get(reader, []), numbers[other].get(reader, [])
                if one != two:
                    yield f"of {first}, {reader} holds {listed(one)}; of {other}, {listed(two)}"
        if not any(_racks_matter(group, topic, readers) for topic in topics):
            held = ((name, *one) for name in (first, *others) for one in numbers[name].items())
            for name, reader, own in held:
                if own[-1] - own[0] >= len(own):
                    yield f"of {name}, {reader} holds {listed(own)}, which are not consecutive"


def _alike(group: Group) -> Iterator[tuple[Sequence[str], list[Topic]]]:
    """Yield the topics that have equally many partitions and the same subscribers together, behind these."""
    alike: dict[tuple[int, tuple[str, ...]], list[Topic]] = {}
    readers = subscribers(group)
    for topic in group.topics:
        alike.setdefault((topic.partitions, tuple(readers[topic.name])), []).append(topic)
    return ((members, topics) for (_, members), topics in alike.items())


def _racks_matter(group: Group, topic: Topic, readers: Sequence[str]) -> bool:
    near = [frozenset(rack for rack in racks if rack is not None) for racks in topic.racks or ()]
    homes = {member.rack for member in group.members if member.rack and member.id in readers}
    return any(homes & racks for racks in near) and len(set(near)) > 1


def co_partitioned(group: Group, assignment: Assignment) -> Iterator[str]:
    """Topics that the configuration joins give each number to the same member.

    Not asked of topics with unequal numbers of partitions, nor where nobody subscribes to all that are joined.
    Source: the client-side assignment proposal, co-partitioning; KIP-28.
    """
    holders: dict[TopicPartition, list[str]] = {}
    for member, given in holdings(group, assignment).items():
        for partition in given:
            holders.setdefault(partition, []).append(member)
    for join in joins(group):
        if join.wrong:
            continue
        first, *others = join.names
        for number in range(join.topics[0].partitions):
            one = holders.get(TopicPartition(first, number), [])
            for other in others:
                same = TopicPartition(other, number)
                if holders.get(same, []) != one:
                    yield (
                        f"{first} and {other} are joined, but {first}-{number} is with {listed(one, ' and ')} and {same} "
                        f"with {listed(holders.get(same, []), ' and ')}"
                    )


def near_before_far(group: Group, assignment: Assignment) -> Iterator[str]:
    """Nobody reads from afar a partition without owner that another member has near, which reads one from afar in its place.

    The two could exchange these partitions: loads and moves stay as they are, and fewer partitions are read across racks.
    Racks are those that assignors are told. Source: KIP-881; AbstractStickyAssignor, which gives members partitions near them first.
    """
    owned_by, racks = owners(group), {topic.name: topic.racks for topic in group.topics}
    members = {member.id: member for member in group.members}
    home = {member.id: member.rack for member in group.members if member.rack}

    def near(partition: TopicPartition, member: str) -> bool:
        known = racks[partition.topic]
        return known is not None and home.get(member) in known[partition.partition]

    held = holdings(group, assignment)
    afar = {
        member: [
            p
            for p in held[member]
            if p not in owned_by and racks[p.topic] is not None and not near(p, member)
        ]
        for member in home
    }
    for far, given in afar.items():
        for partition in given:
            for other, theirs in afar.items():
                takes = other != far and near(partition, other) and partition.topic in members[other].topics
                back = next((p for p in theirs if p.topic in members[far].topics), None) if takes else None
                if back is not None:
                    said = f"{far} reads {partition} from afar, and {other}, which is near it, reads {back} from afar"
                    yield Violation(f"{said}: exchange them", READS)
                    break


def balanced(group: Group, assignment: Assignment) -> Iterator[str]:
    """The loads are as even as the subscriptions allow: no chain of moves from member to member evens them.

    The load is the number of partitions that a member holds legally. Loads without such a chain are least in their
    maximum, their squares' sum and every other symmetric convex norm at once.
    Source: Harvey, Ladner, Lovasz, Tamir, Semi-matchings for bipartite graphs and load balancing (2006).
    """
    held = holdings(group, assignment)
    chain = find_improving_chain(held, subscribers(group))
    if chain:
        heavy, light = chain[0][1], chain[-1][2]
        yield Violation(
            f"{heavy} holds {counted(len(held[heavy]), 'partition')}, {light} holds {len(held[light])}; "
            f"more even: move {' and '.join(f'{p} from {giver} to {taker}' for p, giver, taker in chain)}",
            LOADS,
            sum(len(given) ** 2 for given in held.values()),
        )


def locally_balanced(group: Group, assignment: Assignment) -> Iterator[str]:
    """No single move of a partition evens the loads.

    Source: AbstractStickyAssignor.isBalanced: nobody could take a partition from an owner that holds two more.
    """
    held = holdings(group, assignment)
    loads = {member: len(given) for member, given in held.items()}
    least = min(loads.values(), default=0)
    readers = {
        topic: sorted(members, key=loads.__getitem__)
        for topic, members in subscribers(group).items()
        if members
    }
    sets = {member: set(given) for member, given in held.items()}
    for giver, given in held.items():
        if loads[giver] < least + 2:
            continue
        tried: set[tuple[str, str]] = set()
        for partition in given:
            for taker in readers[partition.topic]:
                if loads[giver] < loads[taker] + 2 or (partition.topic, taker) in tried:
                    break
                if partition not in sets[taker]:
                    tried.add((partition.topic, taker))
                    yield Violation(
                        f"{giver} holds {counted(len(given), 'partition')}, {taker} holds {loads[taker]}; "
                        f"more even: move {partition} from {giver} to {taker}",
                        LOADS,
                        loads[giver] - loads[taker],
                    )
                    break


def moves_bounded(group: Group, assignment: Assignment) -> Iterator[str]:
    """At most half as many partitions leave owners that could keep them as the sum of squared loads falls by that.

    The sum is compared with what it would be if these partitions had stayed, and all others were where they are. Who moves a partition
    only from one member to another with at least two less takes 2 or more off that sum each time. Demanded of complete and legal
    answers, where each partition has one such owner at most. Source: AbstractStickyAssignor.performReassignments.
    """
    held = holdings(group, assignment)
    owned_by, reads = owners(group), {member.id: frozenset(member.topics) for member in group.members}
    if not owned_by or not complete_and_legal(group, assignment):
        return
    kept, moved = Counter({member: len(given) for member, given in held.items()}), 0
    for member, given in held.items():
        for partition in given:
            able = [owner for owner in owned_by.get(partition, ()) if partition.topic in reads[owner]]
            if member in able or not able:
                continue
            if len(able) > 1:
                return
            kept[able[0]] += 1
            kept[member] -= 1
            moved += 1
    before, after = (sum(load**2 for load in loads) for loads in (kept.values(), map(len, held.values())))
    if 2 * moved > before - after:
        said = f"{counted(moved, 'partition')} left owners that could keep them"
        evens = f"the sum of squared loads is {after} for that, and was {before}"
        yield Violation(f"{said}; {evens}", MOVES, moved)


def distinct(group: Group, assignment: Assignment) -> Iterator[str]:
    """No partition is given to one member twice.

    Source: ShareGroupPartitionAssignor answers with sets.
    """
    for member in group.members:
        for partition, times in Counter(assignment.get(member.id, ())).items():
            if times > 1:
                yield Violation(f"{partition} is given to {member.id} {times} times", partition)


def busy(group: Group, assignment: Assignment) -> Iterator[str]:
    """Every member has a partition, if it subscribes to any that may be given: there is always one to share.

    Source: KIP-932, whose share groups may have more members than partitions, so that all of them consume.
    """
    held = holdings(group, assignment)
    for member in group.members:
        readable = [
            topic.name
            for topic in group.topics
            if topic.name in member.topics and topic.partitions > len(set(topic.unassignable))
        ]
        if readable and not held[member.id]:
            said = f"{member.id} has nothing, though it could share {listed(readable, ' or ')}"
            yield Violation(said, member.id)


def evenly_shared(group: Group, assignment: Assignment) -> Iterator[str]:
    """Every partition goes to as many members as there are for each partition, rounded up.

    Counted over all topics where all members subscribe to the same ones, and otherwise topic by topic. Source: the desired sharing
    of SimpleAssignor, Kafka 4.2.
    """
    owners = Counter(partition for given in holdings(group, assignment).values() for partition in given)
    wanted = sharing(group)
    for topic in group.topics:
        for partition in topic if wanted[topic.name] else ():
            if owners[partition] != wanted[topic.name] and partition.partition not in topic.unassignable:
                shared = counted(owners[partition], "member")
                said = f"{partition} is shared by {shared} instead of {wanted[topic.name]}"
                yield Violation(said, partition)
