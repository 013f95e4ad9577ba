"""The JSON of streams groups and their assignments (contract.md)."""

from functools import partial
from typing import Any

import msgspec

from kassay.errors import InputError
from kassay.model.json_text import build_fields, build_part, convert_json, write_fields
from kassay.model.streams_group import (
    ROLES,
    GroupSettings,
    MemberTasks,
    StreamsAssignment,
    StreamsGroup,
    StreamsMember,
    Subtopology,
)
from kassay.model.tasks_json import (
    format_setting_key,
    parse_subtopology,
    read_field_task,
    read_named_task_id,
    read_task_ids,
    write_numbers,
    write_roles,
)

MOST_TASKS = 10_000_000
"""How many tasks the subtopologies of one file may have in all: they are all numbered."""


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
    active: tuple[str, ...] = ()
    standby: tuple[str, ...] = ()
    warmup: tuple[str, ...] = ()
    offsets: dict[str, int] = {}
    end_offsets: dict[str, int] = {}


class SettingsForm(msgspec.Struct, forbid_unknown_fields=True, rename=format_setting_key):
    """The settings as people write them, by Kafka's names."""

    num_standby_replicas: int = 0
    rack_aware_assignment_tags: tuple[str, ...] = ()


class _GroupForm(msgspec.Struct, forbid_unknown_fields=True):
    subtopologies: list[_SubtopologyForm]
    members: list[_MemberForm]
    config: SettingsForm = msgspec.field(default_factory=SettingsForm)
    family: str | None = None
    name: str | None = None


class _TasksForm(msgspec.Struct, forbid_unknown_fields=True):
    active: tuple[str, ...] = ()
    standby: tuple[str, ...] = ()
    warmup: tuple[str, ...] = ()


def read_group(data: Any) -> StreamsGroup:
    """Return the group of decoded JSON; raises InputError naming the field."""
    form = convert_json(data, _GroupForm)
    if (tasks := sum(max(0, each.partitions) for each in form.subtopologies)) > MOST_TASKS:
        raise InputError(f"subtopologies: they have {tasks} tasks. Give at most {MOST_TASKS}")
    subtopologies = [
        build_part(
            f"subtopologies[{n}]", partial(build_fields, Subtopology, each, id=parse_subtopology(each.id))
        )
        for n, each in enumerate(form.subtopologies)
    ]
    members = [
        build_part(f"members[{n}]", partial(_read_member, each)) for n, each in enumerate(form.members)
    ]
    settings = build_part("config", partial(build_fields, GroupSettings, form.config))
    return build_part("", lambda: StreamsGroup(tuple(subtopologies), tuple(members), settings))


def write_group(group: StreamsGroup) -> dict[str, Any]:
    """Return the JSON of a group, without its family; what is unknown, empty or Kafka's default is left out."""
    config = write_fields(SettingsForm, group.settings)
    return {
        "subtopologies": [
            write_fields(_SubtopologyForm, each, id=str(each.id)) for each in group.subtopologies
        ],
        "members": [write_member(member) for member in group.members],
        **({"config": config} if config else {}),
    }


def write_member(member: StreamsMember, *, whole: bool = False) -> dict[str, Any]:
    """Return the JSON of a member, with all fields if `whole`."""
    return write_fields(
        _MemberForm,
        member,
        whole=whole,
        tags=dict(member.tags),
        **{role: tuple(map(str, getattr(member, role))) for role in ROLES},
        offsets=write_numbers(member.offsets),
        end_offsets=write_numbers(member.end_offsets),
    )


def read_assignment(data: Any) -> StreamsAssignment:
    """Return the assignment of decoded JSON, also a wrong one; raises InputError if its form is wrong."""
    form = convert_json(data, dict[str, _TasksForm])
    return {
        name: MemberTasks(
            *(read_task_ids(f"{name}.{role}", getattr(given, role), read_named_task_id) for role in ROLES)
        )
        for name, given in form.items()
    }


def write_assignment(assignment: Any) -> dict[str, Any]:
    """Return the JSON of an assignment.

    Of code that is judged, tasks are taken by the names of their roles too, each task as its two numbers or as text. Raises
    AttributeError, TypeError or ValueError where it is something else.
    """
    return {name: write_roles(MemberTasks, ROLES, given) for name, given in assignment.items()}


def _read_member(form: _MemberForm) -> StreamsMember:
    roles = {
        role: tuple(read_field_task(role, task, read_named_task_id) for task in getattr(form, role))
        for role in ROLES
    }
    sums = {
        name: {read_field_task(name, task, read_named_task_id): n for task, n in getattr(form, name).items()}
        for name in ("offsets", "end_offsets")
    }
    return build_fields(StreamsMember, form, tags=tuple(form.tags.items()), **roles, **sums)
