"""The search for a Pareto frontier: its supported points with proofs, then the other points as far as proved; and the check of the proofs.

A sweep finds points that are no optima of weighted sums: each is the least value of an objective while caps on the
others get tighter. With two objectives, it minimizes the first, then the second. The next point is the same with the
second at least one less, down to its least value. A third objective has an outer cap, which becomes ever tighter:
below its greatest value in the round before. No solver gets a question that the prices of supported points answer.

The check uses assignments, weights and prices, in Python's integers, and no solver. It bounds a weighted sum of the
squared loads and of levels as :mod:`kassay.oracles.assignment.certificates` does.
The weights b of balance and w of the levels are integers. The bound adds up the least payments w cost + price of all
copies of items, and each member's least b load^2 - price load.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from heapq import nsmallest

import numpy as np

from kassay.oracles.assignment.certificates import is_legal
from kassay.oracles.assignment.frontier.flows import Program
from kassay.oracles.assignment.frontier.recursive_weighting import (
    Caps,
    ParetoPoint,
    Proof,
    Row,
    compute_cells,
    compute_floor,
    dot,
    find_inside,
    find_supporting_proof,
    weigh_recursively,
)
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.assignment.problem import LARGEST, Ints, Level, Problem, find_reading
from kassay.oracles.assignment.values import compute_values
from kassay.oracles.errors import OracleError, TooLargeError, UnsolvedError

WEIGHTED = "weighted"
"""The name of the level that is the weighted sum of others."""


def compute_bound(problem: Problem, levels: tuple[str, ...], weights: Row, prices: Row) -> int:
    """Return the lower bound of the weighted sum over all assignments, from the prices.

    `weights` are of the squared loads, then of each level. Raises ValueError if a weight is below 0 or numbers are
    missing, TooLargeError if weighted costs leave 64 bits.
    """
    if len(weights) != len(levels) + 1 or len(prices) != problem.members:
        raise ValueError(f"give {len(levels) + 1} weights and {problem.members} prices")
    if any(type(each) is not int for each in (*weights, *prices)) or min(weights) < 0:
        raise ValueError(
            "weights and prices: has no valid value. Give whole numbers, and weights of 0 or more"
        )
    if not problem.items:
        return 0
    paid = _sum_item_payments(weigh_levels(problem, levels, weights[1:]), prices)
    for price in prices:
        # The load, from 0 to all items, with the least b load^2 - price load.
        load = problem.items if price > 0 else 0
        if weights[0]:
            load = min(max((price + weights[0]) // (2 * weights[0]), 0), problem.items)
        paid += weights[0] * load * load - price * load
    return paid


def _sum_item_payments(problem: Problem, prices: Row) -> int:
    """Return the sum of the least payments, cost and price, of all items of a problem with one level."""
    columns = (problem.table, problem.gains, problem.losses)
    table, gains, losses = (each({WEIGHTED: 1}).tolist() for each in columns)
    rack_of, copies = problem.rack_of.tolist(), problem.copies_of_audience.tolist()
    # An item's least payment is at one of its owners, or at one of the cheapest readers of a rack.
    reads, nearest = find_reading(problem), []
    for able in reads[:, problem.subscription_of]:
        racks: dict[int, list[int]] = {}
        for m in np.flatnonzero(able).tolist():
            racks.setdefault(rack_of[m], []).append(m)
        best = (nsmallest(problem.copies, each, key=prices.__getitem__) for each in racks.values())
        nearest.append({m for each in best for m in each})
    start = problem.claim_start.tolist()
    classes = zip(
        problem.audience_of.tolist(), problem.profile_of.tolist(), problem.claim_of.tolist(), strict=True
    )
    total = 0
    for (audience, profile, claim), count in Counter(classes).items():
        entries = range(start[claim], start[claim + 1])
        gain = {int(problem.claim_member[n]): gains[n] for n in entries}
        owners = {m for m in gain if reads[audience, problem.subscription_of[m]]}
        offers = (prices[m] + table[profile][rack_of[m]] - gain.get(m, 0) for m in nearest[audience] | owners)
        total += count * (sum(nsmallest(copies[audience], offers)) + losses[claim])
    return total


def weigh_levels(problem: Problem, levels: tuple[str, ...], weights: Row) -> Problem:
    """Return the problem whose one level is the weighted sum of some levels. Raises TooLargeError if it leaves 64 bits."""
    if (problem.items * problem.copies + 1) * (problem.greatest_cost + 1) * (sum(weights) + 1) >= LARGEST:
        raise TooLargeError(f"the weights {weights} make costs that leave 64 bits")
    unit = dict(zip(levels, weights, strict=True))
    level = Level(WEIGHTED, problem.table(unit), problem.gains(unit), problem.losses(unit))
    return replace(problem, levels=(level,))


def is_valid_proof(problem: Problem, levels: tuple[str, ...], proof: Proof) -> bool:
    """Return True if a proof's prices prove its bound."""
    return compute_bound(problem, levels, proof.weights, proof.prices) == proof.least


def is_valid_point(problem: Problem, levels: tuple[str, ...], found: ParetoPoint) -> bool:
    """Return True if an assignment is legal, has the stated value, and is proved least by its proof."""
    return (
        is_legal(problem, found.owners)
        and compute_values(problem, (BALANCE, *levels), found.owners) == found.value
        and dot(found.proof.weights, found.value) == found.proof.least
        and is_valid_proof(problem, levels, found.proof)
    )


def is_complete(points: Iterable[Row], proofs: Sequence[Proof], objectives: int) -> bool:
    """Return True if valid proofs show that points are supported and that no extreme point of the frontier is missing.

    `objectives` are all, or all but the squared loads, which are then the same in all points. Each point needs a
    proof with positive weights. Each corner of the points' cells of weights needs a proof that no sum is below theirs
    there.
    """
    values_ = list(points)
    if not values_ or any(find_supporting_proof(value, proofs) is None for value in values_):
        return False
    least = {proof.weights[-objectives:]: proof.least for proof in proofs}
    first = {proof.weights[-objectives:]: proof.weights for proof in proofs}
    known = compute_cells((value[-objectives:] for value in values_), objectives)
    whole = {value[-objectives:]: value for value in values_}
    return all(
        corner in least and dot(first[corner], whole[value]) == least[corner]
        for value, cell in known.items()
        for corner in cell
    )


class DisagreementError(OracleError):
    """Two solvers prove different results."""


@dataclass(frozen=True, slots=True, eq=False)
class Swept:
    """A point of the frontier in all objectives of the sweep, owners if they were unknown, and True if prices prove it."""

    value: Row
    owners: Ints | None
    by_prices: bool


@dataclass(frozen=True, slots=True)
class Sweep:
    """The known values of supported points, the proofs (with as many weights), and the program for solvers.

    `worth` returns the value of owners in the objectives.
    """

    known: Sequence[Row]
    proofs: Sequence[Proof]
    program: Program
    worth: Callable[[Ints], Row]
    deadline: float

    def sweep_two(self, caps: Caps, first: int, second: int) -> Iterator[Swept]:
        """Yield the points with the least of one objective for each value of another, then with the least of the rest."""
        rest = [n for n in range(len(caps)) if n not in (first, second)]
        end = self._ask(caps, [second, first, *rest]).value[second]
        while True:
            found = self._ask(caps, [first, second, *rest])
            yield found
            if found.value[second] <= end:
                return
            caps = (*caps[:second], found.value[second] - 1, *caps[second + 1 :])

    def sweep_three(self, outer: int, first: int, second: int) -> Iterator[Swept]:
        """Yield the points of three objectives, with ever tighter caps on the outer one; each point once."""
        caps: Caps = (None, None, None)
        least = self._ask(caps, [outer, first, second]).value[outer]
        seen: set[Row] = set()
        while True:
            most = least
            for found in self.sweep_two(caps, first, second):
                most = max(most, found.value[outer])
                if found.value not in seen:
                    seen.add(found.value)
                    yield found
            if most <= least:
                return
            caps = (*caps[:outer], most - 1, *caps[outer + 1 :])

    def _ask(self, caps: Caps, order: Sequence[int]) -> Swept:
        """Return the least objectives in this order. Raises DisagreementError if neither prices nor a second solver confirm them."""
        for value in self.known:
            if all(
                cap is None or own <= cap for own, cap in zip(value, caps, strict=True)
            ) and self._is_least(value, caps, order):
                return Swept(value, None, True)
        value, owners = self.program.solve_by_highs(caps, order, self.deadline)
        if self.worth(owners) != value:
            raise DisagreementError(f"the owners that HiGHS finds do not have the value {value}")
        by_prices = self._is_least(value, caps, order)
        if not by_prices and (other := self.program.solve_by_cp_sat(caps, order, self.deadline)) != value:
            raise DisagreementError(f"HiGHS proves {value} and CP-SAT {other} for one program")
        return Swept(value, owners, by_prices)

    def _is_least(self, value: Row, caps: Caps, order: Sequence[int]) -> bool:
        known = list(caps)
        for objective in order:
            if compute_floor(objective, known, self.proofs) < value[objective]:
                return False
            known[objective] = value[objective]
        return True


LATE = "the time was over before all points were proved"


@dataclass(frozen=True, slots=True)
class Ground:
    """The problem of a frontier: the number of objectives, none of them below 0, and the optimizer of their weighted sums.

    `cheapest` returns a non-dominated optimum with a proof that separate code has verified; None if `deadline` (of
    time.monotonic) passed. `worth` is the value of owners, with the objectives last. `program` may raise
    TooLargeError.
    """

    objectives: int
    cheapest: Callable[[Row], ParetoPoint | None]
    worth: Callable[[Ints], Row]
    program: Callable[[], Program]
    deadline: float


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """A point of the frontier: its value, owners that have it, and the proof that it is best for some positive weights.

    A point without such a proof is unsupported: the other proofs exclude better ones (`by_prices`), or two solvers
    prove it.
    """

    value: Row
    owners: Ints
    proof: Proof | None
    by_prices: bool = True


@dataclass(frozen=True, slots=True)
class Front:
    """Points of a frontier, ascending, and the proofs of lower bounds over all assignments.

    `extreme` is True if no extreme point is missing, `whole` if no point is; `open_` is the reason why one may be
    missing.
    """

    points: tuple[Point, ...]
    proofs: tuple[Proof, ...]
    extreme: bool
    whole: bool
    open_: str = ""


def search_frontier(ground: Ground) -> Front:
    """Return the frontier. Raises UnsolvedError if a solver fails, DisagreementError if two solvers differ."""
    search = _Search(ground)
    cells_, extreme = weigh_recursively(search.ask, ground.objectives)
    points = [search.build_point(found.value, found.owners) for found in [*search.solved.values()]]
    known = {point.value: point for point in points if point.proof is not None}
    extreme = extreme and all(search.complete_value(value) in known for value in cells_)
    if extreme and not is_complete(map(search.complete_value, cells_), search.proofs, ground.objectives):
        raise UnsolvedError("the proofs do not show that no extreme point is missing")
    open_ = search.find_others(known) if extreme else next(iter(search.refused), LATE)
    found = tuple(known[value] for value in sorted(known))
    return Front(found, tuple(search.proofs), extreme, not open_, open_)


@dataclass(frozen=True, slots=True)
class _Search:
    """The optima of weighted sums found so far, by their weights."""

    ground: Ground
    solved: dict[Row, ParetoPoint] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)

    @property
    def proofs(self) -> list[Proof]:
        """The proofs of all optima, which are all valid."""
        return [each.proof for each in self.solved.values()]

    def ask(self, weights: Row) -> Row | None:
        """Return the value of an optimum in the objectives, None at the deadline or if numbers are too large."""
        try:
            found = self.ground.cheapest(weights)
        except TooLargeError as much:  # the points found so far remain valid
            self.refused.append(str(much))
            return None
        if found is None:
            return None
        self.solved[weights] = found
        return self._take_objectives(found.value)

    def complete_value(self, value: Row) -> Row:
        """Return a point with the values before its objectives, which are the same in all points."""
        first = next(iter(self.solved.values()))
        return (*first.value[: -self.ground.objectives], *value)

    def build_point(self, value: Row, owners: Ints) -> Point:
        """Return a point with its proof, if some positive weights prove it.

        All such weights lie between the weights of the corners at which the point is best.
        """
        best_at = [
            weights
            for weights, found in self.solved.items()
            if dot(found.proof.weights, value) == found.proof.least
        ]
        if (
            best_at
            and find_supporting_proof(value, self.proofs) is None
            and min(amid := find_inside(tuple(best_at)))
        ):
            self.ask(amid)
        return Point(value, owners, find_supporting_proof(value, self.proofs))

    def find_others(self, known: dict[Row, Point]) -> str:
        """Add the points that are not optima of weighted sums, as far as proved in time; return the reason why others may be missing."""
        count = self.ground.objectives
        floors = [
            Proof(weights, (), dot(weights, self._take_objectives(found.value)))
            for weights, found in self.solved.items()
        ]
        try:
            asked = self.ground.program().add_bounds(floors)
        except (TooLargeError, UnsolvedError) as unasked:
            return str(unasked)

        def worth(owners: Ints) -> Row:
            return self._take_objectives(self.ground.worth(owners))

        known_values = [self._take_objectives(value) for value in known]
        sweep = Sweep(known_values, floors, asked, worth, self.ground.deadline)
        try:
            for each in sweep.sweep_two((None,) * count, 0, 1) if count == 2 else sweep.sweep_three(0, 1, 2):
                value = self.complete_value(each.value)
                if each.owners is not None and value not in known:
                    point = self.build_point(value, each.owners)
                    known[value] = replace(point, by_prices=each.by_prices or point.proof is not None)
                if time.monotonic() > self.ground.deadline:
                    return LATE
        except UnsolvedError as stopped:
            return LATE if time.monotonic() > self.ground.deadline else str(stopped)
        return ""

    def _take_objectives(self, value: Row) -> Row:
        return value[-self.ground.objectives :]
