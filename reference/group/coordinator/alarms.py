"""What a coordinator does when one of its timers has run out."""

from collections.abc import Hashable

from kassay.reference.group.coordinator import membership, rebalance
from kassay.reference.group.coordinator.draft import Draft
from kassay.reference.group.coordinator.log import write
from kassay.reference.group.coordinator.pending import Forgotten
from kassay.reference.group.coordinator.records import GroupForgotten


def alarm(draft: Draft, key: Hashable) -> None:
    """Do what a timer was set for; one of a member that is gone does nothing."""
    if key == "rebalance":
        _end_join_phase(draft)
    elif key == "sync":
        _drop_unsynced(draft)
    elif key == "cleanup":
        _clean_up(draft)
    elif isinstance(key, tuple):
        _end_session(draft, str(key[1]))


def _end_join_phase(draft: Draft) -> None:
    if draft.empty:  # a timer of a group that could not be written, when another one is in its place
        draft.generation += draft.state == "Stable"
    elif draft.state == "Joining" and draft.remaining_ms is not None:
        rebalance.complete_delayed(draft)
    elif draft.state == "Joining":
        rebalance.complete(draft)


def _drop_unsynced(draft: Draft) -> None:
    """Drop the members that know their generation and have not sent SyncGroup."""
    if draft.unsynced and draft.state in {"AwaitSync", "Stable"} and not draft.empty:
        for member_id in list(draft.unsynced):
            membership.remove(draft, member_id)
            draft.cancel_timer(("session", member_id))
        rebalance.begin(draft)


def _end_session(draft: Draft, member_id: str) -> None:
    """Drop a member that has not been heard of; a parked request counts as a sign of life, but for a new member."""
    if member_id in draft.pending:
        membership.remove(draft, member_id)
    else:
        member = draft.members.get(member_id)
        parked = member is not None and (member.joining is not None or member.syncing is not None)
        if member is None or (parked and not member.is_new):
            return
        membership.turn_away(draft, member)
        if draft.state in {"Stable", "AwaitSync"}:
            rebalance.begin(draft)
            return
    if draft.state == "Joining" and membership.has_joined(draft):
        rebalance.complete(draft)


def _clean_up(draft: Draft) -> None:
    """Forget a group without members and offsets, and look again later."""
    draft.set_timer("cleanup", draft.behaviour.cleanup_ms)
    if draft.state != "Down" and draft.empty and not draft.has_offsets:
        after = Forgotten(draft.generation, draft.protocol_type, draft.member_added, tuple(draft.pending))
        draft.forget()
        if draft.behaviour.persists != "nothing":
            write(draft, (GroupForgotten(),), after)
