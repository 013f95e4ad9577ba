"""The answer to a question about a group: the least values, an assignment that has them, and why no assignment has less.

The reasons are sentences that a reader can check by counting, and a certificate: prices as JSON, with the values that they prove.
"""

import math
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kassay.model import Group
from kassay.oracles.answers import Answer, Level
from kassay.oracles.assignment.certificates import Judged, compute_offers, verify_solution
from kassay.oracles.assignment.flow.exact import Solution, build_graph, solve
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.values import Prices, compute_imbalance, count_loads
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.partitions.encoding import (
    Case,
    convert_to_measure,
    decode_assignment,
    encode_group,
    is_open,
    open_group,
)
from kassay.oracles.partitions.levels import LEVELS
from kassay.oracles.partitions.question import Question, parse_question, remeasure
from kassay.sentences import join_names

NAMES = 5
"""The most names in a sentence."""


def explain_bounds(cases: Sequence[Case], question: Question, solutions: Sequence[Judged]) -> tuple[str, ...]:
    """Return one or two sentences for each level, such as "3 partitions can only go to these members".

    If no such count proves a level, the sentence refers to the dual prices, which prove every level.
    """
    found = []
    for n, level in enumerate(question.levels):
        if level not in question.shown:
            continue
        sum_ = sum(solution.value[n] for solution in solutions)
        reached = sum_ if level == BALANCE else convert_to_measure(cases, level, sum_)
        said: list[str] = []
        before = question.levels[:n]
        if reached == 0:
            said = [f"{level}: nothing is less than 0"]
        elif not (question.together or question.joined) and not question.several and cases[0].problem.items:
            if (*before, level) == (BALANCE,):
                said = _explain_balance(cases[0], solutions[0])
            elif before in ((), (BALANCE,)):
                said = _explain_costs(cases[0], solutions[0], level, reached)
        if not said:
            first = [each for each in before if each in question.shown]
            given = f" at the best {' and '.join(first)}" if first else ""
            words = LEVELS[level].words
            least = (
                f"a sum of squared loads of {reached:,}"
                if words.counts == "loads"
                else words.counted(reached)
            )
            one = reached == 1 or least.startswith("a ")  # a spread excess of 3 is one thing
            said = [f"{level}: {least} {'is' if one else 'are'} the least{given}, which is proved"]
        found += said
    return tuple(found)


def _explain_balance(case: Case, solution: Judged) -> list[str]:
    """Return why one member must hold as many as the most loaded do, and one as few as the least loaded."""
    problem, price = case.problem, solution.prices.rows[0]
    load = count_loads(problem, solution.owners)
    readers = build_graph(problem)
    able = np.isin(problem.subscription_of, problem.audience_subscription)
    most, least = int(load.max()), int(load[able].min())
    if most == least:
        return [f"{BALANCE}: every member holds {_format_partitions(most)}"]
    upper, lower = price >= 2 * most - 1, able & (price <= 2 * least + 1)
    if upper[able].all() and lower[able].all():
        return [
            f"{BALANCE}: {_format_partitions(problem.items)} for {able.sum()} members leave{'s' if problem.items == 1 else ''} a remainder, so the loads differ by one"
        ]
    outside = np.unique(problem.subscription_of[~upper])
    leading_out = np.unique(readers.audience[np.isin(readers.reader, outside)])
    bound_to = int(np.delete(readers.items, leading_out).sum())
    within = np.unique(readers.audience[np.isin(readers.reader, problem.subscription_of[lower])])
    open_to = int(readers.items[within].sum())
    return [
        f"{BALANCE}: {_format_partitions(bound_to)} can only go to {_join_names(case, upper)}, so one of them holds {most} or more",
        f"{BALANCE}: {_join_names(case, lower)} can get only {_format_partitions(open_to)} in all, so one of them holds {least} or fewer",
    ]


def _explain_costs(case: Case, solution: Judged, level: str, reached: int) -> list[str]:
    """Return how many partitions cost nothing with certain members only, and how many these can hold.

    These members ask one more for a slot than the others at the same price of balance. If the others already hold as few
    as they may, the room is what they leave; else it is what these members may hold. There is no sentence if prices differ
    by more than one, or if the count is not the optimum.
    """
    why = LEVELS[level].why
    if why is None:
        return []
    problem = case.problem.asked((level,))
    rows = solution.prices.rows
    slots, price = (rows[0], rows[1]) if len(rows) > 1 else (np.zeros_like(rows[0]), rows[0])
    asks = np.zeros(problem.members, np.bool_)
    room = 0
    for slot in np.unique(slots):
        here = slots == slot
        asks[here] = price[here] > price[here].min()
        if np.ptp(price[here]) > 1:
            return []
        if asks[here].any():
            low, high = slot // 2, (slot + 1) // 2
            few, all_ = here & ~asks, int(count_loads(problem, solution.owners)[here].sum())
            room += int(high * (here & asks).sum()) if price[here].max() > 0 else all_ - int(low * few.sum())
    cheapest = compute_offers(problem.asked(()), {}, slots)
    digit = compute_offers(problem, {level: 1}, 4 * slots + asks) - 4 * cheapest
    only = int((digit > 0).sum())
    lost = case.lost.get(level, 0)
    if digit.max() > 1 or only - room + lost != reached:
        return []
    except_at, anywhere, must = why
    said = []
    if asks.any():
        racks = problem.rack_of[asks]
        who = _join_names(case, asks)
        if len(racks) > NAMES and np.count_nonzero(np.isin(problem.rack_of, racks)) == len(racks):
            # they are all members in their racks, so the racks name them
            named = sorted({case.racks[rack] for rack in racks.tolist() if rack < len(case.racks)})
            roaming = ["no rack"] if (racks == len(case.racks)).any() else []
            who = f"the {len(racks)} members in {join_names([f'rack {name}' for name in named[:NAMES]] + roaming)}"
        said.append(
            f"partitions {except_at.format(who)}: {only}; there is room for {room} there at the best balance, "
            f"so at least {only - room} must {must}"
        )
    elif only:
        said.append(f"partitions {anywhere}: {only}")
    if lost:
        said.append(f"partitions without readers: {lost}")
    return [f"{level}: {'; '.join(said)}"]


def _join_names(case: Case, which: NDArray[np.bool_]) -> str:
    chosen = [case.members[m] for m in np.flatnonzero(which)[:NAMES]]
    more = int(np.count_nonzero(which)) - len(chosen)
    return join_names([*chosen, f"{more} more members"] if more else chosen)


def _format_partitions(number: int) -> str:
    return f"{number} partition" + "s" * (number != 1)


def build_part(case: Case, best: Judged) -> dict[str, Any]:
    """Return the proof of one case of a group, as JSON: of topics that no other topics depend on.

    `price` is the price of a slot that most readers ask, one number per level of the question, `except` has the others. `value` is the
    cost of the assignment and `least` the lower bound of the prices, level by level, to be compared lexicographically. Balance counts
    the squared loads. If the spread of topics is asked, `spread` has the prices of topics. See :mod:`kassay.oracles.assignment.certificates`.
    """
    some = np.flatnonzero(np.isin(case.problem.subscription_of, case.problem.audience_subscription))
    asked = map(tuple, best.prices.rows[:, some].T.tolist())
    prices = dict(zip(map(case.members.__getitem__, some.tolist()), asked, strict=True))
    ((usual, _),) = Counter(prices.values()).most_common(1)
    topics = {} if best.prices.topics is None else {"spread": write_topic_prices(case, best.prices)}
    return topics | {
        "topics": case.names,
        "value": best.value,
        "least": best.least,
        "price": usual,
        "except": {member: price for member, price in prices.items() if price != usual},
    }


def write_topic_prices(case: Case, prices: Prices) -> dict[str, Any]:
    """Return the price of a place of each topic at members of each rack, and the exceptions of members that owned some of it."""
    problem = case.problem
    assert prices.topics is not None
    alone = prices.topics.shape[2] == 1
    racks = [""] if alone else [*case.racks, ""]
    read = [
        {0} if alone else {*problem.rack_of[np.isin(problem.subscription_of, reads)].tolist()}
        for reads in np.split(problem.audience_subscription, problem.audience_start[1:-1])
    ]
    rows = prices.topics.tolist()
    topics = zip(case.topics, problem.topic_audience.tolist(), strict=True)
    places = zip(*(each.tolist() for each in prices.places), prices.place_rows.T.tolist(), strict=True)
    return {
        "price": {
            names[0]: {racks[r]: tuple(row[t][r] for row in rows) for r in sorted(read[audience])}
            for t, (names, audience) in enumerate(topics)
        },
        "except": [
            (case.topics[topic][0], case.members[member], tuple(row)) for topic, member, row in places
        ],
    }


MEASURED = 100_000
"""The most partitions of an assignment whose values are measured again, on the assignment itself."""


def compute_optimum(text: str, group: Group, time_limit_s: float | None = None) -> Answer:
    """Return the exact optimum of a question (see :func:`kassay.oracles.partitions.question.parse_question`), with its certificate.

    If the time limit passes, the levels end with an interval; reading the group and writing the assignment
    are not cut short. Raises ImpossibleError if nothing answers the question, TooLargeError if numbers
    leave 64 bits, UnsolvedError if a solver fails.
    """
    asked = parse_question(text)
    if asked.weighs:
        from kassay.oracles.partitions.weights.optimum import compute_weighted_optimum as weighed

        return weighed(group, asked, time_limit_s)
    deadline = math.inf if time_limit_s is None else time.monotonic() + time_limit_s
    if TOPIC_SPREAD in asked.levels and time_limit_s is None and is_open(group):
        case, solver = open_group(group)
        read, solutions = [case], [solver.solve(asked.levels)]
    else:
        read = encode_group(group, asked)
        solutions = [solve(case.problem, asked.levels, deadline) for case in read]
    best = verify_solutions(group, asked, read, solutions)
    if time_limit_s is None and not best.proved:
        raise UnsolvedError(f"{asked}: the prices do not prove the optimum found")
    return best


def verify_solutions(
    group: Group, asked: Question, read: Sequence[Case], solutions: Sequence[Solution], *, words: bool = True
) -> Answer:
    """Return the answer that solutions of a group's cases make together, each verified by the bound of its prices.

    Without `words` it has no sentences, which saves time. Raises UnsolvedError if a solution is no legal
    assignment or its prices cannot be checked, and what :func:`build_answer` raises.
    """
    best = [
        verify_solution(case.problem, asked.levels, solution.owners, solution.prices)
        for case, solution in zip(read, solutions, strict=True)
    ]
    return build_answer(group, asked, read, best, words=words)


def build_answer(
    group: Group, asked: Question, read: Sequence[Case], best: Sequence[Judged], *, words: bool
) -> Answer:
    """Return the answer that verified assignments of a group's cases make together.

    Raises UnsolvedError if prices do not prove that a contract of even loads is kept.
    """
    found = decode_assignment(group, read, [each.owners for each in best])
    reached = map(sum, zip(*(each.value for each in best), strict=True))
    least = map(sum, zip(*(each.least for each in best), strict=True))
    levels: list[Level] = []
    tight = True  # after the first level that the prices do not prove, 0 is the only bound
    for level, own, proved in zip(asked.levels, reached, least, strict=True):
        known = max(proved, 0) if tight else 0
        tight = tight and own == proved
        if level != BALANCE:
            levels.append(
                Level(level, convert_to_measure(read, level, own), convert_to_measure(read, level, known))
            )
        elif not tight and (asked.together or asked.joined):
            raise UnsolvedError(
                f"{asked}: the loads are not proved to be as even as the contract asks. Give more time"
            )
        elif not asked.together:
            spread = compute_imbalance(read[0].problem, best[0].owners)
            levels.append(Level(level, spread, spread if tight else 0))
        if levels and not levels[-1].proved:
            break
    if sum(case.problem.items for case in read) <= MEASURED:
        value = remeasure(group, found, asked)
        if any(level.value != value[level.name] for level in levels):
            raise UnsolvedError(f"the optimum found is {levels}, but measured it is {value}")
    told = explain_bounds(read, asked, best) if words and tight else ()
    parts = [build_part(case, each) for case, each in zip(read, best, strict=True) if case.problem.items]
    certificate = {
        "proved": all(level.proved for level in levels) and all(p["value"] == p["least"] for p in parts),
        "loads": {member: len(partitions) for member, partitions in found.items()},
        "parts": parts,
    }
    return Answer(str(asked), tuple(levels), found, told, certificate)
