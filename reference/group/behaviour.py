"""The differences between the coordinator of the client-side assignment proposal and the coordinators of Kafka's releases: a flag for each.

Source: the proposal; org.apache.kafka.coordinator.group.GroupMetadataManager and classic.ClassicGroup of 3.9.2, 4.1.2, 4.3.1 and 4.4.0.
"""

from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from kassay.errors import InputError
from kassay.reference.group.messages import Error

Persists: TypeAlias = Literal["nothing", "each phase", "synced"]
RELEASES = ("3.9.2", "4.1.2", "4.3.1", "4.4.0")
"""Releases whose own coordinator was compared with :func:`kafka`."""


class Behaviour(Struct, frozen=True, kw_only=True):
    """The behaviour of a coordinator where the proposal and Kafka differ, and the settings of a broker."""

    name: str
    persists: Persists
    """The records of a group: nothing; each phase, that is members before their generation is answered, then states; or both at once when
    the leader synchronises. A failover brings back what was written."""
    leader_stays: bool
    """True if the leader leads the next generation too as long as it joins it; otherwise a leader is chosen for each generation."""
    answers_unchanged: bool
    """True if a member that joins again with the protocols it had learns its generation, unless it leads a stable group; otherwise every
    JoinGroup starts a rebalance."""
    resyncs: bool
    """True if the leader of a stable group sets new states by another SyncGroup (step 4a of the proposal).

    The other members learn of it by RESYNC_REQUIRED in their next heartbeat; the proposal does not say how. If False, the leader
    receives its old state.
    """
    spreads_errors: bool
    """True if the leader may send an error in SyncGroup, which every member of the generation gets and which ends the generation."""
    awaiting_sync: Error
    """The answer to a heartbeat while the leader's states are awaited."""
    loading: Error
    """The answer to a heartbeat while the group is being read after a failover."""
    own_rebalance_timeout: bool
    """True if a member says how long others wait for it in a rebalance (KIP-62); otherwise its session timeout counts."""
    sync_timeout: bool
    """True if members that have not synchronised a rebalance timeout after the join phase are dropped (KAFKA-12890)."""
    static_members: bool
    """True if members may be known by an instance id (KIP-345); otherwise these are passed over."""
    member_id_required: bool
    """True if a new member first gets an id and then joins with it (KIP-394)."""
    ties_by_hash: bool
    """True if the order of a Java hash map decides between protocols with equally many votes; otherwise the leader's order does."""
    stops_at_unreadable: bool = False
    """True if unreadable metadata of type "consumer" stop the join phase (KAFKA-20570; up to 4.3.1).

    The generation is then raised without an answer, and the last JoinGroup is answered by UNKNOWN_SERVER_ERROR.
    """
    initial_delay_ms: int | None = None
    """How long the first rebalance of an empty group waits for more members (KIP-134), again after each; None: not at all."""
    new_member_timeout_ms: int | None = None
    """How long a new member's JoinGroup may be parked before the member is dropped; None: as long as the join phase takes."""
    group_max_size: int | None = None
    """How many members a group may have (KIP-389); None: any number."""
    session_timeouts_ms: tuple[int, int] = (6_000, 1_800_000)
    """The least and the greatest session timeout allowed."""
    cleanup_ms: int = 600_000
    """How often groups without members and offsets are looked for, to be forgotten."""


PROPOSAL = Behaviour(
    name="proposal",
    persists="each phase",
    leader_stays=False,
    answers_unchanged=False,
    resyncs=True,
    spreads_errors=True,
    awaiting_sync=Error.REBALANCE_IN_PROGRESS,
    loading=Error.COORDINATOR_LOAD_IN_PROGRESS,
    own_rebalance_timeout=False,
    sync_timeout=False,
    static_members=False,
    member_id_required=False,
    ties_by_hash=False,
)
"""The proposal, where group state is persisted."""

UNPERSISTED = replace(PROPOSAL, name="proposal without persistence", persists="nothing")
"""The proposal, where a new coordinator knows nothing of the group."""


def kafka(release: str) -> Behaviour:
    """Return the behaviour of the coordinator of a Kafka release, with default settings; raises InputError for other releases.

    The releases give the same answers to well-formed requests; 4.4.0 ignores unreadable metadata.
    """
    if release not in RELEASES:
        raise InputError(
            f"release: {release!r} has no recorded coordinator. Take one of {', '.join(RELEASES)}"
        )
    return Behaviour(
        name=f"kafka@{release}",
        persists="synced",
        leader_stays=True,
        answers_unchanged=True,
        resyncs=False,
        spreads_errors=False,
        awaiting_sync=Error.NONE,
        loading=Error.NONE,
        own_rebalance_timeout=True,
        sync_timeout=True,
        static_members=True,
        member_id_required=True,
        ties_by_hash=True,
        stops_at_unreadable=release != "4.4.0",
        initial_delay_ms=3_000,
        new_member_timeout_ms=300_000,
    )
