"""The optima of many small problems in machine code: a placement of each, prices that prove it, and the check of both.

A placement is improved by exchanges (:mod:`.small_exchange`). If that proves nothing, the linear program follows, in
which items have shares of patterns, at the least cost of these and of the loads. The simplex method has one row for
each load only, of active copies and of all copies in each group. So it is fast (generalized upper bounding, Dantzig
and Van Slyke 1967). Each item has a *key* pattern, whose share is the remainder of its patterns in the basis. Loads
cost squares, so they are basic within a *layer*, where one more copy for each member costs the same, or nonbasic
between two. Floats are enough, because the result is not trusted: prices are made integers, and their bound is
verified. The joint core solves the questions that remain.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kassay.oracles.assignment.active_standby.problem import RoleProblem, refuse_unfit
from kassay.oracles.assignment.active_standby.small_batch import (
    WIDTH,
    Batch,
    Grouped,
    Small,
    Solution,
    build_batch,
    build_groups,
    compute_weights,
    find_groups,
    is_small,
    read_problem,
)
from kassay.oracles.assignment.active_standby.small_check import check_batch
from kassay.oracles.assignment.active_standby.small_exchange import (
    State,
    compute_bound,
    compute_pattern_cost,
    compute_payment,
    compute_value,
    create_state,
    deal_copies,
    exchange_all,
    find_cheapest,
    is_optimal,
    place_all,
    put,
    set_whole_prices,
)
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.compiled import compile_function, inline_function

Floats: TypeAlias = NDArray[np.float64]
PIVOTS, SAVES, NEAR = 400, 1e-3, 1e-9
"""The limit of pivots; the least saving that counts; the distance below which a number is 0."""
LOAD = -1
BOUNDARY, KEY, LOWER, UPPER = 0, 1, 2, 3
"""The reasons that end a step: the changing load reaches the end of a layer, a key has no share left, a basic number is least or greatest."""
FIRST, SECOND = 0.6180339887498949, 0.7548776662466927


class Basis(NamedTuple):
    """The basic pattern of an item, or LOAD and its number, in each row; their values; the inverse; the remaining shares of items' keys.

    `layer` is the layer of each load; the value of a nonbasic load is the start of this layer.
    """

    item: Ints
    load: Ints
    pattern: Ints
    value: Floats
    inverse: Floats
    rest: Floats
    layer: Ints
    basic: Ints


@compile_function
def create_basis(of: Grouped, state: State, turn: int) -> Basis:
    """Return the basis of a placement, slightly perturbed so that no two steps are equally long; each turn perturbs differently."""
    _, items, number = of.cost.shape
    rows = 2 * number
    rest, value, layer = np.empty(items), np.empty(rows), np.empty(rows, np.int64)
    for r in range(rows):
        load = state.active[r] if r < number else state.every[r - number]
        value[r] = load + 1e-3 * (1.0 + (1 + r + turn * rows) * SECOND % 1.0)
        layer[r] = load // of.size[r % number]
    for i in range(items):
        rest[i] = 1.0 + 1e-5 * ((1 + i + turn * items) * FIRST % 1.0)
        _add_loads(of, value, i, state.place[i], rest[i] - 1.0)
    return Basis(
        np.full(rows, LOAD), np.arange(rows), np.full((rows, WIDTH), -1), value, np.eye(rows), rest, layer, np.ones(rows, np.int64)
    )  # fmt: skip


@compile_function
def solve_relaxation(of: Grouped, key: Ints, basis: Basis, price: Floats) -> bool:
    """Find the best prices, of active copies and then of all copies; return True if they are found. `key` are items' patterns."""
    rows = len(price)
    column, into = np.empty(rows), np.empty(rows)
    place, new = np.empty(WIDTH, np.int64), np.empty(WIDTH, np.int64)
    falls = np.empty(len(key))
    for _ in range(PIVOTS):
        _compute_prices(of, key, basis, price)
        entering, load, grows = _choose_entering(of, key, basis, price, place, new)
        if entering == LOAD and load < 0:
            return True
        column[:] = 0
        if entering == LOAD:
            column[load] = 1 if grows else -1
        else:
            _add_loads(of, column, entering, key[entering], 1.0)
            _add_loads(of, column, entering, new, -1.0)
        _compute_product(basis.inverse, column, into)
        leaving, end, step = _choose_leaving(of, basis, into, falls, entering, load)
        if end < 0:
            return False
        _take_step(basis, into, falls, step)
        if end == BOUNDARY:
            basis.layer[load] += 1 if grows else -1
        elif (
            end == KEY and _find_key_row(basis, leaving) < 0
        ):  # the item changes to its new pattern completely
            for copy in range(WIDTH):
                key[leaving, copy] = new[copy]
            basis.rest[leaving] = step
        else:
            if end == KEY:
                leaving = _change_key(of, key, basis, leaving, entering, column)
                _compute_product(basis.inverse, column, into)
            _leave_basis(basis, into, leaving, end == UPPER)
            _enter_basis(of, basis, leaving, entering, load, grows, step)
            basis.pattern[leaving] = new
    return False


@inline_function
def _leave_basis(basis: Basis, into: Floats, leaving: int, upper: bool) -> None:
    """Remove a row's pattern or load from the basis, a load at the upper end of its layer or at the lower one."""
    if basis.item[leaving] == LOAD:
        basis.basic[basis.load[leaving]] = 0
        basis.layer[basis.load[leaving]] += upper
    inverse = basis.inverse
    for q in range(len(into)):
        inverse[leaving, q] /= into[leaving]
    for r in range(len(into)):
        if r != leaving and into[r] != 0:
            for q in range(len(into)):
                inverse[r, q] -= into[r] * inverse[leaving, q]


@inline_function
def _enter_basis(
    of: Grouped, basis: Basis, row: int, entering: int, load: int, grows: bool, step: float
) -> None:
    """Insert a pattern, or a load that grows or falls, into the basis in a row."""
    basis.item[row], basis.load[row], basis.value[row] = entering, load, step
    if entering == LOAD:
        basis.basic[load] = 1
        here = float(of.size[load % len(of.size)] * basis.layer[load])
        basis.value[row] = here + step if grows else here - step
        if not grows:
            basis.layer[load] -= 1
            basis.inverse[row] *= -1.0


@compile_function
def place_rounded(of: Grouped, key: Ints, basis: Basis, state: State) -> None:
    """Place every item in its pattern with the greatest share."""
    for i in range(len(key)):
        row, most = -1, basis.rest[i]
        for r in range(len(basis.item)):
            if basis.item[r] == i and basis.value[r] > most:
                row, most = r, basis.value[r]
        for copy in range(1 + of.standbys[i]):
            put(state, i, copy, key[i, copy] if row < 0 else basis.pattern[row, copy])


@inline_function
def _add_loads(of: Grouped, column: Floats, item: int, place: Ints, times: float) -> None:
    number = len(of.size)
    column[place[0]] += times
    for copy in range(1 + of.standbys[item]):
        column[number + place[copy]] += times


@inline_function
def _compute_prices(of: Grouped, key: Ints, basis: Basis, price: Floats) -> None:
    rows, number = len(price), len(of.size)
    inverse = basis.inverse
    price[:] = 0
    for r in range(rows):
        i, load = basis.item[r], basis.load[r]
        if i >= 0:
            cost = float(compute_pattern_cost(of, i, basis.pattern, r) - compute_pattern_cost(of, i, key, i))
        else:
            cost = float(of.square[load // number, load % number] * (2 * basis.layer[load] + 1))
        for q in range(rows):
            price[q] += cost * inverse[r, q]


@inline_function
def _choose_entering(
    of: Grouped, key: Ints, basis: Basis, price: Floats, place: Ints, new: Ints
) -> tuple[int, int, bool]:
    """Return the best saving: an item, whose new pattern is filled in, or LOAD with its number and whether it grows; -1 for none."""
    entering, load, grows, least = LOAD, -1, False, -SAVES
    for r in range(len(price)):
        if not basis.basic[r]:
            square = of.square[r // len(of.size), r % len(of.size)]
            above = square * (2 * basis.layer[r] + 1) - price[r]
            below = price[r] - square * (2 * basis.layer[r] - 1)
            if above < least:
                load, grows, least = r, True, above
            if basis.layer[r] > 0 and below < least:
                load, grows, least = r, False, below
    for i in range(len(key)):
        saves = find_cheapest(of, i, price, place) - compute_payment(of, i, key, price)
        if saves < least:
            entering, load, least = i, -1, saves
            new[0], new[1], new[2] = place[0], place[1], place[2]
    return entering, load, grows


@inline_function
def _compute_product(inverse: Floats, column: Floats, into: Floats) -> None:
    for r in range(len(column)):
        total = 0.0
        for q in range(len(column)):
            total += inverse[r, q] * column[q]
        into[r] = total if abs(total) > NEAR else 0.0


@inline_function
def _choose_leaving(
    of: Grouped, basis: Basis, into: Floats, falls: Floats, entering: int, load: int
) -> tuple[int, int, float]:
    """Return what ends the step first, a row or an item, the reason (-1 for none), and the length of the step.

    Fill in the speed at which the remaining share of each item's key `falls`.
    """
    item, rest, size, number = basis.item, basis.rest, of.size, len(of.size)
    leaving, end, step = -1, -1, 0.0
    if entering == LOAD:
        end, step = BOUNDARY, float(size[load % number])
    falls[:] = 0
    if entering >= 0:
        falls[entering] = 1.0
    for r in range(len(into)):
        if into[r] == 0:
            continue
        if item[r] >= 0:
            falls[item[r]] -= into[r]
            room, how = basis.value[r], LOWER if into[r] > 0 else -1
        else:
            width = size[basis.load[r] % number]
            above = basis.value[r] - width * basis.layer[basis.load[r]]
            room, how = (above, LOWER) if into[r] > 0 else (width - above, UPPER)
        room = max(room, 0.0)
        if how >= 0 and (end < 0 or room < step * abs(into[r])):
            leaving, end, step = r, how, room / abs(into[r])
    for i in range(len(falls)):
        if falls[i] > NEAR:
            length = max(rest[i], 0.0) / falls[i]
            if end < 0 or length < step:
                leaving, end, step = i, KEY, length
    return leaving, end, step


@inline_function
def _take_step(basis: Basis, into: Floats, falls: Floats, step: float) -> None:
    value, rest = basis.value, basis.rest
    for r in range(len(into)):
        value[r] -= step * into[r]
    for i in range(len(falls)):
        rest[i] -= step * falls[i]


@inline_function
def _find_key_row(basis: Basis, item: int) -> int:
    """Return the row with the greatest share of an item, -1 if there is none."""
    row = -1
    for r in range(len(basis.item)):
        if basis.item[r] == item and (row < 0 or basis.value[r] > basis.value[row]):
            row = r
    return row


@compile_function
def _change_key(of: Grouped, key: Ints, basis: Basis, item: int, entering: int, column: Floats) -> int:
    """Make another pattern of an item its key; return its row, which then stands for the old key with no share left.

    If the item is the entering one, `column` becomes the change from the new key to its new pattern.
    """
    row = _find_key_row(basis, item)
    if entering == item:
        _add_loads(of, column, item, key[item], -1.0)
        _add_loads(of, column, item, basis.pattern[row], 1.0)
    for q in range(len(basis.item)):
        total = 0.0
        for r in range(len(basis.item)):
            if basis.item[r] == item:
                total += basis.inverse[r, q]
        basis.inverse[row, q] = -total
    key[item] = basis.pattern[row]
    basis.rest[item] = basis.value[row]
    return row


TURNS = 6
"""The limit of searches for a placement in the linear program's solutions."""


@compile_function
def solve_batch(of: Batch) -> Solution:
    """Solve all problems of a batch."""
    count = len(of.sizes)
    found = Solution(
        np.full((len(of.standbys), WIDTH), -1), np.zeros_like(of.weight), np.zeros_like(of.weight),
        np.zeros((count, 2 + of.sizes[:, 2].max() if count else 2), np.int64), np.zeros(count, np.int64),
    )  # fmt: skip
    for number in range(count):
        one = read_problem(of, number)
        _, member, _, item = of.first[number]
        last = member + len(one.weight)
        found.unit[number] = solve(
            one, found.owners[item : item + len(one.standbys)], found.active[member:last], found.every[member:last],
            found.weight[number, : 2 + len(one.active)],
        )  # fmt: skip
    return found


@compile_function
def solve(of: Small, owners: Ints, active: Ints, every: Ints, weight: Ints) -> int:
    """Fill in owners, prices and weights, and return the prices' unit; 0 if they prove no optimum."""
    weighed = compute_weights(of)
    if not len(weighed):
        return 0
    weight[:] = weighed
    members = len(of.weight)
    group_of = np.empty(members, np.int64)
    number = find_groups(of, group_of)
    groups = build_groups(of, weight, group_of, number)
    state, arcs = create_state(groups)
    price, other = np.empty(2 * number, np.int64), np.empty(2 * number, np.int64)
    unit = 1
    place_all(groups, state)
    if not (exchange_all(groups, state, arcs, price) and is_optimal(groups, state, price)):
        exact, reached = np.empty(2 * number), False
        for turn in range(TURNS):
            key, basis = state.place.copy(), create_basis(groups, state, turn)
            if not solve_relaxation(groups, key, basis, exact):
                return 0
            unit = set_whole_prices(exact, price)
            least = compute_bound(groups, unit, price)
            if least < compute_value(groups, state):
                place_rounded(groups, key, basis, state)
                arcs.stale[:] = True
                exchange_all(groups, state, arcs, other)
            reached = least == compute_value(groups, state)
            if reached:
                break
        if not reached:
            return 0
    for m in range(members):
        active[m], every[m] = price[group_of[m]], price[number + group_of[m]]
    return unit if deal_copies(of.standbys, state, group_of, owners) else 0


def find_small_optima(problem: RoleProblem, questions: Sequence[tuple[str, ...]]) -> list[Ints | None]:
    """Return owners for each question that machine code solves and its check proves optimal, else None.

    Raises the errors of ``refuse_unfit``.
    """
    refuse_unfit(problem, tuple(dict.fromkeys(level for levels in questions for level in levels)))
    fit = [n for n, levels in enumerate(questions) if is_small(problem, levels)]
    owners: list[Ints | None] = [None] * len(questions)
    if fit:
        of = build_batch([(problem, questions[n]) for n in fit])
        found = solve_batch(of)
        proved = check_batch(of, found)
        for place, n in enumerate(fit):
            if proved[place]:
                owners[n] = read_owners(found, of.first[place, 3], problem)
    return owners


def read_owners(found: Solution, first: int, problem: RoleProblem) -> Ints:
    """Return the owners of a problem whose items start at `first` in a batch."""
    return found.owners[first : first + problem.items, : 1 + int(problem.standbys.max())]
