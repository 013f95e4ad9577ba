"""How bad an assignor is on one group: its value in the last level of a question, against the optimum."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from kassay.model import Assignment, AssignorError, Group
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.failures import ImpossibleError, UnsolvedError
from kassay.oracles.partitions.encoding import cases
from kassay.oracles.partitions.optimum import answer
from kassay.oracles.partitions.question import question
from kassay.oracles.partitions.remeasure import measure
from kassay.oracles.partitions.worst_case.enumerate_groups import count

Assign = Callable[[Group], Assignment]


@dataclass(frozen=True, slots=True)
class Scored:
    """A group, what the assignor's answer is worth in the level judged, and the optimum there."""

    group: Group
    value: int
    optimum: int

    @property
    def gap(self) -> int:
        """What the assignor has more than the optimum; below 0 only where an earlier level is worse."""
        return self.value - self.optimum

    @property
    def size(self) -> tuple[int, int, int]:
        """How large the group is: members, partitions, topics."""
        return len(self.group.members), sum(t.partitions for t in self.group.topics), len(self.group.topics)

    @property
    def size_in_words(self) -> str:
        """How large the group is, as "2 members, 1 partition and 1 topic"."""
        members, partitions, topics = self.size
        return f"{count(members, 'member')}, {count(partitions, 'partition')} and {count(topics, 'topic')}"


class Scorer:
    """Judges assignors by the last level of a question that asks for one copy; raises ImpossibleError for others."""

    def __init__(self, text: str) -> None:
        self.asked = question(text)
        if self.asked.copies > 1:
            raise ImpossibleError(
                f"question: {text!r} asks for copies; the worst is sought for one copy only"
            )
        self.level = self.asked.levels[-1]
        self.measure = measure(self.asked, self.level)

    def value(self, group: Group, assign: Assign) -> int | None:
        """Return what an assignor's answer is worth; None where it gives up, or the answer is not legal and complete."""
        try:
            given = assign(group)
        except AssignorError:
            return None
        return self.measure(group, given) if _whole(group, given) else None

    def optimum(self, group: Group) -> int:
        """Return the optimum, proved; raises UnsolvedError where there is no proof."""
        read = cases(group, self.asked)
        solved = [solve(case.problem, self.asked.levels) for case in read]
        level = answer(group, self.asked, read, solved, words=False).levels[-1]
        if level.name != self.level or not level.proved:
            raise UnsolvedError(f"{self.asked}: {level.name} is not proved")
        return level.value

    def score(self, group: Group, assign: Assign) -> Scored | None:
        """Return how an assignor fares on a group, None where there is nothing to compare."""
        value = self.value(group, assign)
        return None if value is None else Scored(group, value, self.optimum(group))


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
