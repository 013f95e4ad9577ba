"""Invariants of each step of a coordinator or a member.

Each function gets the machine before the step, the event and the step. A step is checked once, however often groups take it. The package says
what it returns.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from kassay.protocol.simulation.invariants import HELD, find_violations
from kassay.protocol.simulation.invariants.departures import OF_COORDINATORS, OF_MEMBERS
from kassay.protocol.simulation.invariants.log import written_as_it_is
from kassay.protocol.simulation.invariants.members import OF_MEMBERS_AT_WORK
from kassay.protocol.simulation.invariants.membership import OF_MEMBERSHIP, refused_for_a_cause
from kassay.reference.group.coordinator import Coordinator
from kassay.reference.group.coordinator.state import WITHOUT_MEMBERS, Committed, Emptied, Member, Synced
from kassay.reference.group.messages import (
    Alarm,
    Answered,
    Asked,
    Error,
    Heartbeat,
    JoinGroup,
    JoinGroupResponse,
    LeaveGroup,
    OffsetCommit,
    Refused,
    Reply,
    SetTimer,
    SyncGroup,
    SyncGroupResponse,
    Written,
)


def requests_answered(before: Coordinator, event: Any, step: Any) -> str | None:
    """Every request is answered now or later, or replaced by another request of its member."""
    after: Coordinator = step.state
    answered = {effect.token for effect in step.effects if type(effect) is Reply}
    if type(event) is Refused:  # a group that is rolled back does not answer its parked requests
        return _check_writer(before, event.batch, answered, "refused")
    if type(event) is Written:
        kinds = {Committed, Emptied}  # other requests may be answered before, or wait for more than the log
        if any(one.batch == event.batch and type(one.after) in kinds for one in before.waiting):
            return _check_writer(before, event.batch, answered, "written")
    if type(event) is Asked and event.token in answered and before.roster == after.roster:
        return HELD
    olds, news = _list_changed(before, after)
    kept = answered | {token for member in news for token in (member.joining, member.syncing)}
    kept |= {one.token for one in after.waiting}
    if type(event) is Asked and event.token not in kept:
        return f"a {type(event.request).__name__} is neither answered nor kept"
    result = HELD if type(event) is Asked else None
    for member in olds:
        for kind, token in (("JoinGroup", member.joining), ("SyncGroup", member.syncing)):
            result = HELD if token is not None else result
            if token is not None and token not in kept and not _replaces(member, event):
                return f"the {kind} of {member.member_id} is dropped without an answer"
    return result


def _check_writer(before: Coordinator, batch: int, answered: set[Hashable], how: str) -> str | None:
    """Check that the request is answered that wrote a batch, if it still waits."""
    wrote = {one.token for one in before.waiting if one.batch == batch and one.token is not None}
    if not wrote:
        return None
    return f"the request that wrote batch {batch} gets no answer, though the batch is {how}" if wrote - answered else HELD  # fmt: skip


def _list_changed(before: Coordinator, after: Coordinator) -> tuple[Sequence[Member], Sequence[Member]]:
    """Return the members that a step changed, as they were and as they are; all members if one came or went."""
    if len(before.roster) != len(after.roster):
        return before.roster, after.roster
    changed = [pair for pair in zip(before.roster, after.roster, strict=True) if pair[0] is not pair[1]]
    return [old for old, _ in changed], [new for _, new in changed]


def _replaces(member: Member, event: Any) -> bool:
    """Return True if a request comes from the member, from a new process of its instance id, or removes it."""
    if type(event) is not Asked:
        return False
    request: Any = event.request
    named = request.members if type(request) is LeaveGroup else (request,)
    return any(
        one.member_id == member.member_id
        or (member.instance_id is not None and one.instance_id == member.instance_id)
        for one in named
    )


def dropped_for_a_cause(before: Coordinator, event: Any, step: Any) -> str | None:
    """A member is removed only after it left, stayed silent for a session, or, unless it is static, did not join or synchronise in time."""
    after: Coordinator = step.state
    if before.state == "Down" or after.state == "Down" or type(event) not in {Asked, Alarm}:
        return None
    left, result = after.members, None
    if before.members.keys() <= left.keys():
        return None
    for member in before.roster:
        if member.member_id in left:
            continue
        result = HELD
        if _replaces(member, event):
            continue
        parked = member.joining is not None or member.syncing is not None
        if type(event) is Alarm and event.key == ("session", member.member_id):
            # A member that never got a generation is waited for only that long.
            if parked and not member.is_new:
                return f"the session of {member.member_id} ends while its request waits for an answer"
        elif parked:
            return f"{member.member_id} is removed while its request waits for an answer"
        elif member.instance_id is not None and before.state == "Joining":
            return f"{member.member_id} is static and is removed at the end of the join phase"
    return result


def leader_hears_of_all(_before: Coordinator, _event: Any, step: Any) -> str | None:
    """The leader of a generation receives every member of the group."""
    result = None
    for effect in step.effects:
        response = effect.response if type(effect) is Reply else None
        if type(response) is JoinGroupResponse and response.error is Error.NONE and response.members:
            result = HELD
            told = {member.member_id for member in response.members}
            missing = [member.member_id for member in step.state.roster if member.member_id not in told]
            if missing:
                return f"{response.leader} does not receive {missing[0]}, a member of generation {response.generation}"
    return result


def fenced_by_instance(before: Coordinator, event: Any, step: Any) -> str | None:
    """A process whose instance id another process has taken is fenced.

    It is not accepted. UNKNOWN_MEMBER_ID would be wrong too: the process would join again and fence the other one.
    """
    if type(event) is not Asked or type(event.request) is LeaveGroup:
        return None
    request: Any = event.request
    instance = request.instance_id
    if instance is None or not request.member_id or (type(request) is JoinGroup and before.state == "Down"):
        return None
    others = [one.member_id for one in before.roster if one.instance_id == instance]
    if not others or request.member_id in others:
        return None
    told = {
        effect.response.error
        for effect in step.effects
        if type(effect) is Reply and effect.token == event.token
    }
    if Error.UNKNOWN_MEMBER_ID in told:
        return f"{request.member_id} gets UNKNOWN_MEMBER_ID, while {others[0]} has its instance id {instance}"
    if Error.NONE in told or not told:  # what is not answered at once waits for the log or for other members
        return f"a {type(request).__name__} of {request.member_id} is accepted, while {others[0]} has its instance id {instance}"
    return HELD


def fenced_by_generation(before: Coordinator, event: Any, step: Any) -> str | None:
    """A heartbeat, SyncGroup or commit of a generation other than the coordinator's is refused."""
    if type(event) is not Asked or before.state == "Initialize" or before.state in WITHOUT_MEMBERS:
        return None
    request = event.request
    if (
        not isinstance(request, (Heartbeat, SyncGroup, OffsetCommit))
        or request.generation == before.generation
    ):
        return None
    for effect in step.effects:
        if type(effect) is Reply and effect.token == event.token and effect.response.error is not Error.NONE:
            return HELD
    of = f"a {type(request).__name__} of generation {request.generation} by {request.member_id}"
    return f"{of} is accepted in {before.generation}"


def dropped_in_time(before: Coordinator, event: Any, step: Any) -> str | None:
    """A member is removed that sends no request until its session ends, or no SyncGroup until that time ends, or is new and waits too long.

    An id is removed with which no member joined.
    """
    if type(event) is not Alarm:
        return None
    after = step.state
    if event.key == "sync" and before.state in {"AwaitSync", "Stable"}:
        late = next((name for name in before.unsynced if name in after.members), None)
        if late is not None:
            return f"{late} stays though it sent no SyncGroup in time"
        return HELD if before.unsynced else None
    if type(event.key) is not tuple:
        return None
    name = event.key[1]
    member = before.members.get(name)
    if name in after.pending:
        return f"{name}, with which no member joined in time, is still awaited"
    waits = member is not None and (member.joining is not None or member.syncing is not None)
    silent = member is not None and (member.is_new or not waits)
    if silent and name in after.members:
        return f"{name} stays though its session ended"
    return HELD if silent or name in before.pending else None


def known_by_what_it_says(_before: Coordinator, event: Any, step: Any) -> str | None:
    """The coordinator stores the protocols, metadata and timeouts of a member that joins, unless it refuses the member."""
    if type(event) is not Asked or type(event.request) is not JoinGroup:
        return None
    request, after = event.request, step.state
    for effect in step.effects:
        if type(effect) is Reply and effect.token == event.token and effect.response.error is not Error.NONE:
            return None
    result, named = None, after.members.get(request.member_id)
    for member in after.roster if named is None else (named,):
        own = named is not None or (not request.member_id and member.joining == event.token)
        result = HELD if own else result
        if own and member.protocols != request.protocols:
            return f"{member.member_id} joins with new metadata, which the coordinator does not store"
        timeouts = request.session_timeout_ms, request.rebalance_timeout_ms
        stored = member.session_timeout_ms, member.rebalance_timeout_ms
        if own and (stored[0] != timeouts[0] or stored[1] not in timeouts):
            return f"{member.member_id} joins with timeouts of {timeouts} ms, and the coordinator stores {stored}"
    return result


def timers_as_asked(before: Coordinator, _event: Any, step: Any) -> str | None:
    """A session lasts as long as its member asked for, and a rebalance as long as the member asked for that gives others the most time.

    A new member and the first rebalance of a group have times of their own. A static member that returns has its old session first.
    """
    after: Coordinator = step.state
    # A timer that is set twice in a step has the last delay.
    timers = {effect.key: effect.delay_ms for effect in step.effects if type(effect) is SetTimer}
    result = None
    for key, delay_ms in timers.items() if after.roster else ():
        if key == "sync" or (key == "rebalance" and after.remaining_ms is None):
            name, asked = "the rebalance", max(member.rebalance_timeout_ms for member in after.roster)
        elif type(key) is tuple and key[1] in after.members:
            member = after.members[key[1]]
            name = f"the session of {member.member_id}"
            returns = member.instance_id is not None and member.member_id not in before.members
            own = member.is_new or (
                returns
                and any(
                    (one.instance_id, one.session_timeout_ms) == (member.instance_id, delay_ms)
                    for one in before.roster
                )
            )
            asked = delay_ms if own else member.session_timeout_ms
        else:
            continue
        result = HELD
        if delay_ms != asked:
            return f"{name} lasts {delay_ms:,} ms instead of {asked:,} ms"
    return result


def given_as_set(before: Coordinator, event: Any, step: Any) -> str | None:
    """A member gets the state that its leader sent for it."""
    if not any(type(one) is Reply and type(one.response) is SyncGroupResponse for one in step.effects):
        return None
    after: Coordinator = step.state
    asked = {member.syncing: member.member_id for member in before.roster}
    if type(event) is Asked and type(event.request) is SyncGroup:
        asked[event.token] = event.request.member_id
    known = after.members
    if type(event) is Written:
        synced = next((one.after for one in before.waiting if one.batch == event.batch), None)
        if type(synced) is Synced and synced.generation != before.generation:
            return f"members of generation {before.generation} get states of generation {synced.generation}"
        if type(synced) is Synced and (before.state, after.state) == ("AwaitSync", "Stable"):
            states = dict(synced.states)
            known = {name: replace(one, state=states.get(name)) for name, one in known.items()}
    result = None
    for effect in step.effects:
        response = effect.response if type(effect) is Reply else None
        if type(response) is SyncGroupResponse and response.error is Error.NONE:
            member = known.get(asked.get(effect.token, ""))
            if member is not None and member.state != response.state:
                return f"{member.member_id} gets a state other than the one that its leader sent"
            result = HELD
    return result


STEPS: tuple[Callable[[Coordinator, Any, Any], str | None], ...] = (
    requests_answered,
    dropped_for_a_cause,
    leader_hears_of_all,
    fenced_by_instance,
    fenced_by_generation,
    dropped_in_time,
    known_by_what_it_says,
    timers_as_asked,
    given_as_set,
    written_as_it_is,
    *OF_MEMBERSHIP,
    *OF_COORDINATORS,
)
OF_HEARTBEATS = (
    requests_answered,
    fenced_by_instance,
    fenced_by_generation,
    timers_as_asked,
    refused_for_a_cause,
)
"""Invariants that a heartbeat can break if it changes no member, as in most steps."""


def check_coordinator_step(
    counts: dict[str, int], before: Coordinator | None, event: Any, step: Any
) -> Iterator[tuple[str, str]]:
    """Yield the invariants that a coordinator's step breaks, each with a sentence; the first step breaks none."""
    if before is not None and before.serving and step.state.serving:
        beats = (
            type(event) is Asked and type(event.request) is Heartbeat and before.roster == step.state.roster
        )
        yield from find_violations(counts, OF_HEARTBEATS if beats else STEPS, before, event, step)


OUT = frozenset({Error.UNKNOWN_MEMBER_ID, Error.ILLEGAL_GENERATION, Error.FENCED_INSTANCE_ID})
"""The errors that mean that a member is not in the generation of its request."""


def heeds_what_it_is_told(before: Any, event: Any, step: Any) -> str | None:
    """A member stops its work and leaves its generation if a response says that it is not in it; a fenced member ends.

    This concerns responses to its heartbeats, SyncGroup requests and commits.
    """
    if type(event) is not Answered or event.response.error not in OUT:
        return None
    of = before.generation, before.member_id
    beat = event.token == before.beat and before.beat_of == of
    sync = (
        event.token == before.asked
        and type(event.response) is SyncGroupResponse
        and before.phase == "Syncing"
    )
    commit = any(one.token == event.token and (one.generation, one.member_id) == of for one in before.commits)
    after, error = step.state, event.response.error
    if not (beat or sync or commit) or before.generation < 0:
        return None
    ended = after.phase == "Failed" or error is not Error.FENCED_INSTANCE_ID
    if ended and not after.owned and after.generation != before.generation:
        return HELD
    return f"{before.member_id} goes on in generation {before.generation} after the error {error.name}"


OF_MEMBER_STEPS: tuple[Callable[[Any, Any, Any], str | None], ...] = (
    heeds_what_it_is_told,
    *OF_MEMBERS,
    *OF_MEMBERS_AT_WORK,
)
