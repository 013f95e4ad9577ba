"""The dialect of a client in a group of machines: its bytes as messages of the reference, and messages as the client writes them."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from kassay.model import Member
from kassay.protocol.server.api_messages import Api
from kassay.protocol.server.leader_session import (
    PayloadFormat,
    read_format,
    read_leniently,
    read_whole_assignment,
    write_metadata,
)
from kassay.protocol.server.message_codec import NO_LENGTH
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
    SyncGroup,
    SyncGroupResponse,
)
from kassay.reference.group.uses.consumer import Given, Metadata
from kassay.reference.wire.consumer import (
    NEWEST,
    NO_GENERATION,
    assignment_of,
    partitions_of,
    write_assignment,
)
from kassay.reference.wire.group import Protocol as Named
from kassay.reference.wire.schema import MalformedError


def read_metadata(data: bytes) -> Metadata:
    """Read a client's subscription; raises MalformedError."""
    version, sent = read_leniently(data)
    return Metadata(
        version,
        tuple(sent.topics),
        sent.user_data,
        tuple(partitions_of(sent.owned_partitions)),
        None if sent.generation_id <= NO_GENERATION else sent.generation_id,
        sent.rack_id,
    )


def read_state(data: bytes) -> Given:
    """Read an assignment that a client sends as a leader; raises MalformedError."""
    if not data:
        return Given(())
    sent = read_whole_assignment(data)
    return Given(tuple(partitions_of(sent.assigned_partitions)), sent.user_data)


class ClientDialect:
    """The form in which a client writes each of its protocols, and its own metadata, byte by byte."""

    def __init__(self) -> None:
        """Begin before its first request."""
        self._writing: dict[str, PayloadFormat] = {}
        self._own: dict[Metadata, bytes] = {}

    def read_request(
        self, before: Machine, request: Any, wrong: list[tuple[str, str]], *, alone: bool
    ) -> tuple[Machine, Any]:
        """Return the client after a request, and the request as a message; the invariants that it breaks are added to `wrong`.

        A client that was left `alone` may have given up all of its partitions.
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
                    wrong.append(_break(says_what_can_be_read, before, f"an assignment, {malformed}"))
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
                wrong.append(_break(says_what_can_be_read, before, f"a subscription, {malformed}"))
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
                _break(invariant, before, claimed)
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
        """Return a response with its metadata and states as bytes in the client's form."""
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
                assignment = assignment_of(response.state.partitions, response.state.user_data)
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


def _break(invariant: Callable[..., str | None], *about: Any) -> tuple[str, str]:
    return invariant.__name__, str(invariant(*about))


def record_response(before: Machine, response: Any, api: Api) -> Machine:
    """Return a client after a response, as far as the response changes it."""
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
