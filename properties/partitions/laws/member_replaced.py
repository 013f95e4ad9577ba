"""The laws about members that take another one's place, or come in addition: only what they are given has to move."""

from collections.abc import Iterator
from dataclasses import replace

from kassay.model import Group, Member, TopicPartition
from kassay.properties.partitions.exchange_graph import undoing
from kassay.properties.partitions.holdings import holdings
from kassay.properties.partitions.laws.joined_evenly import NEWCOMER
from kassay.properties.partitions.owners import partings
from kassay.properties.partitions.rounds import Assign, Settled, settle
from kassay.properties.runs import MOVES, Run, TwoRuns


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
