"""What a coordinator is between two steps: the group, its members, what it writes into its log, and what waits until that is written.

The group is in one of six states:

- "Down": there is no group.
- "Empty": there is one without members. The proposal draws it as Stable.
- "Joining": a rebalance has begun, and the JoinGroups of its members are parked until all have joined or the time is over.
- "AwaitSync": a generation has begun, and the leader's SyncGroup with everybody's states is awaited.
- "Stable": the members have their states.
- "Initialize": the log is being read, before the group is in one of the others.

Source: the client-side assignment proposal, "Coordinator State Machine"; classic.ClassicGroupState of Kafka 4.x.
"""

from collections.abc import Hashable
from typing import Literal, TypeAlias

from msgspec import Struct

from kassay.reference.group.messages import Error, LeaveGroupResponse, Metadata, Protocol, State

StateName: TypeAlias = Literal["Down", "Initialize", "Empty", "Joining", "AwaitSync", "Stable"]
WITHOUT_MEMBERS = frozenset({"Down", "Empty"})
"""States in which nobody is in the group."""


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


# What is written into the log


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


# Why it is written, which says what follows when it is


class Created(Struct, frozen=True):
    """A JoinGroup made the group."""


class Joined(Struct, frozen=True):
    """The members of a generation are to be told."""

    generation: int


class Synced(Struct, frozen=True):
    """The members of a generation are to get their states."""

    generation: int
    states: tuple[tuple[str, State], ...]


class Replaced(Struct, frozen=True):
    """A static member came back under a new id into a stable group; `old` is what it was."""

    member_id: str
    old: Member
    leader: str | None
    skips_assignment: bool


class Emptied(Struct, frozen=True):
    """The last member is gone; where it left, `answer` is to follow."""

    answer: LeaveGroupResponse | None = None


class Committed(Struct, frozen=True):
    """A commit is to be answered; `created` tells whether it made the group, `had_offsets` whether there were offsets before."""

    created: bool
    had_offsets: bool


class Forgotten(Struct, frozen=True):
    """The group was cleaned up; the rest is what was known of it."""

    generation: int
    protocol_type: str | None
    member_added: bool
    pending: tuple[str, ...]


class GivenUp(Struct, frozen=True):
    """Whoever waited has been refused, as the log took too long."""


After: TypeAlias = Created | Joined | Synced | Replaced | Emptied | Committed | Forgotten | GivenUp


class Pending(Struct, frozen=True):
    """A batch that the log has not yet committed, what it was written for, and the request that wrote it until that is answered."""

    batch: int
    after: After
    token: Hashable = None


class Coordinator(Struct, frozen=True):
    """The coordinator of one group; it is that of no group if it is not `serving`, as another node has taken over."""

    state: StateName = "Down"
    generation: int = 0
    protocol_type: str | None = None
    protocol: str | None = None
    leader: str | None = None
    roster: tuple[Member, ...] = ()
    """The members, in the order in which they came."""
    pending: tuple[str, ...] = ()
    """Ids given to members that have not yet joined with them."""
    unsynced: tuple[str, ...] = ()
    """Members that were told of the generation and have not sent SyncGroup, where that has a timeout."""
    is_initial: bool = False
    """Joining: whether the group was empty before."""
    delay_ms: int = 0
    """Joining: the delay that the running timer has if it is that of an initial rebalance."""
    remaining_ms: int | None = None
    """Joining: by how much an initial rebalance may still be delayed; None: it is not delayed."""
    member_added: bool = False
    """Whether a member came while an initial rebalance was delayed."""
    failure: tuple[int, Error] | None = None
    """The generation that the leader ended by an error, and that error."""
    has_offsets: bool = False
    waiting: tuple[Pending, ...] = ()
    """What is done when a batch is written, in the order of batches."""
    next_member: int = 0
    next_batch: int = 0
    serving: bool = True

    @property
    def members(self) -> dict[str, Member]:
        """Return the members by id."""
        return {member.member_id: member for member in self.roster}
