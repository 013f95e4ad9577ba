"""The law about a member that leaves: only its partitions, and what balance forces, may move."""

from collections.abc import Iterator
from dataclasses import replace

from kassay.model import Group
from kassay.properties.partitions.exchange_graph import undoing
from kassay.properties.partitions.holdings import holdings
from kassay.properties.partitions.owners import partings
from kassay.properties.partitions.rounds import Assign, settle
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
