"""The session of one client as the leader of one group after another, without sockets.

The client joins, becomes the leader, sends an assignment, and must join again. No other member exists: the JoinGroup response contains the
members of the tested group, in its order.
"""

import asyncio
import math
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from kio.schema.errors import ErrorCode

from kassay.errors import DiedError, InputError, SkippedError
from kassay.model import Assignment, AssignorError, Group, Member, Topic, TopicPartition
from kassay.protocol.server.api_messages import Api, Request, build_message, find_response_classes
from kassay.protocol.server.broker_responses import (
    AT_ONCE,
    list_asked_topics,
    refuse_offset_fetch,
    respond,
    show_groups,
)
from kassay.protocol.server.client_process import Reply
from kassay.protocol.server.rejoin_prompts import PromptChoice, RejoinPrompt
from kassay.reference.wire import consumer
from kassay.reference.wire.consumer import ASSIGNMENT, NEWEST, NO_GENERATION, SUBSCRIPTION, Subscription
from kassay.reference.wire.group import (
    JoinedMember,
    JoinGroupRequest,
    JoinGroupResponse,
    MemberState,
    Protocol,
    SyncGroupRequest,
    SyncGroupResponse,
)
from kassay.reference.wire.schema import MalformedError, read_version


@dataclass(frozen=True, slots=True)
class PayloadFormat:
    """The format of a client's subscription for one protocol; kassay writes the subscriptions of the other members in it."""

    protocol: str
    version: bytes
    """The version before the subscription."""
    fields: int
    """The version to which its fields belong."""
    user_data: bytes | None
    """The client's own user data."""


def read_leniently(data: bytes) -> tuple[int, Subscription]:
    """Return a client's subscription with the version to which its fields belong; raises MalformedError.

    Some clients write version 1 with the fields of version 0, and as leaders read nothing else (kafka-go 0.4.51, @platformatic/kafka 1.35.0).
    """
    version = min(read_version(data), NEWEST)
    try:
        return version, SUBSCRIPTION.read(data, version, 2)
    except MalformedError:
        return 0, SUBSCRIPTION.read(data, 0, 2)


def read_format(protocol: Protocol) -> PayloadFormat:
    """Return the format of a client's subscription; raises MalformedError if topics and user data are unreadable."""
    fields, own = read_leniently(protocol.metadata)
    return PayloadFormat(protocol.name, protocol.metadata[:2], fields, own.user_data)


def write_metadata(member: Member, writing: PayloadFormat) -> bytes:
    """Write a member's subscription in the client's format; raises InputError for fields that the version does not have.

    Without own user data, a member has the user data of Kafka's sticky assignors, or of the client if the protocol is another one.
    """
    user_data = member.user_data
    if user_data is None:
        generation = NO_GENERATION if member.generation is None else member.generation
        if writing.protocol == "cooperative-sticky":
            user_data = consumer.write_cooperative(generation)
        elif writing.protocol != "sticky":
            user_data = writing.user_data
        elif member.owned or member.generation is not None:
            user_data = consumer.write_sticky(consumer.build_previous_assignment(member.owned, generation))
    return writing.version + SUBSCRIPTION.write(
        consumer.build_subscription(member, user_data), writing.fields
    )


def write_members(group: Group, writing: PayloadFormat) -> tuple[JoinedMember, ...]:
    """Return the members for the JoinGroup response, the leader first; raises SkippedError for members that cannot exist."""
    if not group.members:
        raise SkippedError("a group without members has no leader")
    members = []
    for member in group.members:
        if not member.id:
            raise SkippedError("a member without an id has not joined")
        try:
            metadata = write_metadata(member, writing)
        except InputError as wrong:
            raise SkippedError(f"member {member.id!r} cannot say its {wrong}") from None
        members.append(JoinedMember(member.id, member.instance_id, metadata))
    return tuple(members)


def read_whole_assignment(data: bytes) -> consumer.Assignment:
    """Read an assignment without further bytes; raises MalformedError."""
    return ASSIGNMENT.read_whole(data, min(read_version(data), NEWEST), 2)


def read_states(states: Iterable[MemberState]) -> Assignment:
    """Return the assignment in a leader's SyncGroup; no bytes are an empty assignment, as in Kafka.

    Raises AssignorError if bytes are not an assignment, or a member has two.
    """
    given: dict[str, list[TopicPartition]] = {}
    for state in states:
        if state.member_id in given:
            raise AssignorError(f"its SyncGroup gives member {state.member_id!r} two assignments")
        given[state.member_id] = []
        if state.assignment:
            try:
                assigned = read_whole_assignment(state.assignment).assigned_partitions
            except MalformedError as wrong:
                raise AssignorError(
                    f"its assignment of member {state.member_id!r} cannot be read: {wrong}"
                ) from None
            given[state.member_id] = consumer.list_partitions(assigned)
    return given


MOST_JOINS = 5
"""The most joins of a client for one group before it sends an assignment."""
WAIT_S = 0.5
"""The longest wait of a request for its response."""
_AGAIN = SyncGroupResponse(error_code=ErrorCode.rebalance_in_progress)
_OLD = SyncGroupResponse(error_code=ErrorCode.illegal_generation)


class GoneError(Exception):
    """The client cannot lead any more, but the group is not the reason; it has to be started again."""


@dataclass(frozen=True, slots=True)
class Joined:
    """The client has asked to join, and waits."""

    request: JoinGroupRequest
    reply: Reply


@dataclass(frozen=True, slots=True)
class Synced:
    """The client has sent an assignment, and waits."""

    request: SyncGroupRequest
    reply: Reply


@dataclass(frozen=True, slots=True)
class Left:
    """The client has left the group."""


@dataclass(frozen=True, slots=True)
class ClientClosed:
    """The client cannot lead any more: it has ended, or sent unreadable bytes."""

    why: str


class LeaderSession:
    """The session with one client, as its coordinator sees it."""

    def __init__(self, topics: tuple[str, ...], prompts: PromptChoice) -> None:
        """Begin it; the client subscribes to these topics."""
        self.topics, self.address = topics, ("", 0)
        self._prompts = prompts
        self._prompted: float | None = None
        self.heard = asyncio.Event()
        """Set when the client has received the announced topics."""
        self.last_words: Callable[[], str] = str
        """Returns the last line of the client's output, as a clause."""
        self._generation = 0
        self._is_between = False
        self._asking: list[tuple[Request, Reply]] = []
        self._parked: Joined | None = None
        self._events: asyncio.Queue[Joined | Synced | Left | ClientClosed] = asyncio.Queue()
        self._cluster = show_groups(
            [Group(tuple(Topic(name, 1) for name in topics), (Member("m", topics),))], ()
        )

    def take(self, request: Request, reply: Reply) -> None:
        """Take a request, and respond now or later."""
        match request.api:
            case Api.JOIN_GROUP:
                if self._prompted is not None:
                    self._prompts.note_wait(time.monotonic() - self._prompted)
                    self._prompted = None
                self._events.put_nowait(Joined(request.body, reply))
            case Api.SYNC_GROUP:
                self._events.put_nowait(Synced(request.body, reply))
            case Api.HEARTBEAT:
                error = ErrorCode.rebalance_in_progress
                reply.send(
                    build_message(
                        find_response_classes(request).HeartbeatResponse,
                        throttle_time=AT_ONCE,
                        error_code=error,
                    )
                )
            case Api.LEAVE_GROUP:
                kind = find_response_classes(request).LeaveGroupResponse
                reply.send(build_message(kind, throttle_time=AT_ONCE, error_code=ErrorCode.none, members=()))
                self._events.put_nowait(Left())
            case Api.FETCH:
                wait = min(max(request.body.max_wait.total_seconds(), 0), WAIT_S)
                value = respond(request, self._cluster, self.address)
                asyncio.get_running_loop().call_later(wait, reply.send, value)
            case Api.METADATA:
                self._asking.append((request, reply))
                # Between two groups the response waits, so that the client gets no outdated topics of the last group.
                if not self._is_between:
                    self._tell_topics()
                else:
                    asyncio.get_running_loop().call_later(WAIT_S, self._tell_topics)
            case Api.OFFSET_FETCH if self._prompts.prompt is RejoinPrompt.LATER:
                reply.send(refuse_offset_fetch(request))
            case _:
                reply.send(respond(request, self._cluster, self.address))

    def _tell_topics(self) -> None:
        """Send the responses to all requests for Metadata that wait."""
        waiting, self._asking = self._asking, []
        for request, reply in waiting:
            asked = list_asked_topics(request)
            reply.send(respond(request, self._cluster, self.address))
            if asked is None or asked & self._cluster.replicas.keys():
                self.heard.set()

    def note_end(self, why: str) -> None:
        """Note that the client cannot lead any more; if the last prompt ended it, that one is not chosen again."""
        if self._prompted is not None:
            self._prompts.note_wait(math.inf)
        self._events.put_nowait(ClientClosed(why))

    def show(self, groups: Iterable[Group], *, whole: bool = False) -> None:
        """Announce the topics of these groups; if `whole`, every Metadata response has all of them."""
        self._cluster = show_groups(groups, self.topics, whole=whole)
        self.heard.clear()

    async def wait_for_metadata(self, seconds: float) -> bool:
        """Wait until the client has received the announced topics; return False if that takes too long."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.heard.wait(), seconds)
        return self.heard.is_set()

    async def join(self) -> Joined:
        """Wait until the client asks to join; raises GoneError if it cannot lead any more."""
        self._is_between = False
        self._tell_topics()
        while self._parked is None or not self._parked.reply.is_open():
            match await self._events.get():
                case Joined() as joined:
                    self._parked = joined
                case Synced(_, reply):
                    reply.send(_AGAIN)
                case ClientClosed(why):
                    raise GoneError(why)
        return self._parked

    def _build_prompt(self, request: SyncGroupRequest, given: Assignment) -> SyncGroupResponse:
        """Return the response to an assignment, after which the client has to join again."""
        first = next((partition for some in given.values() for partition in some), None)
        if self._prompts.prompt is RejoinPrompt.UNKNOWN:
            return SyncGroupResponse(error_code=ErrorCode.unknown_member_id)
        if self._prompts.prompt is RejoinPrompt.REBALANCE or first is None:
            return _AGAIN
        return SyncGroupResponse(
            protocol_type=request.protocol_type,
            protocol_name=request.protocol_name,
            assignment=consumer.write_assignment(consumer.build_assignment([first])),
        )

    async def lead(self, members: tuple[JoinedMember, ...], protocol: str) -> Assignment:
        """Make the client the leader of a group, as the first of these members, and return the assignment that it sends.

        Raises AssignorError if that cannot be read or the client only joins, DiedError if it ends, and GoneError as `join` does.
        """
        for _ in range(MOST_JOINS):
            join = await self.join()
            self._generation += 1
            self._parked = None
            leader = members[0].member_id
            join.reply.send(
                JoinGroupResponse(
                    generation_id=self._generation,
                    protocol_type=join.request.protocol_type,
                    protocol_name=protocol,
                    leader=leader,
                    member_id=leader,
                    members=members,
                )
            )
            while isinstance(event := await self._events.get(), Synced):
                if event.request.generation_id == self._generation:
                    break
                event.reply.send(_OLD)  # a late assignment of an older generation
            match event:
                case Joined() as joined:
                    self._parked = joined
                case Synced(request, reply):
                    self._is_between, self._prompted = True, time.monotonic()
                    given: Assignment = {}
                    try:
                        given = read_states(request.assignments)
                    finally:
                        reply.send(self._build_prompt(request, given))
                    return given
                case ClientClosed(why):
                    raise DiedError(why)
        raise AssignorError(
            f"it joined or left {MOST_JOINS} times, and said no assignment{self.last_words()}"
        )
