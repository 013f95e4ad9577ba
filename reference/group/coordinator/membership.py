"""Who is in the group: members come, go and come back under another id."""

from msgspec.structs import replace

from kassay.reference.group.coordinator.draft import Draft
from kassay.reference.group.coordinator.member import Member
from kassay.reference.group.messages import Error, JoinGroupResponse, SyncGroupResponse


def fault(draft: Draft, member_id: str, instance_id: str | None) -> Error:
    """Return why a request under these ids is refused; NONE if they are those of a member."""
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


def has_joined(draft: Draft) -> bool:
    """Tell whether all members have sent JoinGroup and nobody is expected to."""
    return not draft.pending and all(member.joining is not None for member in draft.members.values())


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
