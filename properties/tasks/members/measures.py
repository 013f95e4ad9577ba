"""Measures of answers to streams groups. All are whole, and less is better."""

from collections.abc import Callable

from kassay.model.streams_group import MemberTasks, StreamsAssignment, StreamsGroup
from kassay.model.tasks import Application, TaskAssignment
from kassay.properties.tasks import measures
from kassay.properties.tasks.measures import uneven
from kassay.properties.tasks.members.processes import NOTHING, build_application, group_by_process, list_given


def active_imbalance(group: StreamsGroup, answer: StreamsAssignment) -> int:
    """Maximum minus minimum active tasks of a member; at least 2 if a single move improves the balance of two processes."""
    return _measure_imbalance(group, answer, lambda roles: len({*roles.active}))


def total_imbalance(group: StreamsGroup, answer: StreamsAssignment) -> int:
    """Maximum minus minimum tasks of a member, active and standby; at least 2 if a single move improves the balance."""
    return _measure_imbalance(
        group, answer, lambda roles: len({*roles.active, *roles.standby, *roles.warmup})
    )


def _measure_imbalance(
    group: StreamsGroup, answer: StreamsAssignment, count: Callable[[MemberTasks], int]
) -> int:
    counts = {name: count(roles) for name, roles in list_given(group, answer)}
    apart = max(counts.values(), default=0) - min(counts.values(), default=0)
    processes = group.processes.values()
    loads = [(sum(counts[each.id] for each in members), len(members)) for members in processes]
    return 2 if apart < 2 and uneven(loads) else apart


def member_moves(group: StreamsGroup, answer: StreamsAssignment) -> int:
    """Tasks that were active and now are active only on other members, or nowhere."""
    tasks = frozenset(group.tasks())
    before = {task for member in group.members for task in member.active if task in tasks}
    stay = {
        task
        for member in group.members
        for task in member.active
        if task in answer.get(member.id, NOTHING).active
    }
    return len(before - stay)


def active_moves(group: StreamsGroup, answer: StreamsAssignment) -> int:
    """Tasks that were active and now are active only on other processes, or nowhere."""
    return _measure_processes(measures.active_moves, group, answer)


def standby_moves(group: StreamsGroup, answer: StreamsAssignment) -> int:
    """Standbys of tasks that had some, on processes that did not have the task in any role before."""
    return _measure_processes(measures.standby_moves, group, answer)


def subtopology_excess(group: StreamsGroup, answer: StreamsAssignment) -> int:
    """Half the excess of the squares of active tasks per subtopology and process, by members, over the minimum."""
    return _measure_processes(measures.subtopology_excess, group, answer)


def standbys_missing(group: StreamsGroup, answer: StreamsAssignment) -> int:
    """Missing standbys of stateful tasks up to num.standby.replicas, as far as there are processes for them."""
    return _measure_processes(measures.standbys_missing, group, answer)


def not_caught_up(group: StreamsGroup, answer: StreamsAssignment) -> int:
    """Stateful tasks that are active on a process that is not caught up, even if no process is."""
    return _measure_processes(measures.not_caught_up, group, answer)


def tag_collisions(group: StreamsGroup, answer: StreamsAssignment) -> int:
    """Copies of stateful tasks whose value of a tag in rack.aware.assignment.tags another process has, for each tag."""
    return _measure_processes(measures.tag_collisions, group, answer)


def _measure_processes(
    measure: Callable[[Application, TaskAssignment], int], group: StreamsGroup, answer: StreamsAssignment
) -> int:
    return measure(build_application(group), group_by_process(group, answer))
