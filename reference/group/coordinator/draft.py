"""A coordinator while it takes one step: it may be changed, writes into its log, and gathers what it wants done."""

from collections.abc import Callable, Hashable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from kassay.reference.group.behaviour import Behaviour
from kassay.reference.group.coordinator.protocols import metadata
from kassay.reference.group.coordinator.state import (
    WITHOUT_MEMBERS,
    After,
    Coordinator,
    GroupWritten,
    Member,
    Pending,
    Record,
    StateName,
    WrittenMember,
)
from kassay.reference.group.messages import (
    CancelTimer,
    CoordinatorEffect,
    Error,
    LeaveGroupResponse,
    Reply,
    Response,
    SetTimer,
    State,
    Step,
    Write,
)

Choose = Callable[[tuple[str, ...]], str]
"""Picks the next leader among those allowed, or whose metadata are read first: such as stop the join phase, or such as are passed over."""

ANSWERED = "answered"
"""The token of a request that counts as parked though it was answered."""


class StoppedError(Exception):
    """The join phase cannot end, as somebody's metadata cannot be read."""


class Leaving(Struct, frozen=True):
    """The LeaveGroup that is being taken, and its answer."""

    token: Hashable
    answer: LeaveGroupResponse


class Draft(Struct):
    """The fields of :class:`Coordinator`, to be changed, with members by id and lists for tuples."""

    behaviour: Behaviour
    choose: Choose
    effects: list[CoordinatorEffect]
    leaving: Leaving | None
    """The LeaveGroup that is not answered yet: it waits for the log where it leaves nobody."""
    members: dict[str, Member]
    pending: list[str]
    unsynced: list[str]
    state: StateName
    generation: int
    protocol_type: str | None
    protocol: str | None
    leader: str | None
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
        """Say whether nobody is in the group."""
        return self.state in WITHOUT_MEMBERS

    def reply(self, token: Hashable, response: Response) -> None:
        """Answer a request, which then need not be told if its batch is refused."""
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
        return Step(
            Coordinator(
                self.state,
                self.generation,
                self.protocol_type,
                self.protocol,
                self.leader,
                tuple(self.members.values()),
                tuple(self.pending),
                tuple(self.unsynced),
                self.is_initial,
                self.delay_ms,
                self.remaining_ms,
                self.member_added,
                self.failure,
                self.has_offsets,
                self.waiting,
                self.next_member,
                self.next_batch,
                self.serving,
            ),
            tuple(self.effects),
        )


def draft(behaviour: Behaviour, coordinator: Coordinator, choose: Choose) -> Draft:
    """Begin a step."""
    return Draft(
        behaviour,
        choose,
        [],
        None,
        coordinator.members,
        list(coordinator.pending),
        list(coordinator.unsynced),
        coordinator.state,
        coordinator.generation,
        coordinator.protocol_type,
        coordinator.protocol,
        coordinator.leader,
        coordinator.is_initial,
        coordinator.delay_ms,
        coordinator.remaining_ms,
        coordinator.member_added,
        coordinator.failure,
        coordinator.has_offsets,
        coordinator.waiting,
        coordinator.next_member,
        coordinator.next_batch,
        coordinator.serving,
    )
