"""The frontiers of a group: moves against each other level at the most even loads, then squared loads against moves and a level of costs."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from kassay.model import Assignment, Group
from kassay.oracles.answers import Bought, Frontier, Placed
from kassay.oracles.assignment.frontier.fronts import find_frontier, find_spread_frontier
from kassay.oracles.assignment.frontier.pareto import Front
from kassay.oracles.assignment.frontier.recursive_weighting import (
    Proof,
    compute_floor,
    dot,
    find_supporting_proof,
)
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.assignment.values import Prices, compute_imbalance, compute_least_spread, compute_values
from kassay.oracles.frontiers import (
    ANY,
    EVEN,
    LESS_EVEN,
    NOT_PLACED,
    SQUARES,
    ParetoFront,
    Row,
    build_points,
    compute_marginal_benefits,
    describe_limits,
    describe_trade_offs,
    locate_value,
    split_time_limit,
)
from kassay.oracles.partitions.encoding import COSTS, Case, decode_assignment, encode_group, encode_owners
from kassay.oracles.partitions.levels import LEVELS
from kassay.oracles.partitions.optimum import write_topic_prices
from kassay.oracles.partitions.question import parse_question

MOVES = next(name for name in COSTS if LEVELS[name].words.counts == "moving")
Trade: TypeAlias = tuple[tuple[str, str], bool]
"""Moves and another level; True for the most even loads alone."""
TRADES = tuple((MOVES, name) for name in COSTS if name != MOVES)
"""The traded levels: moves, and another level of costs."""


def compute_frontiers(
    group: Group, time_limit_s: float | None = None, contract: str = "", trades: Sequence[Trade] = ()
) -> tuple[Frontier, ...]:
    """Return the frontiers of moves and another level at the most even loads, then of TRADES and squared loads at any loads.

    Without a contract, the spread is among them at the most even loads. If `trades` are given, only these are returned. All share the
    time equally. Raises what :func:`.front.front` raises.
    """
    (case,) = encode_group(group, parse_question(f"{contract}{MOVES}"))
    spread = [((MOVES, TOPIC_SPREAD), True)] if not contract else []
    every = trades or [*((each, True) for each in TRADES), *spread, *((each, False) for each in TRADES)]
    found = []
    for (levels, even), deadline in zip(every, split_time_limit(time_limit_s, len(every)), strict=True):
        if TOPIC_SPREAD in levels:
            one = find_spread_frontier(case.problem, MOVES, deadline)
        else:
            one = find_frontier(case.problem, levels, even=even, deadline=deadline)
        found.append(_build_frontier(group, case, levels, one, even))
    return tuple(found)


def _build_frontier(group: Group, case: Case, trade: tuple[str, str], found: Front, even: bool) -> Frontier:
    levels = trade if even else (SQUARES, *trade)
    # partitions without readers move in every assignment
    lost = 0, *(case.lost.get(level, 0) for level in trade)

    def counted(value: Row) -> Row:
        return tuple(map(int.__add__, value, lost))

    def shown(value: Row, owners: Ints) -> dict[str, int]:
        apart = {BALANCE: compute_imbalance(case.problem, owners)}
        return apart | dict(zip((SQUARES, *trade), value, strict=True))

    rows = [counted(point.value) for point in found.points]
    squares = rows[0][0] if rows else 0

    def supported(value: Row) -> bool:
        whole = (squares, *value) if even else value
        return find_supporting_proof(tuple(map(int.__sub__, whole, lost)), found.proofs) is not None

    known = ParetoFront(levels, [row[-len(levels) :] for row in rows], found.whole, supported)

    def place(assignment: Assignment) -> Placed:
        owners = encode_owners(case, assignment)
        if owners is None:
            return Placed(None, None, None, NOT_PLACED)
        value = compute_values(case.problem, (BALANCE, *trade), owners)
        if TOPIC_SPREAD in trade:
            value = (
                *value[:-1],
                (value[-1] - compute_least_spread(case.problem)) // 2 if case.problem.items else 0,
            )
        value = counted(value)
        if even and rows and value[0] != squares:
            return Placed(shown(value, owners), False, None, LESS_EVEN)
        return locate_value(known, value[-len(levels) :], shown(value, owners))

    def floor(moves: int) -> int:
        return compute_floor(2, (squares, moves - lost[1], None), found.proofs)

    steps: tuple[Bought, ...] = ()
    said: list[str] = []
    if even:
        steps = tuple(compute_marginal_benefits(known, floor))
        owned = any(member.owned for member in group.members)
        far = LEVELS[trade[1]].words.counts != "reading" or bool(case.problem.table({trade[1]: 1}).any())
        said = [*describe_limits("member", len(group.members), owned=owned, far=far)]
        said += describe_trade_offs(steps, *(LEVELS[level].words for level in trade))
    proofs = [_write_proof(case, (SQUARES, *trade), lost, proof) for proof in found.proofs]
    shown_points = build_points(
        found,
        lambda point: shown(counted(point.value), point.owners),
        lambda owners: decode_assignment(group, [case], [owners]),
    )
    return Frontier(
        EVEN if even else ANY, levels, (BALANCE,), shown_points, tuple(proofs), found.extreme, found.whole, found.open_, steps,
        tuple(said), place,
    )  # fmt: skip


def _write_proof(case: Case, levels: tuple[str, ...], lost: Row, proof: Proof) -> dict[str, Any]:
    """Return a proof as JSON: with prices by member and, if the spread is traded, of topics, which are of twice the weighted sum."""
    prices = proof.prices
    found = {
        "weights": dict(zip(levels, proof.weights, strict=True)),
        "least": proof.least + dot(proof.weights, lost),
    }
    if not isinstance(prices, Prices):
        return {**found, "prices": dict(zip(case.members, prices, strict=True))}
    (row,) = prices.rows.tolist()
    spread = write_topic_prices(case, prices) if case.problem.items else {"price": {}, "except": []}
    return {**found, "prices": dict(zip(case.members, row, strict=True)), "spread": spread}
