"""What a coordinator writes into its log."""

from collections.abc import Hashable
from typing import TypeAlias

from msgspec import Struct

from kassay.reference.group.messages import Metadata, State


class WrittenMember(Struct, frozen=True):
    """A member in the log: of its protocols the chosen one only; timeouts in milliseconds."""

    member_id: str
    instance_id: str | None
    client_id: str
    session_timeout_ms: int
    rebalance_timeout_ms: int
    metadata: Metadata
    state: State
    to_resync: bool = False
    """Whether the leader set this state in a stable group, so that the member has to be told."""


class GroupWritten(Struct, frozen=True):
    """A generation of the group; `synced`: with the states of its members."""

    generation: int
    protocol_type: str | None
    protocol: str | None
    leader: str | None
    members: tuple[WrittenMember, ...] = ()
    synced: bool = True


class GroupForgotten(Struct, frozen=True):
    """The group is no more."""


class ItemsCommitted(Struct, frozen=True):
    """A member committed how far it has come in these items."""

    items: tuple[Hashable, ...]


Record: TypeAlias = GroupWritten | GroupForgotten | ItemsCommitted
