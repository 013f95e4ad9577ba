"""Streams groups from choices: groups of generated applications, and what else can have come about in a coordinator.

Also what is sampled of them for sweeps, and groups that grow by doubling, which show how the time of an answer grows.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from kassay.model.streams_group import GroupSettings, StreamsGroup, StreamsMember, Subtopology
from kassay.model.tasks import TaskId
from kassay.properties.choices import Choices, Settings
from kassay.properties.tasks import applications as sampler
from kassay.properties.tasks.applications import USUAL as OF_APPLICATIONS
from kassay.properties.tasks.applications import anything, application
from kassay.properties.tasks.members.laws import restarted
from kassay.properties.tasks.members.processes import Assign, group_of

RESTARTED, STALE, WARMING, CROWDED, SHUFFLED = 15, 6, 8, 10, 35
"""Of a hundred groups, how many have restarted, hold tasks that are gone, warm up, have merged processes, stand in any order."""


def any_group(choices: Choices) -> StreamsGroup:
    """Generate a group of any kind."""
    return group(choices, anything(choices))


def group(choices: Choices, settings: Settings) -> StreamsGroup:
    """Generate a group."""
    found = group_of(application(choices, settings))
    members: Sequence[StreamsMember] = found.members
    if choices.chance(STALE):
        # Tasks that the group has not, each next to some that it has.
        gone = [TaskId(each.id, each.partitions) for each in found.subtopologies]
        gone.append(TaskId(max((each.id for each in found.subtopologies), default=0) + 1, 0))
        members = _some_more(choices, members, gone, "active")
    if choices.chance(WARMING):
        members = _some_more(choices, members, list(found.stateful_tasks()), "warmup")
    if choices.chance(CROWDED):
        first = members[0].process_id
        members = [replace(each, process_id=first) if choices.below(2) else each for each in members]
    if choices.chance(RESTARTED):
        members = restarted(replace(found, members=tuple(members))).members
    if choices.chance(SHUFFLED):
        members = choices.shuffled(members)
    return replace(found, members=tuple(members))


def _some_more(
    choices: Choices, members: Sequence[StreamsMember], tasks: Sequence[TaskId], role: str
) -> list[StreamsMember]:
    """Let a member hold a task more, and no other role of it."""
    if not tasks or not members:
        return list(members)
    task, at = choices.pick(tasks), choices.below(len(members))
    found = list(members)
    others: dict[str, Any] = {
        name: tuple(t for t in getattr(found[at], name) if t != task)
        for name in ("active", "standby", "warmup")
    }
    found[at] = replace(found[at], **others | {role: (*others[role], task)})
    return found


_NUMBERS = (
    "clients",
    "threads",
    "subtopologies",
    "partitions",
    "tasks_per_thread",
    "standbys",
    "tags",
    "churn",
)
_KINDS = ("history", "stateful", "thread_counts", "order", "names", "shape")

NUMBERS: Mapping[str, tuple[int, int]] = {name: sampler.NUMBERS[name] for name in _NUMBERS}
"""The widest limits; `clients` are processes, `threads` the members of each."""
USUAL: Mapping[str, tuple[int, int]] = {name: OF_APPLICATIONS[name] for name in _NUMBERS}
KINDS: Mapping[str, Sequence[str]] = {name: sampler.KINDS[name] for name in _KINDS}


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
