"""The answer to a question in which partitions are unequal: an assignment, and for each level what counting proves that none goes below."""

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kassay.model import Group
from kassay.oracles.answers import Answer, Level
from kassay.oracles.assignment.certificates import Judged, judged
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.values import imbalance
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.partitions.certificate import part
from kassay.oracles.partitions.encoding import Case, assignment_of, cases, counted
from kassay.oracles.partitions.levels import LEVELS
from kassay.oracles.partitions.question import Question, question, remeasure
from kassay.oracles.partitions.weights import program
from kassay.oracles.partitions.weights.counting import Bound, bound
from kassay.oracles.partitions.weights.instance import (
    CAPACITY,
    WEIGHTED_BALANCE,
    Instance,
    costly,
    instance_of,
    worth,
)
from kassay.oracles.partitions.weights.search import dealt, exchanged
from kassay.oracles.partitions.weights.words import why
from kassay.properties.partitions.owners import owners


@dataclass(frozen=True, slots=True)
class BoundedOwners:
    """Owners, the counts that bound them from below, and the levels of which two solvers say that nothing is less."""

    instance: Instance
    owner: Sequence[int]
    bounds: Mapping[str, Bound]
    agreed: frozenset[str]


def find(
    asked: Question, instance: Instance, case: Case | None, deadline: float, *, solvers: bool = True
) -> BoundedOwners:
    """Look for the least of each level after the other; the value reached of each is kept from then on.

    The levels before the first that weighs are those of a flow, exactly; where the first is balance, what it leaves open bounds the others.
    """
    first = next(n for n, level in enumerate(asked.levels) if LEVELS[level].weighs)
    before, after = asked.levels[:first], asked.levels[first:]
    owner, fixed = dealt(instance), dict[str, int]()
    if case is not None and before:
        solution = solve(case.problem, before, deadline)
        best = judged(case.problem, before, solution.owners, solution.prices)
        owner = best.owners.reshape(-1).tolist()
        fixed = dict(zip(before, best.value, strict=True))
        counted = fixing(asked.levels) if best.value == best.least else 0
        if counted:
            instance = instance.at_the_best(before[:counted], best.prices.rows[:counted], best.owners)
            del fixed[BALANCE]  # the windows keep it
    if not {BALANCE, TOPIC_SPREAD}.intersection(fixed) and after[0] == WEIGHTED_BALANCE:
        owner = exchanged(instance, owner, costly(before))
    known = program.asked(instance, asked.levels) if solvers else None
    bounds, agreed = {}, set()
    if known is not None:
        known.program.rows += [(known.levels[level], None, value) for level, value in fixed.items()]
    for level in after:
        weighs = LEVELS[level].weighs
        if weighs:
            bounds[level] = bound(instance, level)
        floor = bounds[level].least if weighs else 0
        if known is not None and worth(instance, level, owner) > floor and time.monotonic() < deadline:
            left = None if math.isinf(deadline) else deadline - time.monotonic()
            other, below = program.least(known, level, owner, left)
            owner = min(owner, other, key=lambda each: worth(instance, level, each))
            value = worth(instance, level, owner)
            left = None if math.isinf(deadline) else max(0.1, deadline - time.monotonic())
            if floor < value == below and program.agreed(known, instance, level, value, left):
                agreed.add(level)
        if known is not None:
            known.program.rows.append((known.levels[level], None, worth(instance, level, owner)))
    return BoundedOwners(instance, owner, bounds, frozenset(agreed))


def fixing(levels: Sequence[str]) -> int:
    """Return how many of a question's first levels fix counts by their prices: balance and the costs behind it, before anything weighs; balance alone beside topics."""
    if levels[0] != BALANCE:
        return 0
    first = next(n for n, level in enumerate(levels) if LEVELS[level].weighs)
    return 1 if TOPIC_SPREAD in levels else first


def optimum(group: Group, asked: Question, time_limit_s: float | None, *, solvers: bool = True) -> Answer:
    """Return an answer with its certificate, its levels down to the first of which nothing proves that it is the least.

    Without `solvers` there are exchanges and counts alone, which take little time.
    Without a time limit solvers look for so long as a count of steps allows, on every machine the same. Raises ImpossibleError where a
    weight that is asked for is missing.
    """
    deadline = math.inf if time_limit_s is None else time.monotonic() + time_limit_s
    plain = tuple(level for level in asked.levels if not LEVELS[level].weighs)
    instance = instance_of(group, asked.levels)
    (case,) = cases(group, Question(plain))
    some = case if plain and case.problem.items else None
    found = find(asked, instance, some, deadline, solvers=solvers) if instance.items else BoundedOwners(
        instance, (), {level: Bound(0, "hall", ()) for level in asked.levels if LEVELS[level].weighs}, frozenset()
    )  # fmt: skip
    owners = np.array(found.owner, np.int64).reshape(-1, 1)
    assignment = assignment_of(group, [case], [owners])
    proof = None
    if some is not None:
        proof = judged(case.problem, plain, owners, solve(case.problem, plain, deadline).prices)
    rows = list(_levels(group, asked, case, proof, found))
    measured = remeasure(group, assignment, asked)
    if any(row.value != measured[row.name] for row in rows):
        raise UnsolvedError(f"the answer found is {rows}, but measured it is {measured}")
    told = tuple(why(group, found.instance, each, found.bounds.get(each.name), plain) for each in rows)
    rest = [
        f"{level}: {LEVELS[level].words.counted(measured[level])} with that"
        for level in asked.levels[len(rows) :]
    ]
    members = [member.id for member in group.members]
    certificate: dict[str, Any] = {
        "proved": len(rows) == len(asked.levels) and all(row.proved for row in rows),
        "loads": {member: len(partitions) for member, partitions in assignment.items()},
        "parts": [part(case, proof)] if proof is not None else [],
        "weights": [
            {
                "level": level, "value": measured[level], "least": of.least, "kind": of.kind, "count": of.count,
                "members": [members[m] for m in of.members],
            }
            for level, of in found.bounds.items()
        ],
    }  # fmt: skip
    return Answer(str(asked), tuple(rows), assignment, (*told, *rest), certificate)


def says_weights(group: Group) -> bool:
    """Return whether there are partitions that somebody reads, and what each of them weighs is known."""
    read = {name for member in group.members for name in member.topics}
    weights = [topic.weights for topic in group.topics if topic.partitions and topic.name in read]
    return bool(weights) and all(own and None not in own for own in weights)


def known(group: Group, levels: Iterable[str], *, solvers: bool = True) -> list[Level]:
    """Return what is known of levels of weights at the most even loads: of those that the group says all of that they ask for, so of none where nothing weighs anything."""
    if not says_weights(group):
        return []
    limited = any(member.capacity is not None for member in group.members)
    asked = [question(f"{BALANCE},{level}") for level in levels if level != CAPACITY or limited]
    return [optimum(group, each, None, solvers=solvers).levels[-1] for each in asked]


def _levels(
    group: Group, asked: Question, case: Case, proof: Judged | None, found: BoundedOwners
) -> Iterator[Level]:
    """Yield the levels down to the first that is not proved."""
    rows = iter(() if proof is None else zip(proof.value, proof.least, strict=True))
    tight, limits = True, [math.inf] * found.instance.members
    for name in asked.levels:
        if name in found.bounds:
            value = worth(found.instance, name, found.owner)
            yield (level := _level(name, value, found.bounds[name].least, found))
            most = found.instance.capacities if name == CAPACITY and value == 0 else (
                [value if name == WEIGHTED_BALANCE else None] * len(limits)
            )  # fmt: skip
            limits = [
                limit if own is None else min(limit, own) for limit, own in zip(limits, most, strict=True)
            ]
        else:
            reached, known = next(rows, (0, 0))
            least = max(known, 0) if tight else 0
            tight = tight and reached == known
            if LEVELS[name].words.counts == "moving":
                least = max(least, shed(group, found.instance, limits))
            if name == BALANCE:
                held = np.array(found.owner, np.int64).reshape(-1, 1)
                apart = imbalance(case.problem, held) if reached else 0
                level = _level(name, apart, apart if tight else 0, found)
            else:
                shown, below = (counted([case], name, each) for each in (reached, least))
                level = _level(name, shown, below, found)
            yield level
        if not level.proved:
            return


def _level(name: str, value: int, least: int, found: BoundedOwners) -> Level:
    return Level(name, value, least, value != least and name in found.agreed)


def shed(group: Group, instance: Instance, limits: Sequence[float]) -> int:
    """Count the partitions that must leave their only owner, the heaviest first, before it holds no more than its limit; and those that it cannot keep."""
    place = {partition: n for n, partition in enumerate(instance.items)}
    topics = [set(member.topics) for member in group.members]
    names = {member.id: n for n, member in enumerate(group.members)}
    own: list[list[int]] = [[] for _ in names]
    leave = 0
    for partition, by in owners(group).items():
        if len(by) == 1 and partition in place:
            m = names[by[0]]
            if partition.topic in topics[m]:
                own[m].append(instance.weights[place[partition]])
            else:
                leave += 1
    for weights, limit in zip(own, limits, strict=True):
        weights.sort()
        over = sum(weights)
        while over > limit:
            over -= weights.pop()
            leave += 1
    return leave
