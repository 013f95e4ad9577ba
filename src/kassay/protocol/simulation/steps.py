"""The events of a simulation: requests are delivered, machines take steps, and the effects of these are performed.

`machines` builds the machines of a setting. The functions after it plant defects in machines, for tests and the museum.
"""

from collections.abc import Callable, Hashable
from functools import cache, partial
from heapq import heappush
from typing import Any

from msgspec.structs import replace

from kassay.protocol.simulation.invariants.steps import requests_answered
from kassay.protocol.simulation.monitor import (
    check_answer,
    check_failure,
    check_member,
    note_breach,
    note_written_records,
)
from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.step_limits import (
    EVENTS,
    WINDOW_MS,
    StepFailedError,
    check_number_of_events,
)
from kassay.protocol.simulation.uses import USES, Assign
from kassay.protocol.simulation.world import (
    HEARTBEAT_MS,
    HOP_MS,
    LOST_MS,
    REBALANCE_MS,
    REQUEST_MS,
    RESTART_MS,
    SESSION_MS,
    WRITE_MS,
    Machines,
    PendingRequest,
    Step,
    Taken,
    World,
    list_delays,
)
from kassay.reference.group import coordinator as coordination
from kassay.reference.group.behaviour import PROPOSAL, RELEASES, UNPERSISTED, Behaviour, kafka
from kassay.reference.group.coordinator.state import GroupWritten
from kassay.reference.group.member import KAFKA, Config, create_member, step
from kassay.reference.group.member import PROPOSAL as PROPOSED
from kassay.reference.group.member.state import Closed, Failed, Started, patience_ms
from kassay.reference.group.messages import (
    Alarm,
    Answered,
    Asked,
    CancelTimer,
    Error,
    FindCoordinator,
    Heartbeat,
    HeartbeatResponse,
    JoinGroup,
    JoinGroupResponse,
    LeaveGroup,
    LeaveGroupResponse,
    NotAnswered,
    OffsetCommit,
    OffsetCommitResponse,
    Refused,
    Reply,
    Response,
    Send,
    SetTimer,
    SyncGroup,
    SyncGroupResponse,
    Write,
    Written,
)


def perform(world: World, act: Callable[..., None], *args: Any) -> None:
    """Perform an event; if a machine fails, note that and end the run."""
    try:
        if world.now >= world.window_ends:
            world.window_ends, world.events = world.now - world.now % WINDOW_MS + WINDOW_MS, 0
        world.events += 1
        if world.events > EVENTS:
            check_number_of_events(world.events, world.setting.members)
        act(world, *args)
    except StepFailedError as failure:
        note_breach(world, failure.invariant, str(failure))
        world.failed = True
        world.queue.clear()


LEAVE_MS = 100
"""The time from the close of a member to the end of its process, so that its LeaveGroup is sent."""
PARKED = frozenset({JoinGroup, SyncGroup})
"""Requests that a coordinator may never answer, if the member replaces them by another request."""


def tell_member(world: World, slot: int, event: Any) -> None:
    """Let a member take a step, or keep the event for later if its process is paused."""
    asleep = world.asleep[slot]
    if asleep is not None:
        asleep.append(event)
        return
    before = world.members[slot]
    taken = world.table.step_member(before, event)
    world.members[slot] = taken.state
    for effect in taken.effects:
        kind = type(effect)
        if kind is SetTimer:
            key = effect.key
            world.sequence = world.timers[slot, key] = number = world.sequence + 1
            timer = world.now + effect.delay_ms, number, end_member_timer, (slot, key, number)
            heappush(world.queue, timer)
        elif kind is Send:
            _send(world, slot, effect)
        elif kind is CancelTimer:
            world.timers.pop((slot, effect.key), None)
        else:
            _tell_application(world, slot, before, effect)
    world.sent[slot] += taken.sent
    if taken.shows:
        world.changed = True
        if taken.moves:
            check_member(world, slot, before)
    for name, sentence in taken.wrong:
        note_breach(world, name, sentence, slot, at=Step(slot))


def _tell_application(world: World, slot: int, before: Any, effect: Any) -> None:
    world.note("does", slot, effect)
    if type(effect) is Failed:
        check_failure(world, slot, before, effect.error)
        world.schedule(RESTART_MS, replace_failed, slot, world.lives[slot])


def replace_failed(world: World, slot: int, life: int) -> None:
    """Replace a failed member by a new process, as a supervisor does."""
    if world.lives[slot] == life and world.members[slot] is not None:
        stop(world, slot)
        start(world, slot)


def start(world: World, slot: int) -> None:
    """Start a process, unless one runs."""
    if world.members[slot] is None and slot not in world.gone:
        world.lives[slot] += 1
        world.sent[slot] = 0
        world.asleep[slot] = None
        world.members[slot] = world.table.make_member(slot, world.programs[slot], world.cluster)
        note_twins(world, slot)
        world.note("starts", slot)
        tell_member(world, slot, Started())


def note_twins(world: World, slot: int) -> None:
    """Note the processes that run with the same instance id: one of them will be fenced, which is correct."""
    if world.setting.static:
        own = world.members[slot].config.instance_id
        of_one_id = {
            (at, world.lives[at])
            for at, member in enumerate(world.members)
            if member is not None and member.config.instance_id == own
        }
        if len(of_one_id) > 1:
            world.history.twins |= of_one_id


def stop(world: World, slot: int) -> None:
    """End a process without a message; responses on their way to it are dropped."""
    world.members[slot] = world.asleep[slot] = None
    world.timers = {key: number for key, number in world.timers.items() if key[0] != slot}
    world.waiting = {key: life for key, life in world.waiting.items() if key[0] != slot}
    world.changed = True
    world.note("stops", slot)


def _send(world: World, slot: int, effect: Send) -> None:
    named: Any = effect.token
    request, life, node = effect.request, world.lives[slot], effect.node
    token = named[0], named[1] + world.sent[slot]
    world.waiting[slot, token] = life
    times = list_delays(world, slot) if slot in world.links else (HOP_MS + slot,)
    held = _compute_hold_ms(world, slot, request, node) if slot in world.links else 0
    if type(request) in PARKED or not times:
        patience = held + patience_ms(world.members[slot].config, request)
        world.schedule(patience, give_up, slot, life, token)
    if world.trace is not None:
        world.note("sends" if times else "loses", slot, node, request)
    for copy, time in enumerate(times):
        asking = PendingRequest((slot, life, token, copy), request)
        world.sequence = number = world.sequence + 1
        heappush(world.queue, (world.now + held + time, number, receive_request, (node, asking)))


def _compute_hold_ms(world: World, slot: int, request: Any, node: int | None) -> int:
    """Return the milliseconds for which a SyncGroup is not sent because its member hangs; a leader that hangs commits in the meantime."""
    held = world.links[slot].hangs - world.now
    if type(request) is not SyncGroup or held <= 0:
        return 0
    if request.states:
        world.schedule(held // 2, _commit_unchecked, slot, world.lives[slot], request, node)
    return held


def _commit_unchecked(world: World, slot: int, life: int, sync: SyncGroup, node: int | None) -> None:
    """Let a leader that has not sent SyncGroup commit what it gives itself, as clients do that check nothing before a commit.

    The coordinator gets the request only while it awaits the states: in a join phase Kafka accepts such commits.
    """
    coordinator = None if node is None else world.nodes.get(node)
    own = next((state for name, state in sync.states if name == sync.member_id), None)
    items = world.table.machines.items(own)
    if coordinator is None or not items or world.lives[slot] != life or world.members[slot] is None:
        return
    if coordinator.state == "AwaitSync" and coordinator.generation == sync.generation:
        request = OffsetCommit(
            generation=sync.generation, member_id=sync.member_id, instance_id=sync.instance_id, items=items
        )
        asking = PendingRequest((slot, life, ("unchecked", sync.generation), 0), request)
        receive_request(world, node, asking)


def end_member_timer(world: World, slot: int, key: Hashable, number: int) -> None:
    """End a member's timer, unless it was set again or cancelled."""
    if world.timers.get((slot, key)) == number:
        del world.timers[slot, key]
        tell_member(world, slot, Alarm(key))


def give_up(world: World, slot: int, life: int, token: Any) -> None:
    """Inform a member that its request gets no response, if it still waits for one."""
    if world.waiting.get((slot, token)) == life:
        del world.waiting[slot, token]
        world.note("gives up", slot)
        kind, number = token
        tell_member(world, slot, NotAnswered((kind, number - world.sent[slot])))


def receive_response(world: World, asking: PendingRequest, response: Response, node: int | None) -> None:
    """Deliver a response to the process that sent the request, if it still waits."""
    slot, life, token, _ = asking.token
    if world.waiting.get((slot, token)) == life:
        del world.waiting[slot, token]
        if world.trace is not None:
            world.note("hears", slot, node, response)
        kind, number = token
        tell_member(world, slot, Answered((kind, number - world.sent[slot]), response))


def receive_request(world: World, node: int | None, asking: PendingRequest) -> None:
    """Deliver a request to a broker; `node` None is any broker, which can name the coordinator."""
    request = asking.request
    if type(request) is FindCoordinator:
        respond(world, node, asking, world.table.locate_coordinator(world.active))
    elif node is None:
        respond(world, node, asking, world.table.refuse(request))
    elif node in world.nodes:
        token: Any = asking.token
        if type(request) is JoinGroup and request.instance_id is not None and not request.member_id:
            _note_join(world, request.instance_id, *token)
        # Coordinators only distinguish requests. With few names for requests, more of their states are equal to earlier ones.
        if world.table.quick:
            slot, number = token[0], 0
            while (node, (slot, number)) in world.asked:
                number += 1
            token = slot, number
        world.asked[node, token] = asking, world.history.newest
        if world.trace is not None:
            world.note("arrives", node, asking.token[0], request)
        tell_coordinator(world, node, Asked(token, request))
    else:
        slot, life, token, _ = asking.token
        world.schedule(1 + slot, give_up, slot, life, token)


def _note_join(world: World, instance_id: str, slot: int, life: int, token: Any, copy: int) -> None:
    """Note the process of a JoinGroup without a member id, and if it arrived after a copy of itself or a later request."""
    number, (*process, _, last) = token[1], world.history.came.get(instance_id, (slot, life, False, -1))
    same = process == [slot, life]
    again = copy > 0 or (same and number < last)
    world.history.came[instance_id] = slot, life, again, max(number, last) if same else number


def respond(world: World, node: int | None, asking: PendingRequest, response: Response) -> None:
    """Send a response."""
    slot, life, token, _ = asking.token
    times = list_delays(world, slot) if slot in world.links else (HOP_MS + slot,)
    if world.trace is not None:
        world.note("answers" if times else "answer lost", node, slot, response)
    if not times:
        world.schedule(LOST_MS, give_up, slot, life, token)
    for time in times:
        world.schedule(time, receive_response, asking, response, node)


RESPONSES: dict[type, type[Any]] = {
    JoinGroup: JoinGroupResponse,
    SyncGroup: SyncGroupResponse,
    Heartbeat: HeartbeatResponse,
    LeaveGroup: LeaveGroupResponse,
    OffsetCommit: OffsetCommitResponse,
}
"""Request -> its response."""


def _describe_wrong_response(request: Any, response: Any) -> str:
    """Return why a response is wrong: it answers no open request, or a request of another kind."""
    if request is None:
        return f"a {type(response).__name__} answers no open request"
    return f"a {type(request).__name__} gets a {type(response).__name__}"


def tell_coordinator(world: World, node: int, event: Any) -> None:
    """Let the coordinator of a broker take a step."""
    follow(world, node, world.table.step_coordinator(world.nodes[node], event))


def follow(world: World, node: int, taken: Taken) -> None:
    """Store the state of a coordinator after a step, and perform its effects."""
    if world.trace is not None and taken.state.state != world.nodes[node].state:
        world.note("becomes", node, taken.state.state, taken.state.generation)
    world.nodes[node] = taken.state
    if taken.shows:
        world.changed = True
    for name, sentence in taken.wrong:
        note_breach(world, name, sentence, node, at=_find_response(world, node, taken))
    for effect in taken.effects:
        kind = type(effect)
        if kind is Reply:
            asking, newest = world.asked.pop((node, effect.token), (None, 0))
            if asking is None or RESPONSES[type(asking.request)] is not type(effect.response):
                wrong = _describe_wrong_response(asking and asking.request, effect.response)
                at = None if asking is None else Step(asking.token[0], node, effect.response)
                note_breach(world, requests_answered.__name__, wrong, node, at=at)
                continue
            check_answer(world, node, asking, effect.response, newest)
            respond(world, node, asking, effect.response)
        elif kind is SetTimer:
            key = ("broker", node), effect.key
            world.sequence = world.timers[key] = number = world.sequence + 1
            timer = world.now + effect.delay_ms, number, end_coordinator_timer, (node, key, number)
            heappush(world.queue, timer)
        elif kind is CancelTimer:
            world.timers.pop((("broker", node), effect.key), None)
        else:
            # Batches are committed in the order in which they were appended, however long the log takes for one.
            world.log_free = max(world.log_free, world.now + WRITE_MS + world.slow_log)
            if world.late_states is not None and any(map(_has_states, effect.records)):
                _delay_states(world, *world.late_states)
            world.schedule(world.log_free - world.now, commit, node, effect)


def _find_response(world: World, node: int, taken: Taken) -> Step | None:
    """Return the only response of a coordinator's step; None if it sends none, or several."""
    replies = [effect for effect in taken.effects if type(effect) is Reply]
    asking = world.asked.get((node, replies[0].token)) if len(replies) == 1 else None
    return None if asking is None else Step(asking[0].token[0], node, replies[0].response)


def _has_states(record: Any) -> bool:
    """Return True if a record has the states that a leader sent."""
    return type(record) is GroupWritten and record.synced and bool(record.members)


def _delay_states(world: World, until: int, slot: int) -> None:
    """Let the log commit the next batch not before a time, and close a member in the meantime."""
    world.late_states = None
    if until > world.now:
        world.log_free = max(world.log_free, until)
        world.schedule((until - world.now) // 2, close_member, slot, world.lives[slot])


def close_member(world: World, slot: int, life: int) -> None:
    """Close a member, which another process replaces when it has left."""
    if world.lives[slot] == life and world.members[slot] is not None:
        tell_member(world, slot, Closed())
        world.schedule(LEAVE_MS, replace_failed, slot, life)


def end_coordinator_timer(world: World, node: int, key: tuple[Any, Hashable], number: int) -> None:
    """End a coordinator's timer, unless it was set again or cancelled, or the coordinator is gone."""
    if world.timers.get(key) == number and node in world.nodes:
        del world.timers[key]
        tell_coordinator(world, node, Alarm(key[1]))


def commit(world: World, node: int, effect: Write) -> None:
    """Commit a batch to the log if its writer may write; a crashed writer gets no answer."""
    refused = Error.NONE
    if node != world.epoch:
        refused = Error.NOT_COORDINATOR
    elif world.refuses:
        world.refuses -= 1
        refused = Error.COORDINATOR_NOT_AVAILABLE
    else:
        world.log = world.table.append(world.log, effect.records)
        note_written_records(world, node, effect.records)
    world.note("writes" if refused is Error.NONE else "cannot write", node, effect.batch)
    if node in world.nodes:
        tell_coordinator(
            world, node, Written(effect.batch) if refused is Error.NONE else Refused(effect.batch, refused)
        )


def can_change_something(world: World, act: object, args: tuple[Any, ...]) -> bool:
    """Return True if a scheduled event can still change something: a timer that was set again cannot, nor an answer for which no member waits."""
    if act is end_member_timer:
        return bool(world.timers.get((args[0], args[1])) == args[2])
    if act is end_coordinator_timer:
        return bool(args[0] in world.nodes and world.timers.get(args[1]) == args[2])
    if act is give_up:
        slot, life, token = args
        return bool(world.waiting.get((slot, token)) == life)
    if act is receive_response:
        slot, life, token, _ = args[0].token
        return bool(world.waiting.get((slot, token)) == life)
    return True


BEHAVIOURS: dict[str, Behaviour] = {
    "proposal": PROPOSAL,
    "unpersisted": UNPERSISTED,
    **{f"kafka@{release}": kafka(release) for release in RELEASES},
}
"""Coordinators by the names that schedules and the command line use."""
NEWEST = f"kafka@{RELEASES[-1]}"
"""The coordinator of a group for which no other one is named."""


def make_machines(setting: Setting, assign: Assign) -> Machines:
    """Build the machines of a setting; leaders assign by this function if their use takes one, once for each group.

    Raises InputError if the use allows no static members.
    """
    behaviour, use = BEHAVIOURS[setting.coordinator], USES[setting.use]
    uses = [program.use(setting, cache(assign)) for program in use.programs]

    def new_member(setting: Setting, slot: int, number: int, cluster: Any) -> Any:
        program = use.programs[number]
        manner = KAFKA if behaviour.persists == "synced" else PROPOSED
        if program.careful and manner.resync == "always":
            manner = replace(manner, resync="unmoved")
        config = Config(
            client_id=f"m{slot}",
            instance_id=f"i{slot}" if setting.static else None,
            session_timeout_ms=SESSION_MS,
            rebalance_timeout_ms=REBALANCE_MS,
            heartbeat_ms=HEARTBEAT_MS,
            max_poll_ms=REBALANCE_MS,
            request_timeout_ms=REQUEST_MS,
            manner=manner,
        )
        return create_member(
            uses[number], config, program.subscribes(use.subscription(setting, slot, None)), cluster
        )

    new_member(setting, 0, 0, use.cluster(setting))  # refuses a setting that the use does not allow
    return Machines(
        new_member=new_member,
        step_member=step,
        load=partial(coordination.load, behaviour),
        step_coordinator=partial(coordination.step, behaviour),
        unload=partial(coordination.unload, behaviour),
        items=uses[0].items,
    )


def change_requests(machines: Machines, kind: type, change: Callable[[Any, Any], Any]) -> Machines:
    """Return machines whose coordinator gets changed requests of a kind; `change` gets coordinator and request."""

    def step(coordinator: Any, event: Any, choose: Any) -> Any:
        if type(event) is Asked and type(event.request) is kind:
            event = Asked(event.token, change(coordinator, event.request))
        return machines.step_coordinator(coordinator, event, choose)

    return replace(machines, step_coordinator=step)


def replace_error(machines: Machines, kind: type, error: Error, other: Error = Error.NONE) -> Machines:
    """Return machines whose members read one error in responses of a kind as another one, or as none."""

    def step(member: Any, event: Any) -> Any:
        if type(event) is Answered and type(event.response) is kind and event.response.error is error:
            event = Answered(event.token, replace(event.response, error=other))
        return machines.step_member(member, event)

    return replace(machines, step_member=step)
