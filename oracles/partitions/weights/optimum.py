"""The answer to a question in which partitions are unequal: an assignment, and for each level what counting proves that none goes below.

Assignments in which no member holds much: the heaviest partitions dealt first, then exchanges as long as they help.

Why no assignment is lighter, in sentences that anybody can check by counting; or that nothing proves it.
"""

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapreplace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kassay.model import Group
from kassay.oracles.answers import Answer, Level
from kassay.oracles.assignment.certificates import Judged, judged
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.assignment.values import imbalance
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.partitions.encoding import Case, assignment_of, cases, counted
from kassay.oracles.partitions.levels import LEVELS
from kassay.oracles.partitions.optimum import part
from kassay.oracles.partitions.question import Question, question, remeasure
from kassay.oracles.partitions.weights import instance as program
from kassay.oracles.partitions.weights.counting import Bound, bound, within
from kassay.oracles.partitions.weights.instance import (
    CAPACITY,
    HEAVIEST,
    WEIGHTED_BALANCE,
    Instance,
    costly,
    instance_of,
    loads_of,
    worth,
)
from kassay.properties.partitions.owners import owners

WORK = 20_000_000
"""So many pairs of partitions are looked at; a number and no time, so that the answer is the same everywhere."""


def dealt(instance: Instance) -> list[int]:
    """Give the partitions, the heaviest first, each to its reader that holds least of what it can bear, then the fewest."""
    owner = [0] * len(instance.items)
    limited = any(limit is not None for limit in instance.capacities)
    standing = [(-(limit or 0) if limited else 0, 0, m) for m, limit in enumerate(instance.capacities)]
    queues = {some: sorted(standing[m] for m in some) for some in set(instance.readers)}
    for item in sorted(range(len(owner)), key=lambda i: (-instance.weights[i], i)):
        queue = queues[instance.readers[item]]
        while queue[0] != standing[queue[0][2]]:  # it has got something from another queue, so it comes later
            heapreplace(queue, standing[queue[0][2]])
        load, count, m = queue[0]
        owner[item] = m
        standing[m] = load + instance.weights[item], count + 1, m
        heapreplace(queue, standing[m])
    return owner


def exchanged(instance: Instance, owner: Sequence[int], kept: Sequence[str]) -> list[int]:
    """Return owners whose greatest weight is no greater: the heaviest member hands a partition on, or exchanges it for a lighter one.

    What `kept` levels cost stays what it is, and windows are kept. Levels of squares are kept where they fix the windows.
    """
    if sum(instance.weights) >= HEAVIEST:
        return list(owner)
    held = np.array(owner)
    weights, loads = np.array(instance.weights), np.array(loads_of(instance, owner))
    count = np.bincount(held, minlength=instance.members)
    audiences, sorts = dict.fromkeys(instance.readers), {id(costs): costs for costs in instance.costs}
    may = np.zeros((len(audiences), instance.members), np.bool_)
    for row, some in zip(may, audiences, strict=True):
        row[list(some)] = True
    tables = [
        np.array([[of[level].get(m, 0) for m in range(instance.members)] for of in sorts.values()])
        for level in kept
    ]
    number = {some: n for n, some in enumerate(audiences)}
    sort = {key: n for n, key in enumerate(sorts)}
    audience = np.array([number[some] for some in instance.readers])
    of_sort = np.array([sort[id(costs)] for costs in instance.costs])
    table = _Table(np.array(instance.windows), weights, may, audience, tables, of_sort)
    work = 0
    while work < WORK:
        step, looked = _step(table, held, loads, count)
        work += looked
        if step is None:
            break
        giver, taker, item, other = step
        held[item] = taker
        gained = int(weights[item])
        if other >= 0:
            held[other] = giver
            gained -= int(weights[other])
        else:
            count[giver] -= 1
            count[taker] += 1
        loads[giver] -= gained
        loads[taker] += gained
    return [int(m) for m in held]


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """Weights, who may hold what, and what the levels to be kept cost, as arrays: rows for audiences, and for partitions that cost the same."""

    windows: Ints
    weights: Ints
    may: NDArray[np.bool_]
    audience: Ints
    costs: list[Ints]
    sort: Ints


def _step(of: _Table, held: Ints, loads: Ints, count: Ints) -> tuple[tuple[int, int, int, int] | None, int]:
    """Return who gives whom which partition for which other, -1 for none, so that both are below the heaviest; and how many pairs were looked at."""
    giver = int(loads.argmax())
    mine, looked = np.flatnonzero(held == giver), 0
    low, high = of.windows.T
    for taker in np.argsort(loads, kind="stable").tolist():
        room = int(loads[giver] - loads[taker])
        if room <= 1:
            break
        theirs = np.flatnonzero(held == taker)
        looked += len(mine) * (len(theirs) + 1) + len(held) // 100
        gain = of.weights[mine][:, None] - np.append(of.weights[theirs], 0)[None, :]
        fine = (gain > 0) & (gain < room) & of.may[of.audience[mine], taker][:, None]
        fine[:, :-1] &= of.may[of.audience[theirs], giver][None, :]
        if count[giver] <= low[giver] or count[taker] >= high[taker]:
            fine[:, -1] = False
        for cost in of.costs:
            change = (cost[of.sort[mine], taker] - cost[of.sort[mine], giver])[:, None]
            back = np.append(cost[of.sort[theirs], giver] - cost[of.sort[theirs], taker], 0)[None, :]
            fine &= change + back == 0
        if fine.any():
            best = int(np.where(fine, np.abs(2 * gain - room), np.iinfo(np.int64).max).argmin())
            item, other = divmod(best, len(theirs) + 1)
            return (giver, taker, int(mine[item]), int(theirs[other]) if other < len(theirs) else -1), looked
    return None, looked


NAMES = 5
"""How many names a sentence lists at most."""


def why(group: Group, instance: Instance, level: Level, of: Bound | None, plain: tuple[str, ...]) -> str:
    """Return a sentence on a level: its count where that proves it, else how far it is from that."""
    if of is None:
        said = f"{LEVELS[level.name].words.counted(level.value)}, which is proved"
        if level.name == plain[0] and LEVELS[level.name].words.counts == "loads":
            said = f"loads are {level.value} apart, which is proved"
        return f"{level.name}: {said if level.proved else _open(level)}"
    said = _count(group, instance, level.name, of)
    return f"{level.name}: {said if level.proved else _open(level)}"


def _open(level: Level) -> str:
    if level.agreed:
        return f"CP-SAT and HiGHS find nothing below; a count proves {level.least:,} at least"
    return f"open: a count proves {level.least:,} at least, and less than {level.value:,} may be possible"


def _count(group: Group, instance: Instance, level: str, of: Bound) -> str:
    inside = within(instance, of.members)
    every = len(of.members) == len({m for some in instance.readers for m in some})
    who = _who(group, of)
    whose = "all" if every else f"what only {who} may hold"
    if of.least == 0 and not inside:
        return "nothing is less than 0"
    if of.kind == "hall" and level == CAPACITY:
        room = sum(instance.capacities[m] or 0 for m in of.members)
        return f"{whose} weighs {sum(inside):,}, and {who} can bear {room:,}"
    if of.kind == "hall":
        return f"{whose} weighs {sum(inside):,}, so one of {who} holds {of.least:,} or more"
    k = of.count
    heavy = (
        f"the heaviest partition weighs {inside[0]:,}" if k == 0 and every
        else f"the heaviest partition that only {who} may hold weighs {inside[0]:,}" if k == 0
        else f"one of {who} holds {k + 1} of the {k * len(of.members) + 1} heaviest"
    )  # fmt: skip
    fewest = min(instance.windows[m][0] for m in of.members)
    others = fewest - k - 1
    if level == CAPACITY:
        return (
            f"{heavy}, and none can bear more than {max(instance.capacities[m] or 0 for m in of.members):,}"
        )
    if instance.counted and others > 0:
        return f"{heavy}, and who holds that holds {others} more: {of.least:,} at least"
    return heavy if k == 0 else f"{heavy}: {of.least:,} at least"


def _who(group: Group, of: Bound) -> str:
    names = [group.members[m].id for m in of.members[:NAMES]]
    more = len(of.members) - len(names)
    if more:
        return f"{len(of.members)} members"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


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
