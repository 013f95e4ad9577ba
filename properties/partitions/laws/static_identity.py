"""The law about static members that come back: who has an instance id is known by it, whatever its member id."""

from collections.abc import Iterator
from dataclasses import replace

from kassay.model import Group, TopicPartition
from kassay.properties.partitions.rounds import Assign, settle
from kassay.properties.runs import MOVES, Run, TwoRuns


def static_identity(assign: Assign, group: Group) -> Iterator[str]:
    """Static members of a settled group that come back under new member ids keep all that they have.

    All of them come back at once, with their claims, listed in reverse, under ids that sort the other way round. The group
    has come to rest before, so nothing else moves a partition; where it does not, `settling` speaks of it.
    Source: KIP-345; KAFKA-8355 and KAFKA-8356, where Kafka 2.3 put static members in order by their new ids.
    """
    settled = settle(assign, group)
    instances = {m.id: m.instance_id for m in settled.group.members if m.instance_id is not None}
    if settled.rounds is None or not instances:
        return
    back = _returned(settled.group, sorted(instances))
    now: dict[TopicPartition, list[str]] = {}
    answer = assign(back)
    for member, given in answer.items():
        for partition in given:
            now.setdefault(partition, []).append(member)
    came = {m.instance_id: m.id for m in back.members if m.instance_id is not None}
    for member, instance in instances.items():
        for partition in settled.assignment.get(member, ()):
            takers = now.get(partition, [])
            if came[instance] not in takers:
                where = " and ".join(takers) or "nobody"
                yield TwoRuns(
                    f"{partition} is given to instance {instance}; back as {came[instance]} instead of {member}, "
                    f"it loses {partition} to {where}",
                    Run("before", settled.group, settled.assignment),
                    Run("after the restart", back, answer),
                    MOVES,
                )


def _returned(group: Group, static: list[str]) -> Group:
    """Return the group with the members of these ids, in ascending order, under new ids in descending order."""
    prefix = "~back"  # sorts after the usual ids, also after those of dynamic members
    while any(member.id.startswith(prefix) for member in group.members):
        prefix += "+"
    width = len(str(len(static)))
    ids = {old: f"{prefix}-{len(static) - n:0{width}}" for n, old in enumerate(static)}
    members = (replace(member, id=ids.get(member.id, member.id)) for member in group.members[::-1])
    return replace(group, members=tuple(members))
