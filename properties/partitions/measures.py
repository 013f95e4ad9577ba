"""Measures of assignments of topic partitions. All are integers; less is better, except `kept`.

The load of a member is its number of legal partitions: existing ones, of subscribed topics, each once.
"""

from kassay.model import Assignment, Group
from kassay.model.hosts import locate_racks
from kassay.properties.partitions.owners import (
    holdings,
    list_able,
    list_partings,
    owners,
    partition_counts,
    topic_loads,
)
from kassay.properties.partitions.rounds import ROUNDS, Assign, settle


def imbalance(group: Group, assignment: Assignment) -> int:
    """Maximum minus minimum load, in partitions, of the members with an existing topic in their subscription."""
    loads = _loads(group, assignment)
    return max(loads, default=0) - min(loads, default=0)


def greatest_load(group: Group, assignment: Assignment) -> int:
    """Maximum load, in partitions."""
    return max(_loads(group, assignment), default=0)


def square_imbalance(group: Group, assignment: Assignment) -> int:
    """Sum of the squared loads: minimal exactly if the loads are balanced as far as the subscriptions allow."""
    return sum(load * load for load in _loads(group, assignment))


def excess(group: Group, assignment: Assignment) -> int:
    """Partitions beyond a fair share, which is the mean load rounded up, of all members."""
    loads = _loads(group, assignment)
    share = -(-sum(loads) // len(loads)) if loads else 0
    return sum(max(0, load - share) for load in loads)


def topic_spread(group: Group, assignment: Assignment) -> int:
    """Maximum difference between two subscribers' partitions of one topic, in partitions."""
    shares = (loads.values() for loads in topic_loads(group, assignment).values() if loads)
    return max((max(share) - min(share) for share in shares), default=0)


def topic_excess(group: Group, assignment: Assignment) -> int:
    """Half the excess of the squares of the subscribers' partitions per topic over the minimum.

    It is an integer, and 0 exactly if the subscribers of each topic differ by at most one partition. The minimum has the same
    partitions dealt round the topic's subscribers. If two subscribers have q partitions each, a move of `a` of them costs a
    squared.
    """
    total = 0
    for loads in topic_loads(group, assignment).values():
        if loads:
            few, over = divmod(sum(loads.values()), len(loads))
            least = over * (few + 1) ** 2 + (len(loads) - over) * few**2
            total += sum(load * load for load in loads.values()) - least
    return total // 2


def greatest_weight(group: Group, assignment: Assignment) -> int:
    """Maximum weight of a member, in the group's unit; unknown weights count 0."""
    return max(weights_held(group, assignment).values(), default=0)


def over_capacity(group: Group, assignment: Assignment) -> int:
    """Total weight of members beyond their capacities, in the group's unit; members without a capacity do not count."""
    held = weights_held(group, assignment)
    return sum(max(0, held[m.id] - m.capacity) for m in group.members if m.capacity is not None)


def weights_held(group: Group, assignment: Assignment) -> dict[str, int]:
    """Return the total weight of the legal partitions of each member; unknown weights count 0."""
    weights = {topic.name: topic.weights for topic in group.topics if topic.weights is not None}
    return {
        member: sum(weights[p.topic][p.partition] or 0 for p in given if p.topic in weights) if weights else 0
        for member, given in holdings(group, assignment).items()
    }


def moves(group: Group, assignment: Assignment) -> int:
    """Existing partitions that had an owner and now have a different one or none, in partitions.

    An owner claims the partition with the highest generation; it may no longer subscribe.
    """
    return sum(parted for _, _, parted in list_partings(group, assignment))


def moved_weight(group: Group, assignment: Assignment) -> int:
    """Weight of the partitions that move, in the group's unit, such as unread bytes per second; unknown weights count 0.

    Divided by the capacity of a consumer it is the R-score of Landau, Andrade and Barbosa (arXiv 2206.11170).
    """
    weights = {topic.name: topic.weights for topic in group.topics if topic.weights is not None}
    if not weights:
        return 0
    moved = (p for p, _, parted in list_partings(group, assignment) if parted and p.topic in weights)
    return sum(weights[p.topic][p.partition] or 0 for p in moved)


def kept(group: Group, assignment: Assignment) -> int:
    """Existing partitions that had an owner and stay with an owner, in partitions."""
    return sum(not parted for _, _, parted in list_partings(group, assignment))


def copies_lost(group: Group, assignment: Assignment) -> int:
    """Copies of existing partitions that an owner had and lost, if several members may own one."""
    return _copies(group, assignment, stay=False)


def copies_kept(group: Group, assignment: Assignment) -> int:
    """Copies of existing partitions that stay with an owner, if several members may own one."""
    return _copies(group, assignment, stay=True)


def _copies(group: Group, assignment: Assignment, *, stay: bool) -> int:
    counts = partition_counts(group)
    given = {member.id: set(assignment.get(member.id, ())) for member in group.members}
    return sum(
        (partition in given[owner]) is stay
        for partition, owned_by in owners(group).items()
        if partition.partition < counts.get(partition.topic, 0)
        for owner in owned_by
    )


def cross_rack(group: Group, assignment: Assignment) -> int:
    """Partitions whose member has no replica of them in its rack, in partitions.

    Members without a rack (or with the empty one) and partitions without any known replica rack do not count. Racks may be
    derived from host names. Source: KIP-881.
    """
    group = locate_racks(group)
    racks = {topic.name: topic.racks for topic in group.topics if topic.racks is not None}
    home = {member.id: member.rack for member in group.members if member.rack}
    count = 0
    for member, given in holdings(group, assignment).items() if racks and home else ():
        if member in home:
            for partition in given:
                near = racks[partition.topic][partition.partition] if partition.topic in racks else ()
                count += home[member] not in near and any(rack is not None for rack in near)
    return count


def idle_members(group: Group, assignment: Assignment) -> int:
    """Members without a partition that subscribe to an existing topic."""
    return sum(load == 0 for load in _loads(group, assignment))


def rounds(assign: Assign, group: Group) -> int:
    """Rebalances until the assignment, fed back, repeats; one more than the limit if it never does."""
    settled = settle(assign, group)
    return ROUNDS + 1 if settled.rounds is None else settled.rounds


def _loads(group: Group, assignment: Assignment) -> list[int]:
    held = holdings(group, assignment)
    return [len(held[member]) for member in list_able(group)]
