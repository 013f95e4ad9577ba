"""Where the worst of a partition assignor is looked for, and by what it is judged: the last level of a question."""

from collections import Counter
from collections.abc import Callable

from kassay.model import Assignment, Group
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.failures import ImpossibleError, UnsolvedError
from kassay.oracles.partitions.encoding import cases
from kassay.oracles.partitions.levels import LEVELS
from kassay.oracles.partitions.optimum import answer
from kassay.oracles.partitions.question import question
from kassay.oracles.partitions.remeasure import measure
from kassay.oracles.partitions.worst_case.doubling import WAYS
from kassay.oracles.partitions.worst_case.mutate import mutate, seedling
from kassay.oracles.partitions.worst_case.spaces import SPACES
from kassay.oracles.partitions.worst_case.structured_groups import seeds
from kassay.oracles.worst_case.judge import Judge, answered
from kassay.oracles.worst_case.search import Ground
from kassay.properties.partitions.shrinking.catalogue import smaller


def ground(text: str) -> Ground[Group]:
    """Return where to look for the worst in a question's last level."""
    asked = question(text)
    about = LEVELS[asked.levels[-1]].about
    return Ground(
        SPACES["racks" if asked.together else about],
        list(seeds(about)),
        seedling,
        mutate,
        smaller,
        WAYS,
        (8, 16),
        (128, 512),
    )


def judge(assign: Callable[[Group], Assignment], text: str) -> Judge[Group]:
    """Return what judges an assignor by the last level of a question that asks for one copy; raises ImpossibleError for others."""
    asked = question(text)
    if asked.several:
        raise ImpossibleError(f"question: {text!r} asks for copies; the worst is sought for one copy only")
    last = asked.levels[-1]
    of = measure(asked, last)

    def measured(group: Group, given: Assignment) -> int | None:
        return of(group, given) if _whole(group, given) else None

    def optimum(group: Group) -> int:
        read = cases(group, asked)
        solved = [solve(case.problem, asked.levels) for case in read]
        level = answer(group, asked, read, solved, words=False).levels[-1]
        if level.name != last or not level.proved:
            raise UnsolvedError(f"{asked}: {level.name} is not proved")
        return level.value

    return Judge(answered(assign, measured), optimum, size)


def size(group: Group) -> tuple[int, int, int]:
    """Return how large a group is: members, partitions, topics."""
    return len(group.members), sum(topic.partitions for topic in group.topics), len(group.topics)


def _whole(group: Group, given: Assignment) -> bool:
    """Return whether an assignment gives every partition that is subscribed to one subscriber, and nothing else."""
    topics = {member.id: set(member.topics) for member in group.members}
    read = set().union(*topics.values())
    expected = {partition for topic in group.topics if topic.name in read for partition in topic}
    held = Counter(partition for partitions in given.values() for partition in partitions)
    return (
        held.keys() == expected
        and all(times == 1 for times in held.values())
        and all(
            partition.topic in topics.get(member, ())
            for member, held_ in given.items()
            for partition in held_
        )
    )
