"""Streams groups from choices: those of generated applications, and what else can have come about in a coordinator."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kassay.model.streams_group import StreamsGroup, StreamsMember
from kassay.model.tasks import TaskId
from kassay.properties.choices import Choices
from kassay.properties.settings import Settings
from kassay.properties.tasks.generating.applications import anything, application
from kassay.properties.tasks.members.laws import restarted
from kassay.properties.tasks.members.threads import group_of

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
        members = _some_more(choices, members, _gone(found), "active")
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


def _gone(group: StreamsGroup) -> list[TaskId]:
    """Return tasks that the group has not, each next to some that it has."""
    beyond = [TaskId(each.id, each.partitions) for each in group.subtopologies]
    return [*beyond, TaskId(max((each.id for each in group.subtopologies), default=0) + 1, 0)]


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
