"""Why no assignment is better, in sentences that anybody can check by counting."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kassay.oracles.assignment.certificates import Judged, offers
from kassay.oracles.assignment.flow.even_loads import bipartite
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.assignment.values import loads
from kassay.oracles.partitions.encoding import Case, counted
from kassay.oracles.partitions.levels import LEVELS
from kassay.oracles.partitions.question import Question

NAMES = 5
"""How many names a sentence lists at most."""


def reasons(cases: Sequence[Case], question: Question, solutions: Sequence[Judged]) -> tuple[str, ...]:
    """Return a sentence or two for each level, where it can be of the kind "so many can only go to these members".

    Where no such count proves a level, the sentence refers to the dual prices, which prove every level.
    """
    found = []
    for n, level in enumerate(question.levels):
        if level not in question.shown:
            continue
        sum_ = sum(solution.value[n] for solution in solutions)
        reached = sum_ if level == BALANCE else counted(cases, level, sum_)
        said: list[str] = []
        if reached == 0:
            said = [f"{level}: nothing is less than 0"]
        elif not (question.together or question.joined) and not question.several and cases[0].problem.items:
            if question.levels[: n + 1] == (BALANCE,):
                said = _why_no_more_even(cases[0], solutions[0])
            elif n == 0 or question.levels[:n] == (BALANCE,):
                said = _why_not_less(cases[0], solutions[0], level, reached)
        found += said or [_by_prices(question, n, reached)]
    return tuple(found)


def _by_prices(question: Question, n: int, reached: int) -> str:
    level = question.levels[n]
    before = [each for each in question.levels[:n] if each in question.shown]
    given = f" at the best {' and '.join(before)}" if before else ""
    words = LEVELS[level].words
    least = f"a sum of squared loads of {reached:,}" if words.counts == "loads" else words.counted(reached)
    one = reached == 1 or least.startswith("a ")  # a spread excess of 3 is one thing
    return f"{level}: {least} {'is' if one else 'are'} the least{given}, which is proved"


def _why_no_more_even(case: Case, solution: Judged) -> list[str]:
    """Say why somebody must hold as many as the most loaded do, and somebody as few as the least loaded."""
    problem, price = case.problem, solution.prices.rows[0]
    load = loads(problem, solution.owners)
    readers = bipartite(problem)
    able = np.isin(problem.subscription_of, problem.audience_subscription)
    most, least = int(load.max()), int(load[able].min())
    if most == least:
        return [f"{BALANCE}: every member holds {_partitions(most)}"]
    upper, lower = price >= 2 * most - 1, able & (price <= 2 * least + 1)
    if upper[able].all() and lower[able].all():
        return [
            f"{BALANCE}: {_partitions(problem.items)} for {able.sum()} members leave{'s' if problem.items == 1 else ''} a remainder, so the loads differ by one"
        ]
    outside = np.unique(problem.subscription_of[~upper])
    leading_out = np.unique(readers.audience[np.isin(readers.reader, outside)])
    bound_to = int(np.delete(readers.items, leading_out).sum())
    within = np.unique(readers.audience[np.isin(readers.reader, problem.subscription_of[lower])])
    open_to = int(readers.items[within].sum())
    return [
        f"{BALANCE}: {_partitions(bound_to)} can only go to {_names(case, upper)}, so one of them holds {most} or more",
        f"{BALANCE}: {_names(case, lower)} can get only {_partitions(open_to)} in all, so one of them holds {least} or fewer",
    ]


def _why_not_less(case: Case, solution: Judged, level: str, reached: int) -> list[str]:
    """Say how many partitions cost nothing with certain members only, and how many these can hold.

    The members are those who ask one more for a slot than the others at the same price of balance. If the
    others already hold as few as they may, the room is what they leave; else it is what these may hold.
    Nothing is said where the prices differ by more than one, or where the count is not the optimum.
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
            few, all_ = here & ~asks, int(loads(problem, solution.owners)[here].sum())
            room += int(high * (here & asks).sum()) if price[here].max() > 0 else all_ - int(low * few.sum())
    cheapest = offers(problem.asked(()), {}, slots)
    digit = offers(problem, {level: 1}, 4 * slots + asks) - 4 * cheapest
    only = int((digit > 0).sum())
    lost = case.lost.get(level, 0)
    if digit.max() > 1 or only - room + lost != reached:
        return []
    except_at, anywhere, must = why
    said = []
    if asks.any():
        who = _who(case, asks)
        said.append(
            f"partitions {except_at.format(who)}: {only}; there is room for {room} there at the best balance, "
            f"so at least {only - room} must {must}"
        )
    elif only:
        said.append(f"partitions {anywhere}: {only}")
    if lost:
        said.append(f"partitions that nobody reads any more: {lost}")
    return [f"{level}: {'; '.join(said)}"]


def _who(case: Case, which: NDArray[np.bool_]) -> str:
    """Name members by their racks where they are all that are in these racks or in none, else one by one."""
    racks = case.problem.rack_of[which]
    if len(racks) > NAMES and np.count_nonzero(np.isin(case.problem.rack_of, racks)) == len(racks):
        named = sorted({case.racks[rack] for rack in racks.tolist() if rack < len(case.racks)})
        roaming = ["no rack"] if (racks == len(case.racks)).any() else []
        return f"the {len(racks)} members in {_listed([f'rack {name}' for name in named[:NAMES]] + roaming)}"
    return _names(case, which)


def _names(case: Case, which: NDArray[np.bool_]) -> str:
    chosen = [case.members[m] for m in np.flatnonzero(which)[:NAMES]]
    more = int(np.count_nonzero(which)) - len(chosen)
    return _listed([*chosen, f"{more} more members"] if more else chosen)


def _listed(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _partitions(number: int) -> str:
    return _count(number, "partition")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("s" if number != 1 and noun != "of them" else "")
