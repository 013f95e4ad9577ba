"""Which invariants a group under faults keeps, by what its assignor promises."""

from collections.abc import Callable
from typing import Any

from kassay.simulation import invariants
from kassay.simulation.judging.coordination import STEPS, heeds_what_it_is_told, taken_over_whole
from kassay.simulation.running import Outcome

SAFETY: tuple[Callable[..., Any], ...] = (
    invariants.no_double_client_assignment,
    invariants.revoked_before_given,
    invariants.one_leader,
    invariants.generations_grow,
    invariants.member_generations_grow,
    invariants.commits_from_owners,
    invariants.single_writer,
    invariants.one_writer_at_a_time,
    invariants.supported_strategy,
    invariants.no_member_fails,
    invariants.lost_for_a_cause,
    *STEPS,
    taken_over_whole,
    heeds_what_it_is_told,
)
LIVENESS: tuple[Callable[..., Any], ...] = (
    invariants.eventually_converges,
    invariants.legal_target_assignment,
    invariants.bounded_rounds,
    invariants.owned_in_time,
    invariants.stays_stable,
)
INVARIANTS: dict[str, Callable[..., Any]] = {one.__name__: one for one in (*SAFETY, *LIVENESS)}
"""All invariants by name; the first sentence of the docstring says what each is."""


def met(outcome: Outcome, name: str) -> tuple[str, ...]:
    """Return the known defect that all breaches of an invariant are of; empty where one is of none."""
    return tuple(defect for of, defect in outcome.known if of == name)


RESTS_ON = {
    "no_double_client_assignment": "exclusive",
    "revoked_before_given": "exclusive",
    "legal_target_assignment": "complete",
}
"""Invariant -> the property that the assignor must promise for it; one that promises nothing is held to all."""


def promised(name: str, promises: frozenset[str] | None) -> bool:
    """Say whether a group whose assignor promises this is held to an invariant."""
    return promises is None or RESTS_ON.get(name) in {None, *promises}
