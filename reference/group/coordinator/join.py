"""JoinGroup in each state: new members, static ones that come back, and members that join again.

A new dynamic member first gets an id and then joins with it (KIP-394). A static one is new to the group once; after that it comes back without an id,
and into a stable group without a rebalance (KIP-345). Whoever joins again starts a rebalance, or learns of the generation that it missed.

Source: GroupMetadataManager.classicGroupJoin of Kafka 4.x.
"""

from collections.abc import Hashable

from kassay.reference.group.coordinator import rebalance
from kassay.reference.group.coordinator.rebalance import supports
from kassay.reference.group.coordinator.state import Created, Draft, GroupWritten, Member, Replaced
from kassay.reference.group.messages import Error, JoinGroup, JoinGroupResponse


def join(draft: Draft, token: Hashable, request: JoinGroup) -> None:
    """Answer JoinGroup or park it until the join phase ends."""
    least, greatest = draft.behaviour.session_timeouts_ms
    if not least <= request.session_timeout_ms <= greatest:
        refuse(draft, token, Error.INVALID_SESSION_TIMEOUT, request.member_id)
        return
    created = draft.state == "Down"
    if created and request.member_id:
        refuse(draft, token, Error.UNKNOWN_MEMBER_ID, request.member_id)
        return
    if created:
        draft.state = "Empty"
    if not _has_room(draft, request.member_id):
        rebalance.remove(draft, request.member_id)
        refuse(draft, token, Error.GROUP_MAX_SIZE_REACHED)
    elif not _fits(draft, request):
        refuse(draft, token, Error.INCONSISTENT_GROUP_PROTOCOL, request.member_id)
    elif request.member_id:
        _join_again(draft, token, request)
    else:
        _join_new(draft, token, request)
    if created and draft.behaviour.persists == "synced":
        parked = any(member.joining == token for member in draft.members.values())
        draft.write((GroupWritten(0, None, None, None),), Created(), token if parked else None)


def refuse(
    draft: Draft, token: Hashable, error: Error, member_id: str = "", protocol: str | None = ""
) -> None:
    """Answer JoinGroup with an error."""
    draft.reply(token, JoinGroupResponse(error=error, member_id=member_id, protocol=protocol))


def _has_room(draft: Draft, member_id: str) -> bool:
    """Return True if the group may have this member; in the join phase only members count that have joined."""
    most = draft.behaviour.group_max_size
    if most is None or draft.empty:
        return True
    member = draft.members.get(member_id)
    if draft.state == "Joining":
        awaiting = sum(other.joining is not None for other in draft.members.values())
        return (member is not None and member.joining is not None) or awaiting < most
    return member is not None or len(draft.members) < most


def _fits(draft: Draft, request: JoinGroup) -> bool:
    """Return True if the member has the type of the others and shares a protocol with them."""
    if draft.empty:
        return bool(request.protocol_type and request.protocols)
    alike = request.protocol_type == draft.protocol_type
    return alike and supports(draft.members.values(), request.protocols)


def _join_new(draft: Draft, token: Hashable, request: JoinGroup) -> None:
    instance_id = request.instance_id if draft.behaviour.static_members else None
    member_id = f"{instance_id or request.client_id}-{draft.next_member}"
    draft.next_member += 1
    if instance_id is not None:
        old = rebalance.static_member(draft, instance_id)
        if old is not None:
            _come_back(draft, token, request, old, member_id)
            return
    elif draft.behaviour.member_id_required and request.known_id_required:
        draft.pending.append(member_id)
        draft.set_timer(("session", member_id), request.session_timeout_ms)
        refuse(draft, token, Error.MEMBER_ID_REQUIRED, member_id)
        return
    _add(draft, token, request, member_id)


def _add(draft: Draft, token: Hashable, request: JoinGroup, member_id: str) -> None:
    """Let a new member in; it is dropped if it is not in a generation soon, as a client that gave up cannot be told from it."""
    limit = draft.behaviour.new_member_timeout_ms
    member = Member(
        member_id=member_id,
        instance_id=request.instance_id if draft.behaviour.static_members else None,
        client_id=request.client_id,
        session_timeout_ms=request.session_timeout_ms,
        rebalance_timeout_ms=_rebalance_timeout(draft, request),
        protocols=request.protocols,
        joining=token,
        is_new=limit is not None,
    )
    if draft.state == "Joining" and draft.is_initial:
        draft.member_added = True
    if not draft.members:
        draft.protocol_type = request.protocol_type
    rebalance.add(draft, member)
    draft.set_timer(("session", member_id), member.session_timeout_ms if limit is None else limit)
    rebalance.begin_or_complete(draft)


def _rebalance_timeout(draft: Draft, request: JoinGroup) -> int:
    own = draft.behaviour.own_rebalance_timeout
    return request.rebalance_timeout_ms if own else request.session_timeout_ms


def _join_again(draft: Draft, token: Hashable, request: JoinGroup) -> None:
    if request.member_id in draft.pending:
        if request.instance_id is not None:
            refuse(draft, token, Error.UNKNOWN_SERVER_ERROR)
        else:
            _add(draft, token, request, request.member_id)
        return
    error = rebalance.fault(draft, request.member_id, request.instance_id)
    if error is not Error.NONE:
        refuse(draft, token, error, request.member_id, protocol=None)
        return
    member = draft.members[request.member_id]
    unchanged = draft.behaviour.answers_unchanged and member.protocols == request.protocols
    leads_stable = draft.state == "Stable" and draft.leader == member.member_id
    if draft.state != "Joining" and unchanged and not leads_stable:
        draft.reply(token, rebalance.generation_of(draft, member))
    else:
        _update(draft, token, request, member)
        rebalance.begin_or_complete(draft)


def _update(draft: Draft, token: Hashable, request: JoinGroup, member: Member) -> Member:
    return draft.update(
        member,
        protocols=request.protocols,
        rebalance_timeout_ms=_rebalance_timeout(draft, request),
        session_timeout_ms=request.session_timeout_ms,
        joining=token,
    )


def _come_back(draft: Draft, token: Hashable, request: JoinGroup, old: Member, member_id: str) -> None:
    """Let a static member back in under a new id: without a rebalance if the group is stable and keeps its protocol."""
    leader = draft.leader
    renamed = rebalance.rename(draft, old, member_id)
    draft.begin_session(renamed)
    _update(draft, token, request, renamed)
    if draft.state != "Stable" or rebalance.protocol_of(draft) != draft.protocol:
        rebalance.begin_or_complete(draft)
        return
    states = {member.member_id: member.state for member in draft.members.values()}
    draft.write((draft.record(states),), Replaced(member_id, old, leader, request.skips_assignment), token)
