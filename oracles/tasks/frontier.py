"""The frontiers of an application: moves of copies against what is read across racks at the most even loads, then squared loads against both."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec

from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.answers import Frontier, Placed
from kassay.oracles.assignment.frontier.point import Proof, floor_of, supporting
from kassay.oracles.assignment.frontier.roles import role_front
from kassay.oracles.assignment.frontier.search import Front
from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.roles.problem import BALANCES, RoleLevel
from kassay.oracles.assignment.roles.worth import values
from kassay.oracles.frontiers import (
    ANY,
    EVEN,
    LESS_EVEN,
    NOT_PLACED,
    SQUARES,
    Known,
    bought,
    deadlines,
    narrowed,
    placed,
    points,
    told,
)
from kassay.oracles.tasks.certificate import proof_form
from kassay.oracles.tasks.encoding import Case, answer_of, encoded, owners_of
from kassay.oracles.tasks.optimum import imbalance
from kassay.oracles.tasks.question import question

COSTS = ("moves", "joint")
LEVELS = (SQUARES, *COSTS)


def frontiers(application: Application, time_limit_s: float | None = None) -> tuple[Frontier, ...]:
    """Return the frontier of moves and of what active tasks and standbys read across racks at the most even loads, and that of the squared loads and both.

    The squared loads are those of threads: of their active tasks and, added to that, of all their copies, so that an active
    task weighs in both. The first frontier has half of the time. Raises what
    :func:`kassay.oracles.assignment.frontier.roles.role_front` raises.
    """
    case = asked(application)
    return tuple(
        _frontier(
            application,
            case,
            role_front(case.problem, COSTS if even else LEVELS, even=even, deadline=deadline),
            even=even,
        )
        for even, deadline in deadlines(time_limit_s)
    )


def asked(application: Application) -> Case:
    """Return an application as a problem with all that frontiers compare."""
    case = encoded(application, question("balance,moves,joint"))
    squares = RoleLevel(SQUARES, squares=(1, 1))
    return replace(case, problem=replace(case.problem, levels=(*case.problem.levels, squares)))


def _frontier(application: Application, case: Case, found: Front, *, even: bool) -> Frontier:
    levels = COSTS if even else LEVELS

    def shown(owners: Ints) -> dict[str, int]:
        spread = {level: imbalance(case, level, owners) for level in BALANCES}
        return spread | dict(zip(LEVELS, values(case.problem, LEVELS, owners), strict=True))

    most_even = [values(case.problem, BALANCES, point.owners) for point in found.points[:1]]
    known = Known(
        levels,
        [point.value for point in found.points],
        found.whole,
        lambda value: supporting(value, found.proofs) is not None,
    )

    def place(answer: TaskAssignment) -> Placed:
        owners = owners_of(case, answer)
        if owners is None:
            return Placed(None, None, None, NOT_PLACED)
        if even and [values(case.problem, BALANCES, owners)] != most_even:
            return Placed(shown(owners), False, None, LESS_EVEN)
        return placed(known, values(case.problem, levels, owners), shown(owners))

    steps = tuple(bought(known, lambda moves: floor_of(1, (moves, None), found.proofs))) if even else ()
    said = [*_narrowed(application, case), *told(steps)] if even else []
    return Frontier(
        EVEN if even else ANY,
        levels,
        BALANCES,
        points(found, lambda point: shown(point.owners), lambda owners: answer_of(case, owners)),
        tuple(_as_json(case, levels, proof) for proof in found.proofs),
        found.extreme,
        found.whole,
        found.open_,
        steps,
        tuple(said),
        place,
    )


def _narrowed(application: Application, case: Case) -> Iterator[str]:
    joint = case.problem.level("joint")
    owned = any(client.active or client.standby for client in application.clients)
    far = any(table is not None and bool(table.any()) for table in (joint.active, joint.standby))
    return narrowed("client", len(application.clients), owned=owned, far=far)


def _as_json(case: Case, levels: tuple[str, ...], proof: Proof) -> dict[str, Any]:
    """Return a proof as JSON: the certificates of both balances, if loads are the most even, and of the weighted sum (see :mod:`.certificate`)."""
    names = (*(BALANCES if SQUARES not in levels else ()), "weighted")
    proofs = [msgspec.to_builtins(proof_form(case, each)) for each in proof.prices.proofs]
    return {
        "weights": dict(zip(levels, proof.weights, strict=True)),
        "least": proof.least,
        "proofs": dict(zip(names, proofs, strict=False)),
    }
