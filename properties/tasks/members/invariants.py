"""Invariants of one answer of a streams group's assignor."""

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction

from kassay.model.streams_group import ROLES, StreamsAssignment, StreamsGroup
from kassay.model.tasks import TaskId
from kassay.properties.runs import LOADS, Violation, format_count, format_items
from kassay.properties.tasks.measures import evens
from kassay.properties.tasks.members.processes import copies, list_given


def complete(group: StreamsGroup, answer: StreamsAssignment) -> Iterator[str]:
    """Every task is active on some member.

    Source: KIP-1071; records of a task without a member are not processed.
    """
    active = {task for _, roles in list_given(group, answer) for task in roles.active}
    for task in group.tasks():
        if task not in active:
            yield f"{task} is active nowhere"


def exclusive(group: StreamsGroup, answer: StreamsAssignment) -> Iterator[str]:
    """No task is active on two members, or twice on one.

    Source: KIP-1071; a task that runs twice processes every record twice.
    """
    on: dict[TaskId, list[str]] = {}
    for name, roles in list_given(group, answer):
        for task in roles.active:
            on.setdefault(task, []).append(name)
    for task, names in on.items():
        if len(names) > 1:
            yield f"{task} is active on {format_items(names, ' and ')}"


def existing(group: StreamsGroup, answer: StreamsAssignment) -> Iterator[str]:
    """Only existing tasks are assigned.

    Source: KIP-1071; a changed topology may lack tasks that members still hold.
    """
    known = frozenset(group.tasks())
    for name, roles in answer.items():
        for role, tasks in zip(ROLES, roles, strict=True):
            for task in tasks:
                if task not in known:
                    yield f"{name} is given {task} as {role}, but there is no such task"


def every_member(group: StreamsGroup, answer: StreamsAssignment) -> Iterator[str]:
    """The answer names every member of the group, and no other member.

    Source: GroupAssignment of KIP-1357, the new assignment of all members.
    """
    ids = {member.id for member in group.members}
    for member in group.members:
        if member.id not in answer:
            yield f"{member.id} is a member, but the answer does not name it"
    for name in answer:
        if name not in ids:
            yield f"the answer names {name}, which is no member"


def stateful_standbys(group: StreamsGroup, answer: StreamsAssignment) -> Iterator[str]:
    """Only stateful tasks have standbys and warm-ups.

    Source: KIP-1071; a stateless task has nothing that these could restore.
    """
    stateful = group.stateful
    for name, roles in list_given(group, answer):
        for role, tasks in zip(ROLES[1:], roles[1:], strict=True):
            for task in tasks:
                if task.subtopology not in stateful:
                    yield f"{task} is a {role} on {name}, but it is stateless"


def one_copy_per_process(group: StreamsGroup, answer: StreamsAssignment) -> Iterator[str]:
    """No process has two copies of a task, on any of its members, in any roles.

    Two active ones are left to `exclusive`. Source: KIP-1071; a second copy on the same disk survives no failure.
    """
    for task, processes in copies(group, answer).items():
        for process, held in processes.items():
            if len(held) > 1 and any(role != "active" for role, _ in held):
                places = format_items(f"{role} on {name}" for role, name in held)
                yield f"process {process} has {len(held)} copies of {task}: {places}"


def enough_standbys(group: StreamsGroup, answer: StreamsAssignment) -> Iterator[str]:
    """Every stateful task has num.standby.replicas standbys, or one on every other process if these are fewer.

    A standby on the process of the active task does not count. Source: streams.num.standby.replicas of KIP-1071.
    """
    asked, processes = group.settings.num_standby_replicas, len(group.processes)
    held = copies(group, answer)
    for task in group.stateful_tasks():
        roles = [{role for role, _ in on} for on in held.get(task, {}).values()]
        found = sum("standby" in each and "active" not in each for each in roles)
        if found < min(asked, processes - 1):
            yield f"{task} has standbys on {found} processes; num.standby.replicas is {asked}, and there are {processes} processes"


def standbys_limited(group: StreamsGroup, answer: StreamsAssignment) -> Iterator[str]:
    """No task has more standbys than num.standby.replicas.

    Source: streams.num.standby.replicas of KIP-1071; each more is disk and network for nothing.
    """
    asked = group.settings.num_standby_replicas
    number = Counter(task for _, roles in list_given(group, answer) for task in roles.standby)
    for task, found in number.items():
        if found > asked:
            yield f"{task} has {found} standbys; num.standby.replicas is {asked}"


def no_warm_ups(_: StreamsGroup, answer: StreamsAssignment) -> Iterator[str]:
    """The answer has no warm-ups: the coordinator adds them while tasks move.

    Source: MemberAssignment of KIP-1357, which has no place for them.
    """
    for name, roles in answer.items():
        if roles.warmup:
            yield f"{name} is given {format_items(roles.warmup, ' ')} to warm up"


def active_balanced(group: StreamsGroup, answer: StreamsAssignment) -> Iterator[str]:
    """The active tasks of any two members differ by at most one, and no single move improves the balance of two processes.

    Processes are compared by tasks for each member. Source: StickyTaskAssignor, which assigns no member more than its share,
    rounded up, and new tasks to the least loaded process.
    """
    counts = {name: len({*roles.active}) for name, roles in list_given(group, answer)}
    most, least = (pick(counts, key=counts.__getitem__, default="") for pick in (max, min))
    loads = _of_processes(group, counts)
    apart = sum(count**2 for count in counts.values()) + sum(
        Fraction(many**2, members) for many, members in loads.values()
    )
    if counts and counts[most] > counts[least] + 1:
        yield Violation(
            f"{most} has {format_count(counts[most], 'active task')}, {least} {counts[least]}", LOADS, apart
        )
        return
    for giver, (many, members) in loads.items():
        for taker, (few, others) in loads.items():
            if many and evens(many, members, few, others):
                yield Violation(
                    f"process {giver} has {_load(many, members, 'active task')}, {taker} {_load(few, others)}; "
                    "more even: move one",
                    LOADS,
                    apart,
                )
                return


def total_balanced(group: StreamsGroup, answer: StreamsAssignment) -> Iterator[str]:
    """No single move of a standby improves the balance of all tasks of two members, or of tasks per member of two processes.

    A standby may go to any process that has no other copy of its task. Source: StickyTaskAssignor, which gives standbys to the least
    loaded too.
    """
    counts = {name: len({*roles.active, *roles.standby}) for name, roles in list_given(group, answer)}
    process = {member.id: member.process_id for member in group.members}
    loads = _of_processes(group, counts)
    held = copies(group, answer)
    for giver, roles in list_given(group, answer):
        for taker, few in counts.items():
            movable = (
                task
                for task in roles.standby
                if process[taker] == process[giver] or process[taker] not in held[task]
            )
            apart = counts[giver] > few + 1 or (
                counts[giver] > few and evens(*loads[process[giver]], *loads[process[taker]])
            )
            if apart and (task := next(movable, None)) is not None:
                yield Violation(
                    f"{giver} has {format_count(counts[giver], 'task')}, {taker} {few}; more even: move standby {task}",
                    LOADS,
                    counts[giver] - few,
                )
                break


def _of_processes(group: StreamsGroup, counts: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Return the tasks and the members of each process."""
    return {
        name: (sum(counts[each.id] for each in members), len(members))
        for name, members in group.processes.items()
    }


def _load(tasks: int, members: int, noun: str = "") -> str:
    return f"{format_count(tasks, noun) if noun else tasks} on {format_count(members, 'member')}"
