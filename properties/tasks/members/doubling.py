"""Doubling: streams groups that grow by doubling, by which it is told how the time of an answer grows."""

from collections.abc import Callable, Mapping
from functools import partial

from kassay.model.streams_group import GroupSettings, StreamsGroup, StreamsMember, Subtopology
from kassay.properties.tasks.members.holdings import Assign

THREADS = 2


def members_alike(_: Assign, size: int, standbys: int = 0) -> StreamsGroup:
    """Make a new group of members, two in a process, with four stateful tasks for each."""
    members = tuple(StreamsMember(f"m{at}", f"p{at // THREADS}") for at in range(2 * size))
    return StreamsGroup((Subtopology(0, 8 * size, stateful=True),), members, GroupSettings(standbys))


GROWING: Mapping[str, Callable[[Assign, int], StreamsGroup]] = {
    "members alike": members_alike,
    "members alike, standbys": partial(members_alike, standbys=1),
}
"""What grows -> its group for an assignor and a size, which is doubled each time."""
