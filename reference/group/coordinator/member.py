"""A member of a group as its coordinator knows it."""

from collections.abc import Hashable

from msgspec import Struct

from kassay.reference.group.messages import Protocol, State


class Member(Struct, frozen=True, kw_only=True):
    """A member of a group as its coordinator knows it; timeouts in milliseconds."""

    member_id: str
    instance_id: str | None
    client_id: str
    session_timeout_ms: int
    rebalance_timeout_ms: int
    protocols: tuple[Protocol, ...]
    state: State = None
    joining: Hashable = None
    """The token of its JoinGroup, if parked."""
    syncing: Hashable = None
    """The token of its SyncGroup, if parked."""
    is_new: bool = False
    """Whether it has not been in a generation and is dropped if its first one takes too long."""
    to_resync: bool = False
    """Whether the leader has set another state since it was last told."""
