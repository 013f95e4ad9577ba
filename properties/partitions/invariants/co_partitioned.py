"""The invariant about joined topics: the member that reads a number of one reads it of all."""

from collections.abc import Iterator

from kassay.model import Assignment, Group, TopicPartition
from kassay.model.joins import joins
from kassay.properties.partitions.holdings import holdings
from kassay.properties.words import listed


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
