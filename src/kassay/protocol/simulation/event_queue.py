"""Running the scheduled events of a world in the order of their times, and heartbeats that change nothing without their messages.

In a quiet group most events are heartbeats, and their steps are known: the request, its response and the timer of the session change no machine.
Such a heartbeat is only noted when its time comes. Before any other event, what is still under way of it becomes events and a timer, with the
numbers that these would have. So the order of all events is the same as with each message on its own.
"""

from heapq import heappop, heappush, heapreplace
from typing import TypeAlias

from kassay.protocol.simulation.group_invariants import is_stable
from kassay.protocol.simulation.step_limits import StepFailedError
from kassay.protocol.simulation.steps import (
    count_event,
    end_coordinator_timer,
    end_member_timer,
    end_run,
    give_up,
    receive_request,
    receive_response,
)
from kassay.protocol.simulation.world import (
    HOP_MS,
    NUMBERS,
    Link,
    PendingRequest,
    QuietBeat,
    World,
)

MOST_EVENTS = 5_000
"""The most events after the last fault until a group is stable; members that repeat requests would never end."""
Beats: TypeAlias = dict[int, tuple[QuietBeat, list[int]]]
"""Slot -> its heartbeat that changes nothing, and the times at which it was sent since the last other event."""


def run_until(world: World, time: int) -> None:
    """Run the events that are due at this time or before."""
    _run_events(world, time)
    world.advance(time)


def settle(world: World, deadline: int) -> int | None:
    """Run events until the group is stable, and return the time; None if it is not stable at the deadline."""
    left, world.changed = MOST_EVENTS, True
    while left and world.changed:
        world.changed = False
        if is_stable(world):
            return world.now
        left -= _run_events(world, deadline, most=left)
    return None


def _run_events(world: World, time: int, most: int | None = None) -> int:
    """Run the events that are due at this time or before, and return their number without timers that were set again or cancelled.

    With `most`, run at most so many, and stop after one that may have made the group stable.
    """
    queue, timers, now, ran, beats = world.queue, world.timers, world.now, 0, Beats()
    quick = world.table.quick and world.trace is None
    try:
        while queue:
            due, _, act, args = queue[0]
            if due > time:
                break
            if due > now:
                now = due
                world.advance(due)
            if act is end_member_timer:
                slot, key, number = args
                if timers.get((slot, key)) != number:
                    heappop(queue)
                    continue
                if key == "heartbeat" and quick and _note_beat(world, beats, slot):
                    continue
            elif act is end_coordinator_timer:
                if timers.get(args[1]) != args[2]:
                    heappop(queue)
                    continue
            elif act is give_up and world.waiting.get((args[0], args[2])) != args[1]:
                heappop(queue)
                continue
            if beats:
                _insert_beats(world, beats, due)
                continue
            heappop(queue)
            count_event(world)
            act(world, *args)
            ran += 1
            if most is not None and (world.changed or ran == most):
                break
    except StepFailedError as failure:
        end_run(world, failure)
    if beats:
        _insert_beats(world, beats, time + 1)
    return ran


def _note_beat(world: World, beats: Beats, slot: int) -> bool:
    """Note a heartbeat whose timer ends, and set the timer again; return False if the heartbeat may change something or meet a fault."""
    known = beats.pop(slot, None)
    beat = _find_quiet_beat(world, slot) if known is None else known[0]
    if beat is None:
        return False
    now, times = world.now, [] if known is None else known[1]
    times.append(now)
    # The latest heartbeat becomes the last one.
    beats[slot] = beat, times
    world.sequence = world.timers[slot, "heartbeat"] = number = world.sequence + 1
    heapreplace(world.queue, (now + beat.period_ms, number, end_member_timer, (slot, "heartbeat", number)))
    return True


def _find_quiet_beat(world: World, slot: int) -> QuietBeat | None:
    """Return the heartbeat of a member if it certainly changes nothing."""
    node = world.active
    if node not in world.nodes or world.asleep[slot] is not None or (node, (slot, 0)) in world.asked:
        return None
    if slot in world.links:
        if not _has_ended(world.links[slot], world.now):
            return None
        del world.links[slot]
    return world.table.find_quiet_beat(world.members[slot], world.nodes[node], node, slot)


def _has_ended(link: Link, now: int) -> bool:
    """Return True if the faults of a link concern no message any more."""
    waits = link.lost or link.late or link.twice
    return not waits and max(link.cut, link.hangs, link.slow) <= now


def _insert_beats(world: World, beats: Beats, time: int) -> None:
    """Make events of what is under way of heartbeats at a time, before the events that are due then, and set the timers of their sessions."""
    queue, node = world.queue, world.active
    for place, (slot, (beat, times)) in enumerate(beats.items()):
        hop, after = HOP_MS + slot, NUMBERS // 2 + 2 * place
        arrivals = [sent + hop for sent in times if sent + hop < time]
        answered = sum(1 for arrival in arrivals if arrival + hop < time)
        world.sent[slot] += answered
        if arrivals:
            key, number = (("broker", node), beat.session), arrivals[-1] * NUMBERS + after
            world.timers[key] = number
            ends = arrivals[-1] + beat.session_ms
            heappush(queue, (ends, number, end_coordinator_timer, (node, key, number)))
        if answered < len(times):
            kind, count = beat.token
            token = kind, count + world.sent[slot]
            world.members[slot], world.waiting[slot, token] = beat.waits, world.lives[slot]
            asking = PendingRequest((slot, world.lives[slot], token, 0), beat.request)
            if len(arrivals) == len(times):
                number, act, args = number + 1, receive_response, (asking, beat.response, node)
            else:
                number, act, args = times[-1] * NUMBERS + after, receive_request, (node, asking)
            heappush(queue, (number // NUMBERS + hop, number, act, args))
    beats.clear()
