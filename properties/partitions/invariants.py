"""Invariants: what can be true of one assignment of topic partitions.

>>> from kassay.model import Group, Member, Topic
>>> from kassay.properties.partitions.invariants import balanced
>>> group = Group((Topic("t", 2),), (Member("a", ("t",)), Member("b", ("t",))))
>>> list(balanced(group, {"a": list(group.topics[0]), "b": []}))
['a holds 2 partitions, b holds 0; more even: move t-0 from a to b']
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from kassay.model import Assignment, Group, Member, Topic, TopicPartition
from kassay.model.hosts import locate_racks
from kassay.model.joins import find_joins
from kassay.properties.partitions.exchanges import find_improving_chain
from kassay.properties.partitions.owners import (
    complete_and_legal,
    generation,
    holdings,
    is_legal,
    owners,
    partition_counts,
    subscribers,
    topic_loads,
    wanted_copies,
)
from kassay.properties.runs import LOADS, MOVES, READS, Violation, format_count, format_items

COPIES = 2
"""The number of owners that `redundant` demands."""


def complete(group: Group, assignment: Assignment) -> Iterator[str]:
    """Every partition of a subscribed topic has an owner, except partitions that are not assignable yet.

    Source: the contract of ConsumerPartitionAssignor; no member reads a partition without an owner. GroupSpec.isPartitionAssignable.
    """
    if complete_and_legal(group, assignment):
        return
    given = set(chain.from_iterable(assignment.get(member.id, ()) for member in group.members))
    readers = subscribers(group)
    for topic in group.topics:
        if readers[topic.name] and not given.issuperset(topic):
            for partition in topic:
                if partition not in given and partition.partition not in topic.unassignable:
                    said = f"{partition} has no owner, though {readers[topic.name][0]} subscribes to {topic.name}"
                    yield Violation(said, partition)


def exclusive(group: Group, assignment: Assignment) -> Iterator[str]:
    """No partition is assigned to two members, or to one member twice.

    Source: the contract of ConsumerPartitionAssignor; a partition with two owners is processed twice.
    """
    everything = [assignment.get(member.id, ()) for member in group.members]
    if len(set(chain.from_iterable(everything))) == sum(map(len, everything)):
        return
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
    """Partitions are assigned only to members that subscribe to their topic.

    Source: the contract of ConsumerPartitionAssignor; a consumer refuses what it has not subscribed to.
    """
    for member in () if is_legal(group, assignment) else group.members:
        topics = set(member.topics)
        for partition in assignment.get(member.id, ()):
            if partition.topic not in topics:
                said = f"{partition} is given to {member.id}, which subscribes to {format_items(member.topics, ' and ')}"
                yield Violation(said, partition)


def existing(group: Group, assignment: Assignment) -> Iterator[str]:
    """Only existing, assignable partitions are assigned.

    Source: the contract of ConsumerPartitionAssignor; members may report owned partitions and topics that have been deleted.
    GroupSpec.isPartitionAssignable.
    """
    counts = partition_counts(group)
    withheld = {TopicPartition(topic.name, number) for topic in group.topics for number in topic.unassignable}
    for member, given in assignment.items() if withheld or not is_legal(group, assignment) else ():
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
    """The assignment names every member of the group, and no other member.

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
    """Each topic is balanced: the numbers of its partitions per subscriber differ by at most one.

    Source: RangeAssignor, whose shares of each topic differ by at most one.
    """
    for topic, loads in topic_loads(group, assignment).items():
        if len(loads) > 1:
            most, least = max(loads, key=loads.__getitem__), min(loads, key=loads.__getitem__)
            if loads[most] > loads[least] + 1:
                said = f"of {topic}, {most} holds {loads[most]} partitions and {least} {loads[least]}"
                yield Violation(said, topic, loads[most] - loads[least])


def cooperative(group: Group, assignment: Assignment) -> Iterator[str]:
    """No partition is assigned to a member while another member still owns it.

    A member owns the partitions that it reports, unless another member reports the same with a higher generation. If several
    members own one partition with equal generations, any of them may keep it, but no other member may get it before all have
    revoked it. A single report of an old generation counts: its owner may still be reading. Source: KIP-429.
    CooperativeStickyAssignor also lets a member with an outdated claim keep the partition. Here that is a violation, because
    both members read it until the owner has revoked it.
    """
    owned_by = owners(group)
    for member in group.members:
        for partition in assignment.get(member.id, ()):
            current = owned_by.get(partition, ())
            if current and member.id not in current:
                said = f"{partition} is given to {member.id} while {format_items(current, ' and ')} still owns it"
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
    """Of two members that claim one partition, the member with the older generation does not take it from the other.

    Balance or racks may take it from the owner. So this is a violation only if the owner could have it back: with equally
    balanced loads, or in exchange for a partition that it did not own. Neither may add a cross-rack read. Source: KAFKA-12984
    and librdkafka #4252: a member that comes back late claims partitions that were assigned to others meanwhile.
    """
    group = locate_racks(group)
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
                # The taker could have in exchange a partition that the owner has and did not own.
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
    """Topics with equal partition counts and subscribers assign each number to the same member, in consecutive ranges.

    With racks the ranges need not be consecutive if racks matter to one of the topics (KIP-881). They do if a subscriber shares
    a rack with a replica of the topic, and its partitions are not all in the same racks. Source: RangeAssignor, on which joins
    of streams depend; sarama #2245, where equal topics were divided differently.
    """
    group = locate_racks(group)
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
                    yield f"of {first}, {reader} holds {format_items(one)}; of {other}, {format_items(two)}"
        if not any(_racks_matter(group, topic, readers) for topic in topics):
            held = ((name, *one) for name in (first, *others) for one in numbers[name].items())
            for name, reader, own in held:
                if own[-1] - own[0] >= len(own):
                    yield f"of {name}, {reader} holds {format_items(own)}, which are not consecutive"


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
    """Joined topics assign each number to the same member.

    Not checked for topics with unequal numbers of partitions, nor if no member subscribes to all joined topics.
    Source: the client-side assignment proposal, co-partitioning; KIP-28.
    """
    holders: dict[TopicPartition, list[str]] = {}
    for member, given in holdings(group, assignment).items():
        for partition in given:
            holders.setdefault(partition, []).append(member)
    for join in find_joins(group):
        if join.wrong:
            continue
        first, *others = join.names
        for number in range(join.topics[0].partitions):
            one = holders.get(TopicPartition(first, number), [])
            for other in others:
                same = TopicPartition(other, number)
                if holders.get(same, []) != one:
                    yield (
                        f"{first} and {other} are joined, but {first}-{number} is with {format_items(one, ' and ')} and {same} "
                        f"with {format_items(holders.get(same, []), ' and ')}"
                    )


def near_before_far(group: Group, assignment: Assignment) -> Iterator[str]:
    """No two members each read across racks a partition without owner that the other one could read from its own rack.

    They could exchange these partitions: loads and moves stay, and fewer partitions are read across racks. Racks are the racks
    that assignors receive. Source: KIP-881; AbstractStickyAssignor, which gives members partitions near them first.
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
    """The loads are balanced as far as the subscriptions allow: no chain of moves improves them.

    The load is the number of legal partitions of a member. Loads without such a chain are minimal in their maximum, their sum
    of squares and every other symmetric convex norm at once. Source: Harvey, Ladner, Lovasz, Tamir, Semi-matchings for
    bipartite graphs and load balancing (2006).
    """
    held = holdings(group, assignment)
    found = find_improving_chain(held, subscribers(group))
    if found:
        heavy, light = found[0][1], found[-1][2]
        yield Violation(
            f"{heavy} holds {format_count(len(held[heavy]), 'partition')}, {light} holds {len(held[light])}; "
            f"more even: move {' and '.join(f'{p} from {giver} to {taker}' for p, giver, taker in found)}",
            LOADS,
            sum(len(given) ** 2 for given in held.values()),
        )


def locally_balanced(group: Group, assignment: Assignment) -> Iterator[str]:
    """No single move of a partition improves the balance.

    Source: AbstractStickyAssignor.isBalanced: no member could take a partition from an owner that has two more.
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
                        f"{giver} holds {format_count(len(given), 'partition')}, {taker} holds {loads[taker]}; "
                        f"more even: move {partition} from {giver} to {taker}",
                        LOADS,
                        loads[giver] - loads[taker],
                    )
                    break


def moves_bounded(group: Group, assignment: Assignment) -> Iterator[str]:
    """The needless moves are at most half the decrease of the sum of squared loads that they achieve.

    A needless move takes a partition from an owner that could keep it. The sum is compared with the sum if these partitions had
    stayed. Each move from a member to one with at least two less decreases it by 2 or more. Checked for complete and legal
    assignments, if each partition has at most one such owner. Source: AbstractStickyAssignor.performReassignments.
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
        said = f"{format_count(moved, 'partition')} left owners that could keep them"
        evens = f"the sum of squared loads is {after} for that, and was {before}"
        yield Violation(f"{said}; {evens}", MOVES, moved)


def distinct(group: Group, assignment: Assignment) -> Iterator[str]:
    """No partition is assigned to one member twice.

    Source: ShareGroupPartitionAssignor answers with sets.
    """
    for member in group.members:
        for partition, times in Counter(assignment.get(member.id, ())).items():
            if times > 1:
                yield Violation(f"{partition} is given to {member.id} {times} times", partition)


def busy(group: Group, assignment: Assignment) -> Iterator[str]:
    """Every member with an assignable partition in its subscription has a partition: it can share one.

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
            said = f"{member.id} has nothing, though it could share {format_items(readable, ' or ')}"
            yield Violation(said, member.id)


def evenly_shared(group: Group, assignment: Assignment) -> Iterator[str]:
    """Every partition is assigned to the number of members per partition, rounded up.

    The number counts all topics if all members have the same subscription, otherwise it is counted topic by topic. Source: the
    desired sharing of SimpleAssignor, Kafka 4.2.
    """
    owners = Counter(partition for given in holdings(group, assignment).values() for partition in given)
    wanted = wanted_copies(group)
    for topic in group.topics:
        for partition in topic if wanted[topic.name] else ():
            if owners[partition] != wanted[topic.name] and partition.partition not in topic.unassignable:
                shared = format_count(owners[partition], "member")
                said = f"{partition} is shared by {shared} instead of {wanted[topic.name]}"
                yield Violation(said, partition)
