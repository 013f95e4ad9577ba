"""What a client has to keep beside the invariants of the simulator, as far as its requests show it. Each has a sentence where it is broken."""

from collections.abc import Callable, Iterable
from typing import Any

from kassay.protocol.simulation import group_invariants

GRACE_MS = 1_000
"""How long after a client has lost a partition requests for it may still be under way."""


def claims_what_it_was_given(member: Any, claimed: Iterable[Any]) -> str | None:
    """A cooperative member that joins claims nothing that it was not given, or that it has lost with its place in the group (KIP-429)."""
    foreign = [str(item) for item in claimed if item not in member.owned]
    if not foreign:
        return None
    since = "after it has lost its place" if member.generation < 0 else f"in generation {member.generation}"
    return (
        f"{member.member_id or 'member 0'} joins with {', '.join(foreign[:3])}, which it does not own {since}"
    )


def keeps_what_it_may(member: Any, claimed: Iterable[Any]) -> str | None:
    """A cooperative member keeps what it owns while it joins again (KIP-429)."""
    kept = {*claimed}
    left = [str(item) for item in member.owned if item not in kept]
    if not left:
        return None
    return f"{member.member_id} gives up {', '.join(left[:3])} before it joins again in generation {member.generation}"


def reads_what_it_owns(member: Any, read: Iterable[Any]) -> str | None:
    """A client fetches records of partitions alone that it owns, or has lost less than a second ago."""
    foreign = [str(item) for item in read]
    return (
        f"{member.member_id or 'member 0'} reads {', '.join(foreign[:3])}, which it does not own"
        if foreign
        else None
    )


def says_what_can_be_read(member: Any, why: str) -> str | None:
    """What a client sends can be read: requests, its subscription, and the assignments that it gives as a leader."""
    return f"{member.member_id or 'member 0'} sends what cannot be read: {why}"


def goes_on(slot: int, how: str) -> str | None:
    """A client that nobody ends goes on."""
    return f"member {slot}: {how}"


OF_CLIENTS: dict[str, Callable[..., str | None]] = {
    one.__name__: one
    for one in (
        claims_what_it_was_given,
        keeps_what_it_may,
        reads_what_it_owns,
        says_what_can_be_read,
        goes_on,
    )
}
JUDGED = (
    *OF_CLIENTS,
    *(
        one.__name__
        for one in (
            group_invariants.no_double_client_assignment,
            group_invariants.revoked_before_given,
            group_invariants.commits_from_owners,
            group_invariants.eventually_converges,
            group_invariants.legal_target_assignment,
            group_invariants.bounded_rounds,
            group_invariants.owned_in_time,
            group_invariants.stays_stable,
        )
    ),
)
"""The invariants that a client is held to."""
