"""The exact optima of streams groups, as the engine asks for them; families say which questions are theirs."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from kassay.families.shapes.proved import checks
from kassay.families.shapes.tasks.oracles import EVERY, QUICK, ways
from kassay.family import Oracles
from kassay.model.streams_group import StreamsAssignment, StreamsGroup
from kassay.model.streams_group_json import write_group
from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.answers import Answer, Dominated, Gap, Optima, Worst
from kassay.oracles.tasks.members import COMPARED, LEVELS
from kassay.shape import Assign

SAYS = (
    "balance is the active tasks of the busiest member less those of the idlest one, and 2 at least where one in another process would even "
    "two processes; moves and restore are between processes, whose members "
    "share a disk, and are compared with the least that the most even loads of active tasks and of all copies allow, so less even "
    "answers may be below it and count as 0; answers with warm-ups, or without all standbys that there are processes for, are not compared, "
    "nor are the moves of large groups with standbys, nor, where there are standbys, the spread of subtopologies"
)


def oracles(questions: Mapping[str, str], worst_questions: Mapping[str, str]) -> Oracles:
    """Make the oracles of a family."""
    return Oracles(
        questions, COMPARED, _optimum, _gaps, optima, _explain, worst_questions, _worst, _programmed, checks("members", write_group), SAYS, {name: level.words for name, level in LEVELS.items()},
        every=EVERY, quick=_quick, dominance=_dominance,
    )  # fmt: skip


def _quick(group: StreamsGroup) -> bool:
    """Return whether the optima of a group are a matter of a moment."""
    tasks = sum(each.partitions for each in group.subtopologies)
    stateful = any(each.stateful for each in group.subtopologies)
    standbys = group.settings.num_standby_replicas if stateful else 0
    return ways(tasks, len(group.processes), standbys) <= QUICK


@lru_cache(maxsize=1)
def optima(group: StreamsGroup) -> Optima:
    """Find and prove the optima of a group's levels."""
    from kassay.oracles.tasks.members.optimum import optima as proved

    return proved(group)


@lru_cache(maxsize=1)  # whoever is compared is asked about one group after the other
def _dominance(group: StreamsGroup) -> Callable[[StreamsAssignment], Dominated | None]:
    from kassay.oracles.tasks.members.optimum import dominance

    return dominance(group)


def _gaps(group: StreamsGroup, answer: StreamsAssignment) -> Sequence[Gap]:
    return optima(group).gaps(answer)


def _optimum(question: str, group: StreamsGroup, time_limit_s: float | None) -> Answer:
    from kassay.oracles.tasks.members.optimum import optimum

    return optimum(question, group, time_limit_s)


def _explain(group: StreamsGroup, answer: StreamsAssignment) -> list[str]:
    from kassay.oracles.tasks.members.optimum import explain

    return explain(group, answer)


def _programmed(group: StreamsGroup) -> Mapping[str, int]:
    from kassay.oracles.tasks.members.optimum import programmed

    return programmed(group)


def _worst(assign: Assign, question: str, seed: int, tries: int) -> Worst:
    """Search among applications, whose clients are processes, and return the worst as a group."""
    from dataclasses import replace

    from kassay.families.shapes.tasks.small_applications import small_applications
    from kassay.families.shapes.worst import worst_of
    from kassay.oracles.tasks.worst_case import ground, judge
    from kassay.properties.tasks.members.processes import group_of, of_processes

    def of_application(application: Application) -> TaskAssignment:
        group = group_of(application)
        return of_processes(group, assign(group))

    of = ground(question)
    judged = judge(of_application, question)
    found = worst_of(judged, of, small_applications(of.space.kind), question, seed, tries)
    return found if found.group is None else replace(found, group=group_of(found.group))
