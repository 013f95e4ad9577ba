"""The frontiers of a group: moves against each other level of costs at the most even loads, then balance against both."""

from collections.abc import Iterator

from kassay.model import Assignment, Group
from kassay.oracles.answers import Frontier, Placed
from kassay.oracles.assignment.frontier.pareto import Front, front
from kassay.oracles.assignment.frontier.recursive_weighting import dot, floor_of, supporting
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.assignment.values import imbalance, values
from kassay.oracles.frontiers import (
    ANY,
    EVEN,
    LESS_EVEN,
    NOT_PLACED,
    SQUARES,
    ParetoFront,
    Row,
    bought,
    deadlines,
    narrowed,
    placed,
    points,
    told,
)
from kassay.oracles.partitions.encoding import COSTS, Case, assignment_of, cases, owners_in
from kassay.oracles.partitions.levels import LEVELS
from kassay.oracles.partitions.question import question

MOVES = next(name for name in COSTS if LEVELS[name].words.counts == "moving")
TRADES = tuple((MOVES, name) for name in COSTS if name != MOVES)
"""What is given up for each other: moves, and another level."""


def frontiers(group: Group, time_limit_s: float | None = None, contract: str = "") -> tuple[Frontier, ...]:
    """Return the frontier of each pair of TRADES at the most even loads, and that of the squared loads and both at any loads.

    Each has as much of the time. Raises what :func:`.front.front` raises.
    """
    (case,) = cases(group, question(f"{contract}{MOVES}"))
    every = [(trade, even) for trade in TRADES for even in (True, False)]
    return tuple(
        _frontier(group, case, trade, front(case.problem, trade, even=even, deadline=deadline), even)
        for (trade, even), deadline in zip(every, deadlines(time_limit_s, len(every)), strict=True)
    )


def _frontier(group: Group, case: Case, trade: tuple[str, str], found: Front, even: bool) -> Frontier:
    levels = trade if even else (SQUARES, *trade)
    lost = (0, *(case.lost.get(level, 0) for level in trade))  # what nobody reads moves in every assignment

    def counted(value: Row) -> Row:
        return tuple(map(int.__add__, value, lost))

    def shown(value: Row, owners: Ints) -> dict[str, int]:
        apart = {BALANCE: imbalance(case.problem, owners)}
        return apart | dict(zip((SQUARES, *trade), value, strict=True))

    rows = [counted(point.value) for point in found.points]
    squares = rows[0][0] if rows else 0

    def supported(value: Row) -> bool:
        whole = (squares, *value) if even else value
        return supporting(tuple(map(int.__sub__, whole, lost)), found.proofs) is not None

    known = ParetoFront(levels, [row[-len(levels) :] for row in rows], found.whole, supported)

    def place(assignment: Assignment) -> Placed:
        owners = owners_in(case, assignment)
        if owners is None:
            return Placed(None, None, None, NOT_PLACED)
        value = counted(values(case.problem, (BALANCE, *trade), owners))
        if even and rows and value[0] != squares:
            return Placed(shown(value, owners), False, None, LESS_EVEN)
        return placed(known, value[-len(levels) :], shown(value, owners))

    def floor(moves: int) -> int:
        return floor_of(2, (squares, moves - lost[1], None), found.proofs)

    steps = tuple(bought(known, floor)) if even else ()
    said = (
        [*_narrowed(group, case, trade[1]), *told(steps, *(LEVELS[level].words for level in trade))]
        if even
        else []
    )
    return Frontier(
        EVEN if even else ANY,
        levels,
        (BALANCE,),
        points(
            found,
            lambda point: shown(counted(point.value), point.owners),
            lambda owners: assignment_of(group, [case], [owners]),
        ),
        tuple(
            {
                "weights": dict(zip((SQUARES, *trade), proof.weights, strict=True)),
                "least": proof.least + dot(proof.weights, lost),
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


def _narrowed(group: Group, case: Case, level: str) -> Iterator[str]:
    owned = any(member.owned for member in group.members)
    far = LEVELS[level].words.counts != "reading" or bool(case.problem.table({level: 1}).any())
    return narrowed("member", len(group.members), owned=owned, far=far)
