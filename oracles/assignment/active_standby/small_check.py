"""The check of small optima in machine code; it uses the problem, the owners and the prices, but no code of the solver.

One sum proves all levels at once. Each level has a weight, and the owners' weighted sum equals the bound of the
prices, so no placement has less. Each weight exceeds the greatest weighted loss in the levels after it. So a
placement that is better in one level and equal in the levels before it would have a smaller sum. See
docs/explanation/tasks.md.
"""

import numpy as np

from kassay.oracles.assignment.active_standby.small_batch import (
    STANDBYS,
    Batch,
    Small,
    Solution,
    read_problem,
)
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.compiled import compile_function, inline_function

LARGEST, NOTHING = 2.0**60, 2**62
"""The first limits sums that can prove something; the second is greater than any sum."""


@compile_function
def check_batch(of: Batch, found: Solution) -> Ints:
    """Return for each problem of a batch whether its owners are legal and optimal in all levels, proved by its prices."""
    proved = np.zeros(len(of.sizes), np.int64)
    for number in range(len(of.sizes)):
        one = read_problem(of, number)
        _, member, _, item = of.first[number]
        last = member + len(one.weight)
        proved[number] = is_proved(
            one, found.owners[item : item + len(one.standbys)], found.active[member:last], found.every[member:last],
            found.weight[number, : 2 + len(one.active)], found.unit[number],
        )  # fmt: skip
    return proved


@compile_function
def is_proved(of: Small, owners: Ints, active: Ints, every: Ints, weight: Ints, unit: int) -> bool:
    """Return True if owners are legal, and prices, integers over `unit`, prove them optimal."""
    if unit < 1 or not is_legal(of, owners) or not _is_in_64_bits(of, active, every, weight, unit):
        return False
    value = compute_values(of, owners)
    total = 0
    for level in range(len(value)):
        total += weight[level] * value[level]
    # The weighted gain of any placement in the levels after this one stays below its weight.
    reach = 0
    for level in range(len(value) - 1, -1, -1):
        if weight[level] == 0 and level < 2 and not of.even:
            continue
        if weight[level] <= reach:
            return False
        reach += weight[level] * (_find_most(of, level) - value[level])
    return compute_bound(of, active, every, weight, unit) > unit * (total - 1)


@compile_function
def is_legal(of: Small, owners: Ints) -> bool:
    """Return True if each item has exactly its copies, on different members."""
    for i in range(len(owners)):
        for copy in range(owners.shape[1]):
            m = owners[i, copy]
            if copy > of.standbys[i]:
                if m != -1:
                    return False
                continue
            if m < 0 or m >= len(of.weight):
                return False
            for other in range(copy):
                if owners[i, other] == m:
                    return False
    return True


@compile_function
def compute_values(of: Small, owners: Ints) -> Ints:
    """Return the values of balance, total-balance and each level; the first two are 0 if they are not in the question."""
    levels, items, members = of.active.shape
    value = np.zeros(levels + 2, np.int64)
    load = np.zeros((2, members), np.int64)
    for i in range(items):
        for copy in range(1 + of.standbys[i]):
            m = owners[i, copy]
            load[0, m] += copy == 0
            load[1, m] += 1
            for level in range(levels):
                value[level + 2] += of.active[level, i, m] if copy == 0 else of.standby[level, i, m]
        if of.spread >= 0:
            value[of.spread + 2] += _count_collisions(of, owners[i], 1 + of.standbys[i])
    if of.even:
        for role in range(2):
            for m in range(members):
                value[role] += of.weight[m] * load[role, m] ** 2
    return value


@compile_function
def _count_collisions(of: Small, held: Ints, copies: int) -> int:
    """Return the number of an item's copies in a zone of an earlier copy, over all tags."""
    count = 0
    for tag in range(len(of.zones)):
        for copy in range(1, copies):
            zone, met = of.zones[tag, held[copy]], False
            for other in range(copy):
                met = met or of.zones[tag, held[other]] == zone
            count += zone >= 0 and met
    return count


@compile_function
def _is_in_64_bits(of: Small, active: Ints, every: Ints, weight: Ints, unit: int) -> bool:
    """Return True if weights and prices are so small that no sum of this check passes LARGEST."""
    levels, items, members = of.active.shape
    copies = float(items + of.standbys.sum() + 1)
    most = 0.0
    for m in range(members):
        most = max(most, abs(float(active[m])), abs(float(every[m])))
    for level in range(levels + 2):
        if weight[level] < 0:
            return False
        each = copies * float(of.weight.max()) if level < 2 else float(1 + len(of.zones))
        if level >= 2:
            for i in range(items):
                for m in range(members):
                    each = max(
                        each, abs(float(of.active[level - 2, i, m])), abs(float(of.standby[level - 2, i, m]))
                    )
        most += float(unit) * float(weight[level]) * (each + float(len(of.zones)))
    return bool(most * copies * (members + 4) * 4 < LARGEST)


@compile_function
def _find_most(of: Small, level: int) -> int:
    """Return an upper limit of a level's value over all placements."""
    copies = len(of.standbys) + of.standbys.sum()
    if level < 2:
        return copies * copies * of.weight.max() if of.even else 0
    collisions = len(of.zones) if level - 2 == of.spread else 0
    total = 0
    for i in range(len(of.standbys)):
        active, standby = of.active[level - 2, i, 0], of.standby[level - 2, i, 0]
        for m in range(1, len(of.weight)):
            active = max(active, of.active[level - 2, i, m])
            standby = max(standby, of.standby[level - 2, i, m])
        total += active + of.standbys[i] * (standby + collisions)
    return total


@compile_function
def compute_bound(of: Small, active: Ints, every: Ints, weight: Ints, unit: int) -> int:
    """Return the lower bound of the weighted sum, times the unit: the least payments of items plus the least surplus of members."""
    levels, items, members = of.active.shape
    total = 0
    for m in range(members):
        total += _find_least_left(unit * weight[0] * of.weight[m] if of.even else 0, active[m], items)
        total += _find_least_left(unit * weight[1] * of.weight[m] if of.even else 0, every[m], items)
    same = unit * weight[of.spread + 2] if of.spread >= 0 else 0
    one, two = np.empty(members, np.int64), np.empty(members, np.int64)
    cheap = np.empty(1 + STANDBYS, np.int64)
    for i in range(items):
        for m in range(members):
            one[m], two[m] = active[m] + every[m], every[m]
            for level in range(levels):
                one[m] += unit * weight[level + 2] * of.active[level, i, m]
                two[m] += unit * weight[level + 2] * of.standby[level, i, m]
        if of.standbys[i] == 0:
            total += one.min()
        elif same:
            total += _find_least_apart(of.zones, one, two, of.standbys[i], same)
        else:
            total += _find_least_paid(one, two, of.standbys[i], cheap)
    return total


@compile_function
def _find_least_left(square: int, price: int, most: int) -> int:
    """Return the least of `square` times a squared load minus price times load, over loads from 0 to `most`."""
    held = most if price > 0 else 0
    if square:
        # The copies whose cost is at most the price.
        held = min(most, max(0, (price + square) // (2 * square)))
    return square * held**2 - price * held


@inline_function
def _find_least_paid(one: Ints, two: Ints, standbys: int, cheap: Ints) -> int:
    """Return the least sum of one member's first number and the second numbers of `standbys` others; `cheap` holds the least of these."""
    cheap[:] = NOTHING
    for m in range(len(two)):
        place = standbys
        if two[m] < cheap[place]:
            while place > 0 and two[m] < cheap[place - 1]:
                cheap[place] = cheap[place - 1]
                place -= 1
            cheap[place] = two[m]
    floor, best = cheap[:standbys].sum(), NOTHING
    for m in range(len(one)):  # a member among the cheapest is replaced by the next one
        best = min(best, one[m] + floor + max(0, cheap[standbys] - two[m]))
    return best


@inline_function
def _find_least_apart(zones: Ints, one: Ints, two: Ints, standbys: int, same: int) -> int:
    """Return the least sum if each standby in a zone of a copy before it costs `same` too."""
    members = len(one)
    best, floor = NOTHING, two.min()
    for a in range(members):
        for b in range(members if one[a] + standbys * floor < best else 0):
            if b == a or one[a] + two[b] + (standbys - 1) * floor >= best:
                continue
            pair = one[a] + two[b] + same * count_met(zones, b, a, a)
            if standbys == 1:
                best = min(best, pair)
                continue
            for c in range(b + 1, members):
                if c != a and pair + two[c] < best:
                    best = min(best, pair + two[c] + same * count_met(zones, c, a, b))
    return best


@inline_function
def count_met(zones: Ints, member: int, one: int, two: int) -> int:
    """Return the number of zones in which a member meets one of two others."""
    count = 0
    for tag in range(len(zones)):
        zone = zones[tag, member]
        count += zone >= 0 and (zones[tag, one] == zone or zones[tag, two] == zone)
    return count
