"""What members and coordinators of the reference say, as requests and responses of Kafka's protocol, and back.

Metadata and states are opaque to a coordinator: the bytes that were sent must come back, and are known by what was written. Members' ids are given
short names in the order in which they appear, such as m0-3, so that people can follow a run and invariants tell static members by their instance id.
"""

from collections.abc import Callable, Hashable
from datetime import timedelta
from typing import Any

from kassay.protocol.server.api_messages import Api, made
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
    Request,
    Response,
    SyncGroup,
    SyncGroupResponse,
)
from kassay.reference.group.uses.consumer import Given, Metadata
from kassay.reference.wire import group as wire
from kassay.reference.wire.consumer import (
    NO_GENERATION,
    Subscription,
    assignment_of,
    by_topic,
    write_assignment,
    write_subscription,
)
from kassay.reference.wire.schema import MalformedError

_FOR_EVER = timedelta(milliseconds=-1)
"""How long offsets are kept that are committed in an old version: as the broker likes."""
METADATA, STATE = "metadata", "a state"
NO_LENGTH = b"\0\1\xff\xff\xff\xff"
"""Metadata that nobody can read: the list of topics has a length below none."""


class Names:
    """Short names of members' ids, and the bytes of metadata and states, in both directions."""

    def __init__(self, partitions: int) -> None:
        """Begin with none; offsets are committed in a topic of so many partitions."""
        self._partitions = partitions
        self._owners: dict[str, None] = {}
        self._short: dict[str, str] = {"": ""}
        self._long: dict[str, str] = {"": ""}
        self._written: dict[str, dict[bytes, Hashable]] = {METADATA: {}, STATE: {b"": None}}
        self._numbers: dict[Hashable, int] = {}

    def short(self, member_id: str, owner: str | None = None) -> str:
        """Return the short name of an id, which is given to `owner`, a client or an instance, where it is new; else to whom it is by its beginning."""
        if member_id not in self._short:
            owner = owner or next((one for one in self._owners if member_id.startswith(f"{one}-")), "member")
            name = f"{owner}-{len(self._short) - 1}"
            self._short[member_id], self._long[name] = name, member_id
        return self._short[member_id]

    def call(self, member_id: str, name: str) -> None:
        """Give an id a name that it is to have, where it has none and nobody else has that."""
        if member_id not in self._short and name not in self._long:
            self._short[member_id], self._long[name] = name, member_id

    def ids(self) -> set[str]:
        """Return the ids that have names."""
        return {*self._short} - {""}

    def asks(self, owner: str) -> None:
        """Note that a client or an instance asks for an id."""
        self._owners[owner] = None

    def long(self, name: str) -> str:
        """Return the id of a short name; a name that is none stays as it is."""
        return self._long.get(name, name)

    def write(self, value: Hashable, of: str) -> bytes:
        """Write metadata or a state, which `of` says: as consumers do where it is one's, else any bytes that are its own."""
        if type(value) is Metadata:
            sent = Subscription(
                value.topics,
                value.user_data,
                by_topic(value.claimed),
                NO_GENERATION if value.generation is None else value.generation,
                value.rack,
            )
            data = write_subscription(sent, value.version)
        elif type(value) is Given:
            data = write_assignment(assignment_of(value.partitions, value.user_data))
        elif value is None:
            data = b""
        elif value == UNREADABLE:
            data = NO_LENGTH
        else:
            data = b"kassay %d" % self.number(value)
        self._written[of][data] = value
        return data

    def read(self, data: bytes, of: str) -> Hashable:
        """Return what was written as these bytes; raises MalformedError where nothing was."""
        try:
            return self._written[of][bytes(data)]
        except KeyError:
            raise MalformedError(f"{data[:40]!r} was sent by nobody as {of}", 0) from None

    def number(self, value: Hashable) -> int:
        """Return a number of its own for a value."""
        return self._numbers.setdefault(value, len(self._numbers))

    def partition(self, item: Hashable) -> int:
        """Return the partition in which the offset of an item is committed."""
        return self.number(item) % self._partitions


def asked(request: Request, group: str, names: Names) -> tuple[Api, Callable[[Any, int], Any]]:
    """Return which request of Kafka's one of the reference is, and what makes its body."""
    return _ASKED[type(request)](request, group, names)


def answered(request: Request, value: Any, names: Names) -> Response:
    """Return the response of the reference to a request; raises MalformedError for an error or bytes that no coordinator answers."""
    response: Response = _ANSWERED[type(request)](request, value, names)
    return response


def error_of(code: int) -> Error:
    """Return an error of a coordinator; raises MalformedError for another."""
    try:
        return Error(int(code))
    except ValueError:
        raise MalformedError(f"it answers by error {int(code)}, which is none of a group's", 0) from None


def _join(request: JoinGroup, group: str, names: Names) -> tuple[Api, Callable[[Any, int], Any]]:
    names.asks(request.instance_id or request.client_id)
    said = wire.JoinGroupRequest(
        group,
        request.session_timeout_ms,
        request.rebalance_timeout_ms,
        names.long(request.member_id),
        request.instance_id,
        request.protocol_type,
        tuple(wire.Protocol(one.name, names.write(one.metadata, METADATA)) for one in request.protocols),
        "",
    )
    return Api.JOIN_GROUP, lambda _kinds, _version: said


def _joined(request: JoinGroup, value: wire.JoinGroupResponse, names: Names) -> JoinGroupResponse:
    error = error_of(value.error_code)
    own = names.short(value.member_id, request.instance_id or request.client_id)
    if error is not Error.NONE:
        return JoinGroupResponse(error=error, member_id=own)
    for listed in zip(*((one.member_id, one.group_instance_id) for one in value.members), strict=True):
        twice = {one for one in listed if one is not None and listed.count(one) > 1}
        if twice:
            raise MalformedError(f"it lists {min(twice)} twice", 0)
    members = tuple(
        JoinedMember(
            names.short(one.member_id, one.group_instance_id),
            one.group_instance_id,
            names.read(one.metadata, METADATA),
        )
        for one in value.members
    )
    return JoinGroupResponse(
        generation=value.generation_id,
        protocol_type=value.protocol_type,
        protocol=value.protocol_name,
        leader=names.short(value.leader),
        member_id=own,
        members=members,
        skip_assignment=value.skip_assignment,
    )


def _sync(request: SyncGroup, group: str, names: Names) -> tuple[Api, Callable[[Any, int], Any]]:
    said = wire.SyncGroupRequest(
        group,
        request.generation,
        names.long(request.member_id),
        request.instance_id,
        request.protocol_type,
        request.protocol,
        tuple(
            wire.MemberState(names.long(name), names.write(state, STATE)) for name, state in request.states
        ),
    )
    return Api.SYNC_GROUP, lambda _kinds, _version: said


def _synced(_: SyncGroup, value: wire.SyncGroupResponse, names: Names) -> SyncGroupResponse:
    error = error_of(value.error_code)
    state = names.read(value.assignment, STATE) if error is Error.NONE else None
    return SyncGroupResponse(
        error=error, protocol_type=value.protocol_type, protocol=value.protocol_name, state=state
    )


def _beat(request: Heartbeat, group: str, names: Names) -> tuple[Api, Callable[[Any, int], Any]]:
    return Api.HEARTBEAT, lambda kinds, _: made(
        kinds.HeartbeatRequest,
        group_id=group,
        generation_id=request.generation,
        member_id=names.long(request.member_id),
        group_instance_id=request.instance_id,
    )


def _leave(request: LeaveGroup, group: str, names: Names) -> tuple[Api, Callable[[Any, int], Any]]:
    def said(kinds: Any, version: int) -> Any:
        if version < 3:
            return made(
                kinds.LeaveGroupRequest,
                group_id=group,
                member_id=names.long(request.members[0].member_id),
            )
        members = tuple(
            made(
                kinds.MemberIdentity,
                member_id=names.long(one.member_id),
                group_instance_id=one.instance_id,
                reason=None,
            )
            for one in request.members
        )
        return made(kinds.LeaveGroupRequest, group_id=group, members=members)

    return Api.LEAVE_GROUP, said


def _left(_request: LeaveGroup, value: Any, names: Names) -> LeaveGroupResponse:
    members = tuple(
        (
            LeavingMember(names.short(one.member_id), one.group_instance_id),
            error_of(one.error_code),
        )
        for one in getattr(value, "members", ())
    )
    return LeaveGroupResponse(error=error_of(value.error_code), members=members)


def _commit(request: OffsetCommit, group: str, names: Names) -> tuple[Api, Callable[[Any, int], Any]]:
    numbers = sorted({names.partition(item) for item in request.items})

    def said(kinds: Any, _: int) -> Any:
        partitions = tuple(
            made(
                kinds.OffsetCommitRequestPartition,
                partition_index=number,
                committed_offset=1,
                committed_leader_epoch=-1,
                committed_metadata="",
            )
            for number in numbers
        )
        return made(
            kinds.OffsetCommitRequest,
            group_id=group,
            generation_id_or_member_epoch=request.generation,
            member_id=names.long(request.member_id),
            group_instance_id=request.instance_id,
            retention_time=_FOR_EVER,
            topics=(
                made(kinds.OffsetCommitRequestTopic, name=group.rpartition("-")[0], partitions=partitions),
            ),
        )

    return Api.OFFSET_COMMIT, said


def _committed(_: OffsetCommit, value: Any, _names: Names) -> OffsetCommitResponse:
    errors = {error_of(one.error_code) for topic in value.topics for one in topic.partitions}
    if len(errors) != 1:
        raise MalformedError(f"it answers the partitions of one commit by {len(errors)} errors", 0)
    return OffsetCommitResponse(error=errors.pop())


_ASKED: dict[type, Callable[..., tuple[Api, Callable[[Any, int], Any]]]] = {
    JoinGroup: _join,
    SyncGroup: _sync,
    Heartbeat: _beat,
    LeaveGroup: _leave,
    OffsetCommit: _commit,
}
_ANSWERED: dict[type, Callable[..., Any]] = {
    JoinGroup: _joined,
    SyncGroup: _synced,
    Heartbeat: lambda _request, value, _names: HeartbeatResponse(error=error_of(value.error_code)),
    LeaveGroup: _left,
    OffsetCommit: _committed,
}
