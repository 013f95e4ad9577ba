"""Claims: what the members of a group say they own, and which of these claims still stand."""

from collections.abc import Sequence
from dataclasses import replace

from kassay.model import Assignment, Group, Member, TopicPartition
from kassay.properties.partitions.holdings import partition_counts

NO_GENERATION = -1
"""Where a claim without a generation stands: below all others, as Kafka's DEFAULT_GENERATION."""


def generation(member: Member) -> int:
    """Return the generation of the member's claims, NO_GENERATION where it gives none."""
    return NO_GENERATION if member.generation is None else member.generation


def owners(group: Group) -> dict[TopicPartition, list[str]]:
    """Return the members whose claim to a partition stands, in the group's order, for each claimed partition.

    A claim stands unless another member claims the same partition with a higher generation: then the partition was
    handed on while the claimant was away (KAFKA-12984). Equal generations contradict each other and both stand
    (KAFKA-7026). The partition may have vanished, and its owner may no longer subscribe to the topic.
    """
    standing: dict[TopicPartition, list[str]] = {}
    highest: dict[TopicPartition, int] = {}
    for member in group.members:
        current = generation(member)
        for partition in member.owned:
            if partition not in standing or current > highest[partition]:
                standing[partition] = [member.id]
                highest[partition] = current
            elif current == highest[partition]:
                standing[partition].append(member.id)
    return standing


def present(group: Group) -> Assignment | None:
    """Return what each member owns by the claims that stand, None where no member claims anything."""
    standing = owners(group)
    return {
        member.id: tuple(p for p in dict.fromkeys(member.owned) if member.id in standing[p])
        for member in group.members
    } if standing else None  # fmt: skip


def owned_once(group: Group) -> Group:
    """Return the group in which each claimed partition is claimed once: by the first member whose claim to it stands.

    So it is with what a coordinator's assignor is handed (KIP-848): a target assignment has one owner of each partition.
    """
    first = {partition: claimants[0] for partition, claimants in owners(group).items()}
    return replace(
        group,
        members=tuple(
            replace(member, owned=tuple(p for p in dict.fromkeys(member.owned) if first[p] == member.id))
            for member in group.members
        ),
    )


def is_owned_once(group: Group) -> bool:
    """Say whether no partition is claimed twice, of whatever generations."""
    claims = [partition for member in group.members for partition in member.owned]
    return len(claims) == len(set(claims))


def partings(group: Group, assignment: Assignment) -> list[tuple[TopicPartition, Sequence[str], bool]]:
    """Return each existing partition that had owners, with these owners, and whether none of them keeps it."""
    counts = partition_counts(group)
    given = {member.id: frozenset(assignment.get(member.id, ())) for member in group.members}
    return [
        (partition, owned_by, not any(partition in given[owner] for owner in owned_by))
        for partition, owned_by in owners(group).items()
        if partition.partition < counts.get(partition.topic, 0)
    ]
