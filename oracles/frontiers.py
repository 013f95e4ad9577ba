"""Summary of Pareto frontiers for all families: the location of an assignment, and the marginal benefit of one more move."""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

from kassay.oracles.answers import Bought, FrontierPoint, Placed
from kassay.oracles.assignment.frontier.pareto import Front, Point
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.levels import LevelWords

Row: TypeAlias = tuple[int, ...]
SQUARES = "squared-loads"
"""The level of the squared loads, if loads need not be balanced."""
EVEN, ANY = "at the most even loads", "at any loads"
NOT_PLACED = "not located: the assignment is incorrect, or is not the last one of its rebalance"
LESS_EVEN = "not compared here: its loads are not balanced"
MOST_BOUGHT = 100_000
"""The largest range of moves that is examined move by move."""


@dataclass(frozen=True, slots=True)
class ParetoFront:
    """The known part of a frontier: its levels, and the values of the known points in these."""

    levels: tuple[str, ...]
    points: Sequence[Row]
    whole: bool
    """True if these are all points."""
    supported: Callable[[Row], bool]
    """Return True if prices prove that a value is on the frontier."""


def split_time_limit(time_limit_s: float | None, number: int) -> Iterator[float]:
    """Yield the deadline of each of `number` frontiers, which are computed one after the other."""
    start = time.monotonic()
    limit = math.inf if time_limit_s is None else time_limit_s
    yield from (start + limit * (n + 1) / number for n in range(number))


def build_points(
    found: Front, shown: Callable[[Point], Mapping[str, int]], assignment: Callable[[Ints], Any]
) -> tuple[FrontierPoint, ...]:
    """Return the points of a frontier with displayed values, and with assignments in place of owners."""
    numbers = {id(proof): n for n, proof in enumerate(found.proofs)}
    return tuple(
        FrontierPoint(
            shown(point), assignment(point.owners), None if point.proof is None else numbers[id(point.proof)],
            "prices" if point.by_prices else "two solvers",
        )
        for point in found.points
    )  # fmt: skip


def locate_value(known: ParetoFront, value: Row, shown: Mapping[str, int]) -> Placed:
    """Return the location of a value: on the frontier, dominated by a point, or unknown. `shown` are its displayed values."""
    better = [
        n for n, point in enumerate(known.points) if point != value and all(map(int.__le__, point, value))
    ]
    if better:
        nearest = min(better, key=lambda n: (sum(map(int.__sub__, value, known.points[n])), n))
        over = zip(known.levels, map(int.__sub__, value, known.points[nearest]), strict=True)
        less = ", ".join(f"{more} less in {level}" for level, more in over if more)
        return Placed(shown, False, nearest, f"not on the frontier: point {nearest + 1} is better ({less})")
    if value in known.points or known.supported(value):
        text = "on the frontier: no assignment is better in one level without being worse in another"
        return Placed(shown, True, None, text)
    text = "unknown: no known point is better, but not all points of the frontier are known"
    return Placed(shown, None, None, text)


def compute_marginal_benefits(known: ParetoFront, floor: Callable[[int], int]) -> Iterator[Bought]:
    """Yield the bounds of the second of two levels for each number of moves, the first; only if they change.

    `floor` returns a proven lower bound of the second level for a number of moves.
    """
    if not known.points:
        return
    before = None
    first, last = known.points[0][0], max(point[0] for point in known.points)
    best = {point[0]: point[1] for point in known.points}
    numbers = range(first, last + 1) if last - first < MOST_BOUGHT else sorted(best)
    most = best[first]
    for number in numbers:
        most = min(most, best.get(number, most))
        least = most if known.whole else min(floor(number), most)
        if (least, most) != before:
            yield Bought(number, least, most)
        before = least, most


def describe_limits(who: str, members: int, *, owned: bool, far: bool) -> Iterator[str]:
    """Yield the reasons why a frontier has few points: one member (called `who`), no owned items, or no reads across racks."""
    if members == 1:
        yield f"the group has one {who}, which gets everything, so there is no alternative"
    if not owned:
        yield f"no {who} owned anything before, so no assignment counts as a move"
    if not far:
        yield f"no assignment reads across racks: every rack has all partitions, or the racks of {who}s or partitions are unknown"


def describe_trade_offs(steps: Sequence[Bought], moves: LevelWords, other: LevelWords) -> Iterator[str]:
    """Yield a sentence for each proved step: the value of the other level that more moves save."""
    exact = [step for step in steps if step.least == step.most]
    if exact and exact[0] == steps[0]:
        yield f"with {moves.counted(exact[0].moves)}, the fewest, {other.counted(exact[0].most)} at best"
    for one, after in pairwise(exact):
        more, fewer = after.moves - one.moves, one.most - after.most
        yield (
            f"{'one more move' if more == 1 else f'{more} more moves'}, {after.moves} instead of {one.moves}, "
            f"{'saves' if more == 1 else 'save'} {other.counted(fewer)}"
        )
