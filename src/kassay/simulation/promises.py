"""Which invariants a group under faults keeps, and in which situations that is known not to hold."""

from collections.abc import Callable, Mapping
from typing import Any

from kassay.simulation import invariants
from kassay.simulation.schedule import Schedule

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
)
LIVENESS: tuple[Callable[..., Any], ...] = (
    invariants.eventually_converges,
    invariants.legal_target_assignment,
    invariants.bounded_rounds,
)
INVARIANTS: dict[str, Callable[..., Any]] = {one.__name__: one for one in (*SAFETY, *LIVENESS)}
"""All invariants by name; the first sentence of the docstring says what each is."""
KNOWN: Mapping[str, Mapping[str, tuple[frozenset[str], ...]]] = {}
"""Coordinator -> invariant -> the sets of faults under which it is known to break; found by this simulator, explained in docs/simulate.md."""


def met(schedule: Schedule, name: str) -> tuple[str, ...]:
    """Return the first set of faults, all in the schedule, under which the invariant is known to break; empty where none is."""
    kinds = {fault.kind for fault in schedule.faults}
    for known in KNOWN.get(schedule.setting.coordinator, {}).get(name, ()):
        if known <= kinds:
            return tuple(sorted(known))
    return ()
