"""The sticky assignment where subscriptions are equal, as of Kafka 2.5.1 to 2.8.2 (KAFKA-9987).

1. Members keep what they hold, in reported order, up to `most` = the average rounded up. All whose share is full keep
   the one more, though there may be more of them than there are surplus partitions.
2. The rest goes in turn to the members that held less than the average rounded down, until they have that.
3. If nothing is left for them, they take the first partition of each member that has `most`, in the order of a HashMap.
4. What is left goes one each to the others.

Known defects, reproduced: a partition claimed by two members stays with both where nobody settled that before (KAFKA-12984);
claims of partitions that do not exist are kept; and either may make it fail. A member that had to give up a partition
and is given it again has to wait for itself.
"""

from collections import deque
from collections.abc import Sequence

from kassay.model import AssignorError
from kassay.reference.consumer.sticky.numbered_group import Given, NumberedGroup, in_hash_order
from kassay.reference.consumer.sticky.owned_partitions import OwnedPartitions


def constrained_assign_2_5(group: NumberedGroup, claims: OwnedPartitions) -> tuple[Given, dict[int, int]]:
    """Return what each member gets, and the new owners of what others give up first; raises AssignorError as Kafka does."""
    if not group.members:
        return [], {}
    least, extra = divmod(group.size, len(group.members))
    most = least + (extra > 0)
    given = [held[:most] for held in claims.held]
    revoked = claims.contested.union(*(held[most:] for held in claims.held))
    order = in_hash_order(group)
    full = deque(m for m in order if len(given[m]) == most)
    takers = [m for m in order if len(given[m]) == least]
    kept = {p for own in given for p in own}
    left = deque(p for p in range(group.size) if p not in kept)

    lacking = [m for m, own in enumerate(given) if len(own) < least]
    dealt = []
    while lacking and left:
        dealt += _deal(given, left, lacking)
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
    dealt += _deal(given, left, takers)
    return given, {p: m for p, m in dealt if p in revoked} | dict(swapped)


def _deal(given: Given, left: deque[int], takers: Sequence[int]) -> list[tuple[int, int]]:
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
