"""Which invariants a group under faults keeps, and in which situations that is known not to hold."""

from collections.abc import Callable, Mapping
from typing import Any

from kassay.reference.group.behaviour import RELEASES
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
    invariants.no_member_fails,
)
LIVENESS: tuple[Callable[..., Any], ...] = (
    invariants.eventually_converges,
    invariants.legal_target_assignment,
    invariants.bounded_rounds,
    invariants.stays_stable,
)
INVARIANTS: dict[str, Callable[..., Any]] = {one.__name__: one for one in (*SAFETY, *LIVENESS)}
"""All invariants by name; the first sentence of the docstring says what each is."""
_NEW_COORDINATOR = tuple(frozenset({kind}) for kind in ("failover", "coordinator-crash", "zombie"))
_RESYNC = tuple(frozenset({kind}) for kind in ("grow", "racks"))
_UNSYNCED = (*_NEW_COORDINATOR, frozenset({"refused-write"}))
_UPGRADE = tuple(frozenset({"upgrade"}) | one for one in _NEW_COORDINATOR)
_KAFKA: Mapping[str, tuple[frozenset[str], ...]] = {
    "generations_grow": _UNSYNCED,
    "one_leader": _UNSYNCED,
    "eventually_converges": _UPGRADE,
    "no_member_fails": tuple(frozenset({"static"}) | one for one in _UNSYNCED),
    "stays_stable": tuple(frozenset({"static", kind}) for kind in ("crash", "leave", "upgrade")),
    "member_generations_grow": _UNSYNCED,
    "no_double_client_assignment": _UNSYNCED,
    "one_writer_at_a_time": (frozenset({"zombie"}),),
    "legal_target_assignment": tuple(
        frozenset({"static", "grow", kind}) for kind in ("crash", "leave", "upgrade")
    ),
}
KNOWN: Mapping[str, Mapping[str, tuple[frozenset[str], ...]]] = {
    "proposal": {
        "no_double_client_assignment": _RESYNC,
        "commits_from_owners": _RESYNC,
        "eventually_converges": _UPGRADE,
        "one_writer_at_a_time": (frozenset({"zombie"}),),
        "legal_target_assignment": tuple(one | other for one in _RESYNC for other in _NEW_COORDINATOR),
    },
    "unpersisted": {
        "no_double_client_assignment": (*_RESYNC, *_NEW_COORDINATOR),
        "commits_from_owners": (*_RESYNC, *_NEW_COORDINATOR),
        "generations_grow": _NEW_COORDINATOR,
        "one_leader": _NEW_COORDINATOR,
        "one_writer_at_a_time": _NEW_COORDINATOR,
    },
    **{f"kafka@{release}": _KAFKA for release in RELEASES},
}
"""Coordinator -> invariant -> the situations in which it is known to break: faults, and "static" or "cooperative" members, all at once.

Each was found by this simulator; docs/simulate.md says why it is so.
"""


def situations(schedule: Schedule) -> frozenset[str]:
    """Return the faults of a schedule, and what its members are."""
    setting = schedule.setting
    members = {name for name in ("static", "cooperative") if getattr(setting, name)}
    return frozenset(fault.kind for fault in schedule.faults) | members


def met(schedule: Schedule, name: str) -> tuple[str, ...]:
    """Return the first known situation that the schedule is in and in which the invariant is known to break; empty where none is."""
    here = situations(schedule)
    for known in KNOWN.get(schedule.setting.coordinator, {}).get(name, ()):
        if known <= here:
            return tuple(sorted(known))
    return ()


RESTS_ON = {
    "no_double_client_assignment": "exclusive",
    "revoked_before_given": "exclusive",
    "legal_target_assignment": "complete",
}
"""Invariant -> the property that the assignor must promise for it; one that promises nothing is held to all."""


def promised(name: str, promises: frozenset[str] | None) -> bool:
    """Say whether a group whose assignor promises this is held to an invariant."""
    return promises is None or RESTS_ON.get(name) in {None, *promises}
