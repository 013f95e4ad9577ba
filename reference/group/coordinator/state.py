"""The state of a coordinator: the group, its members, what it writes into its log, and what waits until that is written; and its draft during a step.

The group is in one of six states:

- "Down": there is no group.
- "Empty": there is one without members. The proposal draws it as Stable.
- "Joining": a rebalance has begun, and the JoinGroups of its members are parked until all have joined or the time is over.
- "AwaitSync": a generation has begun, and the leader's SyncGroup with everybody's states is awaited.
- "Stable": the members have their states.
- "Initialize": the log is being read, before the group is in one of the others.

Source: the client-side assignment proposal, "Coordinator State Machine"; classic.ClassicGroupState of Kafka 4.x.
"""

from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import astuple, replace

from kassay.reference.group.behaviour import Behaviour
from kassay.reference.group.messages import (
    CancelTimer,
    CoordinatorEffect,
    Error,
    LeaveGroupResponse,
    Metadata,
    Protocol,
    Reply,
    Response,
    SetTimer,
    State,
    Step,
    Write,
)

StateName: TypeAlias = Literal["Down", "Initialize", "Empty", "Joining", "AwaitSync", "Stable"]
WITHOUT_MEMBERS = frozenset({"Down", "Empty"})
"""States in which the group has no members."""


class Member(Struct, frozen=True, cache_hash=True, kw_only=True):
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
    """True if it has not been in a generation and is dropped if its first one takes too long."""
    to_resync: bool = False
    """True if the leader has set another state since it was last told."""


def metadata(member: Member, protocol: str | None) -> Metadata:
    """Return the metadata of a member for a protocol that it supports."""
    return next(own.metadata for own in member.protocols if own.name == protocol)


# Records of the log


class WrittenMember(Struct, frozen=True, cache_hash=True):
    """A member in the log: of its protocols the chosen one only; timeouts in milliseconds."""

    member_id: str
    instance_id: str | None
    client_id: str
    session_timeout_ms: int
    rebalance_timeout_ms: int
    metadata: Metadata
    state: State
    to_resync: bool = False
    """True if the leader set this state in a stable group, so that the member has to be told."""


class GroupWritten(Struct, frozen=True, cache_hash=True):
    """A generation of the group; `synced`: with the states of its members."""

    generation: int
    protocol_type: str | None
    protocol: str | None
    leader: str | None
    members: tuple[WrittenMember, ...] = ()
    synced: bool = True


class GroupForgotten(Struct, frozen=True):
    """The group is no more."""


class ItemsCommitted(Struct, frozen=True, cache_hash=True):
    """A member committed how far it has come in these items."""

    items: tuple[Hashable, ...]


Record: TypeAlias = GroupWritten | GroupForgotten | ItemsCommitted


# The reasons of a batch, which decide what follows when it is written


class Created(Struct, frozen=True):
    """A JoinGroup made the group."""


class Joined(Struct, frozen=True):
    """The members of a generation are to be told."""

    generation: int


class Synced(Struct, frozen=True, cache_hash=True):
    """The members of a generation are to get their states."""

    generation: int
    states: tuple[tuple[str, State], ...]


class Replaced(Struct, frozen=True, cache_hash=True):
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
    """The request that waited has been refused, as the log took too long."""


After: TypeAlias = Created | Joined | Synced | Replaced | Emptied | Committed | Forgotten | GivenUp


class Pending(Struct, frozen=True, cache_hash=True):
    """A batch that the log has not yet committed, what it was written for, and the request that wrote it until that is answered."""

    batch: int
    after: After
    token: Hashable = None


class Coordinator(Struct, frozen=True, cache_hash=True):
    """The coordinator of one group; one that is not `serving` has been replaced by another node."""

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
    """Joining: the delay of the running timer if the rebalance is initial."""
    remaining_ms: int | None = None
    """Joining: by how much an initial rebalance may still be delayed; None: it is not delayed."""
    member_added: bool = False
    """True if a member came while an initial rebalance was delayed."""
    failure: tuple[int, Error] | None = None
    """The generation that the leader ended by an error, and that error."""
    has_offsets: bool = False
    waiting: tuple[Pending, ...] = ()
    """The actions that wait until batches are written, in order."""
    next_member: int = 0
    next_batch: int = 0
    serving: bool = True

    @property
    def members(self) -> Mapping[str, Member]:
        """Return the members by id."""
        return _map_members(self)


@lru_cache(maxsize=8)
def _map_members(coordinator: Coordinator) -> dict[str, Member]:
    """Return the members by id; kept, because each check of a step reads them."""
    return {member.member_id: member for member in coordinator.roster}


Choose = Callable[[tuple[str, ...]], str]
"""Picks the next leader among those allowed; or which metadata are read first, those that stop the join phase or those that are passed over."""

ANSWERED = "answered"
"""The token of a request that counts as parked though it was answered."""


class StoppedError(Exception):
    """The join phase cannot end because a member's metadata cannot be read."""


class Leaving(Struct, frozen=True):
    """The LeaveGroup that is being taken, and its answer."""

    token: Hashable
    answer: LeaveGroupResponse


class Draft(Struct):
    """A coordinator during one step: it may be changed, and collects the effects.

    The fields after the first four are the fields of :class:`Coordinator` in order, with members by id and lists for tuples.
    """

    behaviour: Behaviour
    choose: Choose
    effects: list[CoordinatorEffect]
    leaving: Leaving | None
    """The LeaveGroup that is not answered yet: it waits for the log if it leaves no member."""
    state: StateName
    generation: int
    protocol_type: str | None
    protocol: str | None
    leader: str | None
    members: dict[str, Member]
    pending: list[str]
    unsynced: list[str]
    is_initial: bool
    delay_ms: int
    remaining_ms: int | None
    member_added: bool
    failure: tuple[int, Error] | None
    has_offsets: bool
    waiting: tuple[Pending, ...]
    next_member: int
    next_batch: int
    serving: bool

    @property
    def empty(self) -> bool:
        """Return True if the group has no members."""
        return self.state in WITHOUT_MEMBERS

    def reply(self, token: Hashable, response: Response) -> None:
        """Answer a request; nothing is sent if its batch is refused later."""
        if token == ANSWERED:
            return
        self.effects.append(Reply(token, response))
        if self.waiting:
            self.waiting = tuple(
                Pending(one.batch, one.after) if one.token == token else one for one in self.waiting
            )

    def set_timer(self, key: Hashable, delay_ms: int) -> None:
        """Set a timer, instead of the one of that key."""
        self.effects.append(SetTimer(key, delay_ms))

    def cancel_timer(self, key: Hashable) -> None:
        """Forget a timer."""
        self.effects.append(CancelTimer(key))

    def begin_session(self, member: Member) -> None:
        """Set the timer of a member's session."""
        self.effects.append(SetTimer(("session", member.member_id), member.session_timeout_ms))

    def update(self, member: Member, **changes: Any) -> Member:
        """Change fields of a member."""
        changed = self.members[member.member_id] = replace(member, **changes)
        return changed

    def write(self, records: tuple[Record, ...], after: After, token: Hashable = None) -> None:
        """Append a batch for a request; what it was written for is done once it is committed."""
        self.effects.append(Write(self.next_batch, records))
        self.waiting = (*self.waiting, Pending(self.next_batch, after, token))
        self.next_batch += 1

    def record(self, states: dict[str, State], *, synced: bool = True) -> GroupWritten:
        """Return the group as it is written, with the states that its members are to have."""
        resynced = self.behaviour.resyncs and self.state == "Stable"
        return GroupWritten(
            generation=self.generation,
            protocol_type=self.protocol_type,
            protocol=self.protocol,
            leader=self.leader,
            members=tuple(
                WrittenMember(
                    member_id=member.member_id,
                    instance_id=member.instance_id,
                    client_id=member.client_id,
                    session_timeout_ms=member.session_timeout_ms,
                    rebalance_timeout_ms=member.rebalance_timeout_ms,
                    metadata=metadata(member, self.protocol),
                    state=states.get(member.member_id),
                    to_resync=resynced and member.syncing is None,
                )
                for member in self.members.values()
            ),
            synced=synced,
        )

    def forget(self) -> None:
        """Forget the group, but for its offsets."""
        self.members, self.pending, self.unsynced = {}, [], []
        self.state, self.generation, self.member_added = "Down", 0, False
        self.protocol_type = self.protocol = self.leader = self.failure = None

    def finish(self) -> Step[Coordinator, CoordinatorEffect]:
        """Return what the coordinator has become, and the effects."""
        fields: list[Any] = [*astuple(self)][4:]
        fields[5:8] = tuple(self.members.values()), tuple(self.pending), tuple(self.unsynced)
        return Step(Coordinator(*fields), tuple(self.effects))


def draft(behaviour: Behaviour, coordinator: Coordinator, choose: Choose) -> Draft:
    """Begin a step."""
    changing = Draft(behaviour, choose, [], None, *astuple(coordinator))
    changing.members = {**coordinator.members}
    changing.pending, changing.unsynced = [*coordinator.pending], [*coordinator.unsynced]
    return changing
