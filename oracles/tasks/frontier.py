"""The frontier of an application: moves of copies against what is read across racks, at the most even loads."""

import math
import time
from typing import Any

import msgspec

from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.answers import Frontier, Placed
from kassay.oracles.assignment.frontier.point import Proof, floor_of, supporting
from kassay.oracles.assignment.frontier.roles import role_front
from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.roles.problem import BALANCES
from kassay.oracles.assignment.roles.worth import values
from kassay.oracles.frontiers import EVEN, LESS_EVEN, NOT_PLACED, Known, Row, bought, placed, points, told
from kassay.oracles.tasks.certificate import proof_form
from kassay.oracles.tasks.encoding import Case, answer_of, encoded, owners_of
from kassay.oracles.tasks.optimum import imbalance
from kassay.oracles.tasks.question import question

COSTS = ("moves", "joint")


def frontiers(application: Application, time_limit_s: float | None = None) -> tuple[Frontier, ...]:
    """Return the frontier of moves and of what active tasks and standbys read across racks together.

    Raises what :func:`kassay.oracles.assignment.frontier.roles.role_front` raises.
    """
    case = encoded(application, question("balance,moves,joint"))
    deadline = math.inf if time_limit_s is None else time.monotonic() + time_limit_s
    found = role_front(case.problem, COSTS, deadline)

    def shown(value: Row, owners: Ints) -> dict[str, int]:
        spread = {level: imbalance(case, level, owners) for level in BALANCES}
        return spread | dict(zip(COSTS, value, strict=True))

    squares = [values(case.problem, BALANCES, point.owners) for point in found.points[:1]]
    known = Known(
        COSTS,
        [point.value for point in found.points],
        found.whole,
        lambda value: supporting(value, found.proofs) is not None,
    )

    def place(answer: TaskAssignment) -> Placed:
        owners = owners_of(case, answer)
        if owners is None:
            return Placed(None, None, None, NOT_PLACED)
        own = values(case.problem, COSTS, owners)
        if [values(case.problem, BALANCES, owners)] != squares:
            return Placed(shown(own, owners), False, None, LESS_EVEN)
        return placed(known, own, shown(own, owners))

    steps = tuple(bought(known, lambda moves: floor_of(1, (moves, None), found.proofs)))
    return (
        Frontier(
            EVEN,
            COSTS,
            BALANCES,
            points(
                found,
                lambda point: shown(point.value, point.owners),
                lambda owners: answer_of(case, owners),
            ),
            tuple(_as_json(case, proof) for proof in found.proofs),
            found.extreme,
            found.whole,
            found.open_,
            steps,
            tuple(told(steps)),
            place,
        ),
    )


def _as_json(case: Case, proof: Proof) -> dict[str, Any]:
    """Return a proof as JSON: the certificates of both balances and of the weighted sum (see :mod:`.certificate`)."""
    names = (*BALANCES, "weighted")
    proofs = [msgspec.to_builtins(proof_form(case, each)) for each in proof.prices.proofs]
    return {
        "weights": dict(zip(COSTS, proof.weights, strict=True)),
        "least": proof.least,
        "proofs": dict(zip(names, proofs, strict=False)),
    }
