"""The invariant about claims of different generations: the newest one counts."""

from collections.abc import Iterator

from kassay.model import Assignment, Group, Member, TopicPartition
from kassay.model.hosts import located
from kassay.properties.partitions.holdings import Holdings, holdings
from kassay.properties.partitions.owners import generation, owners
from kassay.properties.runs import Violation


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
                other = _exchange(group, held, owned_by, owner, taker)
                if len(held[owner.id]) < len(held[taker.id]) or other is not None:
                    yield Violation(
                        f"{partition} is given to {taker.id}, which claims it with generation {generation(taker)}, and not "
                        f"to {owner.id}, which claims it with {generation(owner)}; "
                        + (
                            f"{owner.id} could have it for {other}" if other else "the loads would be as even"
                        ),
                        partition,
                    )


def _exchange(
    group: Group, held: Holdings, owned_by: dict[TopicPartition, list[str]], owner: Member, taker: Member
) -> TopicPartition | None:
    """Return a partition that the owner has without having owned it, and that the other member could have as well."""
    gained = (p for p in held[owner.id] if owner.id not in owned_by.get(p, ()) and p not in held[taker.id])
    return next((partition for partition in gained if _can_take(group, taker, partition, owner)), None)


def _can_take(group: Group, member: Member, partition: TopicPartition, giver: Member) -> bool:
    """Return whether a member can take a partition, and not read from afar what its giver reads from its own rack."""
    known = next(topic.racks for topic in group.topics if topic.name == partition.topic)
    near = () if known is None else known[partition.partition]  # nobody's rack, as for racks_decide
    giver_afar = giver.rack and giver.rack not in near
    return partition.topic in member.topics and bool(not member.rack or member.rack in near or giver_afar)
