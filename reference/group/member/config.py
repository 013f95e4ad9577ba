"""How a member is set up, and in what members of the proposal differ from Kafka's."""

from typing import Literal

from msgspec import Struct

from kassay.reference.group.messages import FindCoordinator, Heartbeat, JoinGroup, Request


class Manner(Struct, frozen=True, kw_only=True):
    """In what the proposal's members and Kafka's differ."""

    resends_sync: bool
    """Whether a SyncGroup that the old coordinator did not answer goes to the new one; else the member rejoins."""
    resync: Literal["never", "unmoved", "always"]
    """Whether the leader answers changed metadata by another SyncGroup of the same generation (4a of the proposal) and not by a
    rejoin: `always`, as the proposal says; `unmoved` only where no item goes from one member to another, for a member learns
    too late that it lost one; `never`, as Kafka does."""
    sends_errors: bool
    """Whether a leader that cannot assign says so in its SyncGroup; else it fails alone and the others time out."""
    disconnects: bool
    """Whether a member that learns that its coordinator is another one gives up all that it has asked the old one."""


PROPOSAL = Manner(resends_sync=True, resync="always", sends_errors=True, disconnects=False)
"""Members as the client-side assignment proposal describes them."""
KAFKA = Manner(resends_sync=False, resync="never", sends_errors=False, disconnects=True)
"""Members as kafka-clients 0.9 to 4.4 has them."""


class Config(Struct, frozen=True, kw_only=True):
    """A member's configuration: times in milliseconds, defaults as kafka-clients 4.4 has them.

    `instance_id` makes it a static member (KIP-345), which never leaves of itself. With `waits_for_revocation` the member
    goes on only when the application has said :class:`~kassay.reference.group.member.application.Revoked`; without it, Revoke is done
    when it is told.
    """

    client_id: str = "client"
    instance_id: str | None = None
    session_timeout_ms: int = 45_000
    rebalance_timeout_ms: int = 300_000
    heartbeat_ms: int = 3_000
    max_poll_ms: int = 300_000
    retry_ms: int = 100
    retry_max_ms: int = 1_000
    request_timeout_ms: int = 30_000
    waits_for_revocation: bool = False
    known_id_required: bool = True
    manner: Manner = KAFKA


def patience_ms(config: Config, request: Request) -> int:
    """Return how long a member waits for an answer before whoever runs it says NotAnswered.

    A JoinGroup is parked until all have joined; a coordinator that answers no heartbeat for the session timeout is looked for anew.
    Source: AbstractCoordinator.sendJoinGroupRequest and its HeartbeatThread.
    """
    if type(request) is JoinGroup:
        return max(config.request_timeout_ms, config.rebalance_timeout_ms + 5_000)
    if type(request) is Heartbeat:
        return min(config.request_timeout_ms, config.session_timeout_ms)
    return config.request_timeout_ms


ANY_NODE = FindCoordinator()
"""The request for the coordinator, which is the same for all members."""
