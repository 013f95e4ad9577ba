"""A coordinator comes and goes: it begins with what was written of the group, and ends by sending everybody elsewhere."""

from collections.abc import Iterable

from kassay.reference.group.behaviour import Behaviour
from kassay.reference.group.coordinator import outcome, rebalance
from kassay.reference.group.coordinator.draft import Choose, draft
from kassay.reference.group.coordinator.member import Member
from kassay.reference.group.coordinator.records import GroupForgotten, GroupWritten, Record
from kassay.reference.group.coordinator.state import Coordinator
from kassay.reference.group.events import CoordinatorEffect, Reply, Step
from kassay.reference.group.messages import Error, JoinGroupResponse, Protocol, SyncGroupResponse

LOADING = Coordinator(state="Initialize")
"""A coordinator that is still reading the log."""


def first(allowed: tuple[str, ...]) -> str:
    """Choose the member that came first."""
    return allowed[0]


def load(
    behaviour: Behaviour, records: Iterable[Record], next_member: int = 0, choose: Choose = first
) -> Step[Coordinator, CoordinatorEffect]:
    """Return a coordinator that takes a group over from the log, at first or after a failover.

    `records` are those of all committed batches in their order. New member ids are numbered from `next_member`: give the number that
    the last coordinator had come to, as Kafka's ids never come twice.

    Known defect, reproduced: where metadata that cannot be read stop a join phase, they stop this, too, if a static member came back with
    them into a stable group and was written. The group, in Kafka all groups of that partition of the log, then has no coordinator.
    """
    group: GroupWritten | None = None
    has_offsets = False
    for record in records:
        if isinstance(record, GroupForgotten):
            group = None
        elif isinstance(record, GroupWritten):
            group = record
        else:
            has_offsets = True
            group = group or GroupWritten(0, None, None, None)
    if group is None:
        loaded = Coordinator(next_member=next_member)
    else:
        loaded = Coordinator(
            state="Stable" if group.synced else "AwaitSync",
            generation=group.generation,
            protocol_type=group.protocol_type,
            protocol=group.protocol,
            leader=group.leader,
            empty=not group.members,
            roster=_members(group),
            has_offsets=has_offsets,
            next_member=next_member,
        )
    changing = draft(behaviour, loaded, choose)
    if rebalance.stops(changing):
        return Step(Coordinator(serving=False, roster=loaded.roster, next_member=next_member), ())
    for member in loaded.roster:
        changing.begin_session(member)
    if behaviour.group_max_size is not None and len(loaded.roster) > behaviour.group_max_size:
        rebalance.begin(changing)
    changing.set_timer("cleanup", behaviour.cleanup_ms)
    return changing.finish()


def _members(group: GroupWritten) -> tuple[Member, ...]:
    return tuple(
        Member(
            member_id=member.member_id,
            instance_id=member.instance_id,
            client_id=member.client_id,
            session_timeout_ms=member.session_timeout_ms,
            rebalance_timeout_ms=member.rebalance_timeout_ms,
            protocols=(Protocol(group.protocol or "", member.metadata),),
            state=member.state,
            to_resync=member.to_resync,
        )
        for member in group.members
    )


def unload(behaviour: Behaviour, coordinator: Coordinator) -> Step[Coordinator, CoordinatorEffect]:
    """Return what a coordinator is after another node has taken over: all that was parked is answered NOT_COORDINATOR."""
    changing = draft(behaviour, coordinator, first)
    for waiting in coordinator.waiting:
        outcome.fail(changing, waiting.batch, Error.NOT_COORDINATOR)
    for member in changing.members.values():
        if member.joining is not None:
            refusal = JoinGroupResponse(error=Error.NOT_COORDINATOR, member_id=member.member_id)
            changing.reply(member.joining, refusal)
        if member.syncing is not None:
            changing.reply(member.syncing, SyncGroupResponse(error=Error.NOT_COORDINATOR))
    replies = tuple(effect for effect in changing.effects if isinstance(effect, Reply))
    return Step(Coordinator(serving=False, next_member=coordinator.next_member), replies)
