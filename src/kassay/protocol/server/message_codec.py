"""Messages of the reference's members as requests of Kafka's protocol, and back; and the format of a client's metadata and states.

Metadata and states are opaque to a coordinator: the sent bytes must come back, and are looked up among the written ones. Member ids get short
names in order of appearance, such as m0-3, so that people can follow a run, and invariants identify static members by their instance id.
"""

from collections.abc import Callable, Hashable
from datetime import timedelta
from functools import partial
from typing import Any, TypeAlias

from msgspec.structs import replace

from kassay.model import Member
from kassay.protocol.server.api_messages import Api, build_message
from kassay.protocol.server.leader_session import (
    PayloadFormat,
    read_format,
    read_leniently,
    read_whole_assignment,
    write_metadata,
)
from kassay.protocol.server.outside_invariants import (
    claims_what_it_was_given,
    keeps_what_it_may,
    says_what_can_be_read,
)
from kassay.protocol.simulation.invariants.steps import OUT
from kassay.protocol.simulation.world import REBALANCE_MS, SESSION_MS
from kassay.reference.group.member.state import Member as Machine
from kassay.reference.group.messages import (
    UNREADABLE,
    Error,
    Heartbeat,
    HeartbeatResponse,
    JoinedMember,
    JoinGroup,
    JoinGroupResponse,
    LeaveGroup,
    LeaveGroupResponse,
    LeavingMember,
    OffsetCommit,
    OffsetCommitResponse,
    Protocol,
    Request,
    Response,
    SyncGroup,
    SyncGroupResponse,
)
from kassay.reference.group.uses.consumer import Given, Metadata
from kassay.reference.wire import group as wire
from kassay.reference.wire.consumer import (
    NEWEST,
    NO_GENERATION,
    Subscription,
    build_assignment,
    group_by_topic,
    list_partitions,
    write_assignment,
    write_subscription,
)
from kassay.reference.wire.group import Protocol as Named
from kassay.reference.wire.schema import MalformedError

_DEFAULT_RETENTION = timedelta(milliseconds=-1)
"""The retention of offsets that are committed in an old version: the default of the broker."""
METADATA, STATE = "metadata", "a state"
NO_LENGTH = b"\0\1\xff\xff\xff\xff"
"""Unreadable metadata: the length of the list of topics is below 0."""
Body: TypeAlias = Callable[[Any, int], Any]
"""Makes the body of a request from kio's classes and the version."""


class Names:
    """Short names of member ids, and the bytes of metadata and states, in both directions."""

    def __init__(self, partitions: int) -> None:
        """Begin without names; offsets are committed in a topic with this number of partitions."""
        self._partitions = partitions
        self._owners: dict[str, None] = {}
        self._short: dict[str, str] = {"": ""}
        self._long: dict[str, str] = {"": ""}
        self._written: dict[str, dict[bytes, Hashable]] = {METADATA: {}, STATE: {b"": None}}
        self._numbers: dict[Hashable, int] = {}

    def shorten(self, member_id: str, owner: str | None = None) -> str:
        """Return the short name of an id; a new id gets the name of its client or instance (`owner`), by default the one in its prefix."""
        if member_id not in self._short:
            owner = owner or next((one for one in self._owners if member_id.startswith(f"{one}-")), "member")
            name = f"{owner}-{len(self._short) - 1}"
            self._short[member_id], self._long[name] = name, member_id
        return self._short[member_id]

    def call(self, member_id: str, name: str) -> None:
        """Give an id a name, unless it has one or the name is taken."""
        if member_id not in self._short and name not in self._long:
            self._short[member_id], self._long[name] = name, member_id

    def ids(self) -> set[str]:
        """Return the ids that have names."""
        return {*self._short} - {""}

    def find_id(self, name: str) -> str:
        """Return the id of a short name; other names stay as they are."""
        return self._long.get(name, name)

    def note_owner(self, owner: str) -> None:
        """Note that a client or an instance requests an id."""
        self._owners[owner] = None

    def write(self, value: Hashable, of: str) -> bytes:
        """Return metadata or a state (`of`) as bytes: in the consumer protocol for consumers, else as unique bytes."""
        if type(value) is Metadata:
            generation = NO_GENERATION if value.generation is None else value.generation
            sent = Subscription(
                value.topics, value.user_data, group_by_topic(value.claimed), generation, value.rack
            )
            data = write_subscription(sent, value.version)
        elif type(value) is Given:
            data = write_assignment(build_assignment(value.partitions, value.user_data))
        elif value is None:
            data = b""
        elif value == UNREADABLE:
            data = NO_LENGTH
        else:
            data = b"kassay %d" % self.number(value)
        self._written[of][data] = value
        return data

    def read(self, data: bytes, of: str) -> Hashable:
        """Return the value that was written as these bytes; raises MalformedError if no value was."""
        try:
            return self._written[of][bytes(data)]
        except KeyError:
            raise MalformedError(f"{data[:40]!r} is not {of} that a member sent", 0) from None

    def number(self, value: Hashable) -> int:
        """Return the unique number of a value."""
        return self._numbers.setdefault(value, len(self._numbers))

    def partition(self, item: Hashable) -> int:
        """Return the partition in which the offset of an item is committed."""
        return self.number(item) % self._partitions


def encode_request(request: Request, group: str, names: Names) -> tuple[Api, Body]:
    """Return the request of Kafka's protocol for a message, and a function that makes its body."""
    match request:
        case JoinGroup():
            names.note_owner(request.instance_id or request.client_id)
            join = wire.JoinGroupRequest(
                group,
                request.session_timeout_ms,
                request.rebalance_timeout_ms,
                names.find_id(request.member_id),
                request.instance_id,
                request.protocol_type,
                tuple(
                    wire.Protocol(one.name, names.write(one.metadata, METADATA)) for one in request.protocols
                ),
                "",
            )
            return Api.JOIN_GROUP, lambda _kinds, _version: join
        case SyncGroup():
            sync = wire.SyncGroupRequest(
                group,
                request.generation,
                names.find_id(request.member_id),
                request.instance_id,
                request.protocol_type,
                request.protocol,
                tuple(
                    wire.MemberState(names.find_id(name), names.write(state, STATE))
                    for name, state in request.states
                ),
            )
            return Api.SYNC_GROUP, lambda _kinds, _version: sync
        case Heartbeat():
            return Api.HEARTBEAT, lambda kinds, _: build_message(
                kinds.HeartbeatRequest,
                group_id=group,
                generation_id=request.generation,
                member_id=names.find_id(request.member_id),
                group_instance_id=request.instance_id,
            )
        case LeaveGroup():
            return Api.LEAVE_GROUP, partial(_encode_leave, request, group, names)
    assert isinstance(request, OffsetCommit)
    return Api.OFFSET_COMMIT, _encode_commit(request, group, names)


def decode_response(request: Request, value: Any, names: Names) -> Response:
    """Return the message for a response to a request; raises MalformedError for errors and bytes that are invalid."""
    match request:
        case JoinGroup():
            return _decode_join(request, value, names)
        case OffsetCommit():
            errors = {read_error(one.error_code) for topic in value.topics for one in topic.partitions}
            if len(errors) != 1:
                raise MalformedError(f"it answers the partitions of one commit by {len(errors)} errors", 0)
            return OffsetCommitResponse(error=errors.pop())
        case SyncGroup():
            error = read_error(value.error_code)
            state = names.read(value.assignment, STATE) if error is Error.NONE else None
            return SyncGroupResponse(
                error=error, protocol_type=value.protocol_type, protocol=value.protocol_name, state=state
            )
        case LeaveGroup():
            members = tuple(
                (
                    LeavingMember(names.shorten(one.member_id), one.group_instance_id),
                    read_error(one.error_code),
                )
                for one in getattr(value, "members", ())
            )
            return LeaveGroupResponse(error=read_error(value.error_code), members=members)
    return HeartbeatResponse(error=read_error(value.error_code))


def read_error(code: int) -> Error:
    """Return an error of a coordinator; raises MalformedError for any other error."""
    try:
        return Error(int(code))
    except ValueError:
        raise MalformedError(f"it answers by error {int(code)}, which is not an error of groups", 0) from None


def _decode_join(request: JoinGroup, value: wire.JoinGroupResponse, names: Names) -> JoinGroupResponse:
    error = read_error(value.error_code)
    own = names.shorten(value.member_id, request.instance_id or request.client_id)
    if error is not Error.NONE:
        return JoinGroupResponse(error=error, member_id=own)
    for listed in zip(*((one.member_id, one.group_instance_id) for one in value.members), strict=True):
        twice = {one for one in listed if one is not None and listed.count(one) > 1}
        if twice:
            raise MalformedError(f"it lists {min(twice)} twice", 0)
    members = tuple(
        JoinedMember(
            names.shorten(one.member_id, one.group_instance_id),
            one.group_instance_id,
            names.read(one.metadata, METADATA),
        )
        for one in value.members
    )
    return JoinGroupResponse(
        generation=value.generation_id,
        protocol_type=value.protocol_type,
        protocol=value.protocol_name,
        leader=names.shorten(value.leader),
        member_id=own,
        members=members,
        skip_assignment=value.skip_assignment,
    )


def _encode_leave(request: LeaveGroup, group: str, names: Names, kinds: Any, version: int) -> Any:
    ids = [names.find_id(one.member_id) for one in request.members]
    if version < 3:
        return build_message(kinds.LeaveGroupRequest, group_id=group, member_id=ids[0])
    members = tuple(
        build_message(kinds.MemberIdentity, member_id=id_, group_instance_id=one.instance_id, reason=None)
        for id_, one in zip(ids, request.members, strict=True)
    )
    return build_message(kinds.LeaveGroupRequest, group_id=group, members=members)


def _encode_commit(request: OffsetCommit, group: str, names: Names) -> Body:
    numbers = sorted({names.partition(item) for item in request.items})

    def body(kinds: Any, _: int) -> Any:
        partitions = tuple(
            build_message(
                kinds.OffsetCommitRequestPartition,
                partition_index=number,
                committed_offset=1,
                committed_leader_epoch=-1,
                committed_metadata="",
            )
            for number in numbers
        )
        topic = group.rpartition("-")[0]  # its name is the prefix
        return build_message(
            kinds.OffsetCommitRequest,
            group_id=group,
            generation_id_or_member_epoch=request.generation,
            member_id=names.find_id(request.member_id),
            group_instance_id=request.instance_id,
            retention_time=_DEFAULT_RETENTION,
            topics=(build_message(kinds.OffsetCommitRequestTopic, name=topic, partitions=partitions),),
        )

    return body


def read_metadata(data: bytes) -> Metadata:
    """Read a client's subscription; raises MalformedError."""
    version, sent = read_leniently(data)
    return Metadata(
        version,
        tuple(sent.topics),
        sent.user_data,
        tuple(list_partitions(sent.owned_partitions)),
        None if sent.generation_id <= NO_GENERATION else sent.generation_id,
        sent.rack_id,
    )


def read_state(data: bytes) -> Given:
    """Read an assignment that a client sends as a leader; raises MalformedError."""
    if not data:
        return Given(())
    sent = read_whole_assignment(data)
    return Given(tuple(list_partitions(sent.assigned_partitions)), sent.user_data)


class ClientDialect:
    """The format in which a client writes each of its protocols, and the exact bytes of its own metadata."""

    def __init__(self) -> None:
        """Begin before its first request."""
        self._writing: dict[str, PayloadFormat] = {}
        self._own: dict[Metadata, bytes] = {}

    def read_request(
        self, before: Machine, request: Any, wrong: list[tuple[str, str]], *, alone: bool
    ) -> tuple[Machine, Any]:
        """Return the client after a request, and the request as a message; the broken invariants are added to `wrong`.

        A client without responses for a whole session (`alone`) may have dropped all of its partitions.
        """
        if isinstance(request, JoinGroup):
            return self._join(before, request, wrong, alone=alone)
        if isinstance(request, SyncGroup):
            states = []
            for name, sent in request.states:
                data: Any = sent
                state: Any = None
                try:
                    state = read_state(data)
                except MalformedError as malformed:
                    wrong.append(_make_breach(says_what_can_be_read, before, f"an assignment, {malformed}"))
                states.append((name, state))
            return before, replace(request, states=tuple(states))
        return before, request

    def _join(
        self, before: Machine, request: JoinGroup, wrong: list[tuple[str, str]], *, alone: bool
    ) -> tuple[Machine, JoinGroup]:
        protocols = []
        for one in request.protocols:
            data: Any = one.metadata
            metadata: Any = None
            try:
                metadata = read_metadata(data)
                self._writing[one.name] = read_format(Named(one.name, data))
                self._own[metadata] = data
            except MalformedError as malformed:
                wrong.append(_make_breach(says_what_can_be_read, before, f"a subscription, {malformed}"))
            protocols.append(Protocol(one.name, metadata))
        kept: tuple[Any, ...] = ()
        if before.use.cooperative:
            claimed = frozenset(
                item
                for one in protocols
                if isinstance(one.metadata, Metadata)
                for item in one.metadata.claimed
            )
            wrong += [
                _make_breach(invariant, before, claimed)
                for invariant in (claims_what_it_was_given, keeps_what_it_may)
                if invariant(before, claimed) is not None and not (alone and invariant is keeps_what_it_may)
            ]
            kept = tuple(item for item in before.owned if item in claimed)
        after = replace(
            before, phase="Joining", owned=kept, rejoins=False, supports=tuple(one.name for one in protocols)
        )
        joins = replace(
            request,
            client_id=before.config.client_id,
            instance_id=before.config.instance_id,
            session_timeout_ms=SESSION_MS,
            rebalance_timeout_ms=REBALANCE_MS,
            protocols=tuple(protocols),
        )
        return after, joins

    def write_response(self, response: Any, before: Machine) -> Any:
        """Return a response with its metadata and states as bytes in the client's format."""
        if isinstance(response, JoinGroupResponse) and response.members:
            members = tuple(
                replace(one, metadata=self._write_metadata(one, response)) for one in response.members
            )
            return replace(response, members=members)
        if isinstance(response, SyncGroupResponse):
            state = b""
            if isinstance(response.state, Given):
                first = next(iter(self._writing.values()))
                writing = first if before.protocol is None else self._writing[before.protocol]
                assignment = build_assignment(response.state.partitions, response.state.user_data)
                state = write_assignment(assignment, min(writing.fields, NEWEST))
            return replace(response, state=state)
        return response

    def _write_metadata(self, one: Any, response: JoinGroupResponse) -> bytes:
        value = one.metadata
        if one.member_id == response.member_id and value in self._own:
            return self._own[value]
        if value == UNREADABLE or not isinstance(value, Metadata):
            return NO_LENGTH
        member = Member(
            one.member_id, value.topics, value.claimed, value.generation, one.instance_id, value.rack, value.user_data
        )  # fmt: skip
        return write_metadata(member, self._writing[response.protocol or ""])


def _make_breach(invariant: Callable[..., str | None], *about: Any) -> tuple[str, str]:
    return invariant.__name__, str(invariant(*about))


def record_response(before: Machine, response: Any, api: Api) -> Machine:
    """Return a client after a response."""
    error = response.error
    match response:
        case JoinGroupResponse() if error is Error.NONE:
            return replace(
                before,
                phase="Syncing",
                generation=response.generation,
                member_id=response.member_id,
                protocol=response.protocol,
                is_leader=response.leader == response.member_id,
                rejoins=False,
            )
        case JoinGroupResponse() if error is Error.MEMBER_ID_REQUIRED:
            return replace(before, member_id=response.member_id, rejoins=True)
        case SyncGroupResponse() if error is Error.NONE:
            items = before.use.items(response.state)
            gives_up = before.use.cooperative and any(item not in items for item in before.owned)
            return replace(
                before,
                phase="Stable",
                owned=items,
                had=items,
                had_in=before.generation,
                state=response.state,
                rejoins=gives_up or before.rejoins,
            )
    if error is Error.NONE if api is Api.LEAVE_GROUP else error in OUT:
        return replace(before, phase="Unjoined", owned=(), generation=-1, rejoins=True)
    return replace(before, rejoins=True) if error is Error.REBALANCE_IN_PROGRESS else before
