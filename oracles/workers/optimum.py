"""The exact optima of a cluster, of one rebalance or a sequence: the least values, assignments that have them, and their proofs.

A cluster is two groups of members and partitions: its connectors and its tasks are balanced separately. Members are workers. The
connectors are the partitions of one topic, in the order of the list. The tasks of a connector are the partitions of a topic with its name.
An item belongs to the only worker that runs it. If several workers run it, they all have to stop, so it is as free as an item that no
worker runs.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any

from kassay.model import Assignment, Group, Member, Topic, TopicPartition
from kassay.model.workers import Cluster, ConnectorTask, Work, WorkAssignment
from kassay.oracles.answers import Answer, Dominated, Gap, Level, Optima, OverTime, Total
from kassay.oracles.errors import ImpossibleError
from kassay.oracles.partitions.optima import compute_dominance as of_partitions
from kassay.oracles.partitions.optima import compute_optima as optima_of_partitions
from kassay.oracles.partitions.optima import solve_by_program as programmed_partitions
from kassay.oracles.partitions.optimum import compute_optimum as optimum_of_partitions
from kassay.oracles.partitions.over_time import compute_over_time as over_time_of_partitions
from kassay.oracles.partitions.question import Question
from kassay.oracles.workers.levels import CONNECTOR_SPREAD, CONNECTORS, KINDS, LEVELS, MOVES, OVER_TIME, TASKS
from kassay.oracles.workers.levels import Level as WorkLevel
from kassay.properties.workers.measures import running
from kassay.properties.workers.timelines import asks_again


def build_groups(cluster: Cluster) -> dict[str, Group]:
    """Return a cluster's connectors and tasks as groups, by their kinds."""
    number = {connector.name: n for n, connector in enumerate(cluster.connectors)}
    configured = set(cluster.configured.items)
    alone = {item for item, workers in running(cluster).items() if len(workers) == 1 and item in configured}
    owned: dict[str, dict[str, list[TopicPartition]]] = {}
    for worker in cluster.workers:
        mine = owned[worker.id] = {kind: [] for kind in KINDS}
        for item in filter(alone.__contains__, worker.work.items):
            if isinstance(item, ConnectorTask):
                mine[TASKS].append(TopicPartition(*item))
            else:
                mine[CONNECTORS].append(TopicPartition(CONNECTORS, number[item]))
    topics = {
        CONNECTORS: (Topic(CONNECTORS, len(number)),) if number else (),
        TASKS: tuple(Topic(connector.name, connector.tasks) for connector in cluster.connectors),
    }

    def group(kind: str) -> Group:
        reads = tuple(topic.name for topic in topics[kind])
        members = (Member(each.id, reads, tuple(owned[each.id][kind]), 1) for each in cluster.workers)
        return Group(topics[kind], tuple(members))

    return {kind: group(kind) for kind in KINDS}


def split(cluster: Cluster, answer: WorkAssignment) -> dict[str, Assignment] | None:
    """Return what an answer gives of each kind, as partitions; None if something in it is not configured."""
    number = {connector.name: n for n, connector in enumerate(cluster.connectors)}
    if any(name not in number for work in answer.workers.values() for name in work.connectors):
        return None
    return {
        CONNECTORS: {
            worker: tuple(TopicPartition(CONNECTORS, number[name]) for name in work.connectors)
            for worker, work in answer.workers.items()
        },
        TASKS: {
            worker: tuple(TopicPartition(*task) for task in work.tasks)
            for worker, work in answer.workers.items()
        },
    }


def join_kinds(cluster: Cluster, given: Mapping[str, Assignment]) -> WorkAssignment:
    """Return what workers are given of both kinds as one answer, which revokes nothing and asks for no delay."""
    names = [connector.name for connector in cluster.connectors]
    return WorkAssignment(
        {
            worker.id: Work(
                tuple(names[partition.partition] for partition in given[CONNECTORS].get(worker.id, ())),
                tuple(ConnectorTask(*partition) for partition in given[TASKS].get(worker.id, ())),
            )
            for worker in cluster.workers
        },
        {},
    )


def _list_words() -> dict[str, list[WorkLevel]]:
    """Return what a question can ask for: each level of workers, or by the name of their level of partitions all that are of the same one."""
    of: dict[str, list[WorkLevel]] = {}
    for level in LEVELS.values():
        of.setdefault(level.of.name, []).append(level)
    return {own[0].name if len(own) == 1 else name: own for name, own in of.items()}


ASKED = _list_words()
"""Word of a question -> the levels that it asks for."""
STAND_FOR = {",".join(level.name for level in own): word for word, own in ASKED.items()}
"""The names of all levels that a word asks for, which stand for the word."""


def parse_question(text: str, known: tuple[str, ...] | None = None) -> str:
    """Read a question, in which both balances together may stand for balance: one of the known, or any order of what can be asked for.

    Raises ImpossibleError naming what there is to ask.
    """
    asked = ",".join(word.strip() for word in text.split(","))
    for together, word in STAND_FOR.items():
        asked = asked.replace(together, word)
    words = asked.split(",")
    if asked not in known if known is not None else len({*words}) < len(words) or not {*words} <= {*ASKED}:
        fix = f"{', '.join(ASKED)}, each once and in any order" if known is None else " or ".join(known)
        raise ImpossibleError(f"question: {text!r} is not asked of workers. Ask {fix}")
    return asked


def compute_optima(cluster: Cluster) -> Optima:
    """Find and prove the optimum of each level, of moves at the most even loads; raises as the oracle of partitions does.

    An answer that asks for another round has no gaps.
    """
    groups = build_groups(cluster)
    found = {kind: _compute_numbered_optima(_use_numbers(group)) for kind, group in groups.items()}

    def gaps(answer: WorkAssignment) -> Sequence[Gap]:
        given = None if asks_again(answer) else split(cluster, answer)
        if given is None:
            return ()
        parts = {kind: best.gaps(_convert_answer(groups[kind], given[kind])) for kind, best in found.items()}
        if not all(parts.values()):
            return ()
        value, least = (
            _add_up({kind: {gap.level: number(gap) for gap in of} for kind, of in parts.items()})
            for number in (attrgetter("value"), attrgetter("optimum"))
        )
        return tuple(Gap(name, value[name], least[name], level.words) for name, level in LEVELS.items())

    return Optima(_add_up({kind: best.least for kind, best in found.items()}), gaps)


def _use_numbers(group: Group) -> Group:
    """Return a group with numbers for the names of its topics and members, and sorted claims: optima do not depend on names."""
    number = {topic.name: str(n) for n, topic in enumerate(group.topics)}
    topics = tuple(Topic(number[topic.name], topic.partitions) for topic in group.topics)
    members = (
        Member(str(n), tuple(number.values()), tuple(_convert_partitions(number, member.owned)), 1)
        for n, member in enumerate(group.members)
    )
    return Group(topics, tuple(members))


def _convert_answer(group: Group, given: Assignment) -> Assignment:
    """Return an assignment with numbers as in :func:`_use_numbers`; a name that the group does not have becomes no number."""
    number = {topic.name: str(n) for n, topic in enumerate(group.topics)}
    place = {member.id: str(n) for n, member in enumerate(group.members)}
    return {
        place.get(member, f"unknown {member}"): _convert_partitions(number, partitions)
        for member, partitions in given.items()
    }


def _convert_partitions(
    number: Mapping[str, str], partitions: Sequence[TopicPartition]
) -> list[TopicPartition]:
    return sorted(TopicPartition(number.get(p.topic, f"unknown {p.topic}"), p.partition) for p in partitions)


@lru_cache(maxsize=1024)
def _compute_numbered_optima(group: Group) -> Optima:
    """Return the optima of connectors or tasks alone; half of the groups of a check are equal but for their names."""
    return optima_of_partitions(group)


def solve_by_program(cluster: Cluster) -> Mapping[str, int]:
    """Return the optimum of each level by a linear program."""
    return _add_up({kind: programmed_partitions(group) for kind, group in build_groups(cluster).items()})


def _add_up(least: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    return {name: level.value(least) for name, level in LEVELS.items()}


NOUNS = re.compile(r"(?<![\w.-])(member|partition)(s?)(?![\w.-])")
"""The nouns of the reasons of groups of members and partitions, where they are no part of a name."""


def compute_optimum(text: str, cluster: Cluster, time_limit_s: float | None = None) -> Answer:
    """Return the exact optimum of a question (see :func:`question`), with its certificate.

    That has a whole answer for the group of each kind, which can be checked by itself. Raises as
    :func:`kassay.oracles.partitions.optimum.compute_optimum` does.
    """
    asked = parse_question(text)
    own = [ASKED[word] for word in asked.split(",")]
    limit = None if time_limit_s is None else time_limit_s / 2
    found = {}
    for kind, group in build_groups(cluster).items():
        # The levels of partitions that the question has for this kind; moves if it has none.
        names = tuple(levels[0].of.name for levels in own if any(kind in level.kinds for level in levels))
        found[kind] = optimum_of_partitions(str(Question(names or (MOVES.of.name,))), group, limit)
    value, least = (
        {kind: {level.name: number(level) for level in best.levels} for kind, best in found.items()}
        for number in (attrgetter("value"), attrgetter("least"))
    )
    # Each level if the answers of all kinds that it is of tell it.
    known = tuple(
        Level(level.name, level.value(value), level.value(least))
        for levels in own
        for level in levels
        if all(level.of.name in value[kind] for kind in level.kinds)
    )
    words = [
        f"{kind}: {_translate_reason(kind, word)}" for kind, best in found.items() for word in best.words
    ]
    certificate: dict[str, Any] = {"proved": all(best.proved for best in found.values())}
    for kind, best in found.items():
        given = {member: [list(one) for one in its] for member, its in best.assignment.items()}
        certificate[kind] = {
            "question": best.question,
            "levels": [level.record for level in best.levels],
            "assignment": given,
            "certificate": best.certificate,
        }
    assignment = join_kinds(cluster, {kind: best.assignment for kind, best in found.items()})
    return Answer(asked, known, assignment, tuple(words), certificate)


def _translate_reason(kind: str, word: str) -> str:
    """Return a sentence about members and partitions in the words for workers, connectors and tasks."""
    nouns = {"member": "worker", "partition": kind.removesuffix("s")}
    said = NOUNS.sub(lambda found: nouns[found[1]] + found[2], word)
    for name, (level, *others) in ASKED.items():
        if not others:
            said = re.sub(rf"(?<![\w-]){level.of.name}(?![\w-])", name, said)
    return said


def compute_dominance(cluster: Cluster) -> Callable[[WorkAssignment], Dominated | None]:
    """Return a function that looks for an answer that dominates another one.

    The result is None if the answer asks for another round, or its tasks are not complete and legal. The better answer has the same
    connectors, so it need not be an optimum of any question. Raises as :func:`kassay.oracles.partitions.optima.compute_dominance`.
    """
    judge = of_partitions(build_groups(cluster)[TASKS])

    def dominated(answer: WorkAssignment) -> Dominated | None:
        given = None if asks_again(answer) else split(cluster, answer)
        found = None if given is None else judge(given[TASKS])
        if given is None or found is None:
            return None
        better = found.better and join_kinds(cluster, {CONNECTORS: given[CONNECTORS], TASKS: found.better})
        return Dominated(CONNECTOR_SPREAD.name, found.value, found.least, found.verdict, better)

    return dominated


def compute_over_time(text: str, stages: Sequence[Cluster], time_limit_s: float | None = None) -> OverTime:
    """Return the fewest moves over all stages that assignments can have which are as even as possible at each.

    A stage is the cluster as it is at a rebalance, with connectors that stay as they are; what its workers run counts in the first
    alone. Raises ImpossibleError if the question cannot be asked, and what the oracle of partitions raises.
    """
    asked = parse_question(text, OVER_TIME)
    limit = None if time_limit_s is None else time_limit_s / 2
    if any(stage.connectors != stages[0].connectors for stage in stages):
        raise ImpossibleError("stages: connectors differ. Give events that leave connectors alone")
    parts = [build_groups(stage) for stage in stages]
    found = {
        kind: over_time_of_partitions(asked, [groups[kind] for groups in parts], limit) for kind in KINDS
    }
    assignments: tuple[WorkAssignment, ...] = ()
    if all(best.assignments for best in found.values()):
        assignments = tuple(
            join_kinds(stage, {kind: best.assignments[n] for kind, best in found.items()})
            for n, stage in enumerate(stages)
        )
    # The sums of a kind are bounds alone if the other kind has no assignments to make up the whole with.
    whole = bool(assignments)
    certificate = {
        kind: {
            "question": best.question,
            "rebalances": best.rebalances,
            "totals": [
                {
                    "name": total.name,
                    "least": total.least,
                    "value": total.value if whole else None,
                    "proved": total.proved and whole,
                }
                for total in best.totals
            ],
            "certificate": best.certificate,
        }
        for kind, best in found.items()
    }
    return OverTime(asked, len(stages), _sum_totals(found), assignments, certificate)


def _sum_totals(found: Mapping[str, OverTime]) -> tuple[Total, ...]:
    """Return the sums of the levels that both kinds are asked in, each of the kinds that it is of."""
    totals = {kind: {total.name: total for total in best.totals} for kind, best in found.items()}
    summed = []
    for name, level in LEVELS.items():
        parts = [totals[kind][level.of.name] for kind in level.kinds if level.of.name in totals[kind]]
        if len(parts) == len(level.kinds):
            values = [part.value for part in parts if part.value is not None]
            value = sum(values) if len(values) == len(parts) else None
            summed.append(Total(name, sum(part.least for part in parts), value))
    return tuple(summed)
