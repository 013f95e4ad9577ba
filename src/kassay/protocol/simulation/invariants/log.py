"""Invariants of a coordinator's log: each record has the group as it is, and a new coordinator takes it over as it was written."""

from collections.abc import Sequence
from typing import Any

from kassay.protocol.simulation.invariants import HELD
from kassay.reference.group.coordinator import Coordinator, GroupForgotten, GroupWritten
from kassay.reference.group.messages import Asked, SetTimer, SyncGroup, Write


def written_as_it_is(_before: Coordinator, event: Any, step: Any) -> str | None:
    """A record of the group has its generation, its members with their instance ids and timeouts, and the states that the leader sent."""
    after: Coordinator = step.state
    records = [one for write in step.effects if type(write) is Write for one in write.records]
    groups = [one for one in records if type(one) is GroupWritten]
    for group in groups:
        if group.generation != after.generation:
            return f"the record of generation {after.generation} says {group.generation}"
        written = {_describe_member(one) for one in group.members}
        if group.protocol is not None and written != {_describe_member(one) for one in after.roster}:
            return f"the record of generation {group.generation} has other members than the group"
        if type(event) is Asked and type(event.request) is SyncGroup:
            states = dict(event.request.states)
            late = next((one for one in group.members if one.state != states.get(one.member_id)), None)
            if late is not None:
                return f"the record of generation {group.generation} has a state of {late.member_id} that its leader did not send"
    return HELD if groups else None


def _describe_member(member: Any) -> tuple[Any, ...]:
    """Return what the log and the coordinator know of a member alike."""
    return member.member_id, member.instance_id, member.session_timeout_ms, member.rebalance_timeout_ms


def taken_over_whole(log: Sequence[Any], step: Any) -> str | None:
    """A new coordinator knows the group as it was last written: its generation, its leader, and its members with their states and sessions."""
    after: Coordinator = step.state
    last = next((one for one in reversed(log) if type(one) in {GroupWritten, GroupForgotten}), None)
    if type(last) is not GroupWritten or not after.serving:
        return None
    if after.generation != last.generation:
        return f"a new coordinator takes generation {last.generation} for {after.generation}"
    timers = {one.key: one.delay_ms for one in step.effects if type(one) is SetTimer}
    for written in last.members:
        name = written.member_id
        member = after.members.get(name)
        if member is None:
            return f"a new coordinator does not know {name}, a member of generation {last.generation}"
        if last.synced and after.state == "Stable" and member.state != written.state:
            return f"a new coordinator knows another state of {name} than was written"
        if _describe_member(member) != _describe_member(written):
            return (
                f"a new coordinator knows another instance id or other timeouts of {name} than were written"
            )
        if timers.get(("session", name)) != written.session_timeout_ms:
            return f"a new coordinator does not begin the session of {name} with its length"
    if after.leader != last.leader:
        return f"a new coordinator takes {after.leader} for the leader {last.leader}"
    return HELD if last.members else None
