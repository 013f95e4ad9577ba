"""The state of a member, its configuration, the events and effects that it shares with its application, and what a use of the group consists of.

A use makes the generic member one of consumers, of Connect, of Kafka Streams or of anything else.
"""

from collections.abc import Callable, Hashable
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from kassay.errors import InputError
from kassay.reference.group.messages import (
    Alarm,
    Answered,
    CancelTimer,
    Error,
    Heartbeat,
    JoinedMember,
    JoinGroup,
    NotAnswered,
    Protocol,
    Request,
    Send,
    SetTimer,
    State,
    Step,
)

Items: TypeAlias = tuple[Hashable, ...]
"""Items that the members of a group share, such as partitions; each only once."""


class Started(Struct, frozen=True):
    """The application wants to be in the group from now on."""


class SubscriptionChanged(Struct, frozen=True):
    """The application wants to work on something else: the use says what a subscription is."""

    subscription: Hashable


class ClusterChanged(Struct, frozen=True):
    """The member learned of other metadata, such as topics: the use says what a cluster is."""

    cluster: Hashable


class Commit(Struct, frozen=True):
    """The application wants to commit how far it has come in these items."""

    items: Items


class Revoked(Struct, frozen=True):
    """The application no longer works on the items of :class:`Revoke`; only needed if the configuration waits for it."""

    items: Items


class Stalled(Struct, frozen=True):
    """The application does not poll any more: it calls nothing and is called by nothing until it resumes."""


class Resumed(Struct, frozen=True):
    """The application polls again."""


class Closed(Struct, frozen=True):
    """The application ends in an orderly way."""


class Revoke(Struct, frozen=True):
    """Stop working on these items, of which the member is still the owner, and commit first if you like."""

    items: Items


class Lose(Struct, frozen=True):
    """These items are gone already: another member may own them, and a commit would be refused."""

    items: Items


class Own(Struct, frozen=True):
    """Begin to work on these items."""

    items: Items


class Committed(Struct, frozen=True):
    """The coordinator has taken the commit of these items."""

    items: Items


class NotCommitted(Struct, frozen=True):
    """The commit of these items was refused, or could not be asked for."""

    items: Items
    error: Error


class Failed(Struct, frozen=True):
    """The member cannot go on; only closing it is left."""

    error: Error


FromApplication: TypeAlias = (
    Started | SubscriptionChanged | ClusterChanged | Commit | Revoked | Stalled | Resumed | Closed
)
ToApplication: TypeAlias = Revoke | Lose | Own | Committed | NotCommitted | Failed


States = tuple[tuple[str, State], ...]
"""Member id -> what the leader gives it."""


class Asking(Struct, frozen=True):
    """The facts from which a member's metadata are made when it joins.

    `owned` is what it owns now, of `generation`, the one it was in last (-1: none). `had` is what it was last given and may have given up
    or lost since, in generation `had_in`.
    """

    subscription: Any
    cluster: Any
    owned: Items
    generation: int
    had: Items
    had_in: int


class Choosing(Struct, frozen=True):
    """The facts by which a leader assigns; `before` are the states of this generation if it assigns again without a rejoin."""

    protocol: str
    leader: str
    members: tuple[JoinedMember, ...]
    subscription: Any
    cluster: Any
    before: States


class Use(Struct, frozen=True, cache_hash=True, kw_only=True):
    """A use of the group protocol.

    `cooperative` members keep what they own while they rejoin, and give up what they are no longer given (KIP-429). It holds for all
    protocols of a member: which of them the group will choose is not known while it still owns something.
    """

    protocol_type: str
    protocols: Callable[[Asking], tuple[Protocol, ...]]
    """The protocols that a member supports, in the order that it prefers, with its metadata for each."""
    assign: Callable[[Choosing], States]
    """Returns the states of all members; raises :class:`kassay.model.AssignorError` if it cannot."""
    items: Callable[[Any], Items]
    """Returns the items of a state."""
    joined_as: Callable[[Any, Any], Hashable]
    """Returns the part of subscription and cluster that makes a member rejoin when it changes."""
    watched: Callable[[Choosing], Hashable] = lambda _choosing: None
    """Returns the facts that make the leader assign again when they change, such as the topics of the group."""
    retained: Callable[[Any, Any, Any], Items] = lambda _subscription, _cluster, _owned: ()
    """Returns the items that a cooperative member keeps by subscription and cluster while it rejoins."""
    fits: Callable[[Any, Any, Any], bool] = lambda _subscription, _cluster, _items: True
    """True if a member takes up what it is given; it does not where it no longer subscribes to that, and joins again instead."""
    cooperative: bool = False
    leased: bool = False
    """True if a member works only while the coordinator certainly counts it as a member.

    It begins after a heartbeat and stops if no heartbeat was answered for the session timeout, counted from sending.
    """
    static: bool = True
    """True if members may be static: one takes the place of another that may still work."""


Phase: TypeAlias = Literal["New", "Unjoined", "Revoking", "Joining", "Syncing", "Stable", "Failed", "Closed"]
"""New: not started. Unjoined: in no generation. Revoking: the application gives something up. Joining: it has asked for the next generation. Syncing:
in a generation, without having taken up its state. Stable: it has."""
DONE = frozenset({"New", "Failed", "Closed"})
"""Phases in which a member does nothing of itself."""
After: TypeAlias = Literal["join", "adopt", "leave"]
MemberEvent: TypeAlias = FromApplication | Answered | NotAnswered | Alarm
MemberEffect: TypeAlias = Send | SetTimer | CancelTimer | ToApplication
Effects: TypeAlias = list[MemberEffect]
"""The effects of a step, in order."""


class Manner(Struct, frozen=True, kw_only=True):
    """In what the proposal's members and Kafka's differ."""

    resends_sync: bool
    """True if a SyncGroup that the old coordinator did not answer goes to the new one; else the member rejoins."""
    resync: Literal["never", "unmoved", "always"]
    """When the leader answers changed metadata by another SyncGroup of the same generation (step 4a of the proposal), not by a rejoin.

    - `always`: as the proposal says
    - `unmoved`: only if no item moves between members, because a member learns too late that it lost one
    - `never`: as Kafka does
    """
    sends_errors: bool
    """True if a leader that cannot assign says so in its SyncGroup; else it fails alone and the others time out."""
    disconnects: bool
    """True if a member that learns that its coordinator is another one gives up all that it has asked the old one."""


PROPOSAL = Manner(resends_sync=True, resync="always", sends_errors=True, disconnects=False)
"""Members as the client-side assignment proposal describes them."""
KAFKA = Manner(resends_sync=False, resync="never", sends_errors=False, disconnects=True)
"""Members as kafka-clients 0.9 to 4.4 has them."""


class Config(Struct, frozen=True, cache_hash=True, kw_only=True):
    """A member's configuration: times in milliseconds, defaults as kafka-clients 4.4 has them.

    `instance_id` makes it a static member (KIP-345), which never leaves of itself. With `waits_for_revocation` the member
    goes on only when the application has said :class:`~kassay.reference.group.member.state.Revoked`; without it, Revoke is done
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
    """Return how long a member waits for an answer before its caller must send NotAnswered.

    A JoinGroup is parked until all have joined; a coordinator that answers no heartbeat for the session timeout is looked for anew.
    Source: AbstractCoordinator.sendJoinGroupRequest and its HeartbeatThread.
    """
    if type(request) is JoinGroup:
        return max(config.request_timeout_ms, config.rebalance_timeout_ms + 5_000)
    if type(request) is Heartbeat:
        return min(config.request_timeout_ms, config.session_timeout_ms)
    return config.request_timeout_ms


Token: TypeAlias = tuple[str, int]
"""A request of a member: its kind ("find", "join", "sync", "beat", "commit", "leave") and number."""


class Pending(Struct, frozen=True, cache_hash=True):
    """A commit that is not answered yet, and of which membership it was."""

    token: Token
    items: Items
    generation: int
    member_id: str


class Member(Struct, frozen=True, cache_hash=True, kw_only=True):
    """A member of a group, or what wants to be one.

    `owned` are the items on which its application may work now. A request that is under way is known by its token: `asked` finds the
    coordinator, joins or syncs, of which there is one at a time; `beat` is a heartbeat.
    """

    use: Use
    config: Config
    subscription: Hashable
    cluster: Hashable
    phase: Phase = "New"
    node: int | None = None
    """The coordinator, as far as the member knows."""
    member_id: str = ""
    generation: int = -1
    protocol: str | None = None
    is_leader: bool = False
    owned: Items = ()
    had: Items = ()
    had_in: int = -1
    """The items that it was last given, and their generation."""
    members: tuple[JoinedMember, ...] = ()
    """Of the leader only: who is in its generation."""
    states: States = ()
    failure: Error = Error.NONE
    """Of the leader only: what it gives each, or why it cannot."""
    watched: Hashable = None
    """Of the leader only: what it has assigned by."""
    supports: tuple[str, ...] = ()
    joined_as: Hashable = None
    """The names of protocols with which it last joined, and the facts that make it rejoin when they change."""
    state: State = None
    given: bool = False
    """The last state from its leader, and True if it has not been applied yet."""
    rejoins: bool = True
    """True if it is to join again as soon as it can."""
    prepared: bool = False
    """True if it has given up what it must before it joins; it does not so again where joining fails."""
    revoking: Items = ()
    after: After = "join"
    """The items that the application gives up at the moment, and what follows."""
    asked: Token | None = None
    beat: Token | None = None
    overdue: bool = False
    """True if a heartbeat is to be sent as soon as the coordinator is known."""
    beat_of: tuple[int, str] = (-1, "")
    """Of which membership, generation and id, that heartbeat is."""
    commits: tuple[Pending, ...] = ()
    tokens: int = 0
    """How many requests it has sent."""
    waits: bool = False
    """True if it waits a while before it asks again."""
    attempts: int = 0
    """How often in a row it had to wait."""
    stalled: bool = False
    lease: Token | None = None
    """The heartbeat that the coordinator answered last, where the use is leased."""


MemberStep: TypeAlias = Step[Member, MemberEffect]


def create_member(use: Use, config: Config, subscription: Hashable, cluster: Hashable) -> Member:
    """Return a member that has not started; raises InputError where the use allows no static member."""
    if config.instance_id is not None and not use.static:
        raise InputError(
            f"instance_id: {config.instance_id!r} would let one member take another's place while that still works. "
            f"Leave it out for {use.protocol_type!r}"
        )
    return Member(use=use, config=config, subscription=subscription, cluster=cluster)
