"""SnapshotCache that groups of a setting have come through, without their times, and what follows each.

Times decide in which order things happen, and nothing else: what happens next depends on what there is, and then everything it brings about takes its place
among what is due by its time. So a snapshot is kept without times, as a world and what is due in order; what the first of that brings about is found out
once, and where it takes its place leads to the next snapshot. This holds until a fault lies on messages or the log, whose times count.

What invariants look back to, the whole history, belongs to a snapshot, but for the number of generations that were begun, which is counted on the way. No snapshot follows where an
invariant breaks: such a run is run again event by event.
"""

from bisect import bisect_right
from collections.abc import Callable, Hashable
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from kassay.protocol.simulation.faults import FAULTS
from kassay.protocol.simulation.judging.invariants import is_stable, legal_target_assignment
from kassay.protocol.simulation.schedule import Fault
from kassay.protocol.simulation.steps import (
    arrive,
    commit,
    give_up,
    hear,
    ring_coordinator,
    ring_member,
    still_counts,
)
from kassay.protocol.simulation.world import World

Due: TypeAlias = tuple[Callable[..., None], tuple[Any, ...]]
SPAN = 10**9
"""Stands for the `span` of a fault, whatever it is."""
FEW_EVENTS = 500
"""How much may happen in known snapshots after the last fault until a group is stable: with what does not count there, it stays below the bound of a world."""
LEARNS = 16
"""How many snapshots a run may find out at a time where it comes to one that another run has come to; it goes on in a world of its own then, which costs less."""
MOST = 30_000
"""How many snapshots are kept; then all are forgotten. Some hundred megabytes."""


class Following(Struct):
    """What comes of an event: the world, what is due no more, by its place and from behind, and what is due after so many milliseconds.

    `rounds` generations began; `changed` as in a world; `breaks` where an invariant broke. `snapshots` are those that follow, by
    the places that what is new took.
    """

    world: World
    gone: tuple[int, ...]
    left: tuple[Due, ...]
    new: tuple[Due, ...]
    delays: tuple[int, ...]
    rounds: int
    changed: bool
    breaks: bool
    snapshots: dict[tuple[int, ...], "Snapshot"]


class Snapshot:
    """A world without times: what is due stands in `due` in its order. The others are found out when they are asked for."""

    __slots__ = ("due", "faults", "healed", "met", "next", "stable", "visited", "world")

    def __init__(self, world: World, due: tuple[Due, ...]) -> None:
        self.world, self.due = world, due
        self.next: Following | None = None
        self.faults: dict[tuple[Hashable, ...], Following] = {}
        self.met: set[tuple[Hashable, ...]] = set()
        """The faults that struck here once, without being followed."""
        self.healed: Snapshot | None = None
        self.visited = False
        """Whether a run has ended here, as nobody knew how to go on."""
        self.stable: tuple[bool, str | None] | None = None

    def is_stable(self) -> tuple[bool, str | None]:
        """Say whether the group is stable, and what is lacking then."""
        if self.stable is None:
            stable = is_stable(self.world)
            self.stable = stable, legal_target_assignment(self.world) if stable else None
        return self.stable


class SnapshotCache:
    """The snapshots of one setting."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Snapshot] = {}

    @property
    def are_many(self) -> bool:
        """Whether no more are to be kept."""
        return len(self._known) >= MOST

    def forget(self) -> None:
        """Forget all of them; what they know of each other would keep them alive."""
        for snapshot in self._known.values():
            snapshot.next, snapshot.faults, snapshot.healed = None, {}, None
        self._known.clear()

    def next(self, snapshot: Snapshot) -> Following:
        """Let the first that is due happen."""
        following = snapshot.next
        if following is None:
            (act, args), left = snapshot.due[0], snapshot.due[1:]
            following = snapshot.next = _following(snapshot.world, left, act, args)
        return following

    def struck(self, snapshot: Snapshot, fault: Fault) -> Following | None:
        """Let a passing fault strike; None where it does for the first time."""
        key = fault.kind, fault.who, fault.much
        following = snapshot.faults.get(key)
        if following is None and key not in snapshot.met:
            snapshot.met.add(key)
        elif following is None:
            of = replace(fault, at=0, span=SPAN)
            following = snapshot.faults[key] = _following(
                snapshot.world, snapshot.due, FAULTS[fault.kind].begin, (of,)
            )
        return following

    def then(self, following: Following, places: tuple[int, ...]) -> Snapshot:
        """Return the snapshot at which what is new stands at these places, in which it was put there one after the other."""
        snapshot = following.snapshots.get(places)
        if snapshot is None:
            due = [*following.left]
            for place, one in zip(places, following.new, strict=True):
                due.insert(place, one)
            snapshot = following.snapshots[places] = self.of(following.world, tuple(due))
        return snapshot

    def healed(self, snapshot: Snapshot) -> Snapshot:
        """Return the snapshot with no refused writes ahead."""
        if snapshot.healed is None:
            world = snapshot.world
            if world.refuses:
                world = world.copy()
                world.refuses = 0
            snapshot.healed = self.of(world, snapshot.due)
        return snapshot.healed

    def of(self, world: World, due: tuple[Due, ...]) -> Snapshot:
        """Return the snapshot of a world, which must not be changed any more."""
        key = _key(world, due)
        snapshot = self._known.get(key)
        if snapshot is None:
            world.queue = []
            snapshot = self._known[key] = Snapshot(world, due)
        return snapshot


class Position:
    """Where a run is among the snapshots: at which, when what is due there happens, the time, and how many generations were begun."""

    __slots__ = ("_cache", "_learns", "_snapshot", "_times", "now", "rounds")

    def __init__(
        self, cache: SnapshotCache, snapshot: Snapshot, times: list[int], now: int, rounds: int
    ) -> None:
        self._cache, self._snapshot, self._times = cache, snapshot, times
        self.now, self.rounds = now, rounds
        self._learns = 0

    def copy(self) -> "Position":
        """Return another one at the same place."""
        return Position(self._cache, self._snapshot, self._times.copy(), self.now, self.rounds)

    def go(self, limit: int, *, settles: bool) -> bool | None:
        """Go from snapshot to snapshot until this time or, if it `settles`, until the group is stable; say whether it is. None where the next is not to be learned."""
        times, snapshot, now, rounds = self._times, self._snapshot, self.now, self.rounds
        looks, few, found = settles, FEW_EVENTS, False
        while True:
            if looks and snapshot.is_stable()[0]:
                found = True
                break
            if not times or times[0] > limit:
                break
            following = snapshot.next
            if following is None:
                following = self._learned(snapshot)
            if following is None or following.breaks or not few:
                self._snapshot, self.now, self.rounds = snapshot, now, rounds
                return None
            now = times.pop(0)
            places: tuple[int, ...] = ()
            for place in following.gone:
                del times[place]
            for delay in following.delays:
                place = bisect_right(times, now + delay)
                times.insert(place, now + delay)
                places += (place,)
            after = following.snapshots.get(places)
            snapshot = self._cache.then(following, places) if after is None else after
            rounds += following.rounds
            if settles:
                few -= 1
                looks = following.changed
        self._snapshot, self.now, self.rounds = snapshot, now, rounds
        return found

    def _learned(self, snapshot: Snapshot) -> Following | None:
        """Find out what follows a snapshot that a run has come to before, or that this run has found out; None where it is the first."""
        if snapshot.visited:
            self._learns = LEARNS
        snapshot.visited = True
        if not self._learns:
            return None
        self._learns -= 1
        return self._cache.next(snapshot)

    def strike(self, fault: Fault) -> bool:
        """Let a fault strike that passes, and say whether it could: what comes of it must be known, and break nothing."""
        following = self._cache.struck(self._snapshot, fault)
        if following is None or following.breaks:
            return False
        times, now = self._times, self.now
        places: tuple[int, ...] = ()
        for place in following.gone:
            del times[place]
        for delay in following.delays:
            time = now + delay if delay < SPAN else now + delay - SPAN + fault.span
            place = bisect_right(times, time)
            times.insert(place, time)
            places += (place,)
        self._snapshot = following.snapshots.get(places) or self._cache.then(following, places)
        self.rounds += following.rounds
        return True

    def heal(self) -> None:
        """End all faults that have not ended."""
        self._snapshot = self._cache.healed(self._snapshot)

    def lacks(self) -> str | None:
        """Say what a stable group lacks."""
        return self._snapshot.is_stable()[1]

    def world(self) -> World:
        """Return the world of the snapshot with its times again."""
        world = self._snapshot.world.copy()
        world.now, world.history.rounds, world.changed = self.now, self.rounds, False
        number = len(self._times)
        world.queue = [
            (time, place - number, *due)
            for place, (time, due) in enumerate(zip(self._times, self._snapshot.due, strict=True))
        ]
        return world


def entered(world: World, cache: SnapshotCache) -> Position | None:
    """Go over from a world that no fault has struck to its snapshot; None where an invariant broke."""
    if world.breaches:
        return None
    queue = sorted(entry for entry in world.queue if still_counts(world, entry[2], entry[3]))
    snapshot = cache.of(world, tuple((act, args) for _, _, act, args in queue))
    return Position(cache, snapshot, [time for time, *_ in queue], world.now, world.history.rounds)


def _following(
    world: World, before: tuple[Due, ...], act: Callable[..., None], args: tuple[Any, ...]
) -> Following:
    twin = world.copy()
    twin.queue, twin.now, twin.log_free, twin.changed = [], 0, 0, False
    rounds = twin.history.rounds
    act(twin, *args)
    stay = [still_counts(twin, *due) for due in before]
    new = sorted(
        (entry for entry in twin.queue if still_counts(twin, entry[2], entry[3])), key=lambda entry: entry[1]
    )
    return Following(
        world=twin,
        gone=tuple(place for place in range(len(before) - 1, -1, -1) if not stay[place]),
        left=tuple(due for due, stays in zip(before, stay, strict=True) if stays),
        new=tuple((act, args) for _, _, act, args in new),
        delays=tuple(time for time, *_ in new),
        rounds=twin.history.rounds - rounds,
        changed=twin.changed,
        breaks=bool(twin.breaches),
        snapshots={},
    )


def _key(world: World, due: tuple[Due, ...]) -> Hashable:
    """Return what is equal where nothing that can follow differs: numbers of processes and requests count from the newest."""
    lives, sent, history = world.lives, world.sent, world.history

    def request(slot: int, life: int, token: Any) -> Hashable:
        return slot, life - lives[slot], token[0], token[1] - sent[slot]

    def asking(one: Any) -> Hashable:
        slot, life, token, copy = one.token
        return request(slot, life, token), copy, id(one.request)

    def named(act: Callable[..., None], args: tuple[Any, ...]) -> Hashable:
        if act is ring_member or act is ring_coordinator:
            return act, args[:2]
        if act is hear:
            return act, asking(args[0]), id(args[1]), args[2]
        if act is arrive:
            return act, args[0], asking(args[1])
        if act is give_up:
            return act, request(*args)
        if act is commit:
            return act, args[0], args[1].batch, id(args[1].records)
        if len(args) > 1:  # of a process
            return act, args[0], args[1] - lives[args[0]], args[2:]
        return act, args

    return (
        tuple(map(id, world.members)),
        tuple((node, id(of)) for node, of in world.nodes.items()),
        tuple(named(*one) for one in due),
        tuple((where, asking(one), newest) for where, (one, newest) in world.asked.items()),
        frozenset(request(slot, life, token) for (slot, token), life in world.waiting.items()),
        tuple(None if found is None else tuple(found) for found in world.asleep),
        (world.active, world.epoch, world.brokers, world.refuses, world.gone, id(world.log), id(world.cluster), *world.programs),
        history.newest, frozenset(history.leaders.items()), frozenset(history.members.items()),
        frozenset(history.given.items()), frozenset(history.writers.items()),
    )  # fmt: skip
