"""What the client, as leader, is told of the members of a group, and what it then says: bytes here, members and assignments there."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from kassay.errors import InputError, SkippedError
from kassay.model import Assignment, AssignorError, Group, Member, TopicPartition
from kassay.reference.wire.consumer import (
    ASSIGNMENT,
    NEWEST,
    NO_GENERATION,
    SUBSCRIPTION,
    partitions_of,
    previous_assignment_of,
    read_subscription,
    subscription_of,
    write_cooperative,
    write_sticky,
)
from kassay.reference.wire.group import JoinedMember, MemberState, Protocol
from kassay.reference.wire.kinds import MalformedError
from kassay.reference.wire.messages import read_version


@dataclass(frozen=True, slots=True)
class Writing:
    """How a client writes its subscription for a protocol, as the members of its group then do.

    `version` stands before it, `fields` is the version whose fields it has; `user_data` are its own.
    """

    protocol: str
    version: bytes
    fields: int
    user_data: bytes | None


def writing_of(protocol: Protocol) -> Writing:
    """Read how a client writes; raises MalformedError where not even topics and user data can be read.

    Some clients write version 1 with the fields of version 0, and as leaders read no others (kafka-go 0.4.51, @platformatic/kafka 1.35.0).
    """
    written = protocol.metadata
    fields = min(read_version(written), NEWEST)
    try:
        own = read_subscription(written)
    except MalformedError:
        fields, own = 0, SUBSCRIPTION.read(written, 0, 2)
    return Writing(protocol.name, written[:2], fields, own.user_data)


def _sticky(member: Member) -> bytes | None:
    if not member.owned and member.generation is None:
        return None
    generation = NO_GENERATION if member.generation is None else member.generation
    return write_sticky(previous_assignment_of(member.owned, generation))


def _cooperative(member: Member) -> bytes:
    return write_cooperative(NO_GENERATION if member.generation is None else member.generation)


_USER_DATA: Mapping[str, Callable[[Member], bytes | None]] = {
    "sticky": _sticky,
    "cooperative-sticky": _cooperative,
}
"""What members of Kafka's strategies say of themselves beside their subscription; those of others say what the client itself says."""


def metadata_of(member: Member, writing: Writing) -> bytes:
    """Write what a member says of itself; raises InputError for what the version cannot say."""
    user_data = member.user_data
    if user_data is None:
        said = _USER_DATA.get(writing.protocol)
        user_data = said(member) if said else writing.user_data
    return writing.version + SUBSCRIPTION.write(subscription_of(member, user_data), writing.fields)


def members_of(group: Group, writing: Writing) -> tuple[JoinedMember, ...]:
    """Return the members as a leader is told of them, the first of which it is itself; raises SkippedError for what no member can say."""
    if not group.members:
        raise SkippedError("a group without members has no leader")
    members = []
    for member in group.members:
        if not member.id:
            raise SkippedError("a member without an id has not joined")
        try:
            metadata = metadata_of(member, writing)
        except InputError as wrong:
            raise SkippedError(f"member {member.id!r} cannot say its {wrong}") from None
        members.append(JoinedMember(member.id, member.instance_id, metadata))
    return tuple(members)


def read_states(states: Iterable[MemberState]) -> Assignment:
    """Return the assignment that a leader says; no bytes give nothing, as in Kafka.

    Raises AssignorError where bytes are no assignment, or where a member is given two.
    """
    given: dict[str, list[TopicPartition]] = {}
    for state in states:
        if state.member_id in given:
            raise AssignorError(f"its SyncGroup gives member {state.member_id!r} two assignments")
        try:
            given[state.member_id] = _read(state.assignment) if state.assignment else []
        except MalformedError as wrong:
            raise AssignorError(
                f"its assignment of member {state.member_id!r} cannot be read: {wrong}"
            ) from None
    return given


def _read(assignment: bytes) -> list[TopicPartition]:
    version = min(read_version(assignment), NEWEST)
    return partitions_of(ASSIGNMENT.read_whole(assignment, version, 2).assigned_partitions)
