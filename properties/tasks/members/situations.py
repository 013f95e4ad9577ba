"""Situations of streams groups: each public function is one, in the order in which they are listed."""

from collections import Counter

from kassay.model.streams_group import ROLES, StreamsGroup, StreamsMember
from kassay.model.tasks import TaskId


def single_member(group: StreamsGroup) -> bool:
    """There is one member."""
    return len(group.members) == 1


def single_process(group: StreamsGroup) -> bool:
    """There is one process with several members."""
    return len(group.processes) == 1 < len(group.members)


def several_threads(group: StreamsGroup) -> bool:
    """Some process has several members."""
    return len(group.processes) < len(group.members)


def mixed_threads(group: StreamsGroup) -> bool:
    """Processes differ in how many members they have."""
    return len({len(members) for members in group.processes.values()}) > 1


def more_members_than_tasks(group: StreamsGroup) -> bool:
    """There are more members than tasks."""
    return len(group.members) > sum(each.partitions for each in group.subtopologies)


def permuted_members(group: StreamsGroup) -> bool:
    """The members are not listed in the order of their ids."""
    ids = [member.id for member in group.members]
    return ids != sorted(ids)


def stateless_only(group: StreamsGroup) -> bool:
    """There are tasks, and none keeps state."""
    return any(group.tasks()) and not any(group.stateful_tasks())


def mixed_state(group: StreamsGroup) -> bool:
    """Some tasks keep state and some do not."""
    stateful = group.stateful
    return len({task.subtopology in stateful for task in group.tasks()}) > 1


def several_subtopologies(group: StreamsGroup) -> bool:
    """There are several subtopologies."""
    return len(group.subtopologies) > 1


def uneven_tasks(group: StreamsGroup) -> bool:
    """The tasks cannot be divided evenly among the members."""
    return (
        bool(group.members) and sum(each.partitions for each in group.subtopologies) % len(group.members) > 0
    )


def standbys(group: StreamsGroup) -> bool:
    """num.standby.replicas is above 0, and tasks keep state."""
    return group.settings.num_standby_replicas > 0 and any(group.stateful_tasks())


def nearly_even_copies(group: StreamsGroup) -> bool:
    """All copies asked for, active and standby, divide evenly among the members, or would with fewer than num.standby.replicas more or less."""
    if not standbys(group) or not group.members:
        return False
    each, members = group.settings.num_standby_replicas, len(group.members)
    stateful = sum(1 for _ in group.stateful_tasks())
    left = (sum(one.partitions for one in group.subtopologies) + stateful * each) % members
    return min(left, members - left) < each


def more_standbys_than_processes(group: StreamsGroup) -> bool:
    """num.standby.replicas is greater than there are processes for."""
    return standbys(group) and group.settings.num_standby_replicas >= len(group.processes)


def tags(group: StreamsGroup) -> bool:
    """rack.aware.assignment.tags is set and members have such tags."""
    asked = set(group.settings.rack_aware_assignment_tags)
    return any(tag in asked for member in group.members for tag, _ in member.tags)


def new_group(group: StreamsGroup) -> bool:
    """No member has a task or reports state."""
    return not any(_holds(member) or member.offsets for member in group.members)


def restarted(group: StreamsGroup) -> bool:
    """No member has a task, but members report state on their disks (KAFKA-20719)."""
    return not new_group(group) and not any(map(_holds, group.members))


def newcomer(group: StreamsGroup) -> bool:
    """Some members hold something, and another one holds nothing and reports nothing."""
    return any(map(_holds, group.members)) and any(
        not _holds(member) and not member.offsets for member in group.members
    )


def orphaned_task(group: StreamsGroup) -> bool:
    """Some tasks are active now, and another one is active nowhere."""
    active = _active(group)
    return bool(active) and any(task not in active for task in group.tasks())


def double_claim(group: StreamsGroup) -> bool:
    """Two members hold the same task active."""
    return any(number > 1 for number in _active(group).values())


def crowded_process(group: StreamsGroup) -> bool:
    """Some process holds two copies of a task."""
    return any(
        number > 1
        for members in group.processes.values()
        for number in Counter(task for member in members for task in _held(member)).values()
    )


def overloaded(group: StreamsGroup) -> bool:
    """Some member runs more active tasks that exist than its share, rounded up."""
    tasks = frozenset(group.tasks())
    share = -(-len(tasks) // max(1, len(group.members)))
    return any(len(tasks.intersection(member.active)) > share for member in group.members)


def excess_standbys(group: StreamsGroup) -> bool:
    """Some task has more standbys than num.standby.replicas."""
    number = Counter(task for member in group.members for task in member.standby)
    return any(number[task] > group.settings.num_standby_replicas for task in group.tasks())


def missing_standbys(group: StreamsGroup) -> bool:
    """Some stateful task that is active has fewer standbys than num.standby.replicas, though there are processes for them."""
    active = _active(group)
    number = Counter(task for member in group.members for task in member.standby)
    wanted = min(group.settings.num_standby_replicas, len(group.processes) - 1)
    return any(number[task] < wanted for task in group.stateful_tasks() if task in active)


def warming_up(group: StreamsGroup) -> bool:
    """Some member has a task to warm up."""
    return any(member.warmup for member in group.members)


def vanished_task(group: StreamsGroup) -> bool:
    """Some member holds or reports a task that does not exist."""
    tasks = frozenset(group.tasks())
    return any(task not in tasks for member in group.members for task in (*_held(member), *member.offsets))


def reported_offsets(group: StreamsGroup) -> bool:
    """Some member reports offsets of tasks that it does not hold."""
    return any(task not in _held(member) for member in group.members for task in member.offsets)


def _held(member: StreamsMember) -> list[TaskId]:
    return [task for role in ROLES for task in getattr(member, role)]


def _holds(member: StreamsMember) -> bool:
    return bool(member.active or member.standby or member.warmup)


def _active(group: StreamsGroup) -> Counter[TaskId]:
    return Counter(task for member in group.members for task in member.active)
