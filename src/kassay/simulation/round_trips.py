"""Round trips taken at once: timers of members run out, they ask, and all have their answers before anything else happens.

Heartbeats are most of what happens in a group, and those of its members fall together. While all that is due are timers by which members ask what
changes neither the coordinator nor anything that others see of the member, no fault lies on their messages, and the last answer is heard before the next
thing is due, it does not matter in which order these messages travel. Timers that are set in such a while for the same moment are of one kind, so they
ring in the order in which their members asked, as they would if each message were carried.
"""

from collections.abc import Callable, Hashable
from heapq import heappop, heappush
from typing import Any, TypeAlias

from msgspec import Struct

from kassay.reference.group.events import Alarm, Answered, Asked, Reply, Send, SetTimer
from kassay.reference.group.messages import FindCoordinator, Heartbeat
from kassay.simulation.transitions import Table
from kassay.simulation.world import HOP_MS, World

AT_ONCE = frozenset({FindCoordinator, Heartbeat})
"""Requests of which invariants remember nothing when they are answered by a broker that no other has followed as coordinator."""
LONGEST_MS = 90
"""How long such a while may be: less than the delays of any two kinds of timers differ by."""
Ring: TypeAlias = Callable[..., None]
Timers: TypeAlias = tuple[tuple[Hashable, int], ...]


class RoundTrip(Struct, frozen=True):
    """What a round trip comes to: what the member is, how many requests it sent as in a step, and the timers that are set.

    A timer is told by its key and when it rings, counted from the beginning.
    """

    member: Any
    sent: int
    of_member: Timers
    of_coordinator: Timers


class Begun(Struct, frozen=True):
    """A round trip of a member that begins at a time with the timer of a key."""

    time: int
    slot: int
    key: Hashable
    trip: RoundTrip

    @property
    def ends(self) -> int:
        """When the answer is heard."""
        return self.time + 2 * (HOP_MS + self.slot)


def take(world: World, slot: int, key: Hashable, ring_member: Ring, ring_coordinator: Ring) -> bool:
    """Take the round trip that begins with a member's timer of this key, and those that begin before it ends; say whether that could be done."""
    if world.trace is not None or not world.table.quick:
        return False
    trip = _trip(world, slot, key)
    trips = (
        None
        if trip is None
        else _with_others(world, Begun(world.now, slot, key, trip), ring_member, ring_coordinator)
    )
    if trips is None:
        return False
    queue, timers, sequence = world.queue, world.timers, world.sequence
    for begun in trips:
        slot, trip = begun.slot, begun.trip
        timers.pop((slot, begun.key), None)
        node = world.members[slot].node
        world.members[slot] = trip.member
        world.sent[slot] += trip.sent
        for named, delay in trip.of_member:
            sequence += 1
            timers[slot, named] = sequence
            heappush(queue, (begun.time + delay, sequence, ring_member, (slot, named, sequence)))
        for named, delay in trip.of_coordinator:
            sequence += 1
            of_node = ("broker", node), named
            timers[of_node] = sequence
            heappush(queue, (begun.time + delay, sequence, ring_coordinator, (node, of_node, sequence)))
    world.sequence = sequence
    world.happened += 2 * len(trips)
    return True


def _with_others(world: World, first: Begun, ring_member: Ring, ring_coordinator: Ring) -> list[Begun] | None:
    """Return the round trip with all that begin before it ends, and take them from the queue; None where something else is due before."""
    queue, timers = world.queue, world.timers
    begun, slots, end, due = [first], {first.slot}, first.ends, []
    passes = True
    while passes and queue and queue[0][0] <= end:
        entry = heappop(queue)
        due.append(entry)
        time, _, act, args = entry
        if act is ring_member and timers.get(args[:2]) == args[2]:
            trip = None if args[0] in slots else _trip(world, *args[:2])
            passes = trip is not None
            if trip is not None:
                begun.append(Begun(time, args[0], args[1], trip))
                slots.add(args[0])
                end = max(end, begun[-1].ends)
        else:
            passes = act is ring_member or (act is ring_coordinator and timers.get(args[1]) != args[2])
    if not passes or end > min(world.until, first.time + LONGEST_MS):
        for entry in due:
            heappush(queue, entry)
        return None
    world.now = end
    world.happened += len(due)
    return begun


def _trip(world: World, slot: int, key: Hashable) -> RoundTrip | None:
    """Return the round trip that begins with a timer of a member; None where there is none that may be taken at once."""
    if slot in world.links or world.asleep[slot] is not None:
        return None
    member = world.members[slot]
    node, active = member.node, world.active
    late = node is not None and active is not None and node < active
    if late or (node, (slot, 0)) in world.asked:
        return None
    coordinator, table = world.nodes.get(node), world.table
    of = (id(member), key, id(coordinator), active)
    return table.once(of, _made, table, slot, member, coordinator, key, active)  # type: ignore[no-any-return]


def _made(
    table: Table, slot: int, member: Any, coordinator: Any, key: Hashable, active: int | None
) -> RoundTrip | None:
    hop = HOP_MS + slot
    rung = table.member(member, Alarm(key))
    sends = [effect for effect in rung.effects if type(effect) is Send]
    if len(sends) != 1 or type(sends[0].request) not in AT_ONCE:
        return None
    send, asked = sends[0], list[Any]()
    if send.node is None:
        response = table.whereabouts(active)
    elif coordinator is None:
        return None
    else:
        step = table.coordinator(coordinator, Asked((slot, 0), send.request))
        replies = [effect for effect in step.effects if type(effect) is Reply]
        if step.state is not coordinator or len(replies) != 1:
            return None
        response, asked = replies[0].response, [one for one in step.effects if one is not replies[0]]
    heard = table.member(rung.state, Answered(send.token, response))
    rang = [one for one in rung.effects if one is not send]
    if any(type(effect) is not SetTimer for effect in (*rang, *asked, *heard.effects)):
        return None
    if rung.shows or heard.shows:
        return None
    later = tuple((one.key, 2 * hop + one.delay_ms) for one in heard.effects)
    return RoundTrip(
        heard.state,
        rung.sent + heard.sent,
        (*((one.key, one.delay_ms) for one in rang), *later),
        tuple((one.key, hop + one.delay_ms) for one in asked),
    )
