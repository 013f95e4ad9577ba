"""The law about a second member: one that joins a lone member gets its share of each topic."""

from collections.abc import Iterator
from dataclasses import replace

from kassay.model import Group, Member
from kassay.model.hosts import located
from kassay.properties.partitions.invariants.contract import topic_balanced
from kassay.properties.partitions.rounds import Assign, settle
from kassay.properties.runs import LOADS, Run, TwoRuns, extent

NEWCOMER = "newcomer"


def joined_evenly(assign: Assign, group: Group) -> Iterator[str]:
    """When a second member joins a lone one that reads topics of equal size, the two share each topic evenly.

    Tried with the group's first member alone, without its claims, and one in its rack that subscribes to the same. Source: KAFKA-16277,
    where the newcomer was given all partitions of some topics and none of others, and had all of their traffic.
    """
    for first in located(group).members[:1]:
        read = {topic.partitions for topic in group.topics if topic.name in first.topics}
        if len(read - {0}) != 1:
            return
        alone = replace(group, members=(replace(first, owned=(), generation=None),))
        settled = settle(assign, alone)
        name = NEWCOMER + "+" * (first.id == NEWCOMER)
        second = Member(name, first.topics, rack=first.rack)
        both = settle(assign, replace(settled.group, members=(*settled.group.members, second)))
        for unevenness in topic_balanced(both.group, both.assignment):
            yield TwoRuns(
                f"when {name} has joined {first.id}, {unevenness}",
                Run("alone", settled.group, settled.assignment),
                Run(f"when {name} has joined", both.group, both.assignment),
                LOADS,
                extent([unevenness]).total(),
            )
