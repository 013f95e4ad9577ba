"""The truth about sums over a sequence of rebalances: dynamic programming over all most even answers of each rebalance."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeAlias

from forging.truth import MOST, PROVED, OfWorkers, convert_tasks, list_members, read_tasks
from sequences import BY_TOPIC, CONSUMERS, TASKS, Counting

from kassay.families.family import Family
from kassay.model import Group, Member, Topic, TopicPartition
from kassay.oracles.errors import ImpossibleError
from kassay.oracles.tasks.levels import LEVELS
from kassay.properties.partitions import timelines as of_partitions
from kassay.properties.tasks import timelines as of_tasks
from kassay.properties.workers import timelines as of_workers

Json: TypeAlias = Any
READS = ("active", "standby", "joint")
STAGES: Mapping[str, Callable[[Any], tuple[Any, ...]]] = {
    "consumer": of_partitions.stages,
    "streams": of_tasks.stages,
    "connect": of_workers.stages,
}
FIELDS = {"consumer": "members", "streams": "clients", "connect": "workers"}
"""Family -> where those are to whom things happen."""


@dataclass(frozen=True)
class Course:
    """The rebalances of a group, the levels that are summed up, and how they are counted."""

    stages: tuple[Any, ...]
    levels: tuple[str, ...]
    counting: Counting

    def compute_least(self) -> tuple[int, ...]:
        """Return the least sums, level by level."""
        return self.counting.out(self.stages, self.levels)


class OfSequences:
    """A group to which something happens."""

    def __init__(self, of_family: Family, group: Any, events: tuple[str, int]) -> None:
        self.family, self.group, self.events = of_family, group, events

    @lru_cache(maxsize=MOST)  # noqa: B019  # truths do not live longer than a few cases
    def compute_least(
        self, text: str, order: tuple[str, ...] | None, levels: tuple[str, ...]
    ) -> tuple[int, ...]:
        """Return the least sums of some levels, each among the sequences that are best in those before."""
        return replace(self.build_course(text, order), levels=levels).compute_least()

    @lru_cache(maxsize=MOST)  # noqa: B019
    def build_course(self, text: str, order: tuple[str, ...] | None) -> Course:
        """Return the course of a question; raises ImpossibleError where it is not asked."""
        over = self.family.oracles.over_time
        name = self.family.name
        if text not in (*over.questions, *(f"balance,{each}" for each in READS)):
            raise ImpossibleError(text)
        group, field = self.group, FIELDS[name]
        if order is not None:
            by_name = {each.id: each for each in getattr(group, field)}
            group = replace(group, **{field: tuple(by_name[each] for each in order)})
        stages = STAGES[name](over.kinds[self.events[0]](group, self.events[1]))
        stages = (stages[0], *(self._without_claims(stage) for stage in stages[1:]))
        even, levels = (
            ("balance,topic-spread", text.split(",")[2:])
            if "topic-spread" in text
            else ("balance", text.split(",")[1:])
        )
        counting = {
            "consumer": BY_TOPIC if "spread" in even else CONSUMERS,
            "streams": OVER_TASKS,
            "connect": CONSUMERS,
        }[name]
        return Course(stages, tuple(levels), counting)

    def _without_claims(self, stage: Any) -> Any:
        if self.family.name == "consumer":
            return replace(stage, members=tuple(replace(m, owned=(), generation=None) for m in stage.members))
        return stage

    def find_false(self, answer: Json, verdict: str) -> str:
        """Return the first false statement of an answer, or an empty string."""
        order = tuple(answer["order"]) if "order" in answer else None
        if order is not None and sorted(order) != sorted(
            each.id for each in getattr(self.group, FIELDS[self.family.name])
        ):
            return "the order is not one of the group's"
        if self.family.name == "connect":
            return self._find_false_of_workers(answer, order, verdict)
        course = self.build_course(answer["question"], order)
        sums = self._sum_levels(course, answer["assignments"]) if answer["assignments"] else None
        if isinstance(sums, str):
            return sums
        return self._find_false_total(answer, order, course.levels, len(course.stages), sums, verdict)

    def _find_false_total(
        self,
        answer: Json,
        order: tuple[str, ...] | None,
        levels: Sequence[str],
        rebalances: int,
        sums: Mapping[str, int] | None,
        verdict: str,
    ) -> str:
        if answer["rebalances"] != rebalances:
            return f"there are {rebalances} rebalances"
        if [each["name"] for each in answer["totals"]] != [*levels]:
            return f"the levels are {levels}"
        for n, each in enumerate(answer["totals"]):
            if each["value"] != (None if sums is None else sums[each["name"]]):
                return f"{each['name']} is {sums}"
            if each["proved"] != (each["value"] == each["least"]):
                return f"the flag `proved` of {each['name']} is wrong"
            before = levels[:n] if sums is not None else []
            least = self.compute_least(answer["question"], order, (*before, each["name"]))
            tight = sums is None or all(sums[level] == of for level, of in zip(before, least, strict=False))
            if each["least"] > (least[-1] if tight else 0):
                return f"the least {each['name']} is {least[-1]}"
            if verdict == PROVED and each["value"] != least[-1]:
                return f"the least {each['name']} is {least[-1]}, not {each['value']}"
        return ""

    def _sum_levels(self, course: Course, given: Json) -> dict[str, int] | str:
        """Return what assignments come to, or what is wrong with them."""
        if len(given) != len(course.stages):
            return f"there are {len(given)} assignments"
        stage, totals = course.stages[0], dict.fromkeys(course.levels, 0)
        for n, own in enumerate(given):
            answer = next(
                (
                    each
                    for each in course.counting.even(course.stages[n])
                    if self._is_same(each, own["assignment"])
                ),
                None,
            )
            if answer is None:
                return f"assignment {n} is not legal, or less even than can be"
            for level in course.levels:
                totals[level] += course.counting.costs[level](stage, answer)
            if n + 1 < len(given):
                stage = course.counting.carried(stage, answer, course.stages[n + 1])
        return totals

    def _is_same(self, answer: Any, assignment: Json) -> bool:
        if self.family.name == "streams":
            return convert_tasks(answer.clients) == read_tasks(assignment)
        held = {name: [(p.topic, p.partition) for p in own] for name, own in answer.items()}
        return assignment.keys() == held.keys() and list_members(assignment) == list_members(held)

    def _find_false_of_workers(self, answer: Json, order: tuple[str, ...] | None, verdict: str) -> str:
        """Look at connectors and tasks as two groups, whose sums add up."""
        whole = self.build_course("balance,moves", order)
        given = answer["assignments"]
        if self.events[0] == "bounce" and len(given) == len(whole.stages) + 1:
            given = [given[0], *given[2:]]  # in the one between, the others wait
        if given and len(given) != len(whole.stages):
            return f"there are {len(given)} assignments"
        least = moved = 0
        for kind, name in enumerate(OfWorkers.KINDS):
            course = Course(tuple(build_group(stage, kind) for stage in whole.stages), ("moves",), CONSUMERS)
            own = [
                {"assignment": list_partitions(whole.stages[0], each["assignment"], kind)} for each in given
            ]
            sums = self._sum_levels(course, own) if given else None
            if isinstance(sums, str):
                return f"{name}: {sums}"
            least, moved = least + course.compute_least()[0], moved + (0 if sums is None else sums["moves"])
        if answer["rebalances"] != len(whole.stages):
            return f"there are {len(whole.stages)} rebalances"
        ((name, low, value, proved),) = [
            (t["name"], t["least"], t["value"], t["proved"]) for t in answer["totals"]
        ] or [("", 0, 0, 0)]
        wanted = ("moves", moved if given else None, value == low)
        if (name, value, proved) != wanted or low > least:
            return f"the totals are {wanted}, at least {least}"
        return f"the least is {least}" if verdict == PROVED and value != least else ""


OVER_TASKS = replace(TASKS, costs=TASKS.costs | {name: LEVELS[name].measure for name in READS})


def build_group(cluster: Any, kind: int) -> Group:
    """Return a cluster's connectors or tasks as partitions of one topic that all workers read."""
    items = [*cluster.configured[kind]]
    number = {item: n for n, item in enumerate(items)}
    runs = [item for worker in cluster.workers for item in worker.work[kind]]
    members = tuple(
        Member(
            worker.id, ("x",),
            tuple(TopicPartition("x", number[item]) for item in worker.work[kind] if item in number and runs.count(item) == 1), 1,
        )
        for worker in cluster.workers
    )  # fmt: skip
    return Group((Topic("x", len(items)),), members)


def list_partitions(cluster: Any, assignment: Json, kind: int) -> Json:
    """Return what workers have of a kind as partitions of that topic."""
    number = {
        item if isinstance(item, str) else tuple(item): n for n, item in enumerate(cluster.configured[kind])
    }
    return {
        worker: [
            ["x", number.get(item if isinstance(item, str) else tuple(item), -1)]
            for item in own.get(OfWorkers.KINDS[kind], ())
        ]
        for worker, own in assignment.items()
    }
