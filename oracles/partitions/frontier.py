"""The frontiers of a group: moves against partitions read across racks at the most even loads, then balance against both."""

from collections.abc import Iterator

from kassay.model import Assignment, Group
from kassay.oracles.answers import Frontier, Placed
from kassay.oracles.assignment.frontier.front import front
from kassay.oracles.assignment.frontier.point import floor_of, supporting
from kassay.oracles.assignment.frontier.search import Front
from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.values import imbalance, values
from kassay.oracles.frontiers import (
    ANY,
    EVEN,
    LESS_EVEN,
    NOT_PLACED,
    SQUARES,
    Known,
    Row,
    bought,
    deadlines,
    narrowed,
    placed,
    points,
    told,
)
from kassay.oracles.partitions.encoding import Case, assignment_of, cases, owners_in
from kassay.oracles.partitions.question import CROSS_RACK, MOVES, question

COSTS = (MOVES, CROSS_RACK)


def frontiers(group: Group, time_limit_s: float | None = None, contract: str = "") -> tuple[Frontier, ...]:
    """Return the frontier of moves and cross-rack at the most even loads, and that of the squared loads and both at any loads.

    The first has half of the time. Raises what :func:`.front.front` raises.
    """
    (case,) = cases(group, question(f"{contract}balance,moves,cross-rack"))
    return tuple(
        _frontier(group, case, front(case.problem, COSTS, even=even, deadline=deadline), even)
        for even, deadline in deadlines(time_limit_s)
    )


def _frontier(group: Group, case: Case, found: Front, even: bool) -> Frontier:
    levels = COSTS if even else (SQUARES, *COSTS)
    rows = [_counted(case, point.value) for point in found.points]
    squares = rows[0][0] if rows else 0

    def supported(value: Row) -> bool:
        whole = (squares, *value) if even else value
        return supporting((*whole[:1], whole[1] - case.lost, *whole[2:]), found.proofs) is not None

    known = Known(levels, [row[-len(levels) :] for row in rows], found.whole, supported)

    def place(assignment: Assignment) -> Placed:
        owners = owners_in(case, assignment)
        if owners is None:
            return Placed(None, None, None, NOT_PLACED)
        value = _counted(case, values(case.problem, ("balance", *COSTS), owners))
        if even and rows and value[0] != squares:
            shown = _shown(case, value, owners)
            return Placed(shown, False, None, LESS_EVEN)
        return placed(known, value[-len(levels) :], _shown(case, value, owners))

    def floor(moves: int) -> int:
        return floor_of(2, (squares, moves - case.lost, None), found.proofs)

    steps = tuple(bought(known, floor)) if even else ()
    said = [*_narrowed(group, case), *told(steps)] if even else []
    return Frontier(
        EVEN if even else ANY,
        levels,
        ("balance",),
        points(
            found,
            lambda point: _shown(case, _counted(case, point.value), point.owners),
            lambda owners: assignment_of(group, [case], [owners]),
        ),
        tuple(
            {
                "weights": dict(zip((SQUARES, *COSTS), proof.weights, strict=True)),
                "least": proof.least + proof.weights[1] * case.lost,
                "prices": dict(zip(case.members, proof.prices, strict=True)),
            }
            for proof in found.proofs
        ),
        found.extreme,
        found.whole,
        found.open_,
        steps,
        tuple(said),
        place,
    )


def _narrowed(group: Group, case: Case) -> Iterator[str]:
    table = case.problem.level(CROSS_RACK).table
    owned = any(member.owned for member in group.members)
    return narrowed("member", len(group.members), owned=owned, far=table is not None and bool(table.any()))


def _counted(case: Case, value: Row) -> Row:
    """Return a value with the moves that no assignment avoids, as nobody reads the partition."""
    return value[0], value[1] + case.lost, value[2]


def _shown(case: Case, value: Row, owners: Ints) -> dict[str, int]:
    return {
        "balance": imbalance(case.problem, owners),
        **dict(zip((SQUARES, *COSTS), value, strict=True)),
    }
