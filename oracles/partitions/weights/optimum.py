"""The answer to a question about unequal partitions: an assignment, and for each level a lower bound by counting.

Assignments start with the heaviest partitions dealt first; then partitions are exchanged as long as that helps. The reasons are sentences
that a reader can check by counting, or say that there is no proof.
"""

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kassay.model import Group
from kassay.oracles.answers import Answer, Level
from kassay.oracles.assignment.certificates import Judged, verify_solution
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.assignment.values import compute_imbalance
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.partitions.encoding import Case, convert_to_measure, decode_assignment, encode_group
from kassay.oracles.partitions.levels import LEVELS
from kassay.oracles.partitions.optimum import build_part
from kassay.oracles.partitions.question import Question, parse_question, remeasure
from kassay.oracles.partitions.weights import instance as program
from kassay.oracles.partitions.weights.counting import Bound, find_bound, list_weights_within
from kassay.oracles.partitions.weights.instance import (
    CAPACITY,
    HEAVIEST,
    WEIGHTED_BALANCE,
    Instance,
    compute_loads,
    compute_value,
    list_cost_levels,
    read_instance,
)
from kassay.oracles.partitions.weights.search import search_least_weight
from kassay.properties.partitions.owners import owners
from kassay.sentences import join_names

WORK = 20_000_000
"""The most pairs of partitions to exchange that are tried; not a time limit, so that the answer is the same everywhere."""


def deal_heaviest_first(instance: Instance) -> list[int]:
    """Give the partitions, the heaviest first, each to its reader with the most capacity left, then the fewest partitions."""
    owner = [0] * len(instance.items)
    limited = any(limit is not None for limit in instance.capacities)
    audiences, audience = instance.list_audiences()
    readers = [np.array(some) for some in audiences]
    load = np.array([-(limit or 0) if limited else 0 for limit in instance.capacities], np.int64)
    count = np.zeros(instance.members, np.int64)
    for item in sorted(range(len(owner)), key=lambda i: (-instance.weights[i], i)):
        some = readers[audience[item]]
        loads = load[some]
        some = some[loads == loads.min()]
        owner[item] = m = int(some[count[some].argmin()])
        load[m] += instance.weights[item]
        count[m] += 1
    return owner


def exchange_partitions(instance: Instance, owner: Sequence[int], kept: Sequence[str]) -> list[int]:
    """Return owners with a lower greatest weight: the heaviest member hands a partition on, or exchanges it for a lighter one.

    The costs of `kept` levels do not change, and windows are kept; so are squares, if they fix the windows.
    """
    if sum(instance.weights) >= HEAVIEST:
        return list(owner)
    held = np.array(owner)
    weights, loads = np.array(instance.weights), np.array(compute_loads(instance, owner))
    count = np.bincount(held, minlength=instance.members)
    (audiences, audience), sorts = instance.list_audiences(), {id(of): of for of in instance.costs}
    may = np.zeros((len(audiences), instance.members), np.bool_)
    for row, some in zip(may, audiences, strict=True):
        row[list(some)] = True
    tables = [
        np.array([[of[level].get(m, 0) for m in range(instance.members)] for of in sorts.values()])
        for level in kept
    ]
    sort = {key: n for n, key in enumerate(sorts)}
    of_sort = np.array([sort[id(costs)] for costs in instance.costs])
    table = _Table(np.array(instance.windows), weights, may, np.array(audience), tables, of_sort)
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
    """Weights, possible owners and kept costs as arrays: rows are audiences, and partitions with the same costs."""

    windows: Ints
    weights: Ints
    may: NDArray[np.bool_]
    audience: Ints
    costs: list[Ints]
    sort: Ints


def _step(of: _Table, held: Ints, loads: Ints, count: Ints) -> tuple[tuple[int, int, int, int] | None, int]:
    """Return giver, taker, the partition and the one in exchange (-1: none), after which both are lighter; and the number of pairs tried."""
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
"""The most names in a sentence."""


def explain_level(
    group: Group, instance: Instance, level: Level, of: Bound | None, plain: tuple[str, ...]
) -> str:
    """Return a sentence on a level: the count that proves it, or that it is open."""
    words = LEVELS[level.name].words
    if level.agreed:
        said = f"CP-SAT and HiGHS find nothing below; a count proves {level.least:,} at least"
    elif not level.proved:
        said = f"open: a count proves {level.least:,} at least, and less than {level.value:,} may be possible"
    elif of is not None:
        said = _describe_count(group, instance, level.name, of)
    elif level.name == plain[0] and words.counts == "loads":
        said = f"loads are {level.value} apart, which is proved"
    else:
        said = f"{words.counted(level.value)}, which is proved"
    return f"{level.name}: {said}"


def _describe_count(group: Group, instance: Instance, level: str, of: Bound) -> str:
    if of.kind == "search":
        return f"all assignments were tried, and none has less than {of.least:,}"
    inside = list_weights_within(instance, of.members)
    every = len(of.members) == len({m for some in instance.list_audiences()[0] for m in some})
    names = [group.members[m].id for m in of.members]
    who = join_names(names) if len(names) <= NAMES else f"{len(names)} members"
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
    others = min(instance.windows[m][0] for m in of.members) - k - 1
    if level == CAPACITY:
        most = max(instance.capacities[m] or 0 for m in of.members)
        return f"{heavy}, and none can bear more than {most:,}"
    if instance.counted and others > 0:
        return f"{heavy}, and who holds that holds {others} more: {of.least:,} at least"
    return heavy if k == 0 else f"{heavy}: {of.least:,} at least"


@dataclass(frozen=True, slots=True)
class BoundedOwners:
    """Owners, the lower bounds by counting, and the levels for which two solvers find nothing less."""

    instance: Instance
    owner: Sequence[int]
    bounds: Mapping[str, Bound]
    agreed: frozenset[str]


def find(
    asked: Question, instance: Instance, case: Case | None, deadline: float, *, solvers: bool = True
) -> BoundedOwners:
    """Minimize one level after the other, keeping the values that are reached.

    A flow solves the levels before the first that weighs. If balance is the first level, it narrows the others.
    """
    first = next(n for n, level in enumerate(asked.levels) if LEVELS[level].weighs)
    before, after = asked.levels[:first], asked.levels[first:]
    owner, fixed = deal_heaviest_first(instance), dict[str, int]()
    if case is not None and before:
        solution = solve(case.problem, before, deadline)
        best = verify_solution(case.problem, before, solution.owners, solution.prices)
        owner = best.owners.reshape(-1).tolist()
        fixed = dict(zip(before, best.value, strict=True))
        # balance and the costs behind it fix counts by their prices, or balance alone if topics are spread
        counted = 1 if TOPIC_SPREAD in asked.levels else first
        if asked.levels[0] == BALANCE and best.value == best.least:
            instance = instance.keep_optima(before[:counted], best.prices.rows[:counted], best.owners)
            del fixed[BALANCE]  # the windows keep it
    if not {BALANCE, TOPIC_SPREAD}.intersection(fixed) and after[0] == WEIGHTED_BALANCE:
        owner = exchange_partitions(instance, owner, list_cost_levels(before))
    known = program.build_program(instance, asked.levels) if solvers else None
    bounds, agreed = {}, set()
    if known is not None:
        known.program.rows += [(known.levels[level], None, value) for level, value in fixed.items()]
    for level in after:
        weighs = LEVELS[level].weighs
        if weighs:
            earlier = asked.levels[: asked.levels.index(level)]
            owner, bounds[level] = _bound_level(instance, owner, level, earlier, solvers=solvers)
        floor = bounds[level].least if weighs else 0
        if (
            known is not None
            and compute_value(instance, level, owner) > floor
            and time.monotonic() < deadline
        ):
            left = None if math.isinf(deadline) else deadline - time.monotonic()
            other, below = program.minimize_level(known, level, owner, left)
            owner = min(owner, other, key=lambda each: compute_value(instance, level, each))
            value = compute_value(instance, level, owner)
            left = None if math.isinf(deadline) else max(0.1, deadline - time.monotonic())
            if floor < value == below and program.is_confirmed(known, instance, level, value, left):
                agreed.add(level)
        if known is not None:
            known.program.rows.append((known.levels[level], None, compute_value(instance, level, owner)))
    return BoundedOwners(instance, owner, bounds, frozenset(agreed))


def _bound_level(
    instance: Instance, owner: list[int], level: str, earlier: Sequence[str], *, solvers: bool
) -> tuple[list[int], Bound]:
    """Return owners and the bound by a count, or by a search if solvers do not count such weights exactly and partitions are few.

    Earlier levels do not get worse.
    """
    bound, value = find_bound(instance, level), compute_value(instance, level, owner)
    if level != WEIGHTED_BALANCE or not solvers or sum(instance.weights) <= program.EXACT:
        return owner, bound
    found = search_least_weight(instance, value) if value > bound.least else None
    if found is None:
        return owner, bound
    least = compute_value(instance, level, found) if found else value
    if found and all(
        compute_value(instance, each, found) <= compute_value(instance, each, owner) for each in earlier
    ):
        owner = found
    return owner, Bound(least, "search", bound.members) if least > bound.least else bound


def compute_weighted_optimum(
    group: Group, asked: Question, time_limit_s: float | None, *, solvers: bool = True
) -> Answer:
    """Return an answer with its certificate, and its levels down to the first that is not proved.

    Without `solvers` there are only exchanges and counts, which take little time. Without a time limit, solvers stop after a number of
    steps, the same on every machine. Raises ImpossibleError if a weight that is asked for is missing.
    """
    deadline = math.inf if time_limit_s is None else time.monotonic() + time_limit_s
    plain = tuple(level for level in asked.levels if not LEVELS[level].weighs)
    instance = read_instance(group, asked.levels)
    (case,) = encode_group(group, Question(plain))
    some = case if plain and case.problem.items else None
    found = find(asked, instance, some, deadline, solvers=solvers) if instance.items else BoundedOwners(
        instance, (), {level: Bound(0, "hall", ()) for level in asked.levels if LEVELS[level].weighs}, frozenset()
    )  # fmt: skip
    owners = np.array(found.owner, np.int64).reshape(-1, 1)
    assignment = decode_assignment(group, [case], [owners])
    proof = None
    if some is not None:
        proof = verify_solution(case.problem, plain, owners, solve(case.problem, plain, deadline).prices)
    rows = list(_list_levels(group, asked, case, proof, found))
    measured = remeasure(group, assignment, asked)
    if any(row.value != measured[row.name] for row in rows):
        raise UnsolvedError(f"the answer found is {rows}, but measured it is {measured}")
    told = tuple(
        explain_level(group, found.instance, each, found.bounds.get(each.name), plain) for each in rows
    )
    rest = [
        f"{level}: {LEVELS[level].words.counted(measured[level])} with that"
        for level in asked.levels[len(rows) :]
    ]
    members = [member.id for member in group.members]
    certificate: dict[str, Any] = {
        "proved": len(rows) == len(asked.levels) and all(row.proved for row in rows),
        "loads": {member: len(partitions) for member, partitions in assignment.items()},
        "parts": [build_part(case, proof)] if proof is not None else [],
        "weights": [
            {
                "level": level, "value": measured[level], "least": of.least, "kind": of.kind, "count": of.count,
                "members": [members[m] for m in of.members],
            }
            for level, of in found.bounds.items()
        ],
    }  # fmt: skip
    return Answer(str(asked), tuple(rows), assignment, (*told, *rest), certificate)


def has_weights(group: Group) -> bool:
    """Return True if there are partitions with readers, and the weight of each is known."""
    read = {name for member in group.members for name in member.topics}
    weights = [topic.weights for topic in group.topics if topic.partitions and topic.name in read]
    return bool(weights) and all(own and None not in own for own in weights)


def compute_weight_levels(group: Group, levels: Iterable[str], *, solvers: bool = True) -> list[Level]:
    """Return the levels of weights at the most even loads: those for which the group has all weights and capacities."""
    if not has_weights(group):
        return []
    limited = any(member.capacity is not None for member in group.members)
    asked = [parse_question(f"{BALANCE},{level}") for level in levels if level != CAPACITY or limited]
    return [compute_weighted_optimum(group, each, None, solvers=solvers).levels[-1] for each in asked]


def _list_levels(
    group: Group, asked: Question, case: Case, proof: Judged | None, found: BoundedOwners
) -> Iterator[Level]:
    """Yield the levels down to the first that is not proved."""
    rows = iter(() if proof is None else zip(proof.value, proof.least, strict=True))
    tight, limits = True, [math.inf] * found.instance.members
    for name in asked.levels:
        if name in found.bounds:
            value, least = compute_value(found.instance, name, found.owner), found.bounds[name].least
            yield (level := Level(name, value, least, value != least and name in found.agreed))
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
                shown = compute_imbalance(case.problem, held) if reached else 0
                below = shown if tight else 0
            else:
                shown, below = (convert_to_measure([case], name, each) for each in (reached, least))
            yield (level := Level(name, shown, below, shown != below and name in found.agreed))
        if not level.proved:
            return


def shed(group: Group, instance: Instance, limits: Sequence[float]) -> int:
    """Count the partitions that must leave their only owner: it does not read them, or they exceed its limit, the heaviest first."""
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
