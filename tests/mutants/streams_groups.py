"""Honest assignors of streams groups, and mutants of them, each broken in one way."""

from dataclasses import replace
from fractions import Fraction
from itertools import count

from kassay.model import AssignorError
from kassay.model.streams_group import GroupSettings, MemberTasks, StreamsAssignment, StreamsGroup
from kassay.model.tasks import TaskId
from kassay.reference.streams_group.sticky import assign as kafkas

LEGAL = frozenset(
    {"complete", "exclusive", "existing", "every_member", "stateful_standbys", "one_copy_per_process"}
)
CALLS = count()


def even(group: StreamsGroup) -> StreamsAssignment:
    """Deal active tasks in turn, and standbys to the least loaded members of processes that have no copy; look at no history."""
    places = {  # members of a process as far apart as can be, so that processes have even shares after each turn
        member.id: Fraction(2 * at + 1, len(each))
        for each in group.processes.values()
        for at, member in enumerate(sorted(each, key=lambda member: member.id))
    }
    members = sorted(group.members, key=lambda member: (places[member.id], member.id))
    active: dict[str, list[TaskId]] = {member.id: [] for member in members}
    standby: dict[str, list[TaskId]] = {member.id: [] for member in members}
    held: dict[TaskId, set[str]] = {}
    for at, task in enumerate(sorted(group.tasks())):
        owner = members[at % len(members)]
        active[owner.id].append(task)
        held[task] = {owner.process_id}
    for task in sorted(group.stateful_tasks()):
        for _ in range(group.settings.num_standby_replicas):
            free = [member for member in members if member.process_id not in held[task]]
            if free:
                least = min(free, key=lambda member: len(active[member.id]) + len(standby[member.id]))
                standby[least.id].append(task)
                held[task].add(least.process_id)
    return {
        member.id: MemberTasks(tuple(active[member.id]), tuple(standby[member.id]))
        for member in group.members
    }


def loses_the_last_task(group):
    """Lose the last task of the last subtopology."""
    last = max(group.tasks(), default=None)
    return _each(even(group), lambda roles: roles._replace(active=_but(roles.active, last)))


def runs_a_task_twice(group):
    """Give the first active task of the first member to the last member too."""
    given = dict(even(group))
    first, last = group.members[0].id, group.members[-1].id
    given[last] = given[last]._replace(active=(*given[last].active, *given[first].active[:1]))
    return given


def keeps_what_is_gone(group):
    """Let members keep tasks that do not exist any more."""
    known = set(group.tasks())
    given = dict(even(group))
    for member in group.members:
        gone = tuple(task for task in member.active if task not in known)
        given[member.id] = given[member.id]._replace(active=(*given[member.id].active, *gone))
    return given


def omits_the_idle(group):
    """Leave out members that get nothing."""
    return {name: roles for name, roles in even(group).items() if any(roles)}


def answers_the_dead(group):
    """Answer for a member that is not there."""
    return {**even(group), "nobody": MemberTasks()}


def gives_stateless_standbys(group):
    """Give standbys of stateless tasks."""
    stateful = tuple(replace(each, stateful=True) for each in group.subtopologies)
    return even(replace(group, subtopologies=stateful))


def forgets_processes(group):
    """Put standbys on other members, of any process."""
    apart = tuple(replace(member, process_id=member.id) for member in group.members)
    return even(replace(group, members=apart))


def forgets_one_standby(group):
    """Keep one standby less of each task."""
    number = max(0, group.settings.num_standby_replicas - 1)
    return even(replace(group, settings=GroupSettings(number)))


def gives_one_standby_more(group):
    """Keep one standby more of each task, where any is asked for."""
    number = group.settings.num_standby_replicas
    return even(replace(group, settings=GroupSettings(number + (number > 0))))


def warms_up_standbys(group):
    """Give standbys as warm-ups too late for the coordinator to plan them."""
    return _each(even(group), lambda roles: MemberTasks(roles.active, (), roles.standby))


def fills_the_first(group):
    """Give all active tasks to the first member."""
    first = min(member.id for member in group.members)
    return {
        member.id: MemberTasks(tuple(group.tasks()) if member.id == first else ()) for member in group.members
    }


def idles_a_process(group):
    """Deal active tasks in turn to the members of one process after the other, so that members are even and processes are not."""
    members = sorted(group.members, key=lambda member: (member.process_id, member.id))
    active: dict[str, list[TaskId]] = {member.id: [] for member in members}
    for at, task in enumerate(sorted(group.tasks())):
        active[members[at % len(members)].id].append(task)
    return {member.id: MemberTasks(tuple(active[member.id])) for member in group.members}


def piles_standbys_up(group):
    """Put standbys on the first member of a process without a copy."""
    given = {name: roles._replace(standby=()) for name, roles in even(group).items()}
    process = {member.id: member.process_id for member in group.members}
    owner = {task: process[name] for name, roles in given.items() for task in roles.active}
    for task in group.stateful_tasks():
        held = {owner[task]}
        for _ in range(group.settings.num_standby_replicas):
            free = [name for name in sorted(process) if process[name] not in held]
            if free:
                given[free[0]] = given[free[0]]._replace(standby=(*given[free[0]].standby, task))
                held.add(process[free[0]])
    return given


def gives_up_on_strange_tasks(group):
    """Fail where a member holds a task that does not exist."""
    known = set(group.tasks())
    if any(task not in known for member in group.members for task in member.active):
        raise AssignorError("NoSuchElementException")
    return even(group)


def remembers_its_calls(group):
    """Begin with another member at every call."""
    members = sorted(group.members, key=lambda member: member.id)
    first = next(CALLS) % len(members)
    turned = tuple(replace(each, id=f"{n:05}") for n, each in enumerate(members[first:] + members[:first]))
    back = {new.id: old.id for new, old in zip(turned, members[first:] + members[:first], strict=True)}
    return {back[name]: roles for name, roles in even(replace(group, members=turned)).items()}


def serves_in_order_of_arrival(group):
    """Deal to members in the order in which they are listed."""
    turned = tuple(replace(member, id=f"{n:05}") for n, member in enumerate(group.members))
    back = {new.id: old.id for new, old in zip(turned, group.members, strict=True)}
    return {back[name]: roles for name, roles in even(replace(group, members=turned)).items()}


def hands_everything_on(group):
    """Give what a member runs to the one behind it."""
    members = sorted(group.members, key=lambda member: member.id)
    if not any(member.active for member in members):
        return even(group)
    first = next(n for n, member in enumerate(members) if member.active) + 1
    order = members[first:] + members[:first]
    turned = tuple(replace(each, id=f"{n:05}", active=()) for n, each in enumerate(order))
    back = {new.id: old.id for new, old in zip(turned, order, strict=True)}
    turning = even(replace(group, members=turned))
    return {back[name]: roles for name, roles in turning.items()}


def swaps_two(group):
    """Let the first two members change all tasks whenever the first one runs the least of them."""
    given = dict(even(group))
    names = sorted(given)
    least = min(group.tasks(), default=None)
    runs = next((member for member in group.members if least in member.active), None)
    if len(names) > 1 and runs is not None and runs.id == names[0]:
        process = {member.id: member.process_id for member in group.members}
        if process[names[0]] == process[names[1]] or not group.settings.num_standby_replicas:
            given[names[0]], given[names[1]] = given[names[1]], given[names[0]]
    return given


def forgets_offsets(group):
    """Do as Kafka, but look at no offsets (KAFKA-20719)."""
    return kafkas(replace(group, members=tuple(replace(member, offsets={}) for member in group.members)))


def forgets_standbys(group):
    """Do as Kafka, but ignore previous standbys (KAFKA-20899)."""
    return kafkas(
        replace(group, members=tuple(replace(member, standby=(), offsets={}) for member in group.members))
    )


def starts_over(group):
    """Look at no history at all."""
    return even(group)


def _each(given, change):
    return {name: change(roles) for name, roles in given.items()}


def _but(tasks, task):
    return tuple(each for each in tasks if each != task)


BREAKS = {
    loses_the_last_task: "complete",
    runs_a_task_twice: "exclusive",
    keeps_what_is_gone: "existing",
    omits_the_idle: "every_member",
    answers_the_dead: "every_member",
    gives_stateless_standbys: "stateful_standbys",
    forgets_processes: "one_copy_per_process enough_standbys",
    forgets_one_standby: "enough_standbys",
    gives_one_standby_more: "standbys_limited",
    warms_up_standbys: "no_warm_ups enough_standbys",
    fills_the_first: "active_balanced",
    idles_a_process: "active_balanced",
    piles_standbys_up: "total_balanced",
    gives_up_on_strange_tasks: "crash_free",
    remembers_its_calls: "deterministic",
    serves_in_order_of_arrival: "member_order_independent",
    hands_everything_on: "stable settles",
    swaps_two: "stable settles",
    forgets_offsets: "restart_keeps_state",
    forgets_standbys: "leaver_keeps_standbys restart_keeps_state",
    starts_over: "leaver_minimal joiner_minimal",
}
"""Mutant -> the properties that it must be seen to break."""
HONEST_KEEPS = LEGAL | {
    "enough_standbys", "standbys_limited", "no_warm_ups", "active_balanced", "crash_free", "deterministic",
    "member_order_independent", "stable", "settles",
}  # fmt: skip
