"""Streams groups small enough to be counted out, and every assignment of their tasks."""

from itertools import combinations, product

from kassay.model.streams_group import GroupSettings, MemberTasks, StreamsGroup, StreamsMember, Subtopology
from kassay.model.tasks import TaskId
from kassay.properties.choices import from_seed


def tiny(seed: int) -> StreamsGroup:
    """Make a group of up to three members and three tasks, with anything held and reported."""
    choices = from_seed(seed)
    subtopologies = tuple(
        Subtopology(n, size, choices.chance(70))
        for n, size in enumerate(choices.pick(((2,), (3,), (2, 1), (1, 1))))
    )
    tasks = [TaskId(each.id, n) for each in subtopologies for n in range(each.partitions)]
    members = []
    for n in range(1 + choices.below(3)):
        active = choices.some(tasks)
        rest = [task for task in tasks if task not in active]
        standby = choices.some(rest)
        offsets = {task: choices.pick((0, 90_000, 100_000)) for task in choices.some(rest)}
        ends = dict.fromkeys(offsets, 100_000)
        members.append(
            StreamsMember(f"m{n}", f"p{choices.below(3)}", active, standby, offsets=offsets, end_offsets=ends)
        )
    return StreamsGroup(subtopologies, tuple(members), GroupSettings(choices.below(3)))


def placements(group):
    """Yield every assignment that gives each task to one member, and its standbys to other processes."""
    process = {member.id: member.process_id for member in group.members}
    number = min(group.settings.num_standby_replicas, len(group.processes) - 1)
    stateful = group.stateful

    def of(task):
        for owner, own in process.items():
            others = [name for name, its in process.items() if its != own]
            for keepers in combinations(others, number * (task.subtopology in stateful)):
                if len({process[name] for name in keepers}) == len(keepers):
                    yield owner, keepers

    tasks = list(group.tasks())
    for chosen in product(*map(list, map(of, tasks))):
        placed = list(zip(tasks, chosen, strict=True))
        yield {
            name: MemberTasks(
                tuple(task for task, (owner, _) in placed if owner == name),
                tuple(task for task, (_, keepers) in placed if name in keepers),
            )
            for name in process
        }
