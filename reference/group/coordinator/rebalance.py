"""The join phase: how a rebalance begins, who is waited for, which protocol the members share, and how it ends in a new generation.

A rebalance goes `begin` -> (`wait`) -> `complete` -> `tell_joined`. It begins with who joins, leaves or is silent; it ends when all members have joined or the
time is over. The first one of an empty group waits a while for more members.

Source: KIP-62, KIP-134, KIP-345; GroupMetadataManager.prepareRebalance, completeClassicGroupJoin and tryCompleteInitialRebalanceElseSchedule;
ClassicGroup.selectProtocol.
"""

from collections import Counter
from collections.abc import Collection
from typing import Literal, TypeAlias

from msgspec.structs import replace

from kassay.reference.group.coordinator.state import Draft, Emptied, Joined, Member, StoppedError, metadata
from kassay.reference.group.messages import (
    UNREADABLE,
    Error,
    JoinedMember,
    JoinGroupResponse,
    Metadata,
    Protocol,
    SyncGroupResponse,
)
from kassay.reference.java.hash_map import hash_order
from kassay.reference.java.strings import string_hash

READ: Literal["read"] = "read"
PASSED_OVER: Literal["passed over"] = "passed over"
STOPS: Literal["stops"] = "stops"
Reading: TypeAlias = Literal["read", "passed over", "stops"]


def supports(members: Collection[Member], protocols: tuple[Protocol, ...]) -> bool:
    """Return True if every member supports one of these protocols."""
    return any(_is_shared(members, offered.name) for offered in protocols)


def _is_shared(members: Collection[Member], name: str) -> bool:
    for member in members:
        own = member.protocols
        # Mostly the first one: this comparison saves a generator for each member.
        if not (own and own[0].name == name) and all(one.name != name for one in own):
            return False
    return True


def choose_protocol(members: list[Member], leader: Member, *, ties_by_hash: bool) -> str:
    """Return the protocol with the most votes: each member votes for the first of its own that all support.

    Ties go to the leader's preference; Kafka leaves them to the order of a HashMap.
    """
    if len(members) == 1:
        return members[0].protocols[0].name
    shared = set.intersection(*({protocol.name for protocol in member.protocols} for member in members))
    votes = Counter(
        next(protocol.name for protocol in member.protocols if protocol.name in shared) for member in members
    )
    most = max(votes.values())
    tied = [name for name in votes if votes[name] == most]
    if len(tied) == 1:
        return tied[0]
    if ties_by_hash:
        return next(name for name in hash_order(votes, string_hash) if name in tied)
    return next(protocol.name for protocol in leader.protocols if protocol.name in tied)


def read_metadata(metadata: Metadata) -> Reading:
    """Return how Kafka before 4.4.0 reads a member's metadata of type "consumer".

    The coordinator reads the topics alone, as a subscription of version 0, with which all versions begin. The version does not count, even if
    it is negative. Bytes that end where a number should be are passed over, and the other members are then not read. A number that announces
    more than there is, or less than nothing, is an error that Kafka did not expect. Metadata that are not bytes are read, unless UNREADABLE.

    >>> read_metadata(bytes.fromhex("0001" "00000001" "0001" "74" "ffffffff"))
    'read'
    >>> read_metadata(bytes.fromhex("0001" "0000")), read_metadata(bytes.fromhex("0001" "ffffffff"))
    ('passed over', 'stops')

    Source: ClassicGroup.computeSubscribedTopics of kafka-group-coordinator 3.9.2, 4.1.2 and 4.3.1, on 35 kinds of bytes.
    """
    if metadata == UNREADABLE:
        return STOPS
    if not isinstance(metadata, bytes):
        return READ
    data, at = metadata, 0

    def number(size: int) -> int | None:
        nonlocal at
        taken = data[at : at + size]
        at += size
        return int.from_bytes(taken, signed=True) if len(taken) == size else None

    version, topics = number(2), number(4)
    if version is None or topics is None:
        return PASSED_OVER
    if not 0 <= topics <= len(data) - at:
        return STOPS
    for _ in range(topics):
        length = number(2)
        if length is None:
            return PASSED_OVER
        if not 0 <= length <= len(data) - at:
            return STOPS
        at += length
    length = number(4)
    if length is None:
        return PASSED_OVER
    return STOPS if length > len(data) - at else READ


# Members


def fault(draft: Draft, member_id: str, instance_id: str | None) -> Error:
    """Return why a request with these ids is refused; NONE if they name a member."""
    if instance_id is not None and draft.behaviour.static_members:
        owner = static_member(draft, instance_id)
        if owner is not None and owner.member_id != member_id:
            return Error.FENCED_INSTANCE_ID
        if owner is None:
            return Error.UNKNOWN_MEMBER_ID
    return Error.NONE if member_id in draft.members else Error.UNKNOWN_MEMBER_ID


def static_member(draft: Draft, instance_id: str) -> Member | None:
    """Return the member of an instance id, if there is one."""
    for member in draft.members.values():
        if member.instance_id == instance_id:
            return member
    return None


def add(draft: Draft, member: Member) -> None:
    """Let a member into the group."""
    if draft.leader is None:
        draft.leader = member.member_id
    draft.members[member.member_id] = member
    if member.member_id in draft.pending:
        draft.pending.remove(member.member_id)


def remove(draft: Draft, member_id: str) -> None:
    """Forget a member, or an id that was given out; any other member may lead after the leader."""
    draft.members.pop(member_id, None)
    if draft.leader == member_id:
        draft.leader = draft.choose(tuple(draft.members)) if draft.members else None
    for ids in (draft.pending, draft.unsynced):
        if member_id in ids:
            ids.remove(member_id)


def turn_away(draft: Draft, member: Member) -> None:
    """Remove a member and tell it so if its JoinGroup is parked; a parked SyncGroup is never answered."""
    if member.joining is not None:
        draft.reply(member.joining, JoinGroupResponse(error=Error.UNKNOWN_MEMBER_ID))
    remove(draft, member.member_id)


def rename(draft: Draft, old: Member, member_id: str) -> Member:
    """Give a static member a new id, and fence what is parked under the old one."""
    if old.joining is not None:
        fenced = JoinGroupResponse(error=Error.FENCED_INSTANCE_ID, member_id=old.member_id, protocol=None)
        draft.reply(old.joining, fenced)
    if old.syncing is not None:
        draft.reply(old.syncing, SyncGroupResponse(error=Error.FENCED_INSTANCE_ID))
    del draft.members[old.member_id]
    renamed = replace(old, member_id=member_id, joining=None, syncing=None, is_new=False)
    draft.members[member_id] = renamed
    if draft.leader == old.member_id:
        draft.leader = member_id
    return renamed


# A rebalance begins


def begin_or_complete(draft: Draft) -> None:
    """Begin a rebalance, or end the join phase that is under way if all members have joined."""
    if draft.state != "Joining":
        begin(draft)
        return
    # The first join phase of an empty group always lasts for its delay.
    waits = draft.is_initial and draft.behaviour.initial_delay_ms is not None
    if not waits and has_joined(draft):
        complete(draft)


def begin(draft: Draft) -> None:
    """Begin a rebalance: who has sent SyncGroup is to join again."""
    if draft.state == "AwaitSync" or draft.behaviour.resyncs:
        end_sync(draft, Error.REBALANCE_IN_PROGRESS)
    draft.unsynced = []
    if draft.behaviour.sync_timeout:
        draft.cancel_timer("sync")
    draft.state, draft.is_initial = "Joining", draft.empty
    delay = draft.behaviour.initial_delay_ms
    if draft.is_initial and delay is not None:
        draft.delay_ms, draft.remaining_ms = delay, max(rebalance_timeout(draft) - delay, 0)
        draft.set_timer("rebalance", delay)
    elif has_joined(draft):
        complete(draft)
    else:
        wait(draft)


def end_sync(draft: Draft, error: Error) -> None:
    """Take their states from the members and answer the parked requests of the generation with an error."""
    for member in draft.members.values():
        if member.syncing is not None:
            draft.reply(member.syncing, SyncGroupResponse(error=error))
            draft.begin_session(member)
        if member.syncing is not None or member.state is not None:
            draft.update(member, state=None, syncing=None)


# It waits for members


def wait(draft: Draft) -> None:
    """Give the members a rebalance timeout to join."""
    draft.remaining_ms = None
    draft.set_timer("rebalance", rebalance_timeout(draft))


def rebalance_timeout(draft: Draft) -> int:
    """Return the longest rebalance timeout of a member, in milliseconds."""
    return max((member.rebalance_timeout_ms for member in draft.members.values()), default=0)


def has_joined(draft: Draft) -> bool:
    """Return True if all members have sent JoinGroup and no other is awaited."""
    if draft.pending:
        return False
    for member in draft.members.values():  # noqa: SIM110 - a generator takes twice as long
        if member.joining is None:
            return False
    return True


def time_is_over(draft: Draft) -> None:
    """End the join phase, or delay it once more: when a group was empty before, and a member came since it was delayed last."""
    # Empty: the timer is of a group that could not be written, and another one is in its place.
    if draft.state == "Empty":
        draft.generation += 1
    elif draft.state == "Joining":
        remaining = draft.remaining_ms
        if draft.member_added and remaining:
            draft.member_added = False
            spent = draft.delay_ms
            draft.delay_ms = min(draft.behaviour.initial_delay_ms or 0, remaining)
            draft.remaining_ms = max(remaining - spent, 0)
            draft.set_timer("rebalance", draft.delay_ms)
        else:
            complete(draft)


# It ends in a generation


def complete(draft: Draft) -> None:
    """End the join phase: drop who did not join unless it is static, and begin a generation of the others."""
    draft.cancel_timer("rebalance")
    for member in list(draft.members.values()):
        if member.joining is None and member.instance_id is None:
            remove(draft, member.member_id)
            draft.cancel_timer(("session", member.member_id))
    joined = tuple(member.member_id for member in draft.members.values() if member.joining is not None)
    if not draft.members:
        _empty(draft)
    elif not joined:
        wait(draft)
    else:
        if draft.leader not in joined or not draft.behaviour.leader_stays:
            draft.leader = draft.choose(joined)
        _begin_generation(draft)


def _empty(draft: Draft) -> None:
    """Begin a generation without members; who has left as the last is answered when it is written."""
    draft.generation += 1
    draft.state, draft.protocol, draft.leader, draft.unsynced = "Empty", None, None, []
    if draft.behaviour.persists == "nothing":
        return
    left, draft.leaving = draft.leaving, None
    records = (draft.record({}),)
    if left is None:
        draft.write(records, Emptied())
    else:
        draft.write(records, Emptied(left.answer), left.token)


def _begin_generation(draft: Draft) -> None:
    """Begin a generation of the members; if it is written, they are answered after that."""
    draft.generation += 1
    draft.protocol = select_protocol(draft)
    if stops(draft):
        raise StoppedError
    draft.state, draft.failure = "AwaitSync", None
    for member in draft.members.values():
        if member.is_new or member.to_resync:
            draft.update(member, is_new=False, to_resync=False)
    if draft.behaviour.persists == "each phase":
        draft.write((draft.record({}, synced=False),), Joined(draft.generation))
    else:
        tell_joined(draft)
    # After the sessions: of timers that run out at the same time the one set first comes first.
    if draft.behaviour.sync_timeout:
        draft.unsynced = list(draft.members)
        draft.set_timer("sync", rebalance_timeout(draft))


def select_protocol(draft: Draft) -> str:
    """Return the protocol that the members choose."""
    members = list(draft.members.values())
    leader = draft.members[draft.leader or members[0].member_id]
    return choose_protocol(members, leader, ties_by_hash=draft.behaviour.ties_by_hash)


def stops(draft: Draft) -> bool:
    """Return True if metadata that cannot be read stop the join phase; if others are passed over, it is chance which are read first."""
    if not draft.behaviour.stops_at_unreadable or draft.protocol_type != "consumer":
        return False
    kinds = {read_metadata(metadata(member, draft.protocol)) for member in draft.members.values()}
    if {STOPS, PASSED_OVER} <= kinds:
        return draft.choose((STOPS, PASSED_OVER)) == STOPS
    return STOPS in kinds


def tell_joined(draft: Draft) -> None:
    """Answer the parked JoinGroups of a generation that has begun, and begin the sessions of its members."""
    for member in draft.members.values():
        draft.begin_session(member)
        if member.joining is not None:
            draft.reply(member.joining, make_join_response(draft, member))
            draft.update(member, joining=None)


def make_join_response(draft: Draft, member: Member) -> JoinGroupResponse:
    """Return the response to a member's JoinGroup: the leader's has all members."""
    leads = member.member_id == draft.leader
    return JoinGroupResponse(
        generation=draft.generation,
        protocol_type=draft.protocol_type,
        protocol=draft.protocol,
        leader=draft.leader or "",
        member_id=member.member_id,
        members=tuple(
            JoinedMember(other.member_id, other.instance_id, metadata(other, draft.protocol))
            for other in draft.members.values()
        )
        if leads
        else (),
    )
