"""Holdings: what an answer, which may be wrong in any way, gives to the members of a streams group."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeAlias

from kassay.model.streams_group import ROLES, MemberTasks, StreamsAssignment, StreamsGroup
from kassay.model.tasks import TaskId

Assign: TypeAlias = Callable[[StreamsGroup], StreamsAssignment]
NOTHING = MemberTasks()


def given(group: StreamsGroup, answer: StreamsAssignment) -> Iterator[tuple[str, MemberTasks]]:
    """Yield the members of the group with what they are given of the tasks that exist, each task as often as it is given."""
    known = frozenset(group.tasks())
    for member in group.members:
        roles = answer.get(member.id, NOTHING)
        yield member.id, MemberTasks(*(tuple(task for task in tasks if task in known) for tasks in roles))


def copies(group: StreamsGroup, answer: StreamsAssignment) -> dict[TaskId, dict[str, list[tuple[str, str]]]]:
    """Return of each task that is given its copies by process: role and member."""
    process = {member.id: member.process_id for member in group.members}
    found: dict[TaskId, dict[str, list[tuple[str, str]]]] = {}
    for name, roles in given(group, answer):
        for role, tasks in zip(ROLES, roles, strict=True):
            for task in tasks:
                found.setdefault(task, {}).setdefault(process[name], []).append((role, name))
    return found


def after(group: StreamsGroup, answer: StreamsAssignment) -> StreamsGroup:
    """Return the group when an answer has taken effect: members have what they were given, and report what else is on their disks."""
    tasks = dict(given(group, answer))

    def joined(roles: MemberTasks) -> MemberTasks:
        active = dict.fromkeys(roles.active)
        standby = dict.fromkeys(task for task in roles.standby if task not in active)
        warmup = dict.fromkeys(task for task in roles.warmup if task not in active and task not in standby)
        return MemberTasks(tuple(active), tuple(standby), tuple(warmup))

    members = []
    for member in group.members:
        has = joined(tasks[member.id])
        held = {task for role in has for task in role}
        members.append(
            replace(
                member,
                **has._asdict(),
                offsets={task: sum_ for task, sum_ in member.offsets.items() if task not in held},
                end_offsets={task: sum_ for task, sum_ in member.end_offsets.items() if task not in held},
            )
        )
    return replace(group, members=tuple(members))
