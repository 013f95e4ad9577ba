"""The frontiers of an application: moves of copies against each traded level at the most even loads, then squared loads against both."""

from dataclasses import replace
from typing import Any

from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.answers import Bought, Frontier, Placed
from kassay.oracles.assignment.active_standby.check import compute_values
from kassay.oracles.assignment.active_standby.problem import BALANCES, RoleLevel
from kassay.oracles.assignment.frontier.fronts import find_role_frontier
from kassay.oracles.assignment.frontier.pareto import Front
from kassay.oracles.assignment.frontier.recursive_weighting import Proof, compute_floor, find_supporting_proof
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.frontiers import (
    ANY,
    EVEN,
    LESS_EVEN,
    NOT_PLACED,
    SQUARES,
    ParetoFront,
    build_points,
    compute_marginal_benefits,
    describe_limits,
    describe_trade_offs,
    locate_value,
    split_time_limit,
)
from kassay.oracles.tasks.encoding import Case, decode_answer, encode_application, encode_owners
from kassay.oracles.tasks.levels import LEVELS
from kassay.oracles.tasks.optimum import compute_imbalance, write_proof
from kassay.oracles.tasks.question import parse_question

MOVES = next(name for name, level in LEVELS.items() if level.words.counts == "moving")
TRADES = tuple((MOVES, name) for name, level in LEVELS.items() if level.traded)
"""The traded levels: moves, and another level."""


def compute_frontiers(application: Application, time_limit_s: float | None = None) -> tuple[Frontier, ...]:
    """Return the frontier of each pair of TRADES at the most even loads, and the frontier of squared loads and both.

    The squared loads of threads are the sum for active tasks plus the sum for all copies, so an active task counts in both. All
    frontiers share the time equally. Raises what :func:`kassay.oracles.assignment.frontier.fronts.find_role_frontier` raises.
    """
    every = [(trade, even) for trade in TRADES for even in (True, False)]
    found = []
    for (trade, even), deadline in zip(every, split_time_limit(time_limit_s, len(every)), strict=True):
        case, levels = encode_levels(application, trade), trade if even else (SQUARES, *trade)
        front = find_role_frontier(case.problem, levels, even=even, deadline=deadline)
        found.append(_build_frontier(application, case, trade, front, even=even))
    return tuple(found)


def encode_levels(application: Application, trade: tuple[str, str]) -> Case:
    """Return an application as a problem with all levels of a frontier."""
    case = encode_application(application, parse_question(",".join((BALANCE, *trade))))
    squares = RoleLevel(SQUARES, squares=(1, 1))
    return replace(case, problem=replace(case.problem, levels=(*case.problem.levels, squares)))


def _build_frontier(
    application: Application, case: Case, trade: tuple[str, str], found: Front, *, even: bool
) -> Frontier:
    every = (SQUARES, *trade)
    levels = trade if even else every

    def shown(owners: Ints) -> dict[str, int]:
        spread = {level: compute_imbalance(case, level, owners) for level in BALANCES}
        return spread | dict(zip(every, compute_values(case.problem, every, owners), strict=True))

    most_even = [compute_values(case.problem, BALANCES, point.owners) for point in found.points[:1]]
    known = ParetoFront(
        levels,
        [point.value for point in found.points],
        found.whole,
        lambda value: find_supporting_proof(value, found.proofs) is not None,
    )

    def place(answer: TaskAssignment) -> Placed:
        owners = encode_owners(case, answer)
        if owners is None:
            return Placed(None, None, None, NOT_PLACED)
        if even and [compute_values(case.problem, BALANCES, owners)] != most_even:
            return Placed(shown(owners), False, None, LESS_EVEN)
        return locate_value(known, compute_values(case.problem, levels, owners), shown(owners))

    steps: tuple[Bought, ...] = ()
    said: list[str] = []
    if even:
        steps = tuple(
            compute_marginal_benefits(known, lambda moves: compute_floor(1, (moves, None), found.proofs))
        )
        costs = case.problem.level(trade[1])
        tables = [table for table in (costs.active, costs.standby) if table is not None]
        owned = any(client.active or client.standby for client in application.clients)
        far = LEVELS[trade[1]].words.counts != "reading" or any(bool(table.any()) for table in tables)
        said = [*describe_limits("client", len(application.clients), owned=owned, far=far)]
        said += describe_trade_offs(steps, *(LEVELS[level].words for level in trade))
    shown_points = build_points(
        found, lambda point: shown(point.owners), lambda owners: decode_answer(case, owners)
    )
    proofs = tuple(_write_proof(case, levels, proof) for proof in found.proofs)
    return Frontier(
        EVEN if even else ANY, levels, BALANCES, shown_points, proofs, found.extreme, found.whole, found.open_, steps, tuple(said), place,
    )  # fmt: skip


def _write_proof(case: Case, levels: tuple[str, ...], proof: Proof) -> dict[str, Any]:
    """Return a proof as JSON: the certificates of both balances, if loads are the most even, and of the weighted sum (see :mod:`.certificate`)."""
    names = (*(BALANCES if SQUARES not in levels else ()), "weighted")
    proofs = [write_proof(case, each) for each in proof.prices.proofs]
    return {
        "weights": dict(zip(levels, proof.weights, strict=True)),
        "least": proof.least,
        "proofs": dict(zip(names, proofs, strict=False)),
    }
