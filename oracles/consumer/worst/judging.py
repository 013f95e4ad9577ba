"""How bad an assignor is on one group: its value in the last level of a question, against the optimum."""

from collections.abc import Callable
from dataclasses import dataclass

from kassay.model import Assignment, AssignorError, Group
from kassay.oracles.consumer.measuring import measured
from kassay.oracles.consumer.optimum import optimum
from kassay.oracles.consumer.question import question
from kassay.oracles.consumer.reading import cases, owners_in
from kassay.oracles.failures import ImpossibleError

Assign = Callable[[Group], Assignment]


@dataclass(frozen=True, slots=True)
class Case:
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


def judged(assign: Assign, text: str, group: Group) -> Case | None:
    """Return how an assignor fares on a group in a question's last level.

    None where there is nothing to compare: it gives up on the group, its answer is not legal and complete, or
    the question has no answer.
    """
    asked = question(text)
    try:
        answer = assign(group)
    except AssignorError:
        return None
    plain = question("balance") if asked.together else asked
    if any(owners_in(case, answer) is None for case in cases(group, plain)):
        return None
    *_, (level, value) = measured(group, answer, asked).items()
    if value == 0:
        return Case(group, 0, 0)
    try:
        best = optimum(text, group).levels[-1]
    except ImpossibleError:
        return None
    if best.name != level or not best.proved:
        return None
    return Case(group, value, best.value)
