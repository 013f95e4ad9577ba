"""The search for a frontier: its supported points with proofs, then the others as far as they are proved."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from kassay.oracles.assignment.frontier.check import none_missing
from kassay.oracles.assignment.frontier.point import Caps, Found, Proof, supporting
from kassay.oracles.assignment.frontier.program import Program
from kassay.oracles.assignment.frontier.sweep import DisagreementError, Sweep
from kassay.oracles.assignment.frontier.weights import Row, dot, inside, recursive_weighting
from kassay.oracles.assignment.level import Ints
from kassay.oracles.failures import TooLargeError, UnsolvedError

LATE = "the time was over before all points were proved"


@dataclass(frozen=True, slots=True)
class Ground:
    """What a frontier is of: how many objectives, none of them below 0, and who finds optima of their weighted sums.

    `cheapest` gives an optimum with a proof that separate code has checked, which no assignment dominates; None where
    `deadline` (of time.monotonic) passed. `worth` is the value of owners, the objectives last; `program` may be refused
    with TooLargeError.
    """

    objectives: int
    cheapest: Callable[[Row], Found | None]
    worth: Callable[[Ints], Row]
    program: Callable[[], Program]
    deadline: float


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """A point of the frontier: its value, owners that have it, and the proof that it is best for some positive weights.

    A point without such a proof is unsupported: what the other proofs leave no room for (`by_prices`), or two solvers prove.
    """

    value: Row
    owners: Ints
    proof: Proof | None
    by_prices: bool = True


@dataclass(frozen=True, slots=True)
class Front:
    """Points of a frontier, ascending, and proofs of what no assignment goes below.

    `extreme` says whether no extreme point is missing, `whole` whether no point is; `open_` why one may be, in words.
    """

    points: tuple[Point, ...]
    proofs: tuple[Proof, ...]
    extreme: bool
    whole: bool
    open_: str = ""


def searched(ground: Ground) -> Front:
    """Return the frontier; raises UnsolvedError where a solver fails, DisagreementError where two solvers differ."""
    search = _Search(ground)
    cells_, extreme = recursive_weighting(search.ask, ground.objectives)
    points = [search.point(found.value, found.owners) for found in [*search.solved.values()]]
    known = {point.value: point for point in points if point.proof is not None}
    extreme = extreme and all(search.whole(value) in known for value in cells_)
    if extreme and not none_missing(map(search.whole, cells_), search.proofs, ground.objectives):
        raise UnsolvedError("the proofs do not show that no extreme point is missing")
    open_ = search.others(known) if extreme else next(iter(search.refused), LATE)
    found = tuple(known[value] for value in sorted(known))
    return Front(found, tuple(search.proofs), extreme, not open_, open_)


@dataclass(frozen=True, slots=True)
class _Search:
    """The optima of weighted sums found so far, by their weights."""

    ground: Ground
    solved: dict[Row, Found] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)

    @property
    def proofs(self) -> list[Proof]:
        """The proofs of all of them, each of which holds."""
        return [each.proof for each in self.solved.values()]

    def ask(self, weights: Row) -> Row | None:
        """Return what an optimum is worth in the objectives, None where the time is over or numbers are too large."""
        try:
            found = self.ground.cheapest(weights)
        except TooLargeError as much:  # the points found so far stand
            self.refused.append(str(much))
            return None
        if found is None:
            return None
        self.solved[weights] = found
        return self._objectives(found.value)

    def whole(self, value: Row) -> Row:
        """Return a point with what is no objective before it, as it is in all points."""
        first = next(iter(self.solved.values()))
        return (*first.value[: -self.ground.objectives], *value)

    def point(self, value: Row, owners: Ints) -> Point:
        """Return a point with its proof, if some positive weights prove it; all that do are amid those of the corners it is best at."""
        best_at = [
            weights
            for weights, found in self.solved.items()
            if dot(found.proof.weights, value) == found.proof.least
        ]
        if best_at and supporting(value, self.proofs) is None and min(amid := inside(tuple(best_at))):
            self.ask(amid)
        return Point(value, owners, supporting(value, self.proofs))

    def others(self, known: dict[Row, Point]) -> str:
        """Add all points that are no optima of weighted sums, or as many as are proved in time; return why others may be missing."""
        count = self.ground.objectives
        floors = [
            Proof(weights, (), dot(weights, self._objectives(found.value)))
            for weights, found in self.solved.items()
        ]
        try:
            asked = self.ground.program().above(floors)
        except (TooLargeError, UnsolvedError) as unasked:
            return str(unasked)

        def least(caps: Caps, order: Sequence[int]) -> tuple[Row, Ints]:
            value, owners = asked.least(caps, order, self.ground.deadline)
            if self._objectives(self.ground.worth(owners)) != value:
                raise DisagreementError(f"what HiGHS finds is not worth {value}")
            return value, owners

        def again(caps: Caps, order: Sequence[int]) -> Row:
            return asked.least_again(caps, order, self.ground.deadline)

        sweep = Sweep([self._objectives(value) for value in known], floors, least, again)
        try:
            for each in sweep.two((None,) * count, 0, 1) if count == 2 else sweep.three(0, 1, 2):
                value = self.whole(each.value)
                if each.owners is not None and value not in known:
                    point = self.point(value, each.owners)
                    known[value] = replace(point, by_prices=each.by_prices or point.proof is not None)
                if time.monotonic() > self.ground.deadline:
                    return LATE
        except UnsolvedError as stopped:
            return LATE if time.monotonic() > self.ground.deadline else str(stopped)
        return ""

    def _objectives(self, value: Row) -> Row:
        return value[-self.ground.objectives :]
