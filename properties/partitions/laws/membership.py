"""The law about a member that leaves: only its partitions, and what balance forces, may move.

The laws about members that take another one's place, or come in addition: only what they are given has to move.

The law about static members that come back: who has an instance id is known by it, whatever its member id.
"""

from collections.abc import Iterator
from dataclasses import replace

from kassay.model import Group, Member, TopicPartition
from kassay.properties.partitions.exchange_graph import undoing
from kassay.properties.partitions.laws.several_runs import NEWCOMER
from kassay.properties.partitions.owners import holdings, partings
from kassay.properties.partitions.rounds import Assign, Settled, settle
from kassay.properties.runs import MOVES, Run, TwoRuns


def leaver_minimal(assign: Assign, group: Group) -> Iterator[str]:
    """When a member leaves a settled group, only its partitions move, and what balance forces to.

    Tried with the member that holds most and with the one that holds least, each leaving alone; the rest settles again. A
    move of another member's partition is forced unless an exchange undoes it: partitions handed round so that the loads
    stay as even as they are or become more even, nobody reads from afar what was read near, and more come back to
    their owners than are taken from them. The violation names such an exchange, so nobody is accused wrongly; without racks
    none is overlooked where the loads are balanced. Source: KIP-54, whose second aim is to keep what can be kept.
    """
    settled = settle(assign, group)
    held = holdings(settled.group, settled.assignment)
    most = max(held, key=lambda member: len(held[member]), default=None)
    least = min(held, key=lambda member: len(held[member]), default=None)
    for leaver in dict.fromkeys((most, least)) if len(held) > 1 else ():
        rest = replace(settled.group, members=tuple(m for m in settled.group.members if m.id != leaver))
        again = settle(assign, rest).assignment
        handed = undoing(rest, again)
        if handed:
            back = " and ".join(f"{partition} from {giver} to {taker}" for partition, giver, taker in handed)
            yield TwoRuns(
                f"when {leaver} leaves, moves are not forced: with loads as even, hand back {back}",
                Run("before", settled.group, settled.assignment),
                Run(f"when {leaver} has left", rest, again),
                MOVES,
                sum(parted for _, _, parted in partings(rest, again)),
            )


def replaced_minimal(assign: Assign, group: Group) -> Iterator[str]:
    """A member that takes the place of another with the same subscription is given what that one had: nobody else's partition moves.

    Tried with the member that holds most and with the one that holds least of a settled group; the new one is listed last and owns
    nothing. Source: kafka#23155, rolling restarts of members without an instance id.
    """
    settled = settle(assign, group)
    if settled.rounds is None:
        return
    held = holdings(settled.group, settled.assignment)
    most, least = (pick(held, key=lambda member: len(held[member]), default=None) for pick in (max, min))
    for gone in dict.fromkeys(m for m in settled.group.members if m.id in (most, least)):
        new = _newcomer(settled.group, gone)
        others = tuple(member for member in settled.group.members if member is not gone)
        replaced = replace(settled.group, members=(*others, new))
        answer = assign(replaced)
        takers: dict[TopicPartition, str] = {p: member for member, given in answer.items() for p in given}
        for member in others:
            for partition in held[member.id]:
                if partition not in answer.get(member.id, ()):
                    yield TwoRuns(
                        f"when {new.id} takes the place of {gone.id}, {partition} moves from {member.id} to "
                        f"{takers.get(partition, 'nobody')}",
                        Run("before", settled.group, settled.assignment),
                        Run(f"with {new.id}", replaced, answer),
                        MOVES,
                    )


def joiner_minimal(assign: Assign, group: Group) -> Iterator[str]:
    """When a member joins a settled group, partitions move only as balance forces them to.

    The newcomer subscribes to what the group's first member does, and is listed last. What is forced is told as for `leaver_minimal`.
    Source: KIP-54, whose second aim is to keep what can be kept.
    """
    settled = settle(assign, group)
    for first in settled.group.members[:1] if settled.rounds is not None else ():
        new = _newcomer(settled.group, first)
        joined = replace(settled.group, members=(*settled.group.members, new))
        again: Settled = settle(assign, joined)
        handed = undoing(joined, again.assignment)
        if handed:
            back = " and ".join(f"{partition} from {giver} to {taker}" for partition, giver, taker in handed)
            yield TwoRuns(
                f"when {new.id} joins, moves are not forced: with loads as even, hand back {back}",
                Run("before", settled.group, settled.assignment),
                Run(f"when {new.id} has joined", joined, again.assignment),
                MOVES,
                sum(parted for _, _, parted in partings(joined, again.assignment)),
            )


def _newcomer(group: Group, like: Member) -> Member:
    name = NEWCOMER
    while any(member.id == name for member in group.members):
        name += "+"
    return Member(name, like.topics, rack=like.rack)


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
