"""How a client and the members beside it understand each other: its bytes as the values of the reference's consumers, and theirs as it writes its own."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from kassay.model import Member, TopicPartition
from kassay.protocol.server.api_messages import Api
from kassay.protocol.server.leader_session import Writing, metadata_of, writing_of
from kassay.protocol.server.outside_invariants import (
    claims_what_it_was_given,
    keeps_what_it_may,
    says_what_can_be_read,
)
from kassay.protocol.simulation.step_invariants import OUT
from kassay.protocol.simulation.world import REBALANCE_MS, SESSION_MS
from kassay.reference.group.member.state import Member as Machine
from kassay.reference.group.messages import (
    UNREADABLE,
    Error,
    JoinGroup,
    JoinGroupResponse,
    Protocol,
    State,
    SyncGroup,
    SyncGroupResponse,
)
from kassay.reference.group.uses.consumer import Given, Metadata
from kassay.reference.wire.consumer import (
    ASSIGNMENT,
    NEWEST,
    NO_GENERATION,
    SUBSCRIPTION,
    assignment_of,
    partitions_of,
    read_subscription,
    write_assignment,
)
from kassay.reference.wire.group import Protocol as Named
from kassay.reference.wire.schema import MalformedError, read_version


def read_metadata(data: bytes) -> Metadata:
    """Read a client's subscription; raises MalformedError.

    Some clients write version 1 with the fields of version 0.
    """
    version = min(read_version(data), NEWEST)
    try:
        said = read_subscription(data)
    except MalformedError:
        version, said = 0, SUBSCRIPTION.read(data, 0, 2)
    return Metadata(
        version,
        tuple(said.topics),
        said.user_data,
        tuple(partitions_of(said.owned_partitions)),
        None if said.generation_id <= NO_GENERATION else said.generation_id,
        said.rack_id,
    )


def read_state(data: bytes) -> Given:
    """Read an assignment that a client gives as a leader; raises MalformedError."""
    if not data:
        return Given(())
    version = min(read_version(data), NEWEST)
    said = ASSIGNMENT.read_whole(data, version, 2)
    return Given(tuple(partitions_of(said.assigned_partitions)), said.user_data)


def write_metadata(value: object, writing: Writing, member_id: str, instance_id: str | None) -> bytes:
    """Write what a member says of itself as the client writes it."""
    if value == UNREADABLE or not isinstance(value, Metadata):
        return b"\0\1\xff\xff\xff\xff"
    member = Member(
        member_id, value.topics, value.claimed, value.generation, instance_id, value.rack, value.user_data
    )
    return metadata_of(member, writing)


def write_state(state: State, writing: Writing) -> bytes:
    """Write what a member is given as the client reads it."""
    if not isinstance(state, Given):
        return b""
    return write_assignment(assignment_of(state.partitions, state.user_data), min(writing.fields, NEWEST))


def claimed_by(protocols: tuple[Protocol, ...]) -> frozenset[TopicPartition]:
    """Return what a client claims to own when it joins."""
    return frozenset(
        item for one in protocols if isinstance(one.metadata, Metadata) for item in one.metadata.claimed
    )


class Speech:
    """What a client has said so far: how it writes for each of its protocols, and its own metadata, byte by byte."""

    def __init__(self) -> None:
        """Begin before it has said anything."""
        self._writing: dict[str, Writing] = {}
        self._own: dict[Metadata, bytes] = {}

    def asks(
        self, before: Machine, request: Any, wrong: list[tuple[str, str]], *, alone: bool
    ) -> tuple[Machine, Any]:
        """Return what the client is once it has asked something, and what it asks; what it breaks by that is added to `wrong`. One that was left `alone` may have given up all."""
        if isinstance(request, JoinGroup):
            return self._joins(before, request, wrong, alone=alone)
        if isinstance(request, SyncGroup):
            states = tuple((name, self._given(before, data, wrong)) for name, data in request.states)
            return before, replace(request, states=states)
        return before, request

    def _given(self, before: Machine, data: Any, wrong: list[tuple[str, str]]) -> Any:
        try:
            return read_state(data)
        except MalformedError as malformed:
            wrong.append(_of(says_what_can_be_read, before, f"an assignment, {malformed}"))
            return None

    def _joins(
        self, before: Machine, request: JoinGroup, wrong: list[tuple[str, str]], *, alone: bool
    ) -> tuple[Machine, JoinGroup]:
        protocols = []
        for one in request.protocols:
            data: Any = one.metadata
            try:
                metadata: Any = read_metadata(data)
                self._writing[one.name] = writing_of(Named(one.name, data))
                self._own[metadata] = data
            except MalformedError as malformed:
                wrong.append(_of(says_what_can_be_read, before, f"a subscription, {malformed}"))
                metadata = None
            protocols.append(Protocol(one.name, metadata))
        kept: tuple[Any, ...] = ()
        if before.use.cooperative:
            claimed = claimed_by(tuple(protocols))
            wrong += [
                _of(invariant, before, claimed)
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

    def written(self, response: Any, before: Machine) -> Any:
        """Write what is opaque in a response as the client reads it."""
        writing = (
            next(iter(self._writing.values()))
            if before.protocol is None
            else self._writing.get(before.protocol)
        )
        if isinstance(response, JoinGroupResponse) and response.members:
            writing = self._writing[response.protocol or ""]
            return replace(
                response,
                members=tuple(
                    replace(
                        one,
                        metadata=self._own.get(one.metadata)
                        if one.member_id == response.member_id and one.metadata in self._own
                        else write_metadata(one.metadata, writing, one.member_id, one.instance_id),
                    )
                    for one in response.members
                ),
            )
        if isinstance(response, SyncGroupResponse):
            assert writing is not None
            return replace(response, state=write_state(response.state, writing))
        return response


def _of(invariant: Callable[..., str | None], *about: Any) -> tuple[str, str]:
    return invariant.__name__, str(invariant(*about))


def told(before: Machine, response: Any, api: Api) -> Machine:
    """Return what a client is once it has heard this."""
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
    if api is Api.LEAVE_GROUP and error is Error.NONE:
        return replace(before, phase="Unjoined", owned=(), generation=-1, rejoins=True)
    if error in OUT and api is not Api.LEAVE_GROUP:
        return replace(before, phase="Unjoined", owned=(), generation=-1, rejoins=True)
    return replace(before, rejoins=True) if error is Error.REBALANCE_IN_PROGRESS else before
