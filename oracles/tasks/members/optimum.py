"""The exact optima of streams groups: their processes are solved as an application, and each member gets its even share."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from kassay.model.streams_group import MemberTasks, StreamsAssignment, StreamsGroup
from kassay.model.tasks import Given, TaskAssignment, TaskId
from kassay.oracles import answers
from kassay.oracles.tasks import optima as of_applications
from kassay.oracles.tasks import optimum as optimum_of_applications
from kassay.oracles.tasks.members import ASKED, COMPARED, OF_MEMBERS
from kassay.oracles.tasks.question import parse_question
from kassay.properties.tasks.members.processes import build_application, group_by_process


def compute_optima(group: StreamsGroup) -> answers.Optima:
    """Find and prove the optima of a group's levels; raises what :func:`compute_optimum` raises."""
    found = of_applications.compute_optima(build_application(group), COMPARED)

    def gaps(answer: StreamsAssignment) -> tuple[answers.Gap, ...]:
        return tuple(
            replace(gap, value=OF_MEMBERS[gap.level](group, answer)) if gap.level in OF_MEMBERS else gap
            for gap in found.gaps(group_by_process(group, answer))
        )

    return answers.Optima(found.least, gaps)


def solve_by_program(group: StreamsGroup) -> Mapping[str, int]:
    """Return the same optima by an integer program, to check the fast ones."""
    return of_applications.solve_by_program(build_application(group), COMPARED)


def compute_optimum(text: str, group: StreamsGroup, time_limit_s: float | None = None) -> answers.Answer:
    """Return the exact optimum of a question, with its certificate about processes, and an assignment of members that has it.

    Raises ImpossibleError for a level about racks of partitions, which are unknown, and what :func:`kassay.oracles.tasks.optimum.compute_optimum` raises.
    """
    parse_question(text, ASKED)  # refuses the others
    found = optimum_of_applications.compute_optimum(text, build_application(group), time_limit_s)
    return replace(found, assignment=deal_to_members(group, found.assignment))


def compute_dominance(group: StreamsGroup) -> Callable[[StreamsAssignment], answers.Dominated | None]:
    """Return a function that looks for an answer that is no worse between processes, and spreads subtopologies over them better."""
    judge = of_applications.compute_dominance(build_application(group), COMPARED)

    def dominated(answer: StreamsAssignment) -> answers.Dominated | None:
        found = judge(group_by_process(group, answer))
        if found is None or found.better is None:
            return found
        return replace(found, better=deal_to_members(group, found.better))

    return dominated


def explain(group: StreamsGroup, answer: StreamsAssignment) -> list[str]:
    """Return sentences on each level in which an answer is not optimal: the optimum, and the moves between processes to it."""
    if any(roles.warmup for roles in answer.values()):
        return [of_applications.PROVISIONAL]
    own = {level: measure(group, answer) for level, measure in OF_MEMBERS.items()}
    return of_applications.explain(
        build_application(group), group_by_process(group, answer), COMPARED, (), own
    )


def deal_to_members(group: StreamsGroup, given: TaskAssignment) -> StreamsAssignment:
    """Divide the tasks of processes among their members as evenly as possible; members keep their tasks as far as that allows."""
    found: dict[str, MemberTasks] = {}
    for name, members in group.processes.items():
        held: Given = given.clients[name]
        active = _deal_tasks({each.id: each.active for each in members}, held.active, {})
        loads = {member: len(tasks) for member, tasks in active.items()}
        standby = _deal_tasks(
            {each.id: (*each.standby, *each.warmup) for each in members}, held.standby, loads
        )
        for each in members:
            found[each.id] = MemberTasks(tuple(sorted(active[each.id])), tuple(sorted(standby[each.id])))
    return {member.id: found[member.id] for member in group.members}


def _deal_tasks(
    had: Mapping[str, tuple[TaskId, ...]], tasks: tuple[TaskId, ...], loads: Mapping[str, int]
) -> dict[str, list[TaskId]]:
    """Deal tasks to the least loaded members; of equals, previous holders come first."""
    found: dict[str, list[TaskId]] = {name: [] for name in had}
    total = {name: loads.get(name, 0) for name in had}
    share, rest = divmod(sum(total.values()) + len(tasks), len(had))
    left = []
    for task in tasks:
        most = share + (
            sum(number > share for number in total.values()) < rest
        )  # only `rest` members have one more
        keeper = next((name for name, own in had.items() if task in own and total[name] < most), None)
        if keeper is None:
            left.append(task)
        else:
            found[keeper].append(task)
            total[keeper] += 1
    for task in left:
        least = min(total, key=total.__getitem__)
        found[least].append(task)
        total[least] += 1
    return found
