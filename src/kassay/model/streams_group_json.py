"""The JSON of streams groups and their assignments (contract.md)."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import msgspec

from kassay.errors import InputError
from kassay.model.json_text import convert_json, write_config
from kassay.model.partitions_json import MOST_TASKS, built
from kassay.model.streams_group import (
    ROLES,
    GroupSettings,
    MemberTasks,
    StreamsAssignment,
    StreamsGroup,
    StreamsMember,
    Subtopology,
)
from kassay.model.tasks import TaskId
from kassay.model.tasks_json import (
    read_named_task_id,
    read_task_ids,
    subtopology_id,
    task_in_field,
    task_text,
)

SETTINGS = {
    "num.standby.replicas": "num_standby_replicas",
    "rack.aware.assignment.tags": "rack_aware_assignment_tags",
}
"""Kafka's name of a setting -> its field."""


class _SubtopologyForm(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    partitions: int
    stateful: bool = False


class _MemberForm(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    process_id: str
    instance_id: str | None = None
    rack: str | None = None
    tags: dict[str, str] = {}
    active: list[str] = []
    standby: list[str] = []
    warmup: list[str] = []
    offsets: dict[str, int] = {}
    end_offsets: dict[str, int] = {}


class _SettingsForm(
    msgspec.Struct, forbid_unknown_fields=True, rename={field: name for name, field in SETTINGS.items()}
):
    num_standby_replicas: int = 0
    rack_aware_assignment_tags: list[str] = []


class _GroupForm(msgspec.Struct, forbid_unknown_fields=True):
    subtopologies: list[_SubtopologyForm]
    members: list[_MemberForm]
    config: _SettingsForm = msgspec.field(default_factory=_SettingsForm)
    family: str | None = None
    name: str | None = None


class _TasksForm(msgspec.Struct, forbid_unknown_fields=True):
    active: list[str] = []
    standby: list[str] = []
    warmup: list[str] = []


def read_group(data: Any) -> StreamsGroup:
    """Make a group of decoded JSON; raises InputError naming the field."""
    form = convert_json(data, _GroupForm)
    if (tasks := sum(max(0, each.partitions) for each in form.subtopologies)) > MOST_TASKS:
        raise InputError(f"subtopologies: they have {tasks} tasks; give at most {MOST_TASKS}")
    subtopologies = [
        built(f"subtopologies[{n}]", partial(_subtopology, each)) for n, each in enumerate(form.subtopologies)
    ]
    members = [built(f"members[{n}]", partial(_member, each)) for n, each in enumerate(form.members)]
    tags = tuple(form.config.rack_aware_assignment_tags)
    settings = built("config", lambda: GroupSettings(form.config.num_standby_replicas, tags))
    return built("", lambda: StreamsGroup(tuple(subtopologies), tuple(members), settings))


def write_group(group: StreamsGroup) -> dict[str, Any]:
    """Make the JSON of a group, without its family; what is unknown, empty or Kafka's default is left out."""
    return {
        "subtopologies": [
            {"id": str(each.id), "partitions": each.partitions}
            | ({"stateful": True} if each.stateful else {})
            for each in group.subtopologies
        ],
        "members": [_member_json(member) for member in group.members],
        **write_config(group.settings, SETTINGS),
    }


def read_assignment(data: Any) -> StreamsAssignment:
    """Make an assignment of decoded JSON, however wrong its content is; raises InputError where its shape is wrong."""
    form = convert_json(data, dict[str, _TasksForm])
    return {
        name: MemberTasks(
            *(read_task_ids(f"{name}.{role}", getattr(given, role), read_named_task_id) for role in ROLES)
        )
        for name, given in form.items()
    }


def write_assignment(assignment: Any) -> dict[str, Any]:
    """Make the JSON of an assignment.

    Of code that is judged, tasks are taken by the names of their roles too, each task as its two numbers or as text. Raises
    AttributeError, TypeError or ValueError where it is something else.
    """
    return {
        name: {role: list(map(task_text, tasks)) for role, tasks in _given(given)._asdict().items()}
        for name, given in assignment.items()
    }


def _given(given: Any) -> MemberTasks:
    if isinstance(given, Mapping):
        return MemberTasks(*(given.get(role, ()) for role in ROLES))
    return MemberTasks(*given)


def _subtopology(form: _SubtopologyForm) -> Subtopology:
    return Subtopology(subtopology_id(form.id), form.partitions, form.stateful)


def _member(form: _MemberForm) -> StreamsMember:
    active, standby, warmup = (
        tuple(task_in_field(role, task, read_named_task_id) for task in getattr(form, role)) for role in ROLES
    )
    offsets, ends = (
        {task_in_field(name, task, read_named_task_id): offset for task, offset in sums.items()}
        for name, sums in (("offsets", form.offsets), ("end_offsets", form.end_offsets))
    )
    tags = tuple(form.tags.items())
    return StreamsMember(
        form.id, form.process_id, active, standby, warmup, offsets, ends, form.instance_id, form.rack, tags
    )


def _member_json(member: StreamsMember) -> dict[str, Any]:
    optional = {
        "instance_id": member.instance_id,
        "rack": member.rack,
        "tags": dict(member.tags) or None,
        **{role: list(map(str, getattr(member, role))) or None for role in ROLES},
        "offsets": _sums(member.offsets),
        "end_offsets": _sums(member.end_offsets),
    }
    return {"id": member.id, "process_id": member.process_id} | {
        name: value for name, value in optional.items() if value is not None
    }


def _sums(sums: Mapping[TaskId, int]) -> dict[str, int] | None:
    return {str(task): offset for task, offset in sums.items()} or None
