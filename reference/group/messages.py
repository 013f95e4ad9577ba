"""The messages between the members and the coordinator of a group, and the events, effects and steps of their state machines.

Metadata and state of members are opaque to the coordinator, as the client-side assignment proposal asks: any hashable value here, bytes on
the wire (:mod:`kassay.reference.wire`).

A machine is a pure function `step(..., state, event) -> Step(state, effects)`, without clock, socket or thread. Its caller keeps the clock, carries
the messages, writes the log and performs the effects in their order.

All are frozen msgspec Structs, not dataclasses: a simulation creates about a hundred thousand of them per second.

Source: the client-side assignment proposal; message schemas of Apache Kafka 4.4 (JoinGroup, SyncGroup, Heartbeat, LeaveGroup, OffsetCommit,
FindCoordinator).
"""

from collections.abc import Hashable, Mapping
from enum import Enum
from typing import Generic, TypeAlias, TypeVar

from msgspec import Struct

Metadata: TypeAlias = Hashable
"""The metadata of a member for a protocol, such as its subscription; the coordinator passes them on unread."""
State: TypeAlias = Hashable
"""The state that the leader gives a member, such as its assignment; the coordinator passes it on unread. None: nothing was given."""


UNREADABLE: Metadata = "unreadable"
"""The metadata of type "consumer" that cannot be read, such as a list of topics without a length."""


class Error(Enum):
    """An error code of a response, under the name that Kafka gives it."""

    # Each error is one object. The hash of Enum is written in Python, and took a twentieth of a simulated step.
    __hash__ = object.__hash__

    NONE = 0
    OFFSET_METADATA_TOO_LARGE = 12
    COORDINATOR_LOAD_IN_PROGRESS = 14
    COORDINATOR_NOT_AVAILABLE = 15
    NOT_COORDINATOR = 16
    ILLEGAL_GENERATION = 22
    INCONSISTENT_GROUP_PROTOCOL = 23
    INVALID_GROUP_ID = 24
    UNKNOWN_MEMBER_ID = 25
    INVALID_SESSION_TIMEOUT = 26
    REBALANCE_IN_PROGRESS = 27
    UNKNOWN_SERVER_ERROR = -1
    MEMBER_ID_REQUIRED = 79
    GROUP_MAX_SIZE_REACHED = 81
    FENCED_INSTANCE_ID = 82
    ASSIGNMENT_FAILED = -2
    """The leader could not compute an assignment. Of the proposal only: Kafka's SyncGroup carries no error."""
    RESYNC_REQUIRED = -3
    """The leader has set new states. Ours: the proposal lets the leader do so and leaves open how the other members learn of it."""


class Protocol(Struct, frozen=True, cache_hash=True):
    """A group protocol that a member supports, such as an assignment strategy, with the member's metadata for it."""

    name: str
    metadata: Metadata


class JoinGroup(Struct, frozen=True, cache_hash=True, kw_only=True):
    """A member asks to be in the next generation; `protocols` are in the order that it prefers.

    `member_id` is "" for a member that has none yet. With `known_id_required` (JoinGroup version 4 and newer) a new dynamic member gets
    an id first and joins with it.
    """

    member_id: str = ""
    instance_id: str | None = None
    client_id: str = "client"
    session_timeout_ms: int = 45_000
    rebalance_timeout_ms: int = 300_000
    protocol_type: str = "consumer"
    protocols: tuple[Protocol, ...]
    known_id_required: bool = True
    skips_assignment: bool = True
    """True if the response may tell a static leader to leave the assignment as it is (version 9 and newer)."""


class JoinedMember(Struct, frozen=True, cache_hash=True):
    """A member in the leader's response."""

    member_id: str
    instance_id: str | None
    metadata: Metadata


class JoinGroupResponse(Struct, frozen=True, cache_hash=True, kw_only=True):
    """The generation a member is in; `members` is filled for the leader only. One that refuses names no protocol: "" as Kafka's does."""

    error: Error = Error.NONE
    generation: int = -1
    protocol_type: str | None = None
    protocol: str | None = ""
    leader: str = ""
    member_id: str = ""
    members: tuple[JoinedMember, ...] = ()
    skip_assignment: bool = False


class SyncGroup(Struct, frozen=True, cache_hash=True, kw_only=True):
    """A member asks for its state; the leader sends everybody's, or, in the proposal, an error instead."""

    generation: int
    member_id: str
    instance_id: str | None = None
    protocol_type: str | None = None
    protocol: str | None = None
    states: tuple[tuple[str, State], ...] = ()
    error: Error = Error.NONE


class SyncGroupResponse(Struct, frozen=True, cache_hash=True, kw_only=True):
    """The state of one member, as the leader of its generation set it."""

    error: Error = Error.NONE
    protocol_type: str | None = None
    protocol: str | None = None
    state: State = None


class Heartbeat(Struct, frozen=True, cache_hash=True, kw_only=True):
    """A member says that it lives."""

    generation: int
    member_id: str
    instance_id: str | None = None


class HeartbeatResponse(Struct, frozen=True, kw_only=True):
    """True if the member's generation still stands."""

    error: Error = Error.NONE


class LeavingMember(Struct, frozen=True, cache_hash=True):
    """A member that leaves, by its id, or by its instance id alone."""

    member_id: str
    instance_id: str | None = None


class LeaveGroup(Struct, frozen=True, cache_hash=True, kw_only=True):
    """Members leave their group for good."""

    members: tuple[LeavingMember, ...]


class LeaveGroupResponse(Struct, frozen=True, cache_hash=True, kw_only=True):
    """The response to LeaveGroup: one error for the request and one for each member, in the request's order."""

    error: Error = Error.NONE
    members: tuple[tuple[LeavingMember, Error], ...] = ()


class OffsetCommit(Struct, frozen=True, cache_hash=True, kw_only=True):
    """A member commits how far it has come in the items it owns; -1 and "" commit without a group."""

    generation: int
    member_id: str
    instance_id: str | None = None
    items: tuple[Hashable, ...] = ()


class OffsetCommitResponse(Struct, frozen=True, kw_only=True):
    """True if the commit was taken, for all of its items alike."""

    error: Error = Error.NONE


class FindCoordinator(Struct, frozen=True):
    """A member asks any node of the cluster who coordinates its group."""


class FindCoordinatorResponse(Struct, frozen=True, kw_only=True):
    """The node that coordinates the group; None if it is not known."""

    error: Error = Error.NONE
    node: int | None = None


Request: TypeAlias = JoinGroup | SyncGroup | Heartbeat | LeaveGroup | OffsetCommit | FindCoordinator
Response: TypeAlias = (
    JoinGroupResponse
    | SyncGroupResponse
    | HeartbeatResponse
    | LeaveGroupResponse
    | OffsetCommitResponse
    | FindCoordinatorResponse
)


RESPONSES: Mapping[type[Request], type[Response]] = {
    JoinGroup: JoinGroupResponse,
    SyncGroup: SyncGroupResponse,
    Heartbeat: HeartbeatResponse,
    LeaveGroup: LeaveGroupResponse,
    OffsetCommit: OffsetCommitResponse,
    FindCoordinator: FindCoordinatorResponse,
}


def refuse(request: Request, error: Error) -> Response:
    """Return the response that refuses a request."""
    return RESPONSES[type(request)](error=error)


class Asked(Struct, frozen=True):
    """A coordinator received a request; `token` says where the answer goes."""

    token: Hashable
    request: Request


class Answered(Struct, frozen=True):
    """A member received the response to the request that it sent with this token."""

    token: Hashable
    response: Response


class NotAnswered(Struct, frozen=True):
    """A member's request is lost: its connection broke or no answer came in time."""

    token: Hashable


class Alarm(Struct, frozen=True):
    """A timer that the machine set has run out; setting a timer again replaces the one of that key."""

    key: Hashable


class Written(Struct, frozen=True):
    """The coordinator's log has committed the batch of this number."""

    batch: int


class Refused(Struct, frozen=True):
    """The log could not write the batch of this number."""

    batch: int
    error: Error


class TimedOut(Struct, frozen=True):
    """The log has not committed the batch of this number in time: who waits for it is refused, though it may yet be committed."""

    batch: int


class Reply(Struct, frozen=True):
    """Answer the request of this token."""

    token: Hashable
    response: Response


class Send(Struct, frozen=True):
    """Send a request to the coordinator that the member knows (`node`), or to any node of the cluster where it is None."""

    token: Hashable
    request: Request
    node: int | None


class SetTimer(Struct, frozen=True):
    """Send the machine :class:`Alarm` after this delay; an older timer of the same key is cancelled."""

    key: Hashable
    delay_ms: int


class CancelTimer(Struct, frozen=True):
    """Forget the timer of this key, if there is one."""

    key: Hashable


class Write(Struct, frozen=True):
    """Append a batch of records to the coordinator's log; :class:`Written` or :class:`Refused` is to follow."""

    batch: int
    records: tuple[Hashable, ...]


S = TypeVar("S")
E = TypeVar("E")


class Step(Struct, Generic[S, E], frozen=True):
    """The state of a machine after an event, and its effects in order."""

    state: S
    effects: tuple[E, ...]


CoordinatorEvent: TypeAlias = Asked | Alarm | Written | Refused | TimedOut
CoordinatorEffect: TypeAlias = Reply | SetTimer | CancelTimer | Write


class Entry(Struct, frozen=True):
    """One line of a timeline and one arrow or remark of a sequence diagram.

    `time_ms` counts from the beginning of the run. `target` is the source itself where something happened at one place.
    `label` is the message or event, `note` its result there, such as a state; either may be empty.
    """

    time_ms: int
    source: str
    target: str
    label: str
    note: str = ""


Trace = tuple[Entry, ...]
"""The entries of one run, in the order in which they happened."""
