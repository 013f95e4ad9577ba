"""The three algorithms of the sticky assignment: equal subscriptions since 3.0, equal subscriptions of 2.5.1 to 2.8.2, and different ones.

**constrained_assign** (equal subscriptions): each member gets `least` partitions or one more.

1. Members keep their partitions, sorted by number and topic, except contested ones and those outside their rack.
   They keep up to `least`, and one more for as many members as there are surplus partitions. If more members
   could keep one more, the first ones in a HashMap of ids do.
2. If racks matter, the rest goes to members in a rack of the partition, partitions with the fewest such members first.
   Members below `least` get them in turn; then the first one at `least` gets them while there is surplus.
3. The remaining partitions go in turn to the members below `least`, then one each to those at `least`.

Kafka fails if more partitions remain than it counted. Claims of partitions that do not exist can cause that.
Kafka has assigned in this way since 3.0, and exactly so since 3.7.1. Before (`mended` is False):

- The partitions of members were not sorted, so that they kept other ones, of other topics (KAFKA-16277).
- Partitions outside the rack of their owner did not count as owned, so new owners did not wait for them.
- A partition that a member had to give up counted as moving even if the member got it back.
- With racks, more members could get one more than there is surplus, and took it from others (KAFKA-15170).

**constrained_assign_2_5** (equal subscriptions, Kafka 2.5.1 to 2.8.2, KAFKA-9987):

1. Members keep their partitions in reported order, up to `most`, the average rounded up. All full members keep
   one more, even if they are more than the surplus partitions.
2. The rest goes in turn to the members that held less than the average rounded down, until they have that.
3. If nothing is left for them, they take the first partition of each member that has `most`, in the order of a HashMap.
4. The remaining partitions go one each to the others.

Known defects, reproduced: a partition with two claims stays with both members if the claims were not settled before (KAFKA-12984).
Claims of partitions that do not exist are kept. Either may make it fail. A member that had to give up a partition
and gets it back has to wait for itself.

**general_assign** (different subscriptions, Kafka 3.0 and later):

1. Members keep their partitions of topics they subscribe to, if they are in their rack.
2. Every other partition, topics with the fewest subscribers first, goes to the subscriber with the least load
   (of equals, the first id). First come all partitions with a subscriber in their racks, then the rest.
3. Partitions move until loads are balanced (balance.py). The partitions of step 2 come first by themselves, unless a member had to
   give up something in step 1; then all partitions, in the order of step 2.
"""

from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from itertools import chain, groupby

from kassay.model import AssignorError
from kassay.reference.consumer.members import Racks
from kassay.reference.consumer.sticky.balance import Start, balance
from kassay.reference.consumer.sticky.numbered_group import (
    Given,
    NumberedGroup,
    fewest_mates_first,
    find_unclaimed,
    sort_by_hash,
)
from kassay.reference.consumer.sticky.owned_partitions import OwnedPartitions


def constrained_assign(
    group: NumberedGroup, claims: OwnedPartitions, *, mended: bool = True
) -> tuple[Given, dict[int, int]]:
    """Return what each member gets, and the new owners of what others give up first.

    Raises AssignorError without members, and where the count is upset.
    """
    if not group.members:
        raise AssignorError("ArithmeticException: / by zero")
    least, surplus = divmod(group.size, len(group.members))
    given, revoked = _keep(group, claims, least, surplus, mended=mended)
    kept = [len(partitions) for partitions in given]
    left = find_unclaimed(group, list(chain.from_iterable(given)))
    surplus -= sum(count > least for count in kept)
    below = [m for m, count in enumerate(kept) if count < least]
    at_least = [m for m, count in enumerate(kept) if count == least] if surplus else []
    if group.racks:
        extra = surplus if mended else group.size if group.size % len(group.members) else 0
        left, below, at_least = _align(group, given, left, below, at_least, least, extra)
    short = _deal(given, left, below, at_least, least)
    if short:
        raise AssignorError(_describe_lack(group.members[short[0]].id, surplus))
    moving = {
        p: m
        for m, partitions in enumerate(given)
        for p in partitions[kept[m] :]
        if p in claims.contested or (p in revoked and (revoked[p] != m or not mended))
    }
    return given, moving


def _describe_lack(member: str, surplus: int) -> str:
    """Word what Kafka throws where members are left without enough."""
    if surplus:
        what = "We haven't reached the expected number of members with more than the minQuota partitions, but"
    else:
        what = f"Consumer: [{member}] doesn't reach minQuota partitions, and"
    return f"IllegalStateException: {what} no more partitions to be assigned"


def _keep(
    group: NumberedGroup, claims: OwnedPartitions, least: int, surplus: int, *, mended: bool
) -> tuple[Given, dict[int, int]]:
    """Return what each member keeps, and who held the other partitions."""
    wanted = []
    for m, held in enumerate(claims.held):
        own = group.sort_aligned(m, [p for p in held if p not in claims.contested])
        if mended:
            own.sort(key=lambda p: (group.partitions[p].partition, group.topic_of[p]))
        wanted.append(own)
    above = [m for m, own in enumerate(wanted) if len(own) > least]
    if len(above) > surplus:
        could = set(above)
        above = [m for m in sort_by_hash(group) if m in could][:surplus] if surplus else []
    lucky = set(above)
    given = [own[: least + (m in lucky)] for m, own in enumerate(wanted)]
    if not mended:
        return given, {p: m for m, own in enumerate(wanted) for p in own[len(given[m]) :]}
    kept = set(chain.from_iterable(given))
    return given, {p: m for m, held in enumerate(claims.held) for p in held if p not in kept}


def _align(
    group: NumberedGroup,
    given: Given,
    left: list[int],
    below: list[int],
    at_least: list[int],
    least: int,
    surplus: int,
) -> tuple[list[int], list[int], list[int]]:
    """Give partitions to members in their racks; return those left, and who is still below and at `least`."""
    hungry, content = _group_by_rack(group, below), _group_by_rack(group, at_least)
    turn = {m: n for n, m in enumerate(at_least)}
    last = -1
    rest = []
    for p in fewest_mates_first(group, left):
        racks = group.racks[p]
        if (m := _find_next(last, hungry, racks)) is not None:
            last = m
            given[m].append(p)
            if len(given[m]) == least:
                hungry[group.rack[m]].remove(m)
                if surplus:
                    content[group.rack[m]].append(m)
                    turn[m] = len(turn)
        elif heads := [content[rack][0] for rack in racks if content[rack]]:
            m = min(heads, key=turn.__getitem__)
            given[m].append(p)
            content[group.rack[m]].remove(m)
            surplus -= 1
            if not surplus:
                content.clear()
        else:
            rest.append(p)
    return rest, sorted(chain(*hungry.values())), sorted(chain(*content.values()), key=turn.__getitem__)


def _group_by_rack(group: NumberedGroup, members: list[int]) -> defaultdict[str | None, list[int]]:
    queues = defaultdict(list)
    for m in members:
        queues[group.rack[m]].append(m)
    return queues


def _find_next(last: int, hungry: Mapping[str | None, list[int]], racks: Racks) -> int | None:
    """Return the next member in one of the racks, after the one served last and round again."""
    queues = [hungry[rack] for rack in racks if hungry[rack]]
    following = [queue[bisect_right(queue, last) % len(queue)] for queue in queues]
    return min(following, key=lambda m: (m <= last, m), default=None)


def _deal(given: Given, left: list[int], below: list[int], at_least: list[int], least: int) -> list[int]:
    """Give the rest in turn to the members below `least`, then one each to those at `least`; return who has too little."""
    dealt = 0
    while below and dealt < len(left):
        rounds = min(least - len(given[m]) for m in below)  # until the first has enough
        cards = left[dealt : dealt + rounds * len(below)]
        for turn, m in enumerate(below):
            given[m].extend(cards[turn :: len(below)])
        dealt += len(cards)
        at_least = at_least + [m for m in below if len(given[m]) == least]
        below = [m for m in below if len(given[m]) < least]
    if len(left) - dealt > len(at_least):
        raise AssignorError("IllegalStateException: No more unfilled consumers to be assigned.")
    for p, m in zip(left[dealt:], at_least, strict=False):
        given[m].append(p)
    return below


def constrained_assign_2_5(group: NumberedGroup, claims: OwnedPartitions) -> tuple[Given, dict[int, int]]:
    """Return what each member gets, and the new owners of what others give up first; raises AssignorError as Kafka does."""
    if not group.members:
        return [], {}
    least, extra = divmod(group.size, len(group.members))
    most = least + (extra > 0)
    given = [held[:most] for held in claims.held]
    revoked = claims.contested.union(*(held[most:] for held in claims.held))
    order = sort_by_hash(group)
    full = deque(m for m in order if len(given[m]) == most)
    takers = [m for m in order if len(given[m]) == least]
    kept = {p for own in given for p in own}
    left = deque(p for p in range(group.size) if p not in kept)

    lacking = [m for m, own in enumerate(given) if len(own) < least]
    dealt = []
    while lacking and left:
        dealt += _deal_2_5(given, left, lacking)
        takers += [m for m in lacking if len(given[m]) == least]
        lacking = [m for m in lacking if len(given[m]) < least]
    swapped = [(_swap(given, full), m) for m in lacking for _ in range(least - len(given[m]))]
    for p, m in swapped:
        given[m].append(p)
    takers += lacking
    if len(left) > len(takers):
        raise AssignorError(
            "IllegalStateException: Some partitions are unassigned but all consumers are at maximum capacity"
        )
    dealt += _deal_2_5(given, left, takers)
    return given, {p: m for p, m in dealt if p in revoked} | dict(swapped)


def _deal_2_5(given: Given, left: deque[int], takers: Sequence[int]) -> list[tuple[int, int]]:
    """Give each taker one partition as long as there are any; return what went to whom."""
    dealt = [(left.popleft(), m) for m in takers[: len(left)]]
    for p, m in dealt:
        given[m].append(p)
    return dealt


def _swap(given: Given, full: deque[int]) -> int:
    """Take the first partition of the next member that has most."""
    if not full:
        raise AssignorError(
            "IllegalStateException: Some consumers are under capacity but all partitions have been assigned"
        )
    return given[full.popleft()].pop(0)


def general_assign(group: NumberedGroup, claims: OwnedPartitions, *, gap: int = 2) -> Given:
    """Return what each member gets; raises AssignorError where Kafka fails or never ends.

    `gap` is how much more an owner must have than a subscriber for loads to count as uneven: 2 from 3.5.2 on, 1 before
    (KAFKA-15106).
    """
    topics_of, readers = subscriptions(group)
    kept = [
        group.sort_aligned(m, [p for p in held if group.topic_of[p] in topics])
        for m, (held, topics) in enumerate(zip(claims.held, map(set, topics_of), strict=True))
    ]
    left = find_unclaimed(group, [p for own in kept for p in own])
    return balance(
        group,
        Start(
            kept=kept,
            held=claims.held,
            order=list(enumerate(group.spans)),
            loose=[(t, list(block)) for t, block in groupby(left, group.topic_of.__getitem__)],
            loose_first=kept == claims.held,
            topics_of=topics_of,
            readers=readers,
            capacities=_count_capacities(group, topics_of),
            previous=claims.previous,
            hash_order=lambda without: sort_by_hash(group, without),
            gap=gap,
        ),
    )


def subscriptions(group: NumberedGroup) -> tuple[list[list[int]], list[list[int]]]:
    """Return each member's topics and each topic's members, in the group's order and as often as listed."""
    number = {topic.name: t for t, topic in enumerate(group.topics)}
    topics_of = [[number[name] for name in member.topics if name in number] for member in group.members]
    readers: list[list[int]] = [[] for _ in group.topics]
    for m in group.arrival:
        for t in topics_of[m]:
            readers[t].append(m)
    return topics_of, readers


def _count_capacities(group: NumberedGroup, topics_of: Sequence[Sequence[int]]) -> list[int]:
    """Return the number of partitions that each member can get, in Kafka's view: a topic listed twice counts twice."""
    sizes = list(map(len, group.spans))
    return [
        group.size if len(topics) == len(sizes) else sum(map(sizes.__getitem__, topics))
        for topics in topics_of
    ]
