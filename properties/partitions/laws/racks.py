"""The law about racks: what an assignor makes of them beside its own answer without any (KIP-881)."""

from collections.abc import Iterator
from dataclasses import replace

from kassay.model import Group
from kassay.model.hosts import located
from kassay.properties.partitions.holdings import complete_and_legal, holdings
from kassay.properties.partitions.measures import cross_rack, moves
from kassay.properties.partitions.rounds import Assign
from kassay.properties.runs import READS, Run, TwoRuns
from kassay.properties.words import counted


def rack_aware_no_more_reads(assign: Assign, group: Group) -> Iterator[str]:
    """With racks no more partitions are read across them than without, where loads and moves are the same.

    Demanded where both answers are complete and legal. Source: KIP-881, whose aim is fewer of these reads.
    """
    known = located(group)
    if not any(member.rack for member in known.members) or not any(topic.racks for topic in known.topics):
        return
    plain = replace(
        group,
        topics=tuple(replace(topic, racks=None, hosts=None) for topic in group.topics),
        members=tuple(replace(member, rack=None) for member in group.members),
    )
    answers = rack_wise, without = assign(group), assign(plain)
    loads, moved = (
        [how(answer) for answer in answers]
        for how in (
            lambda answer: sorted(map(len, holdings(group, answer).values())),
            lambda answer: moves(group, answer),
        )
    )
    if loads[0] != loads[1] or moved[0] != moved[1]:
        return
    more, less = (cross_rack(group, answer) for answer in answers)
    if more > less and all(complete_and_legal(group, answer) for answer in answers):
        yield TwoRuns(
            f"{counted(more, 'partition')} read across racks; without racks, with the same loads and moves, {less}",
            Run("without racks", plain, without),
            Run("with racks", group, rack_wise),
            READS,
            more - less,
        )
