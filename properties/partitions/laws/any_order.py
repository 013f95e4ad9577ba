"""The law about members in another order: it is no reason to move anything."""

from collections.abc import Iterator
from dataclasses import replace

from kassay.model import Group
from kassay.properties.partitions.laws.several_runs import moved_on
from kassay.properties.partitions.rounds import Assign, after


def stable_in_any_order(assign: Assign, group: Group) -> Iterator[str]:
    """Its own result fed back moves nothing, also with the members in reverse order.

    Source: a group coordinator keeps members in hash maps, whose order changes as members come and go; KAFKA-18688, where the
    partitions that do not go round went to the first members in order.
    """
    first = assign(group)
    again = after(group, first)
    turned = replace(again, members=again.members[::-1])
    yield from moved_on(group, first, turned, assign(turned), "fed back in reverse order")
