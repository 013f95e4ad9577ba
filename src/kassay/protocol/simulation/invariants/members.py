"""Invariants of a member's steps: its heartbeats, its requests, its commits, and what its application hears.

Each function gets the member before the step, the event and the step, as in :mod:`kassay.protocol.simulation.invariants.steps`.
"""

from collections.abc import Callable
from typing import Any

from kassay.protocol.simulation.invariants import HELD
from kassay.reference.group.member.generation import IN_GENERATION
from kassay.reference.group.member.state import (
    ClusterChanged,
    Commit,
    Committed,
    Lose,
    NotCommitted,
    Own,
    Revoke,
    SubscriptionChanged,
)
from kassay.reference.group.messages import (
    Alarm,
    Answered,
    Error,
    FindCoordinator,
    Heartbeat,
    HeartbeatResponse,
    JoinGroup,
    LeaveGroup,
    NotAnswered,
    OffsetCommitResponse,
    Send,
    SetTimer,
    SyncGroup,
)


def _list_requests(step: Any) -> list[Any]:
    return [one.request for one in step.effects if type(one) is Send]


def heartbeats_go_on(before: Any, event: Any, step: Any) -> str | None:
    """A member in a generation sends each heartbeat in time and sets the time of the next one, even if its application does not poll."""
    if before.phase not in IN_GENERATION or before.generation < 0:
        return None
    due = event == Alarm("heartbeat")
    if not due and not (type(event) is NotAnswered and event.token == before.beat):
        return None
    if due and before.node is None:
        return HELD if step.state.overdue else f"{before.member_id} forgets a heartbeat that is due"
    if due and before.beat is None and not any(type(one) is Heartbeat for one in _list_requests(step)):
        return f"{before.member_id} sends no heartbeat when one is due"
    delays = [one.delay_ms for one in step.effects if type(one) is SetTimer and one.key == "heartbeat"]
    if not delays or max(delays) > before.config.heartbeat_ms:
        return f"{before.member_id} sets no time for its next heartbeat, or a later one than it is configured with"
    return HELD


def asks_as_it_is(before: Any, _event: Any, step: Any) -> str | None:
    """A request has the member's id, generation and instance id, and JoinGroup has its configured timeouts."""
    result, after = None, step.state
    config, owns = (
        before.config,
        {(before.generation, before.member_id), (after.generation, after.member_id)},
    )
    for request in _list_requests(step):
        kind = type(request)
        if kind is FindCoordinator:
            continue
        result = HELD
        if kind is LeaveGroup:
            right = {one.member_id for one in request.members} == {before.member_id}
        elif kind is JoinGroup:
            timeouts = request.session_timeout_ms, request.rebalance_timeout_ms
            right = request.member_id == after.member_id and timeouts == (
                config.session_timeout_ms,
                config.rebalance_timeout_ms,
            )
        else:
            right = (request.generation, request.member_id) in owns
        if not right or (kind is not LeaveGroup and request.instance_id != config.instance_id):
            who = before.member_id or config.client_id
            return f"a {kind.__name__} of {who} does not have its id, generation, instance id or timeouts"
    return result


def ids_are_kept(before: Any, event: Any, step: Any) -> str | None:
    """A member keeps its id until it leaves, fails, or hears that the id is unknown or fenced."""
    after = step.state
    if not before.member_id or after.member_id == before.member_id:
        return None
    error = event.response.error if type(event) is Answered else None
    unknown = error in {Error.UNKNOWN_MEMBER_ID, Error.FENCED_INSTANCE_ID}
    leaves = any(type(one) is LeaveGroup for one in _list_requests(step))
    if unknown or leaves or after.phase in {"Closed", "Failed"} or event == Alarm("poll") or after.member_id:
        return HELD
    return f"{before.member_id} forgets its id, though its coordinator may know it"


def leaders_give_to_all(_before: Any, _event: Any, step: Any) -> str | None:
    """The SyncGroup of a leader that assigns has a state for each member of its generation."""
    after, result = step.state, None
    for request in _list_requests(step):
        if type(request) is SyncGroup and request.states and after.is_leader:
            result = HELD
            missing = {one.member_id for one in after.members} - {name for name, _ in request.states}
            if missing:
                return f"{request.member_id} sends no state for {min(missing)}"
    return result


# The application


def application_hears(before: Any, _event: Any, step: Any) -> str | None:
    """The application hears of each item that it may begin with, is to give up or has lost, and of nothing else."""
    after = step.state
    gone = {item for one in step.effects if type(one) in {Revoke, Lose} for item in one.items}
    begun = [item for one in step.effects if type(one) is Own for item in one.items]
    if not gone and not begun and after.owned == before.owned:
        return None
    who = before.member_id or "a member"
    for item in before.owned:
        if item not in after.owned and item not in gone and item not in before.revoking:
            return f"{who} has {item} no more, and its application does not hear of that"
        if item in after.owned and item in gone and item not in begun and after.phase != "Revoking":
            return f"{who} goes on with {item}, which its application has to give up"
        if item in begun and item not in gone:
            return f"the application of {who} is told again to begin with {item}"
    for item in after.owned:
        if item not in before.owned and item not in begun:
            return f"{who} gets {item}, and its application does not hear of that"
    return HELD


def commits_are_reported(before: Any, event: Any, step: Any) -> str | None:
    """The application hears how each commit ended: as done only if the coordinator accepted it."""
    done = [one.items for one in step.effects if type(one) is Committed]
    failed = [one.items for one in step.effects if type(one) is NotCommitted]
    who = before.member_id or "a member"
    if type(event) is Commit:
        if len(step.state.commits) > len(before.commits) and not done:
            return HELD
        return HELD if failed and not done else f"a commit of {who} is neither sent nor refused"
    token = event.token if type(event) in {Answered, NotAnswered} else None
    ended = next((one for one in before.commits if one.token == token), None)
    if ended is None:
        return f"a commit of {who} is reported as done without a response" if done else None
    answered = type(event) is Answered and type(event.response) is OffsetCommitResponse
    accepted = answered and event.response.error is Error.NONE
    if ended.items not in (done if accepted else failed):
        how = "accepted" if accepted else "not accepted"
        return f"a commit of {who} is {how}, and its application does not hear of that"
    return HELD


def takes_what_it_wants(before: Any, _event: Any, step: Any) -> str | None:
    """A member begins only with items to which it subscribes."""
    after = step.state
    new = tuple(item for item in after.owned if item not in before.owned)
    if not new:
        return None
    if after.use.fits(after.subscription, after.cluster, new):
        return HELD
    return f"{after.member_id} begins with {new[0]}, to which it does not subscribe any more"


def cooperative_members_keep(before: Any, event: Any, step: Any) -> str | None:
    """A cooperative member keeps what it owns while it joins again, as far as it still subscribes to that (KIP-429)."""
    if not before.use.cooperative or before.phase != "Stable" or not before.owned:
        return None
    after = step.state
    told = type(event) is Answered and type(event.response) in {HeartbeatResponse, OffsetCommitResponse}
    if not told and type(event) not in {SubscriptionChanged, ClusterChanged}:
        return None
    if after.phase not in {"Joining", "Revoking"} or after.generation != before.generation:
        return None
    for item in after.use.retained(after.subscription, after.cluster, before.owned):
        if item not in after.owned:
            return f"{before.member_id} gives up {item} to join again, though it is cooperative"
    return HELD


OF_MEMBERS_AT_WORK: tuple[Callable[[Any, Any, Any], str | None], ...] = (
    heartbeats_go_on,
    asks_as_it_is,
    ids_are_kept,
    leaders_give_to_all,
    application_hears,
    commits_are_reported,
    takes_what_it_wants,
    cooperative_members_keep,
)
